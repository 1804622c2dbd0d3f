package source

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends plain data, as DecodeJSON gives it, as compact JSON: objects with
// their keys sorted, no HTML escapes, byte for byte what encoding/json writes of valid
// UTF-8; what is read back and written again is the same in any case. It is
// written out because conversations and results are encoded at every turn; reflection
// takes four times as long. Data that is not plain, a number that is not finite
// included, is an error.
func AppendJSON(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case float64:
		return appendFloat(b, v)
	case string:
		return AppendText(b, v), nil
	case []any:
		return appendList(b, v)
	case map[string]any:
		return appendObject(b, v)
	}
	return b, fmt.Errorf("%T is not plain data", v)
}

// AppendJSON appends the value as compact JSON with its fields in the order written,
// where the function of this name sorts them.
func (v *Value) AppendJSON(b []byte) []byte {
	switch {
	case v != nil && v.Kind == List:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.AppendJSON(b)
		}
		return append(b, ']')
	case v != nil && v.Kind == Map:
		b = append(b, '{')
		for i, f := range v.Fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = f.Value.AppendJSON(append(AppendText(b, f.Key), ':'))
		}
		return append(b, '}')
	}
	out, err := AppendJSON(b, v.Go())
	if err != nil { // a number that JSON has no word for
		return AppendText(b, v.Text)
	}
	return out
}

func appendList(b []byte, v []any) ([]byte, error) {
	if v == nil {
		return append(b, "null"...), nil
	}
	b = append(b, '[')
	var err error
	for i, item := range v {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = AppendJSON(b, item); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func appendObject(b []byte, v map[string]any) ([]byte, error) {
	if v == nil {
		return append(b, "null"...), nil
	}
	var few [16]string
	keys := slices.AppendSeq(few[:0], maps.Keys(v))
	slices.Sort(keys)
	b = append(b, '{')
	var err error
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendText(b, key), ':')
		if b, err = AppendJSON(b, v[key]); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// appendFloat writes a number as ECMAScript does.
func appendFloat(b []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return b, fmt.Errorf("%v has no JSON", f)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, f, format, -1, 64)
	if n := len(b); format == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-09 is e-9
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b, nil
}

// AppendText appends s as a JSON string. What is not UTF-8 becomes U+FFFD.
func AppendText(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < 0x20 || c == '"' || c == '\\' {
				b = appendEscaped(append(b, s[start:i]...), c)
				start = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(append(b, s[start:i]...), "\uFFFD"...)
			start = i + size
		case r == '\u2028' || r == '\u2029': // valid in JSON, not in JavaScript
			b = append(append(b, s[start:i]...), `\u202`...)
			b = append(b, lowerHex[r&0xF])
			start = i + size
		}
		i += size
	}
	return append(append(b, s[start:]...), '"')
}

const lowerHex = "0123456789abcdef"

func appendEscaped(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', lowerHex[c>>4], lowerHex[c&15])
}
