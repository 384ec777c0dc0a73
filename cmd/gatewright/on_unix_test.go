//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// runAs has a program run as another user.
func runAs(cmd *exec.Cmd, uid uint32) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
}

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// flock takes a file's lock as another process of ours would.
func flock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }
