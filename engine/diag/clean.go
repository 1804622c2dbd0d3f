package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cell is how one character is printed, and how many columns that takes.
type cell struct {
	text  string
	width int
}

const tabWidth = 4

// show returns how a character of a source line is printed: tabs as blanks, and
// nothing that a terminal would obey.
func show(r rune) cell {
	switch {
	case r == '\t':
		return cell{strings.Repeat(" ", tabWidth), tabWidth}
	case r == '\r':
		return cell{"", 0}
	case unsafe(r):
		return cell{substitute(r), 1}
	case r == utf8.RuneError:
		return cell{"�", 1}
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return cell{string(r), 0}
	case wide(r):
		return cell{string(r), 2}
	}
	return cell{string(r), 1}
}

// Clean returns a text on one line and without anything that a terminal would obey:
// what came from outside is printed through it.
func Clean(s string) string { return clean(s) }

// clean returns a message on one line and without anything that a terminal would obey.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unsafe(r):
			sub, _ := utf8.DecodeRuneInString(substitute(r))
			return sub
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}

// unsafe reports whether a character controls the terminal, ends a line, or changes
// the direction of the text around it.
func unsafe(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// substitute is the picture of a control character.
func substitute(r rune) string {
	switch {
	case r >= 0 && r < ' ':
		return string('␀' + r)
	case r == 0x7f:
		return "␡"
	}
	return "�"
}

// wideRanges are the characters that take two columns in a terminal.
var wideRanges = [...][2]rune{
	{0x1100, 0x115f},
	{0x2e80, 0x303e},
	{0x3041, 0xa4cf},
	{0xa960, 0xa97c},
	{0xac00, 0xd7a3},
	{0xf900, 0xfaff},
	{0xfe30, 0xfe6f},
	{0xff00, 0xff60},
	{0xffe0, 0xffe6},
	{0x1f300, 0x1f64f},
	{0x1f680, 0x1f6ff},
	{0x1f900, 0x1faff},
	{0x20000, 0x3fffd},
}

func wide(r rune) bool {
	for _, w := range wideRanges {
		if r >= w[0] && r <= w[1] {
			return true
		}
	}
	return false
}
