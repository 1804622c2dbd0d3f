//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// interrupt asks the program, and everything it started, to end.
func interrupt(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // it may be gone

// killGroup ends the program and everything it started.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may be gone
