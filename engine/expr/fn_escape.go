package expr

import (
	"cmp"
	"slices"
	"strings"
)

// escapeFunctions keep the values in a text from being read as its markup.
func escapeFunctions() []*function {
	return []*function{
		{
			Function: Function{
				Signature: "escape_values(text string, values list) string",
				Doc:       "Returns the Markdown text with each of the values in it written so that it is shown as it is.",
				Example:   `message_html(escape_values("**Saved** *x*", ["*x*"])) == "<strong>Saved</strong> *x*"`,
			},
			call: escapeValues,
		},
	}
}

// markup is what Markdown reads anywhere in a text, lead what it reads where a line begins.
const (
	markup = "\\`*_[]<>&|~!"
	lead   = "#>+-=0123456789"
)

func escapeValues(m *machine, a []any) (any, error) {
	s := text(a, 0)
	var values []string
	for _, v := range list(a, 1) {
		if value, ok := v.(string); ok && needsEscape(value) && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return s, nil
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := make([]string, 0, 2*len(values))
	for _, v := range values {
		pairs = append(pairs, v, escapeLines(v))
	}
	if err := m.spend(len(s) / 4); err != nil {
		return nil, err
	}
	out := strings.NewReplacer(pairs...).Replace(s)
	return out, m.grow(len(out))
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
	return last >= '0' && last <= '9' && strings.Trim(s, "0123456789.,:-/") == ""
}

// escapeLines writes a value so that Markdown shows it as it is, line by line.
func escapeLines(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	begins := true
	for i := range len(s) {
		c := s[i]
		if strings.IndexByte(markup, c) >= 0 || begins && strings.IndexByte("#>+-=", c) >= 0 || c == '.' && i > 0 && s[i-1] >= '0' && s[i-1] <= '9' {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
		begins = c == '\n' || begins && (c == ' ' || c == '\t')
	}
	return b.String()
}
