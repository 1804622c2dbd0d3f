// Package jsontext writes JSON as the original server does, by appending: no reflection,
// no HTML escaping, non-ASCII characters as they are, floats that look like floats.
package jsontext

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

const digits = "0123456789abcdef"

// AppendString writes a JSON string. Bytes that are no UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}

// AppendFloat writes a number as Python's repr does: 1.0, 0.5, 1e+20. What JSON cannot
// say (NaN, infinities) becomes null.
func AppendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	if a := math.Abs(f); f != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if slices.Contains(dst[start:], '.') {
		return dst
	}
	return append(dst, '.', '0')
}

// Object writes a JSON object, member by member. Begin one with Open, end it with Close.
// A member's name must need no escaping.
type Object struct {
	dst []byte
}

// Open begins an object at the end of dst.
func Open(dst []byte) Object { return Object{dst: append(dst, '{')} }

// Close ends the object and gives everything written.
func (o *Object) Close() []byte { return append(o.dst, '}') }

// Name writes a member's name; the value is to be appended by Write.
func (o *Object) Name(name string) {
	if o.dst[len(o.dst)-1] != '{' {
		o.dst = append(o.dst, ',')
	}
	o.dst = append(o.dst, '"')
	o.dst = append(o.dst, name...)
	o.dst = append(o.dst, '"', ':')
}

// Key is Name for a name that may need escaping.
func (o *Object) Key(name string) {
	if o.dst[len(o.dst)-1] != '{' {
		o.dst = append(o.dst, ',')
	}
	o.dst = append(AppendString(o.dst, name), ':')
}

// Write appends a value through f, after Name or Key.
func (o *Object) Write(f func(dst []byte) []byte) { o.dst = f(o.dst) }

// Member is Name and Write.
func (o *Object) Member(name string, f func(dst []byte) []byte) {
	o.Name(name)
	o.dst = f(o.dst)
}

// String writes a string member.
func (o *Object) String(name, s string) {
	o.Name(name)
	o.dst = AppendString(o.dst, s)
}

// Nullable writes a string member that is null when empty.
func (o *Object) Nullable(name, s string) {
	if s == "" {
		o.Null(name)
		return
	}
	o.String(name, s)
}

// Int writes a whole number.
func (o *Object) Int(name string, n int) {
	o.Name(name)
	o.dst = strconv.AppendInt(o.dst, int64(n), 10)
}

// Float writes a number as AppendFloat does.
func (o *Object) Float(name string, f float64) {
	o.Name(name)
	o.dst = AppendFloat(o.dst, f)
}

// Bool writes true or false.
func (o *Object) Bool(name string, b bool) {
	o.Name(name)
	o.dst = strconv.AppendBool(o.dst, b)
}

// Null writes null.
func (o *Object) Null(name string) {
	o.Name(name)
	o.dst = append(o.dst, "null"...)
}

// Strings writes an array of strings.
func (o *Object) Strings(name string, items []string) {
	o.Name(name)
	o.dst = AppendStrings(o.dst, items)
}

// Raw writes JSON text as it is.
func (o *Object) Raw(name string, text []byte) {
	o.Name(name)
	o.dst = append(o.dst, text...)
}

// AppendStrings writes an array of strings.
func AppendStrings(dst []byte, items []string) []byte {
	dst = append(dst, '[')
	for i, s := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}
