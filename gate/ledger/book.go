// Package ledger keeps what has been proved and spent: one book per session and
// one per user, each a bbolt file in a folder of its own.
package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// FileName is the name of a book inside its folder.
const FileName = "ledger.db"

// Book is an open ledger file. Its folder is locked until Close, so that hook
// processes queue on the kernel's lock instead of polling bbolt's own.
type Book struct {
	db     *bolt.DB
	folder *os.File // what holds the lock
}

// ErrDamaged is the error of a ledger whose content cannot be read.
var ErrDamaged = errors.New("the ledger is damaged")

// Damaged reports whether an error means that a ledger's content cannot be read,
// rather than that the file cannot be opened now.
func Damaged(err error) bool {
	for _, damage := range []error{ErrDamaged, bolterrors.ErrInvalid, bolterrors.ErrVersionMismatch, bolterrors.ErrChecksum, io.ErrUnexpectedEOF} {
		if errors.Is(err, damage) {
			return true
		}
	}
	return false
}

// Create opens the book in folder for reading and writing, and makes it if it
// is not there. It waits for the lock without a limit: the caller has a
// deadline for the whole process.
func Create(folder string) (*Book, error) {
	for {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
		book, err := open(folder, false)
		if !errors.Is(err, errRemoved) {
			return book, err
		}
	}
}

// View opens the book in folder for reading. If there is none, the error
// satisfies errors.Is(err, fs.ErrNotExist).
func View(folder string) (*Book, error) {
	if _, err := os.Stat(filepath.Join(folder, FileName)); err != nil {
		return nil, cmp.Or(checkExpired(folder), err) // one that has expired is no empty one
	}
	book, err := open(folder, true)
	if errors.Is(err, errRemoved) {
		err = cmp.Or(checkExpired(folder), err)
	}
	return book, err
}

func open(folder string, readOnly bool) (*Book, error) {
	dir, err := lock(folder, true)
	if err != nil {
		return nil, err
	}
	opened := false
	defer func() {
		if !opened { // also when a damaged file makes bbolt panic
			dir.Close()
		}
	}()
	if err := checkExpired(folder); err != nil {
		return nil, err
	}
	db, err := openFile(filepath.Join(folder, FileName), readOnly)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, FileName), err)
	}
	opened = true
	return &Book{db, dir}, nil
}

// openFile opens the file whose folder is locked. One that is not there is made
// beside its place and moved there whole, so that a file which is empty or cut
// short is always damaged, and never taken for a new one.
func openFile(path string, readOnly bool) (*bolt.DB, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !readOnly {
		if err := makeFile(path); err != nil {
			return nil, err
		}
	}
	if err := checkMetas(path); err != nil {
		return nil, err
	}
	return bolt.Open(path, 0o600, &bolt.Options{
		// The folder's lock is ours: nobody else may hold bbolt's.
		Timeout:  time.Second,
		ReadOnly: readOnly,
	})
}

func makeFile(path string) error {
	unfinished := path + ".new"
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, err := bolt.Open(unfinished, 0o600, &bolt.Options{Timeout: time.Second})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	return os.Rename(unfinished, path)
}

// errRemoved says that a folder was removed while we waited for its lock.
var errRemoved error = removed{}

type removed struct{}

func (removed) Error() string { return "it is not there any more: it was removed just now" }

func (removed) Is(err error) bool { return err == fs.ErrNotExist }

// isStill reports whether an open folder is the one that has this path.
func isStill(dir *os.File, path string) bool {
	ours, err := dir.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(ours, now)
}

// Close gives the lock back. It is safe after a failed transaction.
func (b *Book) Close() error {
	err := b.db.Close()
	return errors.Join(err, b.folder.Close())
}

// errKeepNothing ends a transaction without writing.
var errKeepNothing = errors.New("nothing to keep")

// Update runs one transaction. It is durable when Update returns nil and f
// asked to commit; if f does not, nothing is written and nothing is synced.
func (b *Book) Update(f func(*Tx) (commit bool, err error)) error {
	err := b.db.Update(func(tx *bolt.Tx) error {
		t, err := begin(tx)
		if err != nil {
			return err
		}
		commit, err := f(t)
		if err == nil && !commit {
			return errKeepNothing
		}
		return errors.Join(err, t.markEpoch())
	})
	if errors.Is(err, errKeepNothing) {
		return nil
	}
	return err
}

// Read runs one transaction that writes nothing.
func (b *Book) Read(f func(*Tx) error) error {
	return b.db.View(func(tx *bolt.Tx) error {
		t, err := begin(tx)
		if err != nil {
			return err
		}
		return f(t)
	})
}
