package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) comma(i int) {
	if i > 0 {
		e.buf = append(e.buf, ',')
	}
}

// data appends plain data; objects have their fields sorted.
func (e *encoder) data(v any) {
	switch v := v.(type) {
	case nil:
		e.raw("null")
	case bool:
		e.buf = strconv.AppendBool(e.buf, v)
	case int:
		e.buf = strconv.AppendInt(e.buf, int64(v), 10)
	case string:
		e.text(v)
	case []any:
		e.raw("[")
		for i := range v {
			e.comma(i)
			e.data(v[i])
		}
		e.raw("]")
	case map[string]any:
		e.object(v)
	default:
		e.other(v)
	}
}

func (e *encoder) object(v map[string]any) {
	var few [16]string
	keys := slices.AppendSeq(few[:0], maps.Keys(v))
	slices.Sort(keys)
	e.raw("{")
	for i, key := range keys {
		e.comma(i)
		e.text(key)
		e.raw(":")
		e.data(v[key])
	}
	e.raw("}")
}

// other appends what is rare: floats, and data that is not as plain as it should be.
func (e *encoder) other(v any) {
	data, err := json.Marshal(v)
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("encode the request: %w", err)
	}
	e.buf = append(e.buf, data...)
}

// quoted appends plain data as a JSON string that has it as JSON.
func (e *encoder) quoted(v any) {
	inner := encoder{buf: make([]byte, 0, 256)}
	inner.data(v)
	if e.err == nil {
		e.err = inner.err
	}
	e.text(string(inner.buf))
}

const hexDigits = "0123456789abcdef"

// text appends s as a JSON string.
func (e *encoder) text(s string) {
	b := append(e.buf, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = append(b, s[start:i]...)
			b = escaped(b, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(b, s[start:i]...)
			b = append(b, `\ufffd`...)
			start = i + 1
		}
		i += size
	}
	b = append(b, s[start:]...)
	e.buf = append(b, '"')
}

func escaped(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\t':
		return append(b, '\\', 't')
	case '\r':
		return append(b, '\\', 'r')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
