package ordered

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 500

// ErrEncoding and ErrDepth say why a text is refused before its syntax is judged: it is no
// UTF-8, or its values are nested deeper than MaxDepth.
var (
	ErrEncoding = errors.New("text is not UTF-8")
	ErrDepth    = fmt.Errorf("values are nested deeper than %d", MaxDepth)
)

// SyntaxError is text that is no JSON. Msg is worded as in Python's json module, At is the
// position in characters.
type SyntaxError struct {
	Msg string
	At  int
}

// Error is the message and the position.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at character %d", e.Msg, e.At) }

// Parse reads one JSON text. The errors are *SyntaxError, ErrEncoding and ErrDepth. Of
// repeated names the last value counts. The result shares no memory with text.
func Parse(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, ErrEncoding
	}
	p := parser{s: strings.TrimPrefix(string(text), "\uFEFF")}
	p.space()
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	if p.space(); p.i < len(p.s) {
		return nil, p.fail("Extra data", p.i)
	}
	return v, nil
}

// ParseObject reads one JSON object and is otherwise like Parse.
func ParseObject(text []byte) (*Map, error) {
	v, err := Parse(text)
	if err != nil {
		return nil, err
	}
	m, ok := v.(*Map)
	if !ok {
		return nil, &SyntaxError{Msg: "Expecting an object"}
	}
	return m, nil
}

type parser struct {
	s     string
	i     int
	depth int
}

// shareUpTo is the size up to which a text may stay in memory for the sake of one string
// in it.
const shareUpTo = 4 << 10

// keep gives a part of the text to the result.
func (p *parser) keep(part string) string {
	if len(p.s) > shareUpTo {
		return strings.Clone(part)
	}
	return part
}

func (p *parser) fail(msg string, at int) error {
	return &SyntaxError{Msg: msg, At: utf8.RuneCountInString(p.s[:at])}
}

func (p *parser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *parser) at(c byte) bool { return p.i < len(p.s) && p.s[p.i] == c }

func (p *parser) value() (any, error) {
	if p.i >= len(p.s) {
		return nil, p.fail("Expecting value", p.i)
	}
	switch p.s[p.i] {
	case '"':
		return p.text()
	case '{':
		return p.nested((*parser).object)
	case '[':
		return p.nested((*parser).array)
	}
	return p.word()
}

func (p *parser) nested(read func(*parser) (any, error)) (any, error) {
	if p.depth++; p.depth > MaxDepth {
		return nil, ErrDepth
	}
	v, err := read(p)
	p.depth--
	return v, err
}

func (p *parser) object() (any, error) {
	m := &Map{members: make([]Member, 0, 6)}
	p.i++
	if p.space(); p.at('}') {
		p.i++
		return m, nil
	}
	for {
		if !p.at('"') {
			return nil, p.fail("Expecting property name enclosed in double quotes", p.i)
		}
		name, err := p.text()
		if err != nil {
			return nil, err
		}
		if p.space(); !p.at(':') {
			return nil, p.fail("Expecting ':' delimiter", p.i)
		}
		p.i++
		p.space()
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		m.Set(name, v)
		if done, err := p.next('}'); done || err != nil {
			return m, err
		}
	}
}

func (p *parser) array() (any, error) {
	list := []any{}
	p.i++
	if p.space(); p.at(']') {
		p.i++
		return list, nil
	}
	for {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if done, err := p.next(']'); done || err != nil {
			return list, err
		}
	}
}

// next goes past a comma and the space behind it, or past the end of an object or array.
func (p *parser) next(end byte) (done bool, err error) {
	if p.space(); p.at(end) {
		p.i++
		return true, nil
	}
	if !p.at(',') {
		return false, p.fail("Expecting ',' delimiter", p.i)
	}
	p.i++
	p.space()
	return false, nil
}

func (p *parser) word() (any, error) {
	rest := p.s[p.i:]
	if n := numberLen(rest); n > 0 {
		p.i += n
		return Number(p.keep(rest[:n])), nil
	}
	for _, w := range [...]struct {
		text  string
		value any
	}{
		{"null", nil},
		{"true", true},
		{"false", false},
		{"NaN", Number("NaN")},
		{"Infinity", Number("Infinity")},
		{"-Infinity", Number("-Infinity")},
	} {
		if strings.HasPrefix(rest, w.text) {
			p.i += len(w.text)
			return w.value, nil
		}
	}
	return nil, p.fail("Expecting value", p.i)
}

// numberLen is the length of the JSON number at the start of s, 0 when there is none.
func numberLen(s string) int {
	i := 0
	if strings.HasPrefix(s, "-") {
		i = 1
	}
	whole := digitsLen(s[i:])
	if whole == 0 {
		return 0
	}
	if s[i] == '0' {
		whole = 1
	}
	i += whole
	if strings.HasPrefix(s[i:], ".") {
		if n := digitsLen(s[i+1:]); n > 0 {
			i += 1 + n
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if n := digitsLen(s[j:]); n > 0 {
			i = j + n
		}
	}
	return i
}

func digitsLen(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
