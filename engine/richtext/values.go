package richtext

import (
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"
)

// markup is what Markdown reads anywhere in a text, lead what it reads where a line
// begins.
const (
	markup = "\\`*_[]<>&|~!"
	lead   = "#>+-=0123456789"
)

// EscapeValues returns a Markdown text in which each of the values, wherever it stands,
// is written so that it is shown as it is. Values that Markdown sees nothing in are left
// alone, and so are those inside of code. Unlike Escape it keeps the lines of a value, and
// lets addresses be links.
func EscapeValues(text string, values []string) string {
	var special []string
	for _, v := range values {
		if needsEscape(v) && !slices.Contains(special, v) {
			special = append(special, v)
		}
	}
	if len(special) == 0 || tooLong(text) {
		return text
	}
	slices.SortStableFunc(special, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := make([]string, 0, 2*len(special))
	for _, v := range special {
		pairs = append(pairs, v, escapeLines(v))
	}
	escape := strings.NewReplacer(pairs...)
	var b strings.Builder
	last := 0
	for _, code := range codeIn(text, special) {
		if code.Start < last {
			continue // it is inside of the one before
		}
		b.WriteString(escape.Replace(text[last:code.Start]))
		b.WriteString(text[code.Start:code.Stop])
		last = code.Stop
	}
	b.WriteString(escape.Replace(text[last:]))
	return b.String()
}

// codeIn returns where the code of a text stands, in order: none when a value could be
// what makes it code, or when the text is too long to be read.
func codeIn(text string, values []string) []gmtext.Segment {
	mayMake := func(v string) bool { // a mark of code, or one of a list or a quote, in which code may stand
		v = strings.TrimLeft(v, " ")
		return strings.ContainsAny(v, "`~\n\r\t\\") || strings.IndexByte(lead, v[0]) >= 0 || v == "*" || strings.HasPrefix(v, "* ")
	}
	if !strings.ContainsAny(text, "`~") || slices.ContainsFunc(values, mayMake) {
		return nil
	}
	var out []gmtext.Segment
	doc := newReader().Parser().Parse(gmtext.NewReader([]byte(text)))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // never fails
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if entering {
				out = append(out, n.Lines().Sliced(0, n.Lines().Len())...)
			}
		case *ast.Text:
			if entering && n.Parent().Kind() == ast.KindCodeSpan {
				out = append(out, n.Segment)
			}
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(out, func(a, b gmtext.Segment) int { return cmp.Compare(a.Start, b.Start) }) // a line before a table is walked after it
	return out
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
