package install

import (
	"bytes"
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
		return nil, err
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

// Replace puts text in the file's place, whole or not at all; nil removes the
// file, and its folder if that is empty then. Mode and owner stay. A file that
// changed since it was read is not touched.
func (f *File) Replace(text []byte) error {
	if err := f.unchanged(); err != nil {
		return err
	}
	if text == nil {
		if f.Text == nil {
			return nil
		}
		err := os.Remove(f.target)
		os.Remove(filepath.Dir(f.target)) // fails unless it is empty
		return err
	}
	if f.Text != nil && bytes.Equal(text, f.Text) {
		return nil
	}
	return f.write(text)
}

func (f *File) unchanged() error {
	now, err := os.ReadFile(f.target)
	if errors.Is(err, fs.ErrNotExist) && f.Text == nil {
		return nil
	}
	if err == nil && (f.Text == nil || !bytes.Equal(now, f.Text)) {
		err = errors.New("another program changed it just now")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	return nil
}

func (f *File) write(text []byte) error {
	dir := filepath.Dir(f.target)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".gatewright-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(text)
	if err = errors.Join(err, f.dress(temp), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), f.target); err != nil {
		return err
	}
	return syncDir(dir)
}

// dress gives the new file the mode and owner of the old one.
func (f *File) dress(temp *os.File) error {
	if f.info == nil {
		return temp.Chmod(0o644)
	}
	return errors.Join(sameOwner(temp, f.info), temp.Chmod(f.info.Mode().Perm()))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
