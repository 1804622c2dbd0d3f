package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine/source"
)

// Plain returns v as plain data: nil, bool, int, float64, string, []any and
// map[string]any, exactly as it would come back from the journal. Data that is
// plain already is returned as it is; other types go through their JSON.
// Not-a-number, infinity and values without JSON are errors.
func Plain(v any) (any, error) {
	if isPlain(v) {
		return v, nil
	}
	data, err := encodeJSON(v)
	if err != nil {
		return nil, fmt.Errorf("not plain data: %w", err)
	}
	return source.DecodeJSON(data)
}

func isPlain(v any) bool {
	switch v := v.(type) {
	case nil, bool, int:
		return true
	case string:
		return utf8.ValidString(v)
	case float64:
		return !wholeFloat(v) && !math.IsNaN(v) && !math.IsInf(v, 0)
	case []any:
		for _, item := range v {
			if !isPlain(item) {
				return false
			}
		}
		return v != nil
	case map[string]any:
		for key, item := range v {
			if !utf8.ValidString(key) || !isPlain(item) {
				return false
			}
		}
		return v != nil
	default:
		return false
	}
}

// wholeFloat reports whether a float's JSON reads back as an int.
func wholeFloat(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < 1<<63 }

// plainFloat returns a number as it reads back from JSON.
func plainFloat(f float64) any {
	if wholeFloat(f) {
		return int(f)
	}
	return f
}

// encodeJSON is compact JSON with sorted keys, and without HTML escapes.
func encodeJSON(v any) ([]byte, error) {
	switch v.(type) {
	case nil, bool, int, float64, string, []any, map[string]any:
		if out, err := source.AppendJSON(nil, v); err == nil {
			return out, nil
		} // something in it is not plain
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// canonical is a text that is equal for equal plain data.
func canonical(v any) string {
	data, err := encodeJSON(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// KindOf names the kind of data, for messages.
func KindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case int, float64:
		return "a number"
	case string:
		return "a text"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case time.Time:
		return "an instant"
	case time.Duration:
		return "a duration"
	default:
		return strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
	}
}
