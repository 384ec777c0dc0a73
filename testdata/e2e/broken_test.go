package e2e

import (
	"os"
	"strings"
	"testing"
)

// impostors are programs in our place.
var impostors = map[string]string{
	"says nothing": "#!/bin/sh\nexit 0\n", // /bin/true
	"garbage":      "#!/bin/sh\necho all is well\n",
	"half object":  "#!/bin/sh\nprintf '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDe'\n",
	"crash":        "#!/bin/sh\nkill -SEGV $$\n",
	"kill -9":      "#!/bin/sh\nprintf -; kill -9 $$\n",
	"exit 1":       "#!/bin/sh\nexit 1\n",
	"missing":      "",
}

// TestBroken: whatever is in our place, nothing reaches the server, and the
// model is told that a person has to install us.
func TestBroken(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		for name, program := range impostors {
			t.Run(name, func(t *testing.T) {
				w := newInstalled(t, c)
				w.must(os.Remove(w.gatewright()))
				if program != "" {
					w.must(os.WriteFile(w.gatewright(), []byte(program), 0o755))
				}
				o := w.run(play{Script: Script{Main: []Call{refund("C-1", 20), verify("crm", "C-1", "good")}}})
				for turn := range 2 {
					if told := o.Told("main", turn); !strings.Contains(told, "gatewright did not answer") || strings.Contains(told, "/bin/sh -c") {
						t.Errorf("the model was told %q", told)
					}
				}
				if calls := w.calls(); len(calls) > 0 {
					t.Errorf("reached the server: %q", calls)
				}
			})
		}
	})
}

// TestWithout is the control: without gatewright the same refund goes through.
func TestWithout(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newWorld(t, c)
		w.prepare()
		w.run(play{Script: Script{Main: []Call{refund("C-1", 20)}}})
		if got := w.refunds(); len(got) != 1 {
			t.Errorf("refunds that reached the server: %q", got)
		}
	})
}
