//go:build unix

package install

import (
	"errors"
	"net"
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
		os.Symlink("circle", at("circle")),
		os.Symlink("/dev/zero", at("device")),
		syscall.Mkfifo(at("pipe"), 0o600),
		os.Mkdir(at("folder"), 0o700),
		os.WriteFile(at("file"), []byte("x"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.WriteFile(at("huge"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(at("huge"), maxSettings+1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"dangling": "link to nowhere", "dangling/settings.json": "dangling is a link to nowhere", "circle": "too many links",
		"device": "not a regular file", "pipe": "not a regular file", "socket": "cannot be read", "huge": "larger than 16777216 bytes", "folder": "not a regular file", "file/settings.json": "not a",
	} {
		if _, err := ReadFile(at(name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPipeMeanwhile: a pipe that takes the file's place after it was read is seen,
// and holds nobody up.
func TestPipeMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "{}")
	f, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := replace(f, []byte("ours")); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}

// TestOwner: the owner stays, too.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can give files away")
	}
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "{}")
	if err := os.Chown(path, 4711, 4712); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := replace(f, []byte("ours")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 4711 || stat.Gid != 4712 {
		t.Error(stat.Uid, stat.Gid)
	}
}
