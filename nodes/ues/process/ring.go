package process

import (
	"bytes"
	"strings"
	"sync"
)

// The bounds of what is kept of a child's output.
const (
	keptLines  = 2000
	longestOne = 4096
)

// ring keeps the last lines that are written to it.
type ring struct {
	secret string // struck from the lines

	mu   sync.Mutex
	kept []string
	next int    // where the next line goes, once all places are taken
	part []byte // of a line that has not ended
	cut  bool   // the line is longer than what is kept of it
}

// Write takes output in any pieces; it never fails.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		room := longestOne - len(r.part)
		r.cut = r.cut || len(line) > room
		r.part = append(r.part, line[:min(len(line), room)]...)
		if !ended {
			break
		}
		r.keep()
		rest = after
	}
	return len(p), nil
}

// keep takes the line in part.
func (r *ring) keep() {
	line := r.line()
	r.part, r.cut = r.part[:0], false
	if len(r.kept) < keptLines {
		r.kept = append(r.kept, line)
		return
	}
	r.kept[r.next] = line
	r.next = (r.next + 1) % keptLines
}

func (r *ring) line() string {
	line := strings.ToValidUTF8(strings.TrimSuffix(string(r.part), "\r"), "\uFFFD")
	if r.secret != "" {
		line = strings.ReplaceAll(line, r.secret, "[secret]")
	}
	if r.cut {
		line += "…"
	}
	return line
}

// lines returns what is kept, the oldest first.
func (r *ring) lines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := append(append(make([]string, 0, len(r.kept)+1), r.kept[r.next:]...), r.kept[:r.next]...)
	if len(r.part) > 0 {
		out = append(out, r.line())
	}
	return out
}
