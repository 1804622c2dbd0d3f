package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/local"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1   // the run, or a test, failed
	exitUsage       = 2   // the command line is wrong, or names what there is not
	exitInvalid     = 3   // the spec or the configuration is invalid
	exitParked      = 4   // the run waits
	exitLimited     = 5   // a budget or a limit was reached
	exitInterrupted = 130 // SIGINT
	exitTerminated  = 143 // SIGTERM
)

// exitError ends the program with a code. Without err everything has been said.
type exitError struct {
	code int
	err  error
}

// Error returns the message.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns the cause.
func (e *exitError) Unwrap() error { return e.err }

// usage is an error of the command line.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// invalid is an error of the configuration.
func invalid(format string, args ...any) error {
	return &exitError{exitInvalid, fmt.Errorf(format, args...)}
}

// silent ends the program with a code and without a word.
func silent(code int) error { return &exitError{code: code} }

// signaled is why a context ended: the user or the system stopped the program.
type signaled struct{ signal os.Signal }

// Error names the signal.
func (s *signaled) Error() string { return "stopped by " + s.signal.String() }

// code returns the exit code of a signal.
func (s *signaled) code() int {
	if s.signal == syscall.SIGTERM {
		return exitTerminated
	}
	return exitInterrupted
}

// codeOf returns the exit code that an error of the engine stands for.
func codeOf(ctx context.Context, err error) int {
	var (
		exit     *exitError
		stop     *signaled
		findings *diag.FindingsError
		input    *local.InputError
		taken    *local.TakenError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.code
	case errors.As(context.Cause(ctx), &stop):
		return stop.code()
	case errors.As(err, &findings):
		return exitInvalid
	case errors.As(err, &input), errors.Is(err, engine.ErrNotFound), errors.As(err, &taken) && taken.Status == "":
		return exitUsage
	}
	return exitFailed
}

// codeOfStatus returns the exit code of a run.
func codeOfStatus(s engine.Status) int {
	switch s {
	case engine.Done:
		return exitDone
	case engine.Parked:
		return exitParked
	case engine.Limited:
		return exitLimited
	case engine.Failed, engine.Canceled, engine.Running:
	}
	return exitFailed
}
