package install

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "settings.json")
	f, err := ReadFile(path)
	if err != nil || f.Text != nil {
		t.Fatal(f, err)
	}
	if err := replace(f, []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := replace(f, []byte("2")); err == nil {
		t.Error("a file that came into being meanwhile was overwritten")
	}
	if f, err = ReadFile(path); err != nil || string(f.Text) != "1" {
		t.Fatal(f, err)
	}
	if err := replace(f, nil); err != nil {
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
	if err := replace(f, []byte(`{"a":1}`)); err != nil {
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

// TestRemoveLink: what is behind a link, and a folder that is a link, stay.
func TestRemoveLink(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "dots", "s.json"), `{"ours":1}`)
	for _, link := range []struct{ to, name string }{{"dots/s.json", "settings.json"}, {"empty", ".claude"}} {
		if err := os.Symlink(link.to, filepath.Join(dir, link.name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(filepath.Join(dir, "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := replace(f, nil); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "dots", "s.json")); string(text) != "{}\n" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	write(t, filepath.Join(dir, "dots", "r.toml"), "ours = 1\n")
	if err := os.Symlink("dots/r.toml", filepath.Join(dir, "requirements.toml")); err != nil {
		t.Fatal(err)
	}
	if f, err = ReadFile(filepath.Join(dir, "requirements.toml")); err == nil {
		err = replace(f, nil)
	}
	if text, failed := os.ReadFile(filepath.Join(dir, "dots", "r.toml")); len(text) > 0 || failed != nil || err != nil {
		t.Errorf("%q %v %v", text, failed, err)
	}
	inside := filepath.Join(dir, ".claude", "settings.json")
	for _, text := range [][]byte{[]byte("{}"), nil} {
		if f, err = ReadFile(inside); err == nil {
			err = replace(f, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if names, err := os.ReadDir(filepath.Join(dir, "empty")); err != nil || len(names) > 0 {
		t.Error(names, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, ".claude")); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Error(info, err)
	}
}

// TestRace: a file that another program writes between preparing and making is
// not overwritten, whether it was there before or not.
func TestRace(t *testing.T) {
	for _, before := range []string{"", "{}"} {
		path := filepath.Join(t.TempDir(), "settings.json")
		if before != "" {
			write(t, path, before)
		}
		f, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		change, err := f.Prepare([]byte("ours"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, "theirs")
		if err := change.Make(); !errors.Is(err, ErrChanged) {
			t.Error(err)
		}
		if text, err := os.ReadFile(path); string(text) != "theirs" || err != nil {
			t.Errorf("%s %v", text, err)
		}
		if names, err := os.ReadDir(filepath.Dir(path)); len(names) != 1 || err != nil {
			t.Error(names, err)
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
		if err := replace(f, text); err == nil {
			t.Error("it was written all the same")
		}
	}
	if text, err := os.ReadFile(path); string(text) != `{"theirs":1}` || err != nil {
		t.Error(string(text), err)
	}
}

// TestSweep: what a killed change left is removed by the next one, and nothing that
// one makes at this moment.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"settings.json", ".gatewright-OLDTEMPS", ".gatewright-NEWTEMPS", ".gatewright-notes.md"} {
		write(t, at(name), "{}")
	}
	old := time.Now().Add(-2 * abandoned)
	for _, name := range []string{".gatewright-OLDTEMPS", ".gatewright-notes.md"} {
		if err := os.Chtimes(at(name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	f, err := ReadFile(at("settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := replace(f, []byte("ours")); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{".gatewright-NEWTEMPS", ".gatewright-notes.md", "settings.json"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("%q %v", left, err)
	}
}

func replace(f *File, text []byte) error {
	change, err := f.Prepare(text)
	if err != nil {
		return err
	}
	return change.Make()
}
