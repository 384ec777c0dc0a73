package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatewright/gate"
	"gatewright/gate/ledger"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

var errTooLate = errors.New("the deadline has passed")

// decide reads what the verdict on a call and on all that it reaches needs, decides,
// and writes the reservations, all in one transaction. It commits only if none of them
// is denied and claim says that the answer still counts. It returns the ids of what was
// reserved.
func (s *state) decide(set *policy.Set, needs gate.Needs, deeds []deed, unknown []gate.Finding, claim func() bool) (gate.Verdict, []string, error) {
	spend, session := leave, view
	if needs.Uses {
		session = create
	}
	for _, w := range needs.Windows {
		if w.Shared {
			spend = create
		} else {
			session = create
		}
	}
	var verdict gate.Verdict
	var held []string
	err := s.withBooks(deeds[0].ev, spend, session, func(b books) (bool, error) {
		verdicts, ids, err := b.judgeAll(set, deeds)
		if err != nil {
			return false, err
		}
		verdict = withReached(gate.Together(verdicts, unknown, deeds[0].ctx, deeds[0].ev), deeds)
		if !claim() {
			return false, errTooLate
		}
		if verdict.Decision == gate.Deny {
			return false, nil // what one of them reserved is not kept
		}
		held = ids
		return len(held)+len(verdict.Uses) > 0, nil
	})
	return verdict, held, err
}

func (b books) facts(needs gate.Needs, digest string, ev hooks.Event) (gate.Facts, error) {
	facts := gate.Facts{
		Now:     clock(),
		Digest:  digest,
		Frozen:  b.session.Frozen(),
		Record:  b.session.Fact,
		Records: b.session.Facts,
		User:    b.user(),
		Spent:   map[string]exact.Decimal{},
		Held:    map[string]bool{},
	}
	for _, w := range needs.Windows {
		if err := b.spent(w, &facts, ev); err != nil {
			return gate.Facts{}, err
		}
	}
	return facts, nil
}

// userKey is where what a person has said is kept; no fact has such a key.
const userKey = "user"

// user is what the person has said; nothing is known if that cannot be read.
func (b books) user() gate.User {
	var u gate.User
	if err := json.Unmarshal(b.session.Fact(userKey), &u); err != nil {
		return gate.User{}
	}
	return u
}

func (b books) put(records []gate.Evidence) error {
	for _, e := range records {
		if err := b.session.PutFact(e.Key, e.Value); err != nil {
			return err
		}
	}
	return nil
}

// sameCall is how long a second announcement of a call counts as the first one.
// Hooks that are registered twice run at the same time; some model servers use
// their ids again, and there a call may have ended without a word to us.
const sameCall = time.Minute

// spent adds up a window without what this very call holds in it: the same call
// may be announced twice.
func (b books) spent(w gate.Window, facts *gate.Facts, ev hooks.Event) error {
	var since time.Time
	if w.Length > 0 {
		since = facts.Now.Add(-w.Length)
	}
	text, err := b.of(w).Spent(w.Name, since)
	if err != nil {
		return err
	}
	total, err := exact.ParseKept(text)
	if err != nil {
		return fmt.Errorf("kept total %q: %w", text, err)
	}
	open, err := b.of(w).Open(b.call)
	if err != nil {
		return err
	}
	for _, h := range open {
		if ev.ToolUseID == "" || h.Window != w.Name || h.Digest != facts.Digest || h.At.Before(since) || facts.Now.Sub(h.At).Abs() > sameCall {
			continue
		}
		own, err := exact.ParseKept(h.Amount)
		if err != nil {
			return err
		}
		total, facts.Held[w.Name] = total.Sub(own), true
	}
	facts.Spent[w.Name] = total
	return nil
}

func (b books) reserve(list []gate.Reservation, now time.Time, digest string, ev hooks.Event, settled bool) ([]string, error) {
	var ids []string
	for _, r := range list {
		h, err := b.of(r.Window).Reserve(ledger.Hold{
			Window:  r.Window.Name,
			Limit:   r.Limit.ID,
			Call:    b.call,
			Tool:    ev.Tool,
			Digest:  digest,
			Amount:  r.Amount.String(),
			At:      now,
			Settled: settled,
		})
		if err != nil {
			return nil, err
		}
		ids = append(ids, holdName(r.Window.Shared, h))
	}
	return ids, nil
}
