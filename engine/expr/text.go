package expr

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/weft-engine/weft/engine/source"
)

// Truthy reports whether a value holds in {% if %}: everything but null, false, 0, "",
// [] and {} does.
func Truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	case time.Duration:
		return v != 0
	}
	return true
}

func timeText(t time.Time) string { return t.Format(time.RFC3339Nano) }

// textOf renders a value for text: null is empty, lists and objects are compact JSON.
func (m *machine) textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case nil:
		return "", nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		return string(appendFloat(nil, v)), nil
	case time.Time:
		return timeText(v), nil
	case time.Duration:
		return v.String(), nil
	}
	data, err := m.appendJSON(nil, v, 0)
	if err != nil {
		return "", err
	}
	return string(data), m.grow(len(data))
}

func appendFloat(b []byte, f float64) []byte {
	if math.Abs(f) < 1e21 && (f == 0 || math.Abs(f) >= 1e-6) {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// appendJSON writes v as compact JSON with the keys of objects sorted.
func (m *machine) appendJSON(b []byte, v any, depth int) ([]byte, error) {
	if len(b) > maxOutput {
		return nil, fmt.Errorf("the JSON is longer than %d MiB: %w", maxOutput>>20, ErrLimit)
	}
	switch v := canonical(v).(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case float64:
		if _, err := finite(v); err != nil {
			return nil, err
		}
		return appendFloat(b, v), nil
	case string:
		return source.AppendText(b, v), nil
	case []any:
		return m.appendList(b, v, depth)
	case map[string]any:
		return m.appendObject(b, v, depth)
	default:
		return source.AppendText(b, fmt.Sprint(plainScalar(v))), nil
	}
}

func (m *machine) appendList(b []byte, list []any, depth int) ([]byte, error) {
	if err := m.deeper(depth, len(list)); err != nil {
		return nil, err
	}
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = m.appendJSON(b, v, depth+1); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func (m *machine) appendObject(b []byte, object map[string]any, depth int) ([]byte, error) {
	if err := m.deeper(depth, len(object)); err != nil {
		return nil, err
	}
	b = append(b, '{')
	for i, k := range sortedKeys(object) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(source.AppendText(b, k), ':')
		var err error
		if b, err = m.appendJSON(b, object[k], depth+1); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func sortedKeys(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }
