package ordered

import (
	"math"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
)

// Number is a JSON number as it was written; also NaN, Infinity and -Infinity, which
// the original server's reader takes too.
type Number string

// Int makes a number of an integer.
func Int(n int) Number { return Number(strconv.Itoa(n)) }

// Float makes a number of a float, written as Python does (1.0, 1e+20).
func Float(f float64) Number {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return Number(jsontext.AppendFloat(nil, f))
}

// Whole tells whether the number was written without fraction and exponent, so that it
// is an integer to Python.
func (n Number) Whole() bool { return !strings.ContainsAny(string(n), ".eENI") }

// Float gives the nearest float; what is too large becomes an infinity.
func (n Number) Float() float64 {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// Append writes a JSON value. Numbers that JSON cannot say become null; see NonFinite.
func Append(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		return jsontext.AppendString(dst, v)
	case Number:
		return appendNumber(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, x := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, x)
		}
		return append(dst, ']')
	case *Map:
		return v.AppendJSON(dst)
	}
	return append(dst, "null"...)
}

// AppendJSON writes the map as a JSON object; a nil Map as null.
func (m *Map) AppendJSON(dst []byte) []byte {
	if m == nil {
		return append(dst, "null"...)
	}
	o := jsontext.Open(dst)
	for _, x := range m.members {
		o.Key(x.Name)
		o.Write(func(dst []byte) []byte { return Append(dst, x.Value) })
	}
	return o.Close()
}

// appendNumber writes a number as the original would after reading it: integers digit by
// digit, everything else as a float.
func appendNumber(dst []byte, n Number) []byte {
	if n.Whole() {
		return append(dst, n...)
	}
	return jsontext.AppendFloat(dst, n.Float())
}

// NonFinite finds a number in a value that JSON cannot say, and gives Python's word for
// it: nan, inf, -inf.
func NonFinite(v any) (word string, found bool) {
	switch v := v.(type) {
	case Number:
		if v.Whole() {
			return "", false
		}
		switch f := v.Float(); {
		case math.IsNaN(f):
			return "nan", true
		case math.IsInf(f, 1):
			return "inf", true
		case math.IsInf(f, -1):
			return "-inf", true
		}
	case []any:
		for _, x := range v {
			if word, found = NonFinite(x); found {
				return word, true
			}
		}
	case *Map:
		for _, x := range v.All() {
			if word, found = NonFinite(x); found {
				return word, true
			}
		}
	}
	return "", false
}
