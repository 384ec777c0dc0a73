package e2e

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLink: installed and started through a link to the repository, with a
// CODEX_HOME of its own; after uninstall every byte of Codex's config is as it was,
// but for the repository's trust.
func TestLink(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newWorld(t, c)
		config := filepath.Join(w.home, "my codex", "config.toml")
		w.write(config, codexConfig)
		w.more = []string{"CODEX_HOME=" + filepath.Dir(config)}
		link := filepath.Join(filepath.Dir(w.repo), "link")
		w.must(os.Symlink(w.repo, link))
		told := w.do(w.home, "env", "CODEX_HOME=my codex", w.gatewright(), "install", "--client", c.name, link)
		if c.name == "codex" && !strings.Contains(told, "started through "+link+", too") {
			t.Error(told)
		}
		o := w.run(play{Script: Script{Main: []Call{refund("C-1", 900)}}, Dir: link})
		if told := o.Told("main", 0); !strings.Contains(told, "require human approval") && !strings.Contains(told, "verif") || len(w.refunds()) > 0 {
			t.Errorf("%q %v", told, w.refunds())
		}
		w.do(w.home, "env", w.more[0], w.gatewright(), "uninstall", "--client", c.name, w.repo)
		text, err := os.ReadFile(config)
		w.must(err)
		rest := string(text)
		if c.name == "codex" {
			rest = strings.Replace(rest, "\n[projects.\""+w.repo+"\"]\ntrust_level = \"trusted\"\n", "", 1)
			rest = strings.Replace(rest, "\n[projects.\""+link+"\"]\ntrust_level = \"trusted\"\n", "", 1)
		}
		if rest != codexConfig {
			t.Errorf("config.toml came back as\n%s", text)
		}
	})
}

// TestOthersStayTrusted: a hook of somebody else behind ours in the same file moves
// up when ours goes, and Codex still trusts it, and still not the one that nobody
// trusted.
func TestOthersStayTrusted(t *testing.T) {
	t.Parallel()
	w := newInstalled(t, client{codexNew, "codex", runCodex})
	file := filepath.Join(w.repo, ".codex", "hooks.json")
	text, err := os.ReadFile(file)
	w.must(err)
	fired := func(name string) string { return filepath.Join(w.home, name) }
	group := func(name string) string {
		return `{"hooks":[{"type":"command","command":"touch ` + fired(name) + `"}]}`
	}
	// The first is trusted, and behind it stands one that is not.
	more := strings.Replace(string(text), "    ],\n    \"PostToolUse\"", "    ,"+group("trusted")+"],\n    \"PostToolUse\"", 1)
	w.write(file, more)
	handler := `{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"touch ` + fired("trusted") + `","timeout":600,"type":"command"}]}`
	config := filepath.Join(w.home, ".codex", "config.toml")
	state, err := os.ReadFile(config)
	w.must(err)
	w.write(config, fmt.Sprintf("%s\n[hooks.state.%q]\ntrusted_hash = \"sha256:%x\"\n", state, file+":pre_tool_use:1:0", sha256.Sum256([]byte(handler))))
	w.write(file, strings.Replace(more, group("trusted"), group("trusted")+","+group("untrusted"), 1))
	w.do(w.repo, "gatewright", "uninstall", "--client", "codex")
	w.run(play{Script: Script{Main: []Call{refund("C-1", 20)}}})
	if _, err := os.Stat(fired("trusted")); err != nil {
		t.Error("the hook that was trusted did not run", err)
	}
	if _, err := os.Stat(fired("untrusted")); err == nil {
		t.Error("the hook that nobody trusted ran")
	}
}

// TestConfigComesBack: whatever the form of Codex's config.toml, its bytes are the
// same after uninstall.
func TestConfigComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, client{codexNew, "codex", runCodex})
	config := filepath.Join(w.home, ".codex", "config.toml")
	trusted := "[projects.\"" + w.repo + "\"] # by me\ntrust_level = \"trusted\"\n"
	for name, text := range map[string]string{
		"last line open":       "model = 'x'\n" + strings.TrimSpace(trusted),
		"comment last":         trusted + "\n# the end\n\n",
		"BOM and CRLF":         "\ufeff" + strings.ReplaceAll(trusted, "\n", "\r\n"),
		"in braces":            "projects = { \"" + w.repo + "\" = { trust_level = \"trusted\" } }\n",
		"an empty hooks.state": trusted + "[hooks.state] # keep\n",
		"others' hooks":        trusted + "[hooks]\n# mine\n[hooks.state.\"/x/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:00\" # theirs\n[tui]\na =  1",
	} {
		w.write(config, text)
		if told := w.do(w.repo, "gatewright", "install", "--client", "codex"); !strings.Contains(told, "(verified)") {
			t.Errorf("%s: %s", name, told)
		}
		w.do(w.repo, "gatewright", "uninstall", "--client", "codex")
		if got, err := os.ReadFile(config); string(got) != text || err != nil {
			t.Errorf("%s came back as %q %v", name, got, err)
		}
	}
	w.must(os.Remove(config))
	w.do(w.repo, "gatewright", "install", "--client", "codex", "--scope", "user")
	w.do(w.repo, "gatewright", "uninstall", "--client", "codex", "--scope", "user")
	if text, err := os.ReadFile(config); !os.IsNotExist(err) {
		t.Errorf("a file is left: %q %v", text, err)
	}
}
