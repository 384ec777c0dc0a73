package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDisarmCodex: a session reads its hooks once, at its start.
func TestDisarmCodex(t *testing.T) {
	t.Parallel()
	w := newInstalled(t, clients[2])
	o := w.run(play{Script: Script{Main: []Call{withoutHooks, refund("C-1", 20)}}, Bypass: true})
	w.checkDisarmed(o, 1, needsProof)
}

// TestDisarmCodexAgent: an agent reads them again, so none is started after a
// change.
func TestDisarmCodexAgent(t *testing.T) {
	t.Parallel()
	w := newInstalled(t, clients[2])
	calls := append([]Call{withoutHooks}, clients[2].delegate()...)
	o := w.run(play{Script: Script{Main: calls, Sub: []Call{refund("C-1", 20)}}, Bypass: true})
	w.checkDisarmed(o, 1, "calls would go unjudged")
}

var withoutHooks = Call{Tool: "exec_command", Args: object{"cmd": unseen("rm .codex/hooks.json; printf '[features]\\nhooks = false\\n' > .codex/config.toml")}}

func (w *world) checkDisarmed(o outcome, turn int, want string) {
	w.Helper()
	if _, err := os.Stat(filepath.Join(w.repo, ".codex", "hooks.json")); err == nil {
		w.Fatalf("the settings were not changed: %q", o.Told("main", 0))
	}
	if told := o.Told("main", turn); !strings.Contains(told, want) {
		w.Errorf("the model was told %q", told)
	}
	if got := w.refunds(); len(got) > 0 {
		w.Errorf("refunds that reached the server: %q", got)
	}
}

// TestNoise: Codex starts hooks in the user's shell, which may write to stdout
// before us.
func TestNoise(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		profile := filepath.Join(w.home, "noise.sh")
		w.write(profile, "echo Now using node v22\n")
		w.more = []string{"BASH_ENV=" + profile}
		w.checkWorkflow(w.run(play{Script: Script{Main: workflowCalls()}}), "main")
	})
}

// TestSwapCodex: Codex remembers a handler by its place. In another's place ours
// is not trusted, although nothing of it has changed.
func TestSwapCodex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, clients[2])
	w.prepare()
	file := filepath.Join(w.repo, ".codex", "hooks.json")
	w.write(file, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}`)
	w.do(w.repo, "gatewright", "install", "--client", "codex")
	config := filepath.Join(w.home, ".codex", "config.toml")
	text, err := os.ReadFile(config)
	w.must(err)
	w.write(config, string(text)+fmt.Sprintf("\n[hooks.state.%q]\ntrusted_hash = \"sha256:00\"\n", file+":pre_tool_use:0:0"))

	var hooks struct{ Hooks map[string][]any }
	text, err = os.ReadFile(file)
	w.must(err)
	w.must(json.Unmarshal(text, &hooks))
	slices.Reverse(hooks.Hooks["PreToolUse"])
	swapped, err := json.Marshal(map[string]any{"hooks": hooks.Hooks})
	w.must(err)
	w.write(filepath.Join(w.repo, "swapped.json"), string(swapped))

	script := Script{Main: clients[2].delegate(), Sub: []Call{refund("C-1", 20)}}
	if o := w.run(play{Script: script, Bypass: true}); !strings.Contains(o.Told("sub", 0), "requiredTool") {
		t.Errorf("before the swap the agent was told %q", o.Told("sub", 0))
	}
	script.Main = append([]Call{{Tool: "exec_command", Args: object{"cmd": unseen("mv swapped.json .codex/hooks.json")}}}, script.Main...)
	o := w.run(play{Script: script, Bypass: true})
	if told := o.Told("main", 1); !strings.Contains(told, "calls would go unjudged") || len(w.refunds()) > 0 {
		t.Errorf("the model was told %q; refunds %q", told, w.refunds())
	}
}
