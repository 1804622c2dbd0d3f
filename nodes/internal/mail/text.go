package mail

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// oneLine makes a single line of a header: no line breaks, no control characters.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f && invisible(r) }) {
		s = strings.Map(func(r rune) rune {
			switch {
			case r == '\n', r == '\r', r == '\t', r == '\u2028', r == '\u2029':
				return ' '
			case invisible(r):
				return -1
			}
			return r
		}, s)
	}
	return cut(strings.Join(strings.Fields(s), " "), maxLine)
}

// invisible reports letters that are not shown and may change how others are: controls
// and direction marks.
func invisible(r rune) bool {
	switch {
	case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\ufeff', r == '\u200b', r == '\u2060':
		return true
	case r == '\u200e', r == '\u200f', r == '\u061c', r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// tidy makes readable text: line ends are \n, what is not shown is gone, and no more
// than two lines are empty in a row.
func tidy(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n\n", "\u00a0", " ").Replace(strings.ToValidUTF8(s, "\uFFFD"))
	var b strings.Builder
	b.Grow(len(s))
	empty := 0
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRightFunc(strings.Map(shown, line), unicode.IsSpace)
		if line == "" {
			empty++
			continue
		}
		if b.Len() > 0 {
			b.WriteString(strings.Repeat("\n", min(empty, 2)+1))
		}
		empty = 0
		b.WriteString(line)
	}
	return b.String()
}

func shown(r rune) rune {
	if r != '\t' && invisible(r) {
		return -1
	}
	return r
}

// cut shortens a text to so many bytes, at a letter.
func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}

// shorten cuts a body and says so.
func shorten(s string, size int) (text string, short bool) {
	if len(s) <= size {
		return s, false
	}
	kept := cut(s, size)
	return fmt.Sprintf("%s\n\n[Shortened: %d more bytes of this mail are not shown.]", strings.TrimSpace(kept), len(s)-len(kept)), true
}
