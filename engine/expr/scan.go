package expr

import (
	"fmt"
	"strings"
)

// tag is one {{ … }}, {% … %} or {# … #} of a template. All places are bytes.
type tag struct {
	kind       byte // '{', '%' or '#'
	start, end int  // with its braces
	from, to   int  // what is between them
}

// scanTags finds the tags of a template. Braces in text literals end no tag. The place
// of a problem is a byte.
func scanTags(text string) (tags []tag, problem *complaint) {
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '{')
		if n < 0 || i+n+1 >= len(text) {
			return tags, nil
		}
		i += n
		kind := text[i+1]
		if kind != '{' && kind != '%' && kind != '#' {
			i++
			continue
		}
		to, closer := endOfTag(text, i+2, kind)
		if to < 0 {
			return tags, &complaint{
				ruleText, i, fmt.Sprintf("the tag %s is not closed", text[i:i+2]),
				fmt.Sprintf("Close it with %s, or write {{ %q }} for the two letters themselves.", closer, text[i:i+2]),
			}
		}
		tags = append(tags, tag{kind, i, to + 2, i + 2, to})
		i = to + 2
		if len(tags) > maxTags {
			return tags, &complaint{ruleTooLarge, to, fmt.Sprintf("the template has more than %d tags", maxTags), "Split it into several templates."}
		}
	}
}

// endOfTag returns where the braces that close a tag begin, or -1.
func endOfTag(text string, i int, kind byte) (at int, closer string) {
	switch kind {
	case '#':
		if n := strings.Index(text[i:], "#}"); n >= 0 {
			return i + n, "#}"
		}
		return -1, "#}"
	case '%':
		closer = "%}"
	default:
		closer = "}}"
	}
	depth := 0
	for ; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'', '"', '`':
			end := closingQuote(text, i)
			if end < 0 {
				return -1, closer
			}
			i = end
		case '{':
			depth++
		case '}', '%':
			if depth <= 0 && strings.HasPrefix(text[i:], closer) {
				return i, closer
			}
			if c == '}' {
				depth--
			}
		}
	}
	return -1, closer
}

// closingQuote returns the quote that ends the literal that begins at i, or -1.
func closingQuote(text string, i int) int {
	quote := text[i]
	for j := i + 1; j < len(text); j++ {
		switch {
		case text[j] == '\\' && quote != '`':
			j++
		case text[j] == quote:
			return j
		case text[j] == '\n' && quote != '`':
			return -1
		}
	}
	return -1
}
