package ordered

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a JSON string, whose opening quote is at p.i.
func (p *parser) text() (string, error) {
	begin := p.i
	p.i++
	run := p.i
	var b strings.Builder
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '"':
			tail := p.s[run:p.i]
			p.i++
			if b.Len() == 0 {
				return p.keep(tail), nil
			}
			b.WriteString(tail)
			return b.String(), nil
		case c == '\\':
			b.WriteString(p.s[run:p.i])
			r, err := p.escape(begin)
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
			run = p.i
		case c < ' ':
			return "", p.fail("Invalid control character at", p.i)
		default:
			p.i++
		}
	}
	return "", p.fail("Unterminated string starting at", begin)
}

// escape reads what begins with the backslash at p.i. Half a surrogate pair becomes
// U+FFFD.
func (p *parser) escape(begin int) (rune, error) {
	slash := p.i
	p.i++
	if p.i >= len(p.s) {
		return 0, p.fail("Unterminated string starting at", begin)
	}
	c := p.s[p.i]
	p.i++
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	if c != 'u' {
		return 0, p.fail("Invalid \\escape", slash)
	}
	high, ok := p.hex()
	if !ok {
		return 0, p.fail("Invalid \\uXXXX escape", slash+1)
	}
	if !utf16.IsSurrogate(high) {
		return high, nil
	}
	if !strings.HasPrefix(p.s[p.i:], `\u`) {
		return utf8.RuneError, nil
	}
	back := p.i
	p.i += 2
	low, ok := p.hex()
	if !ok {
		return 0, p.fail("Invalid \\uXXXX escape", back+1)
	}
	r := utf16.DecodeRune(high, low)
	if r == utf8.RuneError {
		p.i = back
	}
	return r, nil
}

func (p *parser) hex() (rune, bool) {
	if p.i+4 > len(p.s) || strings.ContainsAny(p.s[p.i:p.i+4], "+-_") {
		return 0, false
	}
	n, err := strconv.ParseUint(p.s[p.i:p.i+4], 16, 16)
	if err != nil {
		return 0, false
	}
	p.i += 4
	return rune(n), true
}
