package ledger

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lock takes the exclusive lock on a file in the folder, because Windows locks no
// folders. The kernel gives it back when the process ends, however it ends.
func lock(folder string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", folder, err)
	}
	return file, nil
}
