package main

import (
	"time"

	"gatewright/gate"
	"gatewright/gate/ledger"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// replayBook is the memory of one replayed session. It lasts as long as the replay
// and knows no other session. It behaves as the books of real sessions do.
type replayBook struct {
	now    time.Time
	facts  replayFacts
	ended  map[string]bool // ids of calls that have ended
	spend  replaySpend
	user   gate.User
	frozen string
}

func newReplayBook(now time.Time) *replayBook {
	return &replayBook{
		now:   now,
		ended: map[string]bool{},
		facts: replayFacts{values: map[string][]byte{}},
		spend: replaySpend{windows: map[string]*replayWindow{}, calls: map[string]*replayCall{}},
		// All that the person said is in the recording, so saying nothing is known, too.
		user: gate.User{Known: true},
	}
}

// tick sets the clock, which never goes back. Calls without an id are told apart by
// their times, and one with the id of another by being later than its end: so no two
// of them have the same.
func (b *replayBook) tick(ev recorded) {
	switch {
	case ev.at.After(b.now):
		b.now = ev.at
	case ev.Kind != hooks.UserPrompt && (ev.ToolUseID == "" || b.ended[ev.ToolUseID]):
		b.now = b.now.Add(time.Nanosecond)
	}
}

// replayed is one call with what the policy says to it.
type replayed struct {
	recorded
	about    []policy.Source // the tables that judge calls of this tool
	findings []gate.Finding
}

// judge asks the policy about a call that was made, whatever it says then.
func (b *replayBook) judge(set *policy.Set, ctx gate.Context, ev recorded) *replayed {
	ev.Event = gate.TakeClaim(set, ev.Event)
	digest := string(gate.Canonical(ev.Args))
	v, about := gate.Judge(set, ctx, b.known(gate.Required(set, ctx, ev.Event), digest, ev.Event), ev.Event)
	b.spend.reserve(v.Reserve, b.now, digest, callKey(ev.Event), true)
	b.facts.put(v.Uses)
	return &replayed{recorded: ev, about: about, findings: v.Findings}
}

func callKey(ev hooks.Event) string { return ledger.CallKey(ev.Client, ev.ToolUseID, ev.Tool) }

// known is what the book knows that a verdict needs.
func (b *replayBook) known(needs gate.Needs, digest string, ev hooks.Event) gate.Facts {
	facts := gate.Facts{
		Now: b.now, Digest: digest, Frozen: b.frozen, Record: b.facts.record, Records: b.facts.each, User: b.user,
		Spent: map[string]exact.Decimal{}, Held: map[string]bool{},
	}
	for _, w := range needs.Windows {
		var total exact.Decimal
		if window := b.spend.windows[w.Name]; window != nil {
			total = window.spent(b.now)
		}
		if own, held := b.spend.own(w, b.now, digest, callKey(ev)); held && ev.ToolUseID != "" {
			total, facts.Held[w.Name] = total.Sub(own), true
		}
		facts.Spent[w.Name] = total
	}
	return facts
}

// learn keeps what an event shows, and ends the reservations of a finished call.
func (b *replayBook) learn(set *policy.Set, ctx gate.Context, ev hooks.Event) {
	ev = gate.TakeClaim(set, ev)
	digest, call := string(gate.Canonical(ev.Args)), callKey(ev)
	b.ended[ev.ToolUseID] = true
	b.keep(gate.Learn(set, ctx, b.memory(digest, call), ev), digest, call)
}

// memory is what the book knows of a call that has ended.
func (b *replayBook) memory(digest, call string) gate.Memory {
	c := b.spend.call(call)
	m := gate.Memory{Now: b.now, Digest: digest, Settled: c.settled, User: b.user, Record: b.facts.record, Records: b.facts.each}
	for _, h := range c.open {
		m.Open = append(m.Open, h.Hold)
	}
	return m
}

func (b *replayBook) keep(l gate.Lesson, digest, call string) {
	for _, prefix := range l.Stale {
		b.facts.drop(prefix)
	}
	b.facts.put(l.Evidence)
	if l.User != nil {
		b.user = *l.User
	}
	for _, h := range l.Settle {
		b.spend.settle(call, h)
	}
	for _, h := range l.Release {
		h.Amount = exact.Decimal{}
		b.spend.settle(call, h)
	}
	b.spend.reserve(l.Charge, b.now, digest, call, false)
	if l.Freeze != "" {
		b.frozen = l.Freeze
	}
}
