//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// isMine reports a file that belongs to whoever runs us.
func isMine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

// isWritable asks the system, and makes nothing.
func isWritable(dir string) bool {
	const write, enter = 2, 1
	return syscall.Access(dir, write|enter) == nil
}
