package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatewright/gate"
	"gatewright/hooks"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// TestParts: a day's file that is full is followed by a second part.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	first := filepath.Join(dir, "2026-03-02.jsonl")
	if err := os.WriteFile(first, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(first, MaxFile); err != nil {
		t.Fatal(err)
	}
	e := Entry{Time: noon, Event: hooks.Event{Kind: hooks.PreToolUse, Name: "PreToolUse", Tool: "x\"\n"}, Verdict: gate.Broken("why")}
	if err := Write(dir, e); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "2026-03-02.2.jsonl"))
	if err != nil || strings.Count(string(text), "\n") != 1 || hooks.Strict(text) != nil {
		t.Errorf("%v %q", err, text)
	}
	info, err := os.Stat(first)
	if err != nil || info.Size() != MaxFile {
		t.Errorf("the full file was written to: %v %v", info, err)
	}
}

// TestUnwritable: the error of the write itself comes back.
func TestUnwritable(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("SKIPPED: no /dev/full here")
	}
	dir := t.TempDir()
	if err := os.Symlink("/dev/full", filepath.Join(dir, "2026-03-02.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, Entry{Time: noon}); err == nil {
		t.Error("no error")
	}
}
