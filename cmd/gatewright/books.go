package main

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"

	"gatewright/gate"
	"gatewright/gate/ledger"
	"gatewright/hooks"
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
func withBook(folder string, how access, f func(*ledger.Tx) (bool, error)) error {
	return sound(folder, func() error { return openBook(folder, how, f) })
}

// sound makes a damaged book an error: a truncated file is a memory fault, which as a
// panic can be answered.
func sound(folder string, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s/%s: %w: %v", folder, ledger.FileName, ledger.ErrDamaged, r)
		}
	}()
	return f()
}

func openBook(folder string, how access, f func(*ledger.Tx) (bool, error)) (err error) {
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
