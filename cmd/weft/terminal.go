package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
)

func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }

// terminal is where a human is asked: questions on standard error, or on the
// controlling terminal when that is redirected; answers line by line from standard input.
type terminal struct {
	out   io.Writer
	in    *os.File
	want  chan struct{} // asks for a line
	lines chan string   // closed at the end of input
	close func()
}

// terminal returns the terminal, nil when nobody sits there.
func (a *app) terminal() *terminal {
	if !isTerminal(a.stdin) {
		return nil
	}
	t := &terminal{in: a.stdin, out: a.stderr, close: func() {}}
	if isTerminal(os.Stderr) {
		return t
	}
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	t.out, t.close = &redacting{tty, a.vault}, func() { _ = tty.Close() }
	return t
}

// errQuit: the human does not want to answer now.
var errQuit = errors.New("left unanswered")

// maxLine bounds what is typed on one line.
const maxLine = 1 << 20

// line reads one line. The end of input is errQuit. When ctx ends first, the line
// under way is lost, which does no harm: the program ends.
func (t *terminal) line(ctx context.Context) (string, error) {
	if t.want == nil {
		t.want, t.lines = make(chan struct{}), make(chan string)
		go t.read()
	}
	select {
	case t.want <- struct{}{}:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	select {
	case line, ok := <-t.lines:
		if !ok {
			return "", errQuit
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// read hands over one line for each that is asked for, and reads no further: between
// questions an editor has the terminal to itself.
func (t *terminal) read() {
	for range t.want {
		line, err := t.readLine()
		if err != nil {
			close(t.lines)
			for range t.want { // the input stays at its end
			}
			return
		}
		t.lines <- line
	}
}

func (t *terminal) readLine() (string, error) {
	var line []byte
	var b [1]byte
	for {
		n, err := t.in.Read(b[:])
		switch {
		case n == 1 && b[0] == '\n':
			return string(line), nil
		case n == 1 && len(line) < maxLine:
			line = append(line, b[0])
		case err != nil:
			return "", err
		}
	}
}
