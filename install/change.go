package install

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// ErrChanged is the error of a change to a file that another program changed
// since it was read.
var ErrChanged = errors.New("another program changed it just now")

// Change is a change to a file that is prepared and not made yet.
type Change struct {
	file *File
	text []byte
	temp string // what takes the file's place; empty if nothing does
}

// Prepare writes text beside the file, with the file's mode and owner; nil is for
// removing it. Whatever can fail fails here, where nothing has changed yet.
func (f *File) Prepare(text []byte) (*Change, error) {
	c := &Change{file: f, text: text}
	if text == nil && f.isLink() {
		c.text = nothingIn(f.Path) // it is not ours to leave a link without its file
	}
	if c.text == nil || f.Text != nil && bytes.Equal(c.text, f.Text) {
		return c, nil
	}
	if err := f.makeFolder(filepath.Dir(f.target)); err != nil {
		return nil, fmt.Errorf("%s: its folder %w", f.Path, cannot("be made", err))
	}
	return c, c.write()
}

// nothingIn is a file's text that says nothing.
func nothingIn(path string) []byte {
	if filepath.Ext(path) == ".toml" {
		return []byte{}
	}
	return []byte("{}\n")
}

// makeFolder makes a folder and those above it.
func (f *File) makeFolder(dir string) error {
	if f.Private {
		return os.MkdirAll(dir, 0o700)
	}
	if _, err := os.Stat(dir); err == nil || !f.Public {
		return os.MkdirAll(dir, 0o755)
	}
	if err := f.makeFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}

func (c *Change) write() error {
	dir := filepath.Dir(c.file.target)
	sweep(dir)
	temp, err := c.file.newTemp(dir)
	if err != nil {
		return fmt.Errorf("%s: nothing can be written beside it, so it %w", c.file.Path, cannot("be changed", err))
	}
	c.temp = temp.Name()
	_, err = temp.Write(c.text)
	if err = errors.Join(err, c.file.dress(temp), temp.Sync(), temp.Close()); err != nil {
		c.Discard()
	}
	return err
}

const (
	tempPrefix = ".gatewright-"
	tempRandom = 8
	// abandoned is the age at which such a file belongs to nobody: the change that
	// made it takes far less than a second.
	abandoned = time.Hour
)

// sweep removes what a change left that was killed.
func sweep(dir string) {
	old, err := filepath.Glob(filepath.Join(dir, tempPrefix+strings.Repeat("[A-Z2-7]", tempRandom)))
	if err != nil {
		return // the folder's name is no pattern
	}
	for _, path := range old {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned {
			os.Remove(path)
		}
	}
}

// newTemp makes a file with the mode that a new file gets here; one that takes the
// place of another is for us alone until it has that one's mode.
func (f *File) newTemp(dir string) (*os.File, error) {
	name := filepath.Join(dir, tempPrefix+rand.Text()[:tempRandom])
	mode := fs.FileMode(0o644)
	if f.info != nil {
		mode = 0o600
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// dress gives the new file the mode and owner of the old one.
func (f *File) dress(temp *os.File) error {
	switch {
	case f.info == nil && f.Public:
		return temp.Chmod(0o644)
	case f.info == nil:
		return nil
	}
	if err := sameOwner(temp, f.info); err != nil {
		return fmt.Errorf("%s belongs to another user, and would no longer: run this as that user", f.Path)
	}
	return temp.Chmod(f.info.Mode().Perm())
}

// Discard gives a prepared change up.
func (c *Change) Discard() {
	if c.temp == "" {
		return
	}
	os.Remove(c.temp)
	if c.file.Text == nil {
		removeEmpty(filepath.Dir(c.file.Path))
	}
}

// Make makes the change, whole or not at all. The error is ErrChanged if the file
// is not as it was read.
func (c *Change) Make() error {
	defer c.Discard()
	f := c.file
	if c.temp == "" && c.text != nil {
		return nil // it is as it has to be
	}
	if err := f.unchanged(); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	switch {
	case c.text == nil && f.Text == nil:
		return nil
	case c.text == nil:
		if err := f.remove(); err != nil {
			return err
		}
	case f.Text == nil: // a link is only made where there is nothing
		if err := os.Link(c.temp, f.target); err != nil {
			return fmt.Errorf("%s: %w", f.Path, orChanged(err))
		}
	default:
		if err := os.Rename(c.temp, f.target); err != nil {
			return err
		}
	}
	return syncDir(filepath.Dir(f.target))
}

// syncDir makes what changed in a folder durable; in the next one above if it went
// with its last file.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		return syncDir(filepath.Dir(dir))
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if runtime.GOOS == "windows" {
		err = nil // where a folder cannot be synced, and need not be
	}
	return errors.Join(err, d.Close())
}

func orChanged(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return ErrChanged
	}
	return err
}

// remove removes the file, and its folder if that is empty now and no link.
func (f *File) remove() error {
	if err := os.Remove(f.target); err != nil {
		return err
	}
	removeEmpty(filepath.Dir(f.Path))
	if f.Public { // made two of them
		removeEmpty(filepath.Dir(filepath.Dir(f.Path)))
	}
	return nil
}

func (f *File) isLink() bool {
	info, err := os.Lstat(f.Path)
	return err == nil && info.Mode().Type() == fs.ModeSymlink
}

// removeEmpty removes a folder if it is empty, and never a link.
func removeEmpty(dir string) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		os.Remove(dir) // fails unless it is empty
	}
}

func (f *File) unchanged() error {
	now, _, err := readRegular(f.target)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Text == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), err == nil && (f.Text == nil || !bytes.Equal(now, f.Text)):
		return ErrChanged
	}
	return err
}
