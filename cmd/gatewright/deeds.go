package main

import (
	"gatewright/gate"
	"gatewright/gate/ledger"
	"gatewright/hooks"
	"gatewright/policy"
)

// deed is one call that is judged: the one that a client announced, or one that this
// one reaches.
type deed struct {
	ev     hooks.Event
	ctx    gate.Context
	digest string // of its arguments
}

// deeds are a call and all that it reaches. The findings say what of that cannot be told.
func (h *hook) deeds(set *policy.Set, ctx gate.Context, m *state, ev hooks.Event) ([]deed, []gate.Finding) {
	reached := gate.Reach(set, ctx, ev)
	list := make([]deed, 0, 1+len(reached.Calls))
	for _, ev := range append([]hooks.Event{ev}, reached.Calls...) {
		d := deed{ev, ctx, m.digest(gate.Canonical(ev.Args))}
		d.ctx.Protected, d.ctx.Evades = h.protect(ev, set)
		list = append(list, d)
	}
	return list, reached.Unknown
}

// screened judges all of them by the tables that need no memory.
func screened(set *policy.Set, deeds []deed, unknown []gate.Finding) gate.Verdict {
	var verdicts []gate.Verdict
	for _, d := range deeds {
		verdicts = append(verdicts, gate.Screen(set, d.ctx, d.ev))
	}
	return withReached(gate.Together(verdicts, unknown, deeds[0].ctx, deeds[0].ev), deeds)
}

// withReached adds to a verdict, for the audit, what the call reaches.
func withReached(v gate.Verdict, deeds []deed) gate.Verdict {
	for _, d := range deeds[1:] {
		v.Reaches = append(v.Reaches, d.ev.Tool)
	}
	return v
}

// needed is what memory the verdict on any of them depends on.
func needed(set *policy.Set, deeds []deed) gate.Needs {
	var all gate.Needs
	for _, d := range deeds {
		n := gate.Required(set, d.ctx, d.ev)
		all.Windows, all.Any, all.Uses = append(all.Windows, n.Windows...), all.Any || n.Any, all.Uses || n.Uses
	}
	return all
}

// judgeAll judges one call after the other, each with what those before it reserve, and
// gives the ids of what is reserved.
func (b books) judgeAll(set *policy.Set, deeds []deed) (verdicts []gate.Verdict, held []string, err error) {
	for _, d := range deeds {
		b.call = ledger.CallKey(d.ev.Client+"/"+d.ev.Session, d.ev.ToolUseID, d.ev.Tool)
		facts, err := b.facts(gate.Required(set, d.ctx, d.ev), d.digest, d.ev)
		if err != nil {
			return nil, nil, err
		}
		v := gate.Decide(set, d.ctx, facts, d.ev)
		ids, err := b.reserve(v.Reserve, facts.Now, d.digest, d.ev, false)
		if err == nil {
			err = b.put(v.Uses)
		}
		if err != nil {
			return nil, nil, err
		}
		verdicts, held = append(verdicts, v), append(held, ids...)
	}
	return verdicts, held, nil
}
