package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/policy"
)

// unreadName begins the notes of untrusted inputs that are not recorded yet. While
// there is one no claim can be known to declare all of them.
const unreadName = "unread-"

// addClaims gives the judge what it compares claims with; nothing is read before it
// asks.
func (h *hook) addClaims(ctx *gate.Context, ev hooks.Event, set *policy.Set) {
	if form, _ := set.Claims(); form == nil {
		return
	}
	ctx.Granted = func(l *policy.Layer, i policy.Intent) bool { return isGranted(h.env, l, i, h.start) }
	ctx.Keyed = func(text string) string { return openState(h.env).digest([]byte(text)) }
	ctx.UnreadLost = func() bool { return h.unread(ev) }
}

// unread reports such a note, or that it cannot be told whether there is one. Without
// a session there is none.
func (h *hook) unread(ev hooks.Event) bool {
	if ev.Session == "" {
		return false
	}
	path, err := h.notePath(ev, unreadName)
	if err != nil {
		return true
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), unreadName) })
}

// lose notes an untrusted input, and gives what takes the note away once the input is
// recorded. A hook that does not come to an end leaves it.
func (h *hook) lose(ev hooks.Event) (recorded func()) {
	sum := sha256.Sum256([]byte(ev.ToolUseID + ev.Tool + h.start.String() + strconv.Itoa(os.Getpid())))
	name := unreadName + hex.EncodeToString(sum[:6])
	if err := h.note(ev, name, []byte(ev.Tool)); err != nil {
		h.notes = append(h.notes, "an untrusted input will not be missed in claims: "+err.Error())
		return func() {}
	}
	return func() {
		if path, err := h.notePath(ev, name); err == nil {
			err = os.Remove(path)
			if err != nil {
				h.notes = append(h.notes, err.Error())
			}
		}
	}
}

// citations are what claims must cite so far. A model that has not read an input itself,
// or no longer, cannot know.
func (h *hook) citations(ev hooks.Event, set *policy.Set) string {
	if ev.Session == "" || !slices.ContainsFunc(set.Layers, func(l *policy.Layer) bool { return len(l.Untrusted) > 0 }) {
		return ""
	}
	s, err := viewState(h.env)
	var cite string
	if err == nil {
		err = s.withBooks(ev, leave, view, func(b books) (bool, error) {
			cite = gate.Citations(set, gate.Facts{Record: b.session.Fact})
			return false, nil
		})
	}
	if err != nil {
		h.notes = append(h.notes, "what claims must cite is not told: "+err.Error())
	}
	return cite
}
