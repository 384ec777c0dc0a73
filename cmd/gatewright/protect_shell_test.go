package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatewright/hooks"
	"gatewright/policy"
)

// shellRepository makes a repository with what is ours in it.
func shellRepository(t testing.TB) (home, repo string, set *policy.Set, h *hook) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, repo = filepath.Join(dir, "home"), filepath.Join(dir, "repo")
	for path, text := range map[string]string{
		"repo/.git/HEAD": "", "repo/.gatewright/policy.toml": "version = 1\n", "repo/.claude/settings.json": "{}",
		"repo/.claude/commands/x.md": "", "repo/sub/x": "", "home/.local/bin/gatewright": "",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(home, ".local/bin/gatewright"), filepath.Join(repo, "gw")); err != nil {
		t.Fatal(err)
	}
	h = &hook{env: environment{"HOME=" + home}}
	set, err = policy.Load(repo, policy.Places{})
	if err != nil {
		t.Fatal(err)
	}
	return home, repo, set, h
}

// shellJudge judges lines in such a repository.
func shellJudge(t testing.TB) func(client, line string) (what, evades string) {
	t.Helper()
	home, repo, set, h := shellRepository(t)
	return func(client, line string) (string, string) {
		line = strings.NewReplacer("@REPO", repo, "@HOME", home).Replace(line)
		ev := hooks.Event{Kind: hooks.PreToolUse, Client: client, CWD: repo, Tool: "Bash",
			Args: hooks.EncodeJSON(map[string]string{"command": line})}
		return h.protect(ev, set)
	}
}

// linesOf reads the command lines of a file: an empty line ends each.
func linesOf(t testing.TB, name string) []string {
	t.Helper()
	text, err := os.ReadFile("../../testdata/cases/shell/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		if !strings.HasPrefix(line, "# ") {
			out = append(out, line)
		}
	}
	if len(out) < 40 {
		t.Fatalf("%s has %d lines", name, len(out))
	}
	return out
}

func TestShellLines(t *testing.T) {
	judge := shellJudge(t)
	for _, client := range []string{"claude", "codex"} {
		for _, line := range linesOf(t, "denied.txt") {
			if what, _ := judge(client, line); what == "" {
				t.Errorf("%s: not denied: %s", client, line)
			}
		}
		for _, line := range linesOf(t, "evading.txt") {
			if _, evades := judge(client, line); evades == "" {
				t.Errorf("%s: not denied: %s", client, line)
			}
		}
		for _, line := range linesOf(t, "ordinary.txt") {
			if what, evades := judge(client, line); what+evades != "" {
				t.Errorf("%s: denied (%s%s): %s", client, what, evades, line)
			}
		}
	}
}

// TestShellPlaces: where the line runs decides about a name that others have, too.
func TestShellPlaces(t *testing.T) {
	judge := shellJudge(t)
	for _, c := range []struct {
		line          string
		claude, codex bool
	}{
		{"echo > config.toml", false, true}, // Codex does not say where
		{"rm config.toml", false, true},
		{"echo > sub/config.toml", false, false},
		{"echo > @REPO/config.toml", false, false},
		{"cd sub && echo > config.toml", false, false},
		{"cd sub; echo > config.toml", false, true},
		{"cd .. && echo > config.toml", false, true},
		{"cd $(mktemp -d) && echo > config.toml", false, false},
		{"D=$(mktemp -d); echo > $D/config.toml", false, false},
		{"cd $(mktemp -d; echo .codex) && echo > config.toml", true, true},
		{"cd /srv/app && echo > config.toml", false, false},
		{"cd $X && echo > config.toml", true, true},
		{"cd $X && echo > @REPO/config.toml", false, false},
		{"cd $X && echo > result.json", false, false},
		{"cat config.toml", false, false},
		{"sed -i s/a/b/ config.toml", false, true},
		{"mv new.toml config.toml", false, true},
		{"eslint -c config.toml src", false, false}, // a program that may only read it
		{"cd $X && cargo run -- --config config.toml", false, false},
	} {
		for client, want := range map[string]bool{"claude": c.claude, "codex": c.codex} {
			what, _ := judge(client, c.line)
			if (what != "") != want {
				t.Errorf("%s: %s: %q", client, c.line, what)
			}
			if want && !strings.Contains(what, "absolute path") {
				t.Errorf("%s: %s: no word about the absolute path: %q", client, c.line, what)
			}
		}
	}
}

func TestPowerShell(t *testing.T) {
	h := &hook{env: environment{"HOME=/home/me"}}
	for line, want := range map[string]bool{
		`Set-Content .claude\settings.json '{}'`: true,
		`Remove-Item .gatewright/policy.toml`:    true,
		`Get-ChildItem`:                          false,
		"gate`wright release R-1":                true,
		`claude --bare`:                          true,
		`cd gatewright`:                          false,
	} {
		ev := hooks.Event{Kind: hooks.PreToolUse, Client: "claude", Tool: "PowerShell", CWD: "/repo",
			Args: hooks.EncodeJSON(map[string]string{"command": line})}
		if what, evades := h.protect(ev, &policy.Set{}); (what+evades != "") != want {
			t.Errorf("%s: %q %q", line, what, evades)
		}
	}
}

// TestCommandIsNoText: a command in a form that no client sends is judged by the
// names in it.
func TestCommandIsNoText(t *testing.T) {
	h := &hook{env: environment{"HOME=/home/me"}}
	ev := hooks.Event{Kind: hooks.PreToolUse, Client: "codex", Tool: "Bash", CWD: "/repo", Args: []byte(`{"command":["rm",".mcp.json"]}`)}
	if what, _ := h.protect(ev, &policy.Set{}); what == "" {
		t.Error("not denied")
	}
}

func BenchmarkProtectShell(b *testing.B) {
	judge := shellJudge(b)
	for b.Loop() {
		judge("claude", "cd sub && npm test -- --run 2>&1 | tail -40")
	}
}
