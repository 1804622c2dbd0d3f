package main

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	_ "time/tzdata" // zones of specs, on machines that have no list of them

	"github.com/rs/zerolog"

	"github.com/weft-engine/weft/engine/secret"
)

// app is the program's surroundings. The environment, the clock and the standard
// streams are used nowhere else.
type app struct {
	stdin  *os.File
	stdout io.Writer // what is printed passes the vault
	stderr io.Writer
	getenv func(string) (string, bool)
	now    func() time.Time
	vault  *secret.Vault
	log    zerolog.Logger

	editing atomic.Bool // an editor has the terminal: Ctrl-C is for it

	logLevel, logFormat string // flags
}

func newApp() *app {
	a := &app{stdin: os.Stdin, getenv: os.LookupEnv, now: time.Now}
	a.vault = &secret.Vault{Getenv: a.getenv, ReadFile: os.ReadFile}
	a.stdout = &redacting{os.Stdout, a.vault}
	a.stderr = &redacting{os.Stderr, a.vault}
	return a
}

// redacting strikes secrets from what is written.
type redacting struct {
	w     io.Writer
	vault *secret.Vault
}

// Write writes p without secrets.
func (r *redacting) Write(p []byte) (int, error) {
	if _, err := io.WriteString(r.w, r.vault.Redact(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// execute runs one command line and returns the exit code.
func (a *app) execute(args []string) int {
	ctx, stop := a.context()
	defer stop()
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	var exit *exitError
	if !errors.As(err, &exit) { // cobra's own: verbs return exitErrors
		exit = &exitError{exitUsage, err}
	}
	if exit.err != nil {
		_, _ = fmt.Fprintf(a.stderr, "weft: %s\n", printable(exit.err.Error()))
	}
	return exit.code
}

// context returns a context that ends with the first SIGINT or SIGTERM. The second
// ends the program at once.
func (a *app) context() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				if s == os.Interrupt && a.editing.Load() {
					continue
				}
				stop := &signaled{s}
				if ctx.Err() != nil {
					os.Exit(stop.code())
				}
				cancel(stop)
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// newID returns a short name that is not in use: 50 random bits.
func newID() string {
	var b [7]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))[:10]
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// logger makes the logger that the flags ask for.
func (a *app) logger() error {
	level, err := zerolog.ParseLevel(a.logLevel)
	if err != nil || a.logLevel == "" {
		return usage("unknown --log-level %q: use debug, info, warn, error or disabled", a.logLevel)
	}
	out := a.stderr
	switch a.logFormat {
	case "auto":
		if isTerminal(os.Stderr) {
			out = zerolog.ConsoleWriter{Out: a.stderr, TimeFormat: time.TimeOnly}
		}
	case "text":
		out = zerolog.ConsoleWriter{Out: a.stderr, TimeFormat: time.TimeOnly, NoColor: true}
	case "json":
	default:
		return usage("unknown --log-format %q: use auto, text or json", a.logFormat)
	}
	a.log = zerolog.New(out).Level(level).With().Timestamp().Logger()
	return nil
}

// printf prints to standard output.
func (a *app) printf(format string, args ...any) { _, _ = fmt.Fprintf(a.stdout, format, args...) }

// notef prints to standard error: what is for people and no result.
func (a *app) notef(format string, args ...any) { _, _ = fmt.Fprintf(a.stderr, format, args...) }
