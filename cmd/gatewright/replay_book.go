package main

import (
	"slices"
	"strings"
	"time"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// replayBook is the memory of one replayed session. It lasts as long as the replay
// and knows no other session.
type replayBook struct {
	now      time.Time
	evidence map[string][]byte
	user     gate.User
	holds    []replayHold
	settled  map[string][]string // digests by call
	next     int
}

type replayHold struct {
	gate.Hold
	call string
	at   time.Time
	open bool
}

func newReplayBook(now time.Time) *replayBook {
	// All that the person said is in the recording, so saying nothing is known, too.
	return &replayBook{now: now, evidence: map[string][]byte{}, user: gate.User{Known: true}, settled: map[string][]string{}}
}

func (b *replayBook) facts(needs gate.Needs, digest, call string) gate.Facts {
	facts := gate.Facts{
		Now: b.now, Digest: digest, Evidence: b.evidence, User: b.user,
		Spent: map[string]exact.Decimal{}, Held: map[string]bool{},
	}
	for _, w := range needs.Windows {
		var total exact.Decimal
		for _, h := range b.holds {
			if h.Window == w.Name && (w.Length == 0 || b.now.Sub(h.at) < w.Length) && !(h.open && h.call == call) {
				total = total.Add(h.Amount)
			}
		}
		facts.Spent[w.Name] = total
	}
	return facts
}

func (b *replayBook) reserve(list []gate.Reservation, digest, call string, open bool) {
	for _, r := range list {
		b.next++
		h := gate.Hold{ID: string(rune(b.next)), Window: r.Window.Name, Shared: r.Window.Shared, Digest: digest, Amount: r.Amount}
		b.holds = append(b.holds, replayHold{h, call, b.now, open})
	}
}

// memory is what the book knows of a call that has ended.
func (b *replayBook) memory(digest, call string) gate.Memory {
	m := gate.Memory{Now: b.now, Digest: digest, Settled: b.settled[call], User: b.user}
	for _, h := range b.holds {
		if h.open && h.call == call {
			m.Open = append(m.Open, h.Hold)
		}
	}
	return m
}

func (b *replayBook) keep(l gate.Lesson, digest, call string) {
	for _, prefix := range l.Stale {
		for key := range b.evidence {
			if strings.HasPrefix(key, prefix) {
				delete(b.evidence, key)
			}
		}
	}
	b.put(l.Evidence)
	if l.User != nil {
		b.user = *l.User
	}
	for _, settled := range l.Settle {
		for i := range b.holds {
			if b.holds[i].ID == settled.ID {
				b.holds[i].open, b.holds[i].Amount = false, settled.Amount
			}
		}
	}
	b.holds = slices.DeleteFunc(b.holds, func(h replayHold) bool {
		return slices.ContainsFunc(l.Release, func(r gate.Hold) bool { return r.ID == h.ID })
	})
	b.reserve(l.Charge, digest, call, false)
	b.settled[call] = append(b.settled[call], digest)
}

func (b *replayBook) put(records []gate.Evidence) {
	for _, e := range records {
		b.evidence[e.Key] = e.Value
	}
}

// replayed is one call with what the policy says to it.
type replayed struct {
	ev       hooks.Event
	about    []policy.Source // the tables that judge calls of this tool
	findings []gate.Finding
	failed   bool // the recorded call failed by itself
}

// judge asks the policy about a call that was made, whatever it says then.
func (b *replayBook) judge(set *policy.Set, ctx gate.Context, ev hooks.Event) *replayed {
	digest, call := string(gate.Canonical(ev.Args)), ev.ToolUseID+" "+ev.Tool
	facts := b.facts(gate.Required(set, ctx, ev), digest, call)
	done := &replayed{ev: ev, findings: gate.Objections(set, ctx, facts, ev)}
	for _, table := range gate.Explain(set, ctx, facts, ev).Tables {
		done.about = append(done.about, table.Source)
	}
	if v := gate.Decide(set, ctx, facts, ev); v.Decision != gate.Deny {
		b.reserve(v.Reserve, digest, call, true)
		b.put(v.Uses)
	}
	return done
}

func (b *replayBook) learn(set *policy.Set, ctx gate.Context, ev hooks.Event) {
	digest, call := string(gate.Canonical(ev.Args)), ev.ToolUseID+" "+ev.Tool
	b.keep(gate.Learn(set, ctx, b.memory(digest, call), ev), digest, call)
}
