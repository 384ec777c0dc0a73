//go:build unix

package ledger

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the exclusive lock on the folder itself, so that no lock file is left
// behind. The kernel gives it back when the process ends, however it ends. Without wait
// a lock that somebody holds is ErrInUse. A folder that was removed meanwhile is
// errRemoved.
func lock(folder string, wait bool) (*os.File, error) {
	dir, err := os.OpenFile(folder, os.O_RDONLY|unix.O_DIRECTORY, 0) // of anything else opening may wait
	if err != nil {
		return nil, err
	}
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	for {
		err = unix.Flock(int(dir.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		err = ErrInUse
	case err != nil:
		err = fmt.Errorf("lock %s: %w", folder, err)
	case !isStill(dir, folder):
		err = errRemoved
	default:
		return dir, nil
	}
	dir.Close()
	return nil, err
}
