package e2e

import (
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
