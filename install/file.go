package install

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// File is a settings file as it was read. Text is nil if there was none.
type File struct {
	Path string // as it was named
	Text []byte
	// Public: everybody has to be able to read a file that is made, whatever the
	// mask for new files.
	Public bool
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
	if f.Text, f.info, err = readRegular(target); err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return f, nil
}

// readRegular reads a file and never waits: whatever is no regular file is an
// error, which continues a sentence about the file.
func readRegular(path string) ([]byte, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, cannot("be read", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, cannot("be read", err)
	case !info.Mode().IsRegular():
		return nil, nil, errors.New("is not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	switch {
	case err != nil:
		return nil, nil, cannot("be read", err)
	case len(text) > maxSettings:
		return nil, nil, fmt.Errorf("is larger than %d bytes", maxSettings)
	}
	return text, info, nil
}

// cannot says what failed without the path, which the caller names.
func cannot(what string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("cannot %s: %w", what, err)
}

// newTarget is where a file that is not there yet belongs: the folders above it
// may be links.
func newTarget(path string) (string, error) {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	if _, there := os.Lstat(dir); err != nil && there == nil {
		return "", fmt.Errorf("%s is a link to nowhere", dir)
	}
	return path, nil
}

// IsSameFile reports whether two paths lead to one file.
func IsSameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	return errors.Join(err, err2) == nil && os.SameFile(one, other)
}
