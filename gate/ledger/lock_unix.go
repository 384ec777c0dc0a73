//go:build unix

package ledger

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the exclusive lock on the folder itself, so that no lock file is
// left behind. The kernel gives it back when the process ends, however it ends.
func lock(folder string) (*os.File, error) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(dir.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		dir.Close()
		return nil, fmt.Errorf("lock %s: %w", folder, err)
	}
	return dir, nil
}
