package install

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// backupOf is where the text is kept that a file had before our first change: below
// dir, by the file's own path.
func (f *File) backupOf(dir string) string {
	inside := f.target
	if abs, err := filepath.Abs(inside); err == nil {
		inside = abs
	}
	return filepath.Join(dir, inside[len(filepath.VolumeName(inside)):]+".before")
}

// Backup keeps the file's text below dir, if none is kept there: what we wrote
// ourselves never takes the place of what was there first. A file that is not
// there needs none.
func (f *File) Backup(dir string) error {
	path := f.backupOf(dir)
	if _, err := os.Lstat(path); err == nil || f.Text == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(path), tempPrefix+rand.Text()[:tempRandom])
	defer os.Remove(temp)
	if err := writeSynced(temp, f.Text); err != nil {
		return err
	}
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// writeSynced makes a file that its user alone can read: settings can hold keys.
func writeSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// Before is what Backup kept; nil if it kept nothing.
func (f *File) Before(dir string) []byte {
	text, err := os.ReadFile(f.backupOf(dir))
	if err != nil {
		return nil
	}
	return text
}

// DropBackup removes what Backup kept if the file has that text again, so that the
// next first change keeps what is there then. Otherwise it says where it stays.
func (f *File) DropBackup(dir string, now []byte) (kept string) {
	path := f.backupOf(dir)
	before, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil || now == nil || !bytes.Equal(before, now):
		return path
	}
	if os.Remove(path) != nil {
		return path
	}
	for up := filepath.Dir(path); up != filepath.Dir(dir) && len(up) > 1; up = filepath.Dir(up) {
		if os.Remove(up) != nil {
			break
		}
	}
	return ""
}
