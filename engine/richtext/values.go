package richtext

import (
	"cmp"
	"slices"
	"strings"
)

// markup is what Markdown reads anywhere in a text, lead what it reads where a line
// begins.
const (
	markup = "\\`*_[]<>&|~!"
	lead   = "#>+-=0123456789"
)

// EscapeValues returns a Markdown text in which each of the values, wherever it stands,
// is written so that it is shown as it is. Values that Markdown sees nothing in are left
// alone. Unlike Escape it keeps the lines of a value, and lets addresses be links.
func EscapeValues(text string, values []string) string {
	var special []string
	for _, v := range values {
		if needsEscape(v) && !slices.Contains(special, v) {
			special = append(special, v)
		}
	}
	if len(special) == 0 {
		return text
	}
	slices.SortStableFunc(special, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := make([]string, 0, 2*len(special))
	for _, v := range special {
		pairs = append(pairs, v, escapeLines(v))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func needsEscape(s string) bool {
	if strings.TrimSpace(s) == "" {
		return false
	}
	return strings.ContainsAny(s, markup) || strings.IndexByte(lead, s[0]) >= 0 && !isNumber(s) || strings.Contains(s, "\n")
}

// isNumber reports whether a text is digits with signs between them, of which a list
// item could not be made.
func isNumber(s string) bool {
	last := s[len(s)-1]
	return last >= '0' && last <= '9' && s[0] >= '0' && s[0] <= '9' && strings.Trim(s, "0123456789.,:-/") == ""
}

// escapeLines writes a value so that Markdown shows it as it is, line by line.
func escapeLines(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	begins := true
	for i := range len(s) {
		c := s[i]
		switch {
		case begins && (c == ' ' || c == '\t'): // would make code of the line
			continue
		case strings.IndexByte(markup, c) >= 0, begins && strings.IndexByte("#+-=", c) >= 0:
			b.WriteByte('\\')
		case (c == '.' || c == ')') && i > 0 && s[i-1] >= '0' && s[i-1] <= '9':
			b.WriteByte('\\')
		}
		b.WriteByte(c)
		begins = c == '\n'
	}
	return b.String()
}
