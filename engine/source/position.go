package source

import (
	"sort"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
)

// At returns the place in the user's file of byte offset of v.Text. It undoes what
// the notation did: quotes, escapes, folded lines, the indentation of blocks. The
// result always lies inside the value as it is written.
func (v *Value) At(offset int) diag.Pos { return v.Locator().At(offset) }

// Locator returns what finds many places in one value: with it the cost of a place
// does not grow with the length of the text. It is not safe for concurrent use.
func (v *Value) Locator() *Locator {
	l := &Locator{v: v}
	if v == nil || v.Kind != String || !v.Pos.Known() {
		return l
	}
	l.marks = []mark{{pos: v.Pos}}
	if l.raw = v.Raw; l.raw == "" {
		l.raw = v.Text
		l.unit = lineUnit
		return l
	}
	l.unit = l.notation()
	return l
}

// Locator finds the places of the bytes of one value's text.
type Locator struct {
	v     *Value
	raw   string // as it is written
	unit  unit
	marks []mark // every so often, in order
}

// mark is a place that is known already.
type mark struct {
	at, done int // in what is written, in the text
	pos      diag.Pos
}

const markEvery = 4096

// unit reads what is written at a place and returns its size, and for how many bytes
// of text it stands. A unit without bytes ends the value.
type unit func(raw string, m mark) (size, n int)

// At returns the place of byte offset of the text; see Value.At.
func (l *Locator) At(offset int) diag.Pos {
	if l.unit == nil {
		if l.v == nil {
			return diag.Pos{}
		}
		return l.v.Pos
	}
	offset = min(max(offset, 0), len(l.v.Text))
	i := sort.Search(len(l.marks), func(i int) bool { return l.marks[i].done > offset })
	at, m := l.scan(l.marks[max(i-1, 0)], offset)
	if at >= len(l.raw) { // the end of the last line, not the line behind it
		at = len(strings.TrimSuffix(l.raw, "\n"))
	}
	if at < m.at {
		return advance(l.marks[0].pos, l.raw[:at])
	}
	return advance(m.pos, l.raw[m.at:at])
}

// scan walks from m on until the text reaches offset. It returns where that is
// written, and a mark not far before.
func (l *Locator) scan(m mark, offset int) (at int, before mark) {
	before = m
	for m.at < len(l.raw) {
		size, n := l.unit(l.raw, m)
		if size == 0 {
			return m.at, before
		}
		if m.done+n > offset {
			if size == n {
				return m.at + offset - m.done, before
			}
			return m.at, before
		}
		m.at, m.done = m.at+size, m.done+n
		if m.at-before.at >= markEvery {
			before = mark{m.at, m.done, advance(before.pos, l.raw[before.at:m.at])}
			if last := l.marks[len(l.marks)-1]; last.done < m.done {
				l.marks = append(l.marks, before)
			}
		}
	}
	return len(l.raw), before
}

// advance moves pos behind s.
func advance(pos diag.Pos, s string) diag.Pos {
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		pos.Line += strings.Count(s, "\n")
		pos.Col = 1
		s = s[i+1:]
	}
	pos.Col += len(s)
	return pos
}

// notation tells how the value is written by how it begins.
func (l *Locator) notation() unit {
	raw := l.raw
	hashes := len(raw) - len(strings.TrimLeft(raw, "#"))
	switch {
	case raw[0] == '|' || raw[0] == '>':
		return l.blockUnit()
	case strings.HasPrefix(raw[hashes:], `"""`) && strings.ContainsRune(raw, '\n'):
		return cueBlockUnit(raw, hashes)
	case strings.HasPrefix(raw[hashes:], `"`):
		return after(hashes+1, func(raw string, m mark) (size, n int) { return doubleUnit(raw[m.at:], hashes) })
	case raw[0] == '\'':
		return after(1, func(raw string, m mark) (size, n int) { return singleUnit(raw[m.at:]) })
	default:
		return func(raw string, m mark) (size, n int) { return plainUnit(raw[m.at:]) }
	}
}

// after skips the opening quote.
func after(head int, u unit) unit {
	return func(raw string, m mark) (size, n int) {
		if m.at < head {
			return head - m.at, 0
		}
		return u(raw, m)
	}
}

// lineUnit is a line that is written as it is.
func lineUnit(raw string, m mark) (size, n int) {
	size = strings.IndexByte(raw[m.at:], '\n') + 1
	if size == 0 {
		size = len(raw) - m.at
	}
	return size, size
}

func plainUnit(s string) (size, n int) {
	if blank(s[0]) {
		return foldUnit(s)
	}
	return 1, 1
}

func singleUnit(s string) (size, n int) {
	switch {
	case strings.HasPrefix(s, "''"):
		return 2, 1
	case s[0] == '\'':
		return 0, 0
	}
	return plainUnit(s)
}

func doubleUnit(s string, hashes int) (size, n int) {
	switch s[0] {
	case '\\':
		return escapeUnit(s, hashes)
	case '"':
		if strings.HasPrefix(s[1:], strings.Repeat("#", hashes)) {
			return 0, 0
		}
	}
	return plainUnit(s)
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// foldUnit is white space: as it is within a line; around line ends it folds to one
// space, or to one line end less than there are.
func foldUnit(s string) (size, n int) {
	lines := 0
	for size < len(s) && blank(s[size]) {
		if s[size] == '\n' || s[size] == '\r' && !strings.HasPrefix(s[size+1:], "\n") {
			lines++
		}
		size++
	}
	switch lines {
	case 0:
		return size, size
	case 1:
		return size, 1
	}
	return size, lines - 1
}

// hexDigits is how many digits follow the letter of an escape.
var hexDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// escapeUnit is one escape of YAML, JSON or CUE.
func escapeUnit(s string, hashes int) (size, n int) {
	at := 1 + hashes
	if len(s) <= at || strings.Trim(s[1:at], "#") != "" {
		return 1, 1
	}
	switch c := s[at]; c {
	case 'x', 'u', 'U':
		return hexUnit(s, at+1, hexDigits[c])
	case 'N', '_':
		return at + 1, 2
	case 'L', 'P':
		return at + 1, 3
	case '\n', '\r':
		rest := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(s[at:], "\r"), "\n"), " \t")
		return len(s) - len(rest), 0
	}
	return at + 1, 1
}

func hexUnit(s string, at, digits int) (size, n int) {
	r, ok := hex(s, at, digits)
	if !ok {
		return min(at+digits, len(s)), 1
	}
	if r >= 0xD800 && r < 0xDC00 { // JSON writes letters beyond U+FFFF as two escapes
		next := at + digits
		if low, ok := hex(s, next+at, digits); ok && s[next] == '\\' && low >= 0xDC00 && low < 0xE000 {
			return next + at + digits, 4
		}
	}
	return at + digits, runeLen(r)
}

func hex(s string, at, digits int) (r rune, ok bool) {
	if len(s) < at+digits {
		return 0, false
	}
	for _, c := range []byte(s[at : at+digits]) {
		i := strings.IndexByte("0123456789abcdef", c|0x20)
		if i < 0 {
			return 0, false
		}
		r = r<<4 | rune(i)
	}
	return r, true
}

func runeLen(r rune) int {
	switch {
	case r < 0x80:
		return 1
	case r < 0x800:
		return 2
	case r < 0x10000:
		return 3
	}
	return 4
}
