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

// TestAnswererUnread: once somebody could answer for the person nobody is asked in that
// session, and a note of it that is empty or cannot be read says so, too.
func TestAnswererUnread(t *testing.T) {
	p := newPlace(t)
	p.writePolicy("version = 1\n[[rule]]\nid = \"ask\"\neffect = \"require_approval\"\nmatch = { tool = [\"pay\"] }\n")
	pay := step{Tool: "mcp__bank__pay", Args: "{}", Expect: "ask"}
	p.expect("nobody noted", pay, p.play(pay))
	note := filepath.Join(filepath.Dir(p.sessionFile("claude", "s-1")), answererName)
	pay.Expect = "deny"
	for name, leave := range map[string]func() error{
		"empty":  func() error { return os.WriteFile(note, nil, 0o600) }, // the disk was full
		"folder": func() error { return os.Mkdir(note, 0o700) },
	} {
		p.must(os.MkdirAll(filepath.Dir(note), 0o700))
		p.must(leave())
		p.expect(name, pay, p.play(pay))
		p.must(os.Remove(note))
	}
}
