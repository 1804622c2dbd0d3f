package expr

import (
	"regexp"
	"strings"
	"unicode"
)

// fenceText wraps a text from outside in two delimiter lines:
//
//	===== BEGIN UNTRUSTED email =====
//	…
//	===== END UNTRUSTED email =====
//
// The run of = is longer than any in the text, signs that look like = included, so no
// line inside can be a delimiter. Words that imitate one are broken up too, and what a
// reader cannot see (control and format characters, odd line ends) is removed.
func fenceText(m *machine, a []any) (any, error) {
	s, err := m.textOf(a[0])
	if err != nil {
		return nil, err
	}
	if err := m.spend(len(s) / 16); err != nil {
		return nil, err
	}
	s = strings.TrimRight(visible(s), "\n")
	if strings.Contains(strings.ToUpper(s), "TRUSTED") {
		s = imitation.ReplaceAllString(s, "${1}${2}un-trusted")
	}
	marks := strings.Repeat("=", max(5, longestRun(s)+1))
	label := fenceLabel(text(a, 1))
	if err := m.grow(2*len(s) + 2*len(marks)); err != nil {
		return nil, err
	}
	return marks + " BEGIN UNTRUSTED " + label + " " + marks + "\n" + s + "\n" + marks + " END UNTRUSTED " + label + " " + marks, nil
}

// Fence wraps a text from outside as the function fence does.
func Fence(text, label string) (string, error) {
	v, err := fenceText(&machine{}, []any{text, label})
	s, _ := v.(string)
	return s, err
}

// imitation is how a text inside of a fence would pretend to begin or end it.
var imitation = regexp.MustCompile(`(?i)(begin|end)([^\pL\pN\n]*)un[^\pL\pN\n]*trusted`)

// visible normalises line ends to \n and drops what is not shown but might be read.
func visible(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r > '~' }) {
		return s
	}
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD")
	return strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\t', '\u200c', '\u200d': // joiners belong to letters of some scripts and to emoji
			return r
		case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
			return '\n'
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) {
			return -1
		}
		return r
	}, s)
}

const looksLikeMark = "=＝═﹦⹀꞊⚌〓゠≡≣⩵⩶"

// longestRun returns the length of the longest run of signs that look like =, joiners
// not counted.
func longestRun(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		switch {
		case r == '=' || r > '~' && strings.ContainsRune(looksLikeMark, r):
			run++
			longest = max(longest, run)
		case r != '\u200c' && r != '\u200d':
			run = 0
		}
	}
	return longest
}

// fenceLabel makes a label of one line that is no delimiter itself.
func fenceLabel(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(looksLikeMark, r) || unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, visible(s))
	s = truncateText(strings.Join(strings.Fields(s), " "), 60)
	if s == "" {
		return "text"
	}
	return s
}
