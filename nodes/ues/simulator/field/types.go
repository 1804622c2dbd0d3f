package field

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// String takes texts only.
func String(v any, at *Place) string {
	s, ok := v.(string)
	if !ok {
		at.Fail("string_type", "Input should be a valid string", v)
	}
	return s
}

// Object takes objects.
func Object(v any, at *Place) *ordered.Map {
	m, ok := v.(*ordered.Map)
	if !ok {
		at.Fail("dict_type", "Input should be a valid dictionary", v)
		return &ordered.Map{}
	}
	return m
}

// Bool takes true, false, 0, 1 and the usual words for them.
func Bool(v any, at *Place) bool {
	switch v := v.(type) {
	case bool:
		return v
	case ordered.Number:
		switch v.Float() {
		case 0:
			return false
		case 1:
			return true
		}
	case string:
		switch strings.ToLower(v) {
		case "0", "off", "f", "false", "n", "no":
			return false
		case "1", "on", "t", "true", "y", "yes":
			return true
		}
	default:
		at.Fail("bool_type", "Input should be a valid boolean", v)
		return false
	}
	at.Fail("bool_parsing", "Input should be a valid boolean, unable to interpret input", v)
	return false
}

// Int takes integers, floats without a fraction, booleans and texts that are one of them.
func Int(v any, at *Place) int {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case ordered.Number:
		if v.Whole() {
			return wholeNumber(string(v), v, at)
		}
		f := v.Float()
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			at.Fail("finite_number", "Input should be a finite number", v)
		case f != math.Trunc(f):
			at.Fail("int_from_float", "Input should be a valid integer, got a number with a fractional part", v)
		default:
			return wholeNumber(big.NewFloat(f).Text('f', 0), v, at)
		}
		return 0
	case string:
		return wholeNumber(strings.TrimSpace(v), v, at)
	}
	at.Fail("int_type", "Input should be a valid integer", v)
	return 0
}

// wholeNumber reads digits with an optional sign, single underscores between them and an
// optional fraction of zeroes.
func wholeNumber(s string, v any, at *Place) int {
	if whole, fraction, ok := strings.Cut(s, "."); ok && strings.Trim(fraction, "0") == "" {
		s = whole
	}
	if strings.Contains(s, "_") && !strings.Contains(s, "__") && !strings.HasSuffix(s, "_") && s[0] != '_' {
		s = strings.ReplaceAll(s, "_", "")
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	if digits == "" || strings.Trim(digits, "0123456789") != "" || len(s)-len(digits) > 1 {
		at.Fail("int_parsing", "Input should be a valid integer, unable to parse string as an integer", v)
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		at.Fail("int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size", v)
	}
	return n
}

// Float takes numbers, booleans and texts that are numbers; NaN and infinities too.
func Float(v any, at *Place) float64 {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case ordered.Number:
		return v.Float()
	case string:
		s := strings.TrimSpace(v)
		f, err := strconv.ParseFloat(s, 64)
		if (err == nil || math.IsInf(f, 0)) && !strings.ContainsAny(s, "xXpP") {
			return f
		}
		at.Fail("float_parsing", "Input should be a valid number, unable to parse string as a number", v)
		return 0
	}
	at.Fail("float_type", "Input should be a valid number", v)
	return 0
}

// When takes times as ParseTime reads them, and numbers as seconds since 1970.
func When(v any, at *Place) Time {
	switch v := v.(type) {
	case string:
		t, err := ParseTime(v)
		if err != nil {
			at.Fail("datetime_from_date_parsing", "Input should be a valid datetime or date, "+err.Error(), v, because(err))
		}
		return t
	case ordered.Number:
		t, err := fromUnix(v.Float())
		if err != nil {
			at.Fail("datetime_parsing", "Input should be a valid datetime, "+err.Error(), v, because(err))
		}
		return t
	}
	at.Fail("datetime_type", "Input should be a valid datetime", v)
	return Time{}
}

// Day takes dates, and times at midnight.
func Day(v any, at *Place) Date {
	var t Time
	var err error
	switch v := v.(type) {
	case string:
		if d, err := ParseDate(v); err == nil {
			return d
		}
		t, err = ParseTime(v)
	case ordered.Number:
		t, err = fromUnix(v.Float())
	default:
		at.Fail("date_type", "Input should be a valid date", v)
		return Date{}
	}
	if err != nil {
		at.Fail("date_from_datetime_parsing", "Input should be a valid date or datetime, "+err.Error(), v, because(err))
		return Date{}
	}
	d := DateOf(t)
	if d.Midnight().Local() != t.Local() {
		at.Fail("date_from_datetime_inexact", "Datetimes provided to dates should have zero time - e.g. be exact dates", v)
	}
	return d
}

func because(err error) ordered.Member { return ordered.Member{Name: "error", Value: err.Error()} }

// OneOf takes the given words only.
func OneOf(words ...string) Type[string] {
	return func(v any, at *Place) string {
		s, ok := v.(string)
		for _, w := range words {
			if ok && s == w {
				return s
			}
		}
		expected := alternatives(words)
		at.Fail("literal_error", "Input should be "+expected, v, ordered.Member{Name: "expected", Value: expected})
		return s
	}
}

func alternatives(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + w + "'"
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// Length takes texts of at least least and at most most characters; most 0 is no limit.
func Length(least, most int) Type[string] {
	return func(v any, at *Place) string {
		before := at.count()
		s := String(v, at)
		if at.count() > before {
			return s
		}
		switch n := len([]rune(s)); {
		case n < least:
			at.Fail("string_too_short", fmt.Sprintf("String should have at least %s", many(least, "character")), v, limit("min_length", least))
		case most > 0 && n > most:
			at.Fail("string_too_long", fmt.Sprintf("String should have at most %s", many(most, "character")), v, limit("max_length", most))
		}
		return s
	}
}

func limit(name string, n int) ordered.Member {
	return ordered.Member{Name: name, Value: ordered.Int(n)}
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
