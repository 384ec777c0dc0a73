package install

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a settings file as it was read. Text is nil if there was none.
type File struct {
	Path string // as it was named
	Text []byte
	// Private: a folder that has to be made for it is for this user alone.
	Private bool

	target string // behind links
	info   fs.FileInfo
}

// maxSettings is the size of the largest settings file that is read, in bytes.
const maxSettings = 16 << 20

// ReadFile reads a settings file, through links. A link to nowhere and anything
// but a regular file are errors.
func ReadFile(path string) (*File, error) {
	f := &File{Path: path}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("%s is a link to nowhere", path)
		}
		f.target, err = newTarget(path)
		return f, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.target = target
	if f.info, err = os.Stat(target); err != nil {
		return nil, err
	}
	switch {
	case !f.info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case f.info.Size() > maxSettings:
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxSettings)
	}
	f.Text, err = os.ReadFile(target)
	if err == nil && f.Text == nil {
		f.Text = []byte{}
	}
	return f, err
}

// newTarget is where a file that is not there yet belongs: the folders above it
// may be links.
func newTarget(path string) (string, error) {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	return path, nil
}

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
		c.text = []byte("{}\n") // it is not ours to leave a link without its file
	}
	if c.text == nil || f.Text != nil && bytes.Equal(c.text, f.Text) {
		return c, nil
	}
	mode := fs.FileMode(0o755)
	if f.Private {
		mode = 0o700
	}
	if err := os.MkdirAll(filepath.Dir(f.target), mode); err != nil {
		return nil, err
	}
	return c, c.write()
}

func (c *Change) write() error {
	temp, err := c.file.newTemp(filepath.Dir(c.file.target))
	if err != nil {
		return err
	}
	c.temp = temp.Name()
	_, err = temp.Write(c.text)
	if err = errors.Join(err, c.file.dress(temp), temp.Sync(), temp.Close()); err != nil {
		c.Discard()
	}
	return err
}

// newTemp makes a file with the mode that a new file gets here; one that takes the
// place of another is for us alone until it has that one's mode.
func (f *File) newTemp(dir string) (*os.File, error) {
	name := filepath.Join(dir, ".gatewright-"+rand.Text()[:8])
	mode := fs.FileMode(0o644)
	if f.info != nil {
		mode = 0o600
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// dress gives the new file the mode and owner of the old one. The group of a file
// is not always ours to give.
func (f *File) dress(temp *os.File) error {
	if f.info == nil {
		return nil
	}
	err := sameOwner(temp, f.info)
	if errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return errors.Join(err, temp.Chmod(f.info.Mode().Perm()))
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
		return f.remove()
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
	now, err := os.ReadFile(f.target)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Text == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), err == nil && (f.Text == nil || !bytes.Equal(now, f.Text)):
		return ErrChanged
	}
	return err
}

// IsSameFile reports whether two paths lead to one file.
func IsSameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	return errors.Join(err, err2) == nil && os.SameFile(one, other)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
