package exec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/weft-engine/weft/engine"
)

const (
	stderrBytes = 4 << 10
	waitDelay   = 2 * time.Second // for pipes that a killed program's children hold
	tryAgain    = 75              // EX_TEMPFAIL: the program asks to be run again later
)

// request is a call made ready when its operation is planned.
type request struct {
	argv  []string
	env   []string // values, in the order of backend.env; secrets are left out
	stdin []byte
}

// handler runs programs. It keeps nothing between calls.
type handler struct{ *backend }

// Handle runs the program once and classes how it ended.
func (h handler) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	r, ok := call.Request.(*request)
	if !ok {
		return engine.Result{}, fmt.Errorf("not a request of an exec tool: %T", call.Request)
	}
	// Not in Op: what a plan says must not depend on how the process was started, or
	// the journal of a run with programs could not be read without.
	if !h.allow {
		return engine.Result{}, h.failure(engine.Permanent,
			"this tool runs the program %s, and programs are off: run with --allow-exec if you trust this spec", h.command[0].text)
	}
	env, err := h.environment(r)
	if err != nil {
		return engine.Result{}, h.failure(engine.Permanent, "%s", err)
	}
	out, errText, err := h.run(ctx, r, env)
	if err != nil {
		return engine.Result{}, h.ended(ctx, err, errText)
	}
	value, err := decode(out)
	if err != nil {
		return engine.Result{}, h.failure(engine.Permanent, "%s ended well, but %s", h.command[0].text, err)
	}
	return engine.Result{Value: h.vault.RedactValue(value)}, nil
}

// run starts the program in a process group of its own and waits for it. Whatever
// it leaves behind is ended with it.
func (h handler) run(ctx context.Context, r *request, env []string) ([]byte, string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, r.argv[0], r.argv[1:]...)
	stdout := &bounded{limit: h.maxBytes, full: func() { cancel(errTooMuch) }}
	stderr := &tail{limit: stderrBytes}
	cmd.Env, cmd.Dir = env, h.dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(r.stdin), stdout, stderr
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = waitDelay
	isolate(cmd)
	if err := cmd.Start(); err != nil {
		return nil, "", &startError{err}
	}
	err := cmd.Wait()
	_ = killGroup(cmd) // nothing is left in the usual case
	if errors.Is(context.Cause(ctx), errTooMuch) {
		return nil, "", errTooMuch
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the program ended well; a child of it held the output open
	}
	return stdout.buf.Bytes(), stderr.String(), err
}

// startError is the failure of a program that never ran.
type startError struct{ error }

// ended classes a run that did not end well.
func (h handler) ended(ctx context.Context, err error, errText string) error {
	name := h.command[0].text
	var start *startError
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.As(err, &start):
		return h.failure(engine.Permanent, "%s cannot be started: %s", name, start.error)
	case errors.Is(err, errTooMuch):
		return h.failure(h.unless(engine.Permanent), "%s was ended because its output is larger than max_bytes (%d)", name, h.maxBytes)
	case ctx.Err() != nil:
		return h.failure(h.unless(engine.Timeout), "%s was ended because it took too long", name)
	case !errors.As(err, &exit):
		return h.failure(h.unless(engine.Permanent), "%s: %s", name, err)
	case exit.ExitCode() == tryAgain:
		return h.failure(engine.Transient, "%s asks to be run again later (exit %d)%s", name, tryAgain, after(errText))
	case !exit.Exited():
		return h.failure(h.unless(engine.Permanent), "%s was ended by a signal (%s)%s", name, exit, after(errText))
	}
	return h.failure(engine.Permanent, "%s ended with exit code %d%s", name, exit.ExitCode(), after(errText))
}

// unless is class, or uncertain when the program was cut off halfway and doing it
// again would do harm.
func (h handler) unless(class engine.Class) engine.Class {
	if h.repeatable {
		return class
	}
	return engine.Uncertain
}

func after(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// environment is what the spec lists and nothing else.
func (h handler) environment(r *request) ([]string, error) {
	env := make([]string, len(h.env))
	for i, e := range h.env {
		text := r.env[i]
		if !e.Secret.IsZero() {
			var err error
			if text, err = h.vault.Resolve(e.Secret); err != nil {
				return nil, fmt.Errorf("env %s: %w", e.Name, err)
			}
		}
		env[i] = e.Name + "=" + text
	}
	return env, nil
}

// stdin is the arguments as JSON.
func stdin(args any) ([]byte, error) {
	data, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	return append(data, '\n'), nil
}

func (b *backend) failure(class engine.Class, format string, args ...any) *engine.Failure {
	return &engine.Failure{Class: class, Message: b.vault.Redact(fmt.Sprintf(format, args...))}
}
