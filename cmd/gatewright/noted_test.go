package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatewright/hooks"
	"gatewright/policy"
)

// TestNotesUnread: a note that makes a session stricter does so when it cannot be
// read, too, wherever the state lies.
func TestNotesUnread(t *testing.T) {
	set := &policy.Set{}
	layer, err := policy.Parse("repo", "policy.toml", []byte("version = 1\n[[fact]]\nid = \"f\"\nfrom = [\"mcp__s__get\"]\nreset_on = [\"compact\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	set.Layers = append(set.Layers, layer)
	home := filepath.Join(t.TempDir(), "a[b")
	h := &hook{env: environment{"XDG_STATE_HOME=" + home}, start: time.Unix(1e9, 0)}
	ev := hooks.Event{Client: "claude", Session: "s", Tool: "WebFetch"}
	if h.unread(ev) || !h.compactedAt(ev, set).IsZero() {
		t.Error("nothing was noted")
	}
	recorded := h.lose(ev)
	if !h.unread(ev) {
		t.Error("an input is not missed")
	}
	if recorded(); h.unread(ev) {
		t.Error("a recorded input is missed")
	}
	compacted, err := h.notePath(ev, compactedName)
	if err == nil {
		err = os.MkdirAll(compacted, 0o700) // no file
	}
	if err != nil {
		t.Fatal(err)
	}
	if at := h.compactedAt(ev, set); !at.Equal(h.start) {
		t.Errorf("compacted at %s", at)
	}
	dir := filepath.Dir(compacted)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // no folder
		t.Fatal(err)
	}
	if !h.unread(ev) {
		t.Error("it cannot be told, and counts as nothing missed")
	}
}
