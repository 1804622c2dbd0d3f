package spec

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/weft-engine/weft/engine/diag"
)

// yamlLines returns where each line begins. YAML also ends lines at a lone \r, at
// U+0085, U+2028 and U+2029.
func yamlLines(data []byte) []int {
	out := []int{0}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		i += size
		switch r {
		case '\r':
			if i < len(data) && data[i] == '\n' {
				continue
			}
			out = append(out, i)
		case '\n', '\u0085', '\u2028', '\u2029':
			out = append(out, i)
		}
	}
	return out
}

// offset returns where a node begins, behind its anchor and tag, which nothing else
// begins like. The parser counts columns in characters.
func (r *yamlReader) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(r.breaks) {
		return len(r.data)
	}
	at := r.column(n.Line, n.Column)
	for at < len(r.data) && (r.data[at] == '&' || r.data[at] == '!') {
		within := isTag
		if r.data[at] == '&' {
			within = isAnchor
		}
		for at++; at < len(r.data) && within(r.data[at]); {
			at++
		}
		at = r.skipBlank(at)
	}
	return at
}

func isTag(c byte) bool { return !isBlank(c) }

// isAnchor reports whether an anchor's name goes on. The value may follow at once:
// &a?b is the value ?b.
func isAnchor(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// column returns the offset of a place the parser names. It goes on from the place
// before, so that a long line is walked once.
func (r *yamlReader) column(line, column int) int {
	m := &r.mark
	if m.line != line || m.column > column {
		*m = mark{line: line, column: 1, offset: r.breaks[line-1]}
	}
	for ; m.column < column && m.offset < len(r.data); m.column++ {
		_, size := utf8.DecodeRune(r.data[m.offset:])
		m.offset += size
	}
	return m.offset
}

// mark is a place as the parser counts, and where it is.
type mark struct{ line, column, offset int }

// skipBlank skips white space and comments.
func (r *yamlReader) skipBlank(at int) int {
	for at < len(r.data) {
		switch c := r.data[at]; {
		case isBlank(c):
			at++
		case c == '#' && at > 0 && isBlank(r.data[at-1]):
			for at < len(r.data) && r.data[at] != '\n' {
				at++
			}
		default:
			return at
		}
	}
	return at
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (r *yamlReader) pos(n *yaml.Node) diag.Pos { return r.at(r.offset(n)) }

// raw returns a string as it is written, and the indentation of a block's lines.
func (r *yamlReader) raw(n *yaml.Node) (string, int) {
	at := r.offset(n)
	rest := r.src[at:]
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return rawBlock(rest, n.Value)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return rawDouble(rest), 0
	case n.Style&yaml.SingleQuotedStyle != 0:
		return rawSingle(rest), 0
	default:
		return rawPlain(rest, n.Value), 0
	}
}

func rawDouble(s string) string {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1]
		}
	}
	return s
}

func rawSingle(s string) string {
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			continue
		}
		if i+1 == len(s) || s[i+1] != '\'' {
			return s[:i+1]
		}
		i++
	}
	return s
}

// rawPlain matches the value against the source; a space or line ends of the value
// stand for any white space with line ends in the source.
func rawPlain(s, value string) string {
	if strings.HasPrefix(s, value) {
		return value
	}
	i := 0
	for j := 0; j < len(value) && i < len(s); {
		if s[i] == value[j] && !isBlank(s[i]) {
			i, j = i+1, j+1
			continue
		}
		if !isBlank(value[j]) || !isBlank(s[i]) {
			break
		}
		for i < len(s) && isBlank(s[i]) {
			i++
		}
		for j < len(value) && isBlank(value[j]) {
			j++
		}
	}
	return s[:i]
}

// rawBlock returns a block scalar from its | or > to its last line.
func rawBlock(s, value string) (string, int) {
	head, body, found := strings.Cut(s, "\n")
	if !found {
		return s, 0
	}
	indent, end := -1, len(head)+1
	for line := range strings.Lines(body) {
		content := strings.TrimLeft(line, " ")
		lead := len(line) - len(content)
		if strings.TrimRight(content, "\r\n") == "" {
			end += len(line)
			continue
		}
		if indent < 0 {
			indent = lead - leadingSpaces(value)
		}
		if lead < indent || indent <= 0 {
			break
		}
		end += len(line)
	}
	return s[:end], max(indent, 0)
}

// leadingSpaces is how far the first line of a block that is not blank is indented
// beyond the block's own indentation.
func leadingSpaces(value string) int {
	for line := range strings.Lines(value) {
		if content := strings.TrimLeftFunc(line, unicode.IsSpace); content != "" {
			return len(line) - len(strings.TrimLeft(line, " "))
		}
	}
	return 0
}
