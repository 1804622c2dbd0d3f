//go:build !unix

package process

import "os/exec"

// isolate does nothing where there are no process groups.
func isolate(*exec.Cmd) {}

// interrupt ends the program: there is no way to ask.
func interrupt(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may be gone

// killGroup ends the program.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may be gone
