package field

import (
	"strconv"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Error is one thing that is wrong with the input, as pydantic reports it.
type Error struct {
	Type  string           // "missing", "string_type", …
	Loc   []any            // names (string) and positions (int), outermost first
	Msg   string           // for people
	Input any              // the JSON value at fault; of a missing field, its object
	Ctx   []ordered.Member // may be empty, then it is not written
}

// Error is the location and the message.
func (e Error) Error() string { return e.Where() + ": " + e.Msg }

// Where is the location with dots, as pydantic prints it.
func (e Error) Where() string {
	var b strings.Builder
	for i, part := range e.Loc {
		if i > 0 {
			b.WriteByte('.')
		}
		switch part := part.(type) {
		case string:
			b.WriteString(part)
		case int:
			b.WriteString(strconv.Itoa(part))
		}
	}
	return b.String()
}

// AppendJSON writes the error as an entry of a 422 answer.
func (e Error) AppendJSON(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("type", e.Type)
	o.Name("loc")
	o.Write(func(dst []byte) []byte {
		dst = append(dst, '[')
		for i, part := range e.Loc {
			if i > 0 {
				dst = append(dst, ',')
			}
			if n, ok := part.(int); ok {
				dst = strconv.AppendInt(dst, int64(n), 10)
			} else {
				s, _ := part.(string)
				dst = jsontext.AppendString(dst, s)
			}
		}
		return append(dst, ']')
	})
	o.String("msg", e.Msg)
	o.Name("input")
	o.Write(func(dst []byte) []byte { return ordered.Append(dst, e.Input) })
	if len(e.Ctx) > 0 {
		o.Name("ctx")
		o.Write(ordered.NewMap(e.Ctx...).AppendJSON)
	}
	return o.Close()
}

// AppendErrors writes a JSON array of errors.
func AppendErrors(dst []byte, errs []Error) []byte {
	dst = append(dst, '[')
	for i, e := range errs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.AppendJSON(dst)
	}
	return append(dst, ']')
}

// Wrong makes the error of a custom rule: type value_error, message "Value error, " and
// the text.
func Wrong(text string, input any, loc ...any) Error {
	return Error{
		Type: "value_error", Loc: loc, Msg: "Value error, " + text, Input: input,
		Ctx: []ordered.Member{{Name: "error", Value: ordered.NewMap()}},
	}
}
