package field

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Report is what pydantic prints about the errors of a model.
func Report(model string, errs []Error) string {
	var b strings.Builder
	plural := "s"
	if len(errs) == 1 {
		plural = ""
	}
	fmt.Fprintf(&b, "%d validation error%s for %s", len(errs), plural, model)
	for _, e := range errs {
		if len(e.Loc) > 0 {
			b.WriteString("\n" + e.Where())
		}
		fmt.Fprintf(&b, "\n  %s [type=%s, input_value=%s, input_type=%s]", e.Msg, e.Type, shorten(Repr(e.Input)), typeName(e.Input))
		b.WriteString("\n    For further information visit https://errors.pydantic.dev/2.10/v/" + e.Type)
	}
	return b.String()
}

// shorten cuts a text of more than 50 bytes in its middle, as pydantic does with input
// values.
func shorten(s string) string {
	const most = 50
	if len(s) <= most {
		return s
	}
	head, tail := most/2, len(s)-most/2+1
	for !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "..." + s[tail:]
}

func typeName(v any) string {
	switch v := v.(type) {
	case bool:
		return "bool"
	case string:
		return "str"
	case ordered.Number:
		if v.Whole() {
			return "int"
		}
		return "float"
	case []any:
		return "list"
	case *ordered.Map:
		return "dict"
	}
	return "NoneType"
}

// Repr writes a JSON value as Python's repr does: None, True, 'text', [1, 2.0], {'a': 1}.
func Repr(v any) string { return string(appendRepr(nil, v)) }

func appendRepr(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(dst, "True"...)
		}
		return append(dst, "False"...)
	case string:
		return appendQuoted(dst, v)
	case ordered.Number:
		if word, found := ordered.NonFinite(v); found {
			return append(dst, word...)
		}
		if v.Whole() {
			return append(dst, v...)
		}
		return jsontext.AppendFloat(dst, v.Float())
	case []any:
		dst = append(dst, '[')
		for i, x := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendRepr(dst, x)
		}
		return append(dst, ']')
	case *ordered.Map:
		dst = append(dst, '{')
		first := true
		for name, x := range v.All() {
			if !first {
				dst = append(dst, ", "...)
			}
			first = false
			dst = append(appendQuoted(dst, name), ": "...)
			dst = appendRepr(dst, x)
		}
		return append(dst, '}')
	}
	return append(dst, "None"...)
}

// appendQuoted writes a text in single quotes, or in double quotes when it has single
// ones only.
func appendQuoted(dst []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	dst = append(dst, quote)
	for _, r := range s {
		switch {
		case r == '\\' || r == rune(quote):
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == ' ' || unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r < 0x100:
			dst = append(dst, `\x`...)
			dst = appendHex(dst, r, 2)
		case r < 0x10000:
			dst = append(dst, `\u`...)
			dst = appendHex(dst, r, 4)
		default:
			dst = append(dst, `\U`...)
			dst = appendHex(dst, r, 8)
		}
	}
	return append(dst, quote)
}

func appendHex(dst []byte, r rune, width int) []byte {
	digits := strconv.FormatInt(int64(r), 16)
	for range width - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}
