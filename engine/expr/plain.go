package expr

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/weft-engine/weft/engine/source"
)

// canonical returns v as one of the kinds of plain data, a time or a duration. Go
// values of other types (typed lists and maps, structs) are converted.
func canonical(v any) any {
	switch v.(type) {
	case nil, string, bool, int, float64, []any, map[string]any, time.Time, time.Duration:
		return v
	}
	return convert(reflect.ValueOf(v), 0)
}

func convert(v reflect.Value, depth int) any {
	if depth > maxDataDepth || !v.IsValid() {
		return nil
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if d, ok := reflect.TypeAssert[time.Duration](v); ok {
			return d
		}
		return int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if u := v.Uint(); u <= 1<<63-1 {
			return int(u)
		}
		return float64(v.Uint())
	case reflect.Float32, reflect.Float64:
		return v.Float()
	case reflect.String:
		if n, ok := reflect.TypeAssert[json.Number](v); ok {
			return viaJSON(n)
		}
		return v.String()
	case reflect.Pointer, reflect.Interface:
		return convert(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		return convertList(v, depth)
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			return convertMap(v, depth)
		}
	case reflect.Struct:
		if t, ok := reflect.TypeAssert[time.Time](v); ok {
			return t
		}
	default:
		return nil
	}
	return viaJSON(v.Interface())
}

func convertList(v reflect.Value, depth int) any {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return viaJSON(v.Interface())
	}
	out := make([]any, v.Len())
	for i := range out {
		out[i] = convert(v.Index(i), depth+1)
	}
	return out
}

func convertMap(v reflect.Value, depth int) any {
	out := make(map[string]any, v.Len())
	for it := v.MapRange(); it.Next(); {
		out[it.Key().String()] = convert(it.Value(), depth+1)
	}
	return out
}

func viaJSON(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	out, err := source.DecodeJSON(data)
	if err != nil {
		return nil
	}
	return out
}

// plain returns v as plain data, all through, and counts what it walks. Parts that
// are plain already are not copied.
func (m *machine) plain(v any, depth int) (any, error) {
	switch v := canonical(v).(type) {
	case []any:
		return m.plainList(v, depth)
	case map[string]any:
		return m.plainObject(v, depth)
	default:
		return plainScalar(v), nil
	}
}

func plainScalar(v any) any {
	switch v := v.(type) {
	case time.Time:
		return timeText(v)
	case time.Duration:
		return v.String()
	}
	return v
}

// changed reports whether plain replaced a scalar; lists and maps tell by their own.
func changed(before, after any) bool {
	switch x := after.(type) {
	case []any:
		y, ok := before.([]any)
		return !ok || len(x) > 0 && &x[0] != &y[0]
	case map[string]any:
		y, ok := before.(map[string]any)
		return !ok || reflect.ValueOf(x).Pointer() != reflect.ValueOf(y).Pointer()
	case string:
		_, ok := before.(string)
		return !ok
	}
	return kindOfValue(before) != kindOfValue(after)
}

func (m *machine) plainList(list []any, depth int) (any, error) {
	if err := m.deeper(depth, 8*len(list)); err != nil {
		return nil, err
	}
	out := list
	for i, v := range list {
		p, err := m.plain(v, depth+1)
		if err != nil {
			return nil, err
		}
		if !changed(v, p) {
			continue
		}
		if &out[0] == &list[0] {
			out = append([]any(nil), list...)
		}
		out[i] = p
	}
	return out, nil
}

func (m *machine) plainObject(object map[string]any, depth int) (any, error) {
	if err := m.deeper(depth, 8*len(object)); err != nil {
		return nil, err
	}
	var replaced map[string]any
	for k, v := range object {
		p, err := m.plain(v, depth+1)
		if err != nil {
			return nil, err
		}
		if changed(v, p) {
			if replaced == nil {
				replaced = make(map[string]any, len(object))
			}
			replaced[k] = p
		}
	}
	if replaced == nil {
		return object, nil
	}
	for k, v := range object {
		if _, done := replaced[k]; !done {
			replaced[k] = v
		}
	}
	return replaced, nil
}

// asList returns the items of a list; null is an empty one.
func asList(v any) (list []any, ok bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case nil:
		return nil, true
	}
	return nil, false
}
