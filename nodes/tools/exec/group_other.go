//go:build !unix

package exec

import "os/exec"

// isolate does nothing where there are no process groups.
func isolate(*exec.Cmd) {}

// killGroup ends the program.
func killGroup(cmd *exec.Cmd) error {
	if cmd.Process == nil {
		return nil
	}
	return cmd.Process.Kill()
}
