package install

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "settings.json")
	f, err := ReadFile(path)
	if err != nil || f.Text != nil {
		t.Fatal(f, err)
	}
	if err := f.Replace([]byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := f.Replace([]byte("2")); err == nil {
		t.Error("a file that came into being meanwhile was overwritten")
	}
	if f, err = ReadFile(path); err != nil || string(f.Text) != "1" {
		t.Fatal(f, err)
	}
	if err := f.Replace(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Error("an empty folder was left", err)
	}
}

// TestReplaceLink: the file behind a link is written, its mode stays, and
// nothing else is left in its folder.
func TestReplaceLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles", "settings.json"), filepath.Join(dir, "settings.json")
	write(t, target, "{}")
	if err := os.Chmod(target, 0o604); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dotfiles/settings.json", link); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Replace([]byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Error("the link is gone", err)
	}
	if info, err = os.Stat(target); err != nil || info.Mode().Perm() != 0o604 {
		t.Error(info.Mode(), err)
	}
	if text, err := os.ReadFile(target); string(text) != `{"a":1}` || err != nil {
		t.Error(string(text), err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "dotfiles", "*")); len(names) != 1 || err != nil {
		t.Error(names, err)
	}
}

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

// TestReplaceChanged: a file that another program changed is not touched.
func TestReplaceChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "{}")
	f, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, `{"theirs":1}`)
	for _, text := range [][]byte{[]byte("ours"), nil} {
		if err := f.Replace(text); err == nil {
			t.Error("it was written all the same")
		}
	}
	if text, err := os.ReadFile(path); string(text) != `{"theirs":1}` || err != nil {
		t.Error(string(text), err)
	}
}
