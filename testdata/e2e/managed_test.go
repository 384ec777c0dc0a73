package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newManaged is a world whose administrator has registered gatewright for everybody,
// with a policy, and whose repository has nothing of it.
func newManaged(t *testing.T, c client, more ...string) *world {
	t.Helper()
	w := newWorld(t, c)
	w.prepare()
	w.ownEtc()
	// Only root can write there, which is looked at.
	w.must(os.MkdirAll(filepath.Join(w.etc, "gatewright/bin"), 0o755))
	w.do(w.home, "cp", w.gatewright(), filepath.Join(w.etc, "gatewright/bin/gatewright"))
	w.do(w.home, append([]string{"/etc/gatewright/bin/gatewright", "install", "--client", c.name, "--scope", "managed"}, more...)...)
	w.write(filepath.Join(w.etc, "gatewright/policy.toml"), "version = 1\n[[rule]]\nid = \"no-refunds\"\neffect = \"deny\"\nmatch = { tool = \"*process_refund\" }\nreason = \"No refunds here.\"\n")
	return w
}

// TestManaged: what an administrator registers runs although the project switches
// hooks off, and after uninstall the client is as it was before.
func TestManaged(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newManaged(t, c)
		w.write(filepath.Join(w.repo, ".claude/settings.local.json"), `{"disableAllHooks": true}`)
		w.write(filepath.Join(w.repo, ".codex/config.toml"), "[features]\nhooks = false\n")
		if c.name == "codex" {
			config := filepath.Join(w.home, ".codex/config.toml")
			w.write(config, codexConfig+"[features]\nhooks = false\n")
		}
		o := w.run(play{Script: Script{Main: []Call{refund("C-1", 20)}}, Bypass: true})
		if told := o.Told("main", 0); !strings.Contains(told, "No refunds here.") || len(w.refunds()) > 0 {
			t.Errorf("%q %v", told, w.refunds())
		}
		w.do(w.home, "/etc/gatewright/bin/gatewright", "uninstall", "--client", c.name, "--scope", "managed")
		w.run(play{Script: Script{Main: []Call{refund("C-1", 20)}}, Bypass: true})
		if got := w.refunds(); len(got) != 1 {
			t.Errorf("after uninstall: %v", got)
		}
	})
}

// TestManagedOnly: with the switch a project's hook does not run, and ours does.
func TestManagedOnly(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		if c.name != "claude" {
			return // a project's hook would have to be trusted first
		}
		for _, only := range []bool{false, true} {
			var more []string
			if only {
				more = []string{"--managed-hooks-only"}
			}
			w := newManaged(t, c, more...)
			fired := filepath.Join(w.home, "fired")
			w.write(filepath.Join(w.repo, ".claude/settings.json"), `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"touch `+fired+`"}]}]}}`)
			o := w.run(play{Script: Script{Main: []Call{verify("crm", "C-1", "good"), refund("C-1", 20)}}, Bypass: true})
			if told := o.Told("main", 1); !strings.Contains(told, "No refunds here.") {
				t.Errorf("%q", told)
			}
			if _, err := os.Stat(fired); (err == nil) == only {
				t.Errorf("only %t, and the project's hook: %v", only, err)
			}
		}
	})
}
