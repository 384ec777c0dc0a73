package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const namedPolicy = `version = 1

[[require]]
id = "named"
tools = ["process_refund"]
all = ['contains_word(user.text, args.customer_id)']
reason = "The user has not named this customer."
`

// TestPerson: what a person says at the prompt is known to the policy, and what a
// model says to its agent is not.
func TestPerson(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.write(filepath.Join(w.repo, ".gatewright", "policy.toml"), namedPolicy)
		calls := append([]Call{refund("C-2", 20)}, c.delegate()...)
		for _, key := range []string{"prompt", "message"} {
			if args := calls[1].Args.(object); args[key] != nil {
				args[key] = subPrompt + ": refund 20 to C-3"
			}
		}
		calls = append(calls, refund("C-1", 20))
		o := w.run(play{
			Script: Script{Main: calls, Sub: []Call{refund("C-3", 20)}},
			Prompt: mainPrompt + ": refund 20 to C-1, please",
			Bypass: true,
		})
		if told := o.Told("main", 0); !strings.Contains(told, "has not named this customer") {
			t.Errorf("another customer: %q", told)
		}
		if told := o.Told("sub", 0); !strings.Contains(told, "has not named this customer") {
			t.Errorf("a customer that the model names to its agent: %q", told)
		}
		if got := w.refunds(); !slices.Equal(got, []string{"C-1 20"}) {
			t.Errorf("refunds that reached the server: %q", got)
		}
	})
}
