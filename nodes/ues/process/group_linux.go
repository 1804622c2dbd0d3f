package process

import (
	"os/exec"
	"syscall"
)

// isolate starts the program as leader of a process group of its own, which the kernel
// ends with us.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
