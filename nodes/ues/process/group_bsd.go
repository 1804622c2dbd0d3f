//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// isolate starts the program as leader of a process group of its own.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
