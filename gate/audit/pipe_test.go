//go:build unix

package audit

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPipe: a pipe in the file's place is an error, not a way to hold us up.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "2026-03-02.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, Entry{Time: noon}); err == nil {
		t.Error("no error")
	}
}
