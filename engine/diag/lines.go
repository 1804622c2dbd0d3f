package diag

import (
	"bytes"
	"unicode/utf8"
)

// lines finds source lines. It splits each file once.
type lines struct {
	source func(file string) []byte
	known  map[string][][]byte
}

func newLines(source func(file string) []byte) *lines {
	return &lines{source: source, known: map[string][][]byte{}}
}

// get returns the line of a position without its line end.
func (l *lines) get(p Pos) (string, bool) {
	if !p.Known() || l.source == nil {
		return "", false
	}
	split, ok := l.known[p.File]
	if !ok {
		if data := l.source(p.File); data != nil {
			split = bytes.Split(data, []byte{'\n'})
		}
		l.known[p.File] = split
	}
	if p.Line > len(split) {
		return "", false
	}
	return string(bytes.TrimSuffix(split[p.Line-1], []byte{'\r'})), true
}

// column returns the column of p in characters instead of bytes.
func (l *lines) column(p Pos) int {
	line, ok := l.get(p)
	if !ok {
		return max(p.Col, 1)
	}
	return utf8.RuneCountInString(line[:max(0, min(p.Col-1, len(line)))]) + 1
}
