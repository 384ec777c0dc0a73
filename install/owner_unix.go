//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// sameOwner gives a file the owner of another, if that is not us. The group of a
// file is not always ours to give, so that is tried only.
func sameOwner(f *os.File, old fs.FileInfo) error {
	stat, ok := old.Sys().(*syscall.Stat_t)
	if !ok || int(stat.Uid) == os.Getuid() && int(stat.Gid) == os.Getgid() {
		return nil
	}
	err := f.Chown(int(stat.Uid), int(stat.Gid))
	if int(stat.Uid) == os.Getuid() {
		return nil
	}
	return err
}
