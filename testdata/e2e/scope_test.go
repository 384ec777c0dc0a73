package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const ownProofPolicy = `version = 1

[[fact]]
id = "verified"
from = ["mcp__crm__identity_verification"]
where = 'past.result.verified == true and past.result.customer_id == args.customer_id'
scope = "agent"

[[gate]]
id = "verify-first"
tools = ["process_refund"]
needs = "verified"
`

// TestScopeAgent: what the session has proved opens nothing for its sub-agent, and
// the other way round, if the fact is bound to one context.
func TestScopeAgent(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.write(filepath.Join(w.repo, ".gatewright", "policy.toml"), ownProofPolicy)
		main := append([]Call{verify("crm", "C-1", "good")}, c.delegate()...)
		main = append(main, refund("C-1", 20), refund("C-2", 20))
		sub := []Call{refund("C-1", 30), verify("crm", "C-2", "good"), refund("C-2", 30)}
		o := w.run(play{Script: Script{Main: main, Sub: sub}, Bypass: true})
		for thread, turn := range map[string]int{"sub": 0, "main": len(main) - 1} {
			if told := strings.ReplaceAll(o.Told(thread, turn), `\"`, `"`); !strings.Contains(told, needsProof) {
				t.Errorf("%s, whose own context proved nothing: %q", thread, told)
			}
		}
		if got := w.refunds(); !slices.Equal(got, []string{"C-2 30", "C-1 20"}) {
			t.Errorf("refunds that reached the server: %q", got)
		}
	})
}

// TestCompaction: what the model read before its conversation was shortened opens
// nothing afterwards.
func TestCompaction(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.write(filepath.Join(w.repo, ".gatewright", "policy.toml"), strings.Replace(ownProofPolicy, `scope = "agent"`, `reset_on = ["compact"]`, 1))
		w.run(play{Script: Script{Main: []Call{verify("crm", "C-1", "good"), refund("C-1", 20)}}})
		w.run(play{Script: Script{Main: []Call{refund("C-1", 30)}}, Resume: true})
		w.compact()
		o := w.run(play{Script: Script{Main: []Call{refund("C-1", 40), verify("crm", "C-1", "good"), refund("C-1", 50)}}, Resume: true})
		if told := strings.ReplaceAll(o.Told("main", 0), `\"`, `"`); !strings.Contains(told, needsProof) {
			t.Errorf("after the compaction: %q", told)
		}
		if got := w.refunds(); !slices.Equal(got, []string{"C-1 20", "C-1 30", "C-1 50"}) {
			t.Errorf("refunds that reached the server: %q", got)
		}
	})
}

// compact makes the client shorten the conversation of the play before: Claude Code
// when it is told to, Codex when it has become too long.
func (w *world) compact() {
	w.Helper()
	if w.client.name == "claude" {
		w.run(play{Prompt: "/compact", Resume: true})
		return
	}
	w.run(play{Resume: true, Long: true})
}
