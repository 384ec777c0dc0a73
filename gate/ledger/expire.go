package ledger

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// TryLock takes a folder's lock if nobody holds it; else the error is ErrInUse. Closing
// what it gives gives the lock back.
func TryLock(folder string) (io.Closer, error) {
	f, err := lock(folder, false)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// A session that was not used for long is removed, and a mark beside its folder is
// left: without it the session, if somebody goes on with it, would begin with nothing
// spent. With the mark whatever depends on its memory is denied.
const expiredMark = ".expired"

// ErrExpired is the error of a book that was removed because it was not used for long.
var ErrExpired = errors.New("what this session has proved and spent was removed, because it was not used for long: start a new session, or reopen it with gatewright release --session ID")

// Why a session is not removed.
var (
	ErrInUse     = errors.New("it is in use, or was used just now")
	ErrUnsettled = errors.New("a reservation in it is not settled")
	ErrClosed    = errors.New("it was closed, and a person has not looked at it")
)

func checkExpired(folder string) error {
	_, err := os.Lstat(folder + expiredMark)
	switch {
	case err == nil:
		return ErrExpired
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// Revive takes the mark of an expired book away, so that it can begin anew. It reports
// whether there was one.
func Revive(folder string) (bool, error) {
	err := os.Remove(folder + expiredMark)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// asideMark follows the name of a damaged book that a person has set aside.
const asideMark = ".damaged-"

// Aside is the path of a damaged book that is set aside at a time.
func Aside(path string, at time.Time) string {
	return path + asideMark + at.UTC().Format("20060102T150405")
}

// LastUse is when anything in a folder was written last.
func LastUse(folder string) (time.Time, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return time.Time{}, err
	}
	last := info.ModTime()
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last, err
}

// Expire removes a session's folder that was not written since before, except what is
// to be kept, and marks it if it had a book. With dry it only says whether it would.
// It does not wait for a lock.
func Expire(folder string, before time.Time, dry bool, keep func(name string) bool) error {
	dir, err := lock(folder, false)
	if err != nil {
		return err
	}
	defer dir.Close()
	last, err := LastUse(folder)
	if err == nil && !last.Before(before) {
		err = ErrInUse
	}
	if err == nil {
		err = ended(folder)
	}
	if err == nil && keepsAll(folder, keep) {
		err = ErrInUse
	}
	if err != nil || dry {
		return err
	}
	return remove(folder, keep)
}

// ended says why the book in a locked folder cannot be removed, or nothing.
func ended(folder string) error {
	if aside, err := filepath.Glob(filepath.Join(folder, FileName+asideMark+"*")); err != nil || len(aside) > 0 {
		return errors.Join(err, ErrClosed)
	}
	path := filepath.Join(folder, FileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, err := openFile(path, true)
	if err != nil {
		return err
	}
	book := Book{db: db}
	defer db.Close()
	return book.Read(func(tx *Tx) error {
		if tx.Frozen() != "" {
			return ErrClosed
		}
		return tx.Holds(func(h Hold) error {
			if !h.Settled {
				return ErrUnsettled
			}
			return nil
		})
	})
}

// keepsAll reports a folder in which there is nothing but what is to be kept.
func keepsAll(folder string, keep func(name string) bool) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && len(entries) > 0 && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !keep(e.Name()) })
}

// remove empties a locked folder. The mark comes first: whoever ends in between leaves
// a book that nobody uses any more.
func remove(folder string, keep func(name string) bool) error {
	if _, err := os.Stat(filepath.Join(folder, FileName)); err == nil {
		if err := os.WriteFile(folder+expiredMark, nil, 0o600); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	left := 0
	for _, e := range entries {
		if keep(e.Name()) {
			left++
		} else if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	if left > 0 {
		return nil
	}
	return os.Remove(folder)
}
