//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.Symlink("nowhere", at("dangling")),
		syscall.Mkfifo(at("pipe"), 0o600),
		os.Mkdir(at("folder"), 0o700),
		os.WriteFile(at("file"), []byte("x"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"dangling": "link to nowhere", "pipe": "not a regular file", "folder": "not a regular file", "file/settings.json": "not a",
	} {
		if _, err := ReadFile(at(name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
