//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// inGroup gives a program a process group of its own, all of which is killed when
// its time has passed.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
