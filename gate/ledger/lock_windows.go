package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lock takes the exclusive lock on a file in the folder: a folder itself cannot be
// locked here. The system gives it back when the process ends, however it ends. Without
// wait a lock that somebody holds is ErrInUse.
func lock(folder string, wait bool) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{})
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		err = ErrInUse
	default:
		err = fmt.Errorf("lock %s: %w", folder, err)
	}
	f.Close()
	return nil, err
}
