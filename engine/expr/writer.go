package expr

import (
	"fmt"
	"strings"
)

// writer collects the text of a template. A line of the template that has tags and is
// blank without them disappears when its tags produce nothing.
type writer struct {
	buf      []byte
	line     int  // where the current line begins in buf
	tagged   bool // the line has a tag
	produced bool // a tag of the line produced text
	filled   bool // the line has text that is not blank
}

// chunk is text between tags, cut into what belongs to the line it begins in, whole
// lines, and what begins a line.
type chunk struct {
	head, lines, tail     string
	ends                  bool // head ends its line
	headFilled, tailFills bool
}

func newChunk(s string) chunk {
	first := strings.IndexByte(s, '\n')
	if first < 0 {
		return chunk{head: s, headFilled: !isBlank(s)}
	}
	last := strings.LastIndexByte(s, '\n') + 1
	c := chunk{head: s[:first], lines: s[first+1 : last], tail: s[last:], ends: true}
	c.headFilled, c.tailFills = !isBlank(c.head), !isBlank(c.tail)
	return c
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func (w *writer) chunk(c *chunk) error {
	w.buf = append(w.buf, c.head...)
	w.filled = w.filled || c.headFilled
	if c.ends {
		w.endLine()
		w.buf = append(w.buf, c.lines...)
		w.line = len(w.buf)
		w.buf = append(w.buf, c.tail...)
		w.filled = c.tailFills
	}
	return w.check()
}

func (w *writer) endLine() {
	if w.vanishes() {
		w.buf = w.buf[:w.line]
	} else {
		w.buf = append(w.buf, '\n')
	}
	w.line = len(w.buf)
	w.tagged, w.produced, w.filled = false, false, false
}

func (w *writer) vanishes() bool { return w.tagged && !w.produced && !w.filled }

// finish ends the last line, which has no line end of its own: when it vanishes, so
// does the line end before it.
func (w *writer) finish() {
	if w.vanishes() {
		w.buf = w.buf[:w.line]
		if n := len(w.buf); n > 0 && w.buf[n-1] == '\n' {
			w.buf = w.buf[:n-1]
		}
	}
}

func (w *writer) insert(s string) error {
	w.tagged = true
	if s == "" {
		return nil
	}
	w.produced = true
	w.buf = append(w.buf, s...)
	return w.check()
}

func (w *writer) check() error {
	if len(w.buf) > maxOutput {
		return fmt.Errorf("the text is longer than %d MiB: %w", maxOutput>>20, ErrLimit)
	}
	return nil
}
