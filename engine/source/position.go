package source

import (
	"strings"

	"github.com/weft-engine/weft/engine/diag"
)

// At returns the place in the user's file of byte offset of v.Text. It undoes what
// the notation did: quotes, escapes, folded lines, the indentation of blocks. The
// result always lies inside the value as it is written.
func (v *Value) At(offset int) diag.Pos {
	if v == nil {
		return diag.Pos{}
	}
	if v.Kind != String || !v.Pos.Known() {
		return v.Pos
	}
	offset = min(max(offset, 0), len(v.Text))
	written := v.Raw
	if written == "" {
		written = v.Text
	} else {
		offset = v.rawOffset(offset)
	}
	if offset >= len(written) { // the end of the last line, not the line behind it
		offset = len(strings.TrimRight(written, "\r\n"))
	}
	return advance(v.Pos, written[:offset])
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

// rawOffset returns where in v.Raw byte offset of v.Text is written.
func (v *Value) rawOffset(offset int) int {
	raw := v.Raw
	hashes := len(raw) - len(strings.TrimLeft(raw, "#"))
	switch {
	case raw[0] == '|' || raw[0] == '>':
		return v.blockOffset(offset)
	case strings.HasPrefix(raw[hashes:], `"""`) && strings.ContainsRune(raw, '\n'):
		return cueBlockOffset(raw, hashes, offset)
	case strings.HasPrefix(raw[hashes:], `"`):
		return scan(raw, hashes+1, offset, func(s string) (int, int) { return doubleUnit(s, hashes) })
	case raw[0] == '\'':
		return scan(raw, 1, offset, singleUnit)
	default:
		return scan(raw, 0, offset, plainUnit)
	}
}

// scan walks raw from start in units, each some bytes as written that stand for some
// bytes of text, until the text reaches offset. A unit of no bytes ends the value.
func scan(raw string, start, offset int, unit func(string) (size, n int)) int {
	done := 0
	for i := min(start, len(raw)); i < len(raw); {
		size, n := unit(raw[i:])
		if size == 0 {
			return i
		}
		if done+n > offset {
			if size == n {
				return i + offset - done
			}
			return i
		}
		i, done = i+size, done+n
	}
	return len(raw)
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
