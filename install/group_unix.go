//go:build unix

package install

import (
	"os/exec"
	"syscall"
)

// InGroup gives a program a process group of its own, all of which is killed when
// its time has passed.
func InGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
