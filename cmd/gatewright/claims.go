package main

import (
	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/policy"
)

// unreadName is the session's note that an untrusted input could not be recorded. While
// it is there no claim can be known to declare all of them.
const unreadName = "unread"

// addClaims gives the judge what it compares claims with; nothing is read before it
// asks.
func (h *hook) addClaims(ctx *gate.Context, ev hooks.Event, set *policy.Set) {
	if form, _ := set.Claims(); form == nil {
		return
	}
	ctx.Granted = func(l *policy.Layer, id string) bool { return isGranted(h.env, l.Key(), id, h.start) }
	ctx.Keyed = func(text string) string { return openState(h.env).digest([]byte(text)) }
	ctx.UnreadLost = h.noted(ev, unreadName) != nil
}

// lose notes that an untrusted input could not be recorded.
func (h *hook) lose(ev hooks.Event, set *policy.Set, ctx gate.Context) {
	if !gate.ReadsUntrusted(set, ctx, ev) {
		return
	}
	if err := h.note(ev, unreadName, []byte("1")); err != nil {
		h.notes = append(h.notes, "an untrusted input will not be missed in claims: "+err.Error())
	}
}
