package main

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"time"

	"gatewright/gate"
	"gatewright/gate/ledger"
	"gatewright/hooks"
	"gatewright/policy"
)

// access is how a book is opened.
type access uint8

const (
	leave access = iota // not opened
	view
	create
)

// withBook runs one transaction on the book in folder. A book that is not
// opened, or not there to be viewed, is a nil Tx.
func withBook(folder string, how access, f func(*ledger.Tx) (bool, error)) (err error) {
	// A truncated file is a memory fault; as a panic it can be answered.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s/%s: %w: %v", folder, ledger.FileName, ledger.ErrDamaged, r)
		}
	}()
	if how == leave {
		_, err := f(nil)
		return err
	}
	open := ledger.Create
	if how == view {
		open = ledger.View
	}
	book, err := open(folder)
	if how == view && errors.Is(err, fs.ErrNotExist) {
		_, err := f(nil)
		return err
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	if how == view {
		return book.Read(func(tx *ledger.Tx) error {
			_, err := f(tx)
			return err
		})
	}
	return book.Update(f)
}

// books is a pair of open transactions.
type books struct {
	spend, session *ledger.Tx
	call           string // ledger.CallKey
}

func (b books) of(w gate.Window) *ledger.Tx {
	if w.Shared {
		return b.spend
	}
	return b.session
}

// withBooks opens the user's book, then the session's, always in this order.
// Both are durable when it returns nil.
func (s *state) withBooks(ev hooks.Event, spend, session access, f func(books) (bool, error)) error {
	if s.err != nil {
		return s.err
	}
	call := ledger.CallKey(ev.Client+"/"+ev.Session, ev.ToolUseID, ev.Tool)
	return withBook(s.spendDir(), spend, func(st *ledger.Tx) (commit bool, err error) {
		err = withBook(s.sessionDir(ev), session, func(t *ledger.Tx) (bool, error) {
			commit, err = f(books{st, t, call})
			return commit, err
		})
		return commit, err
	})
}

var errTooLate = errors.New("the deadline has passed")

// decide reads what the verdict needs, decides, and writes the reservations,
// all in one transaction. It commits only if claim says that the answer still
// counts. It returns the ids of what was reserved.
func (s *state) decide(set *policy.Set, ctx gate.Context, needs gate.Needs, digest string, ev hooks.Event, claim func() bool) (gate.Verdict, []string, error) {
	spend, session := leave, view
	for _, w := range needs.Windows {
		if w.Shared {
			spend = create
		} else {
			session = create
		}
	}
	var verdict gate.Verdict
	var held []string
	err := s.withBooks(ev, spend, session, func(b books) (bool, error) {
		facts, err := b.facts(needs, digest, ev)
		if err != nil {
			return false, err
		}
		verdict = gate.Decide(set, ctx, facts, ev)
		held, err = b.reserve(verdict.Reserve, facts.Now, digest, ev, false)
		if err == nil && !claim() {
			err = errTooLate
		}
		return len(held) > 0, err
	})
	return verdict, held, err
}

func (b books) facts(needs gate.Needs, digest string, ev hooks.Event) (gate.Facts, error) {
	facts := gate.Facts{
		Now:      time.Now(),
		Digest:   digest,
		Frozen:   b.session.Frozen(),
		Evidence: map[string][]byte{},
		Spent:    map[string]policy.Decimal{},
		Held:     map[string]bool{},
	}
	for _, key := range needs.Evidence {
		facts.Evidence[key] = b.session.Fact(key)
	}
	for _, w := range needs.Windows {
		if err := b.spent(w, &facts, ev); err != nil {
			return gate.Facts{}, err
		}
	}
	return facts, nil
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
	total, err := policy.ParseKept(text)
	if err != nil {
		return fmt.Errorf("kept total %q: %w", text, err)
	}
	open, err := b.of(w).Open(b.call)
	if err != nil {
		return err
	}
	for _, h := range open {
		if ev.ToolUseID == "" || h.Window != w.Name || h.Digest != facts.Digest || h.At.Before(since) || facts.Now.Sub(h.At) > sameCall {
			continue
		}
		own, err := policy.ParseKept(h.Amount)
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
		memory := gate.Memory{Now: time.Now(), Digest: digest}
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
			amount, err := policy.ParseKept(h.Amount)
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
	for _, e := range l.Evidence {
		if err := b.session.PutFact(e.Key, e.Value); err != nil {
			return false, err
		}
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
	return len(l.Evidence)+len(l.Settle)+len(l.Release)+len(l.Charge) > 0 || l.Freeze != "", nil
}
