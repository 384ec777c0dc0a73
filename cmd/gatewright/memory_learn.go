package main

import (
	"errors"
	"time"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// learn records what a finished call shows, and ends its reservations.
func (s *state) learn(set *policy.Set, ctx gate.Context, wants gate.Wants, digest string, ev hooks.Event) (gate.Lesson, error) {
	if ev.Session == "" {
		return gate.Lesson{}, errors.New("the event has no session_id")
	}
	spend := leave
	if wants.Settle {
		spend = create
	}
	var lesson gate.Lesson
	err := s.withBooks(ev, spend, create, func(b books) (bool, error) {
		memory := gate.Memory{Now: clock(), Digest: digest, User: b.user(), Record: b.session.Fact, Records: b.session.Facts}
		if err := b.recall(&memory); err != nil {
			return false, err
		}
		lesson = gate.Learn(set, ctx, memory, ev)
		return b.keep(lesson, memory.Now, digest, ev)
	})
	return lesson, err
}

// recall adds what both books know of the call.
func (b books) recall(m *gate.Memory) error {
	for _, shared := range []bool{true, false} {
		tx := b.of(gate.Window{Shared: shared})
		holds, err := tx.Open(b.call)
		if err != nil {
			return err
		}
		for _, h := range holds {
			amount, err := exact.ParseKept(h.Amount)
			if err != nil {
				return err
			}
			m.Open = append(m.Open, gate.Hold{ID: h.ID(), Window: h.Window, Shared: shared, Digest: h.Digest, Amount: amount})
		}
		settled, err := tx.Settled(b.call)
		if err != nil {
			return err
		}
		m.Settled = append(m.Settled, settled...)
	}
	return nil
}

// keep writes a lesson; nothing is written for one that is empty.
func (b books) keep(l gate.Lesson, now time.Time, digest string, ev hooks.Event) (bool, error) {
	for _, prefix := range l.Stale {
		if err := b.session.DropFacts(prefix); err != nil {
			return false, err
		}
	}
	if l.User != nil {
		l.Evidence = append(l.Evidence, gate.Evidence{Key: userKey, Value: hooks.EncodeJSON(*l.User)})
	}
	if err := b.put(l.Evidence); err != nil {
		return false, err
	}
	for _, h := range l.Settle {
		if err := b.of(gate.Window{Shared: h.Shared}).Settle(h.ID, h.Amount.String()); err != nil {
			return false, err
		}
	}
	for _, h := range l.Release {
		if err := b.of(gate.Window{Shared: h.Shared}).Release(h.ID); err != nil {
			return false, err
		}
	}
	if _, err := b.reserve(l.Charge, now, digest, ev, true); err != nil {
		return false, err
	}
	if l.Freeze != "" {
		if err := b.session.Freeze(l.Freeze); err != nil {
			return false, err
		}
	}
	return len(l.Stale)+len(l.Evidence)+len(l.Settle)+len(l.Release)+len(l.Charge) > 0 || l.Freeze != "", nil
}
