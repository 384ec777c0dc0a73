//go:build unix

package main

import (
	"os"
	"syscall"
)

// onlyRoot reports a file or a folder that nobody but root can change.
func onlyRoot(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&(os.ModeSymlink|0o022) != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}
