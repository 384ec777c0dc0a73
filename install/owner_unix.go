//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// sameOwner gives a file the owner of another, if that is not us.
func sameOwner(f *os.File, old fs.FileInfo) error {
	stat, ok := old.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) == os.Getuid() && int(stat.Gid) == os.Getgid() {
		return nil
	}
	return f.Chown(int(stat.Uid), int(stat.Gid))
}
