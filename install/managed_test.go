package install

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatewright/hooks"
)

// FuzzManaged: an administrator's settings of Claude Code come back, with the switch
// for other hooks and without.
func FuzzManaged(f *testing.F) {
	for _, seed := range []string{"{}", "{ }\n", "\ufeff{\r\n\t\"a\": 1\r\n}", `{"hooks":{"PreToolUse":[]}}`, `{"hooks":null}`, `{"a":{"allowManagedHooksOnly":true}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, before := hooks.Claude(), []byte(text)
		list, err := handlers(before, c)
		if _, ours := lastOfOurs(list); ours || err != nil {
			return
		}
		root, body := rootOf(before)
		if root.Index(claudeOnly) >= 0 || len(body) == 0 {
			return
		}
		for _, only := range []bool{false, true} {
			now, err := RegisterManaged(before, c, Shared(), only)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if list, err := handlers(now, c); err != nil || !isRegistered(list, c, Shared()) || RunsOnlyManaged(now, c) != only {
				t.Fatalf("%q became %q: %v", text, now, err)
			}
			if back, err := UnregisterManaged(now, c); err != nil || !bytes.Equal(back, before) {
				t.Errorf("%q came back as %q: %v", text, back, err)
			}
		}
	})
}

// TestManagedOnly: the switch is not turned around, and what it is set to stays.
func TestManagedOnly(t *testing.T) {
	c := hooks.Claude()
	if _, err := RegisterManaged([]byte(`{"allowManagedHooksOnly": false}`), c, Shared(), true); err == nil || !strings.Contains(err.Error(), "allowManagedHooksOnly is not true") {
		t.Error(err)
	}
	for _, theirs := range []string{`{"allowManagedHooksOnly": false}`, `{"allowManagedHooksOnly": true}`} {
		if got, err := UnregisterManaged([]byte(theirs), c); string(got) != theirs || err != nil {
			t.Errorf("%s: %s %v", theirs, got, err)
		}
	}
	text, err := RegisterManaged([]byte(`{"allowManagedHooksOnly": false}`), c, Shared(), false)
	if err != nil || RunsOnlyManaged(text, c) {
		t.Errorf("%s %v", text, err)
	}
	fresh, err := RegisterManaged(nil, c, Shared(), true)
	if err != nil || !RunsOnlyManaged(fresh, c) {
		t.Fatal(err)
	}
	if back, err := UnregisterManaged(fresh, c); back != nil || err != nil {
		t.Errorf("%s %v", back, err)
	}
}

// TestBackup: the text that was there first is kept, alone for its user, until the
// file has it again.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	path, backups := filepath.Join(dir, "a repo", "settings.json"), filepath.Join(dir, "state", "backups")
	read := func() *File {
		f, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if err := read().Backup(backups); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(backups); err == nil {
		t.Error("something is kept of a file that is not there")
	}
	for _, text := range []string{"first", "second"} {
		write(t, path, text)
		if err := read().Backup(backups); err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(backups, path+".before")
	info, err := os.Stat(kept)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	if text, err := os.ReadFile(kept); string(text) != "first" || err != nil {
		t.Errorf("%s %v", text, err)
	}
	for _, now := range [][]byte{[]byte("second"), nil} {
		if got := read().DropBackup(backups, now); got != kept {
			t.Errorf("%q: %q", now, got)
		}
	}
	if got := read().DropBackup(backups, []byte("first")); got != "" {
		t.Error(got)
	}
	if _, err := os.Stat(backups); !os.IsNotExist(err) {
		t.Error("empty folders are left", err)
	}
	write(t, filepath.Join(dir, "file"), "x")
	if err := read().Backup(filepath.Join(dir, "file")); err == nil {
		t.Error("no error where nothing can be kept")
	}
}
