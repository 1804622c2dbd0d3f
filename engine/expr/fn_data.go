package expr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

func dataFunctions() []*function {
	return append([]*function{
		{
			Function: Function{
				Signature: "len(value string|list|object) integer", Doc: "Counts letters, items or fields; null has none.", Example: `len("größe") == 5`,
			},
			call: func(_ *machine, a []any) (any, error) { return length(a[0]), nil },
		},
		{
			Function: Function{Signature: "type(value any) string", Doc: "Returns nil, bool, int, float, string, array, map, time or duration.", Example: `type([1]) == "array"`},
			call:     func(_ *machine, a []any) (any, error) { return typeWord(a[0]), nil },
		},
		{
			Function: Function{Signature: "string(value any) string", Doc: "Returns the value as a template writes it: null is empty, lists and objects are JSON.", Example: `string(1.50) == "1.5"`},
			call: func(m *machine, a []any) (any, error) {
				s, err := m.textOf(a[0])
				return s, err
			},
		},
		{
			Function: Function{Signature: "json(value any[, indent integer]) string", Doc: "Writes the value as JSON with sorted keys, on one line or indented.", Example: `json({b: 1, a: [true]}) == '{"a":[true],"b":1}'`},
			call:     writeJSON,
		},
		{
			Function: Function{Signature: "from_json(text string) any", Doc: "Reads JSON.", Example: `from_json('{"a": 1}').a == 1`},
			call:     readJSON,
		},
		{
			Function: Function{Signature: "get(value any, key string|integer) any", Doc: "Returns a field or an item, null when there is none.", Example: `get([1], 5) == nil`},
			typ:      getType, call: getItem,
		},
		{
			Function: Function{Signature: "default(value any, fallback any) any", Doc: "Returns the fallback for null, \"\", [] and {}.", Example: `default("", "none") == "none"`},
			typ:      func(args []operand) *shape.Type { return coalesceType(args[0].typ, args[1].typ) },
			call: func(_ *machine, a []any) (any, error) {
				if empty(a[0]) {
					return a[1], nil
				}
				return a[0], nil
			},
		},
	}, objectFunctions()...)
}

func objectFunctions() []*function {
	return []*function{
		{
			Function: Function{Signature: "keys(value object) list", Doc: "Returns the names of the fields, sorted.", Example: `keys({b: 1, a: 2}) == ["a", "b"]`},
			typ:      func([]operand) *shape.Type { return listOf(stringType) },
			call: func(m *machine, a []any) (any, error) {
				return fieldList(m, a[0], func(k string, _ any) any { return k })
			},
		},
		{
			Function: Function{Signature: "values(value object) list", Doc: "Returns the values of the fields, in the order of their names.", Example: `values({b: 1, a: 2}) == [2, 1]`},
			typ:      listLike,
			call: func(m *machine, a []any) (any, error) {
				return fieldList(m, a[0], func(_ string, v any) any { return v })
			},
		},
		{
			Function: Function{Signature: "to_pairs(value object) list", Doc: "Returns a list [name, value] for each field, in the order of the names.", Example: `to_pairs({b: 1, a: 2}) == [["a", 2], ["b", 1]]`},
			typ:      func([]operand) *shape.Type { return listOf(listType) },
			call: func(m *machine, a []any) (any, error) {
				return fieldList(m, a[0], func(k string, v any) any { return []any{k, v} })
			},
		},
		{
			Function: Function{Signature: "fromPairs(pairs list) object", Doc: "Makes an object of lists [name, value].", Example: `fromPairs([["a", 1]]) == {a: 1}`},
			call:     fromPairs,
		},
		{
			Function: Function{Signature: "merge(a object, b object) object", Doc: "Returns the fields of both; those of b win.", Example: `merge({a: 1, b: 1}, {b: 2}) == {a: 1, b: 2}`},
			typ:      mergeType, call: merge,
		},
	}
}

func length(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

func typeWord(v any) string {
	switch kindOfValue(v) {
	case shape.Null:
		return "nil"
	case shape.Bool:
		return "bool"
	case shape.Int:
		return "int"
	case shape.Number:
		return "float"
	case shape.List:
		return "array"
	case shape.Object:
		return "map"
	default:
		return kindOfValue(v).String()
	}
}

// empty is what default replaces.
func empty(v any) bool {
	switch v.(type) {
	case nil, string, []any, map[string]any:
		return !Truthy(v)
	}
	return false
}

func writeJSON(m *machine, a []any) (any, error) {
	data, err := m.appendJSON(nil, a[0], 0)
	if err != nil {
		return nil, err
	}
	if n := integer(a, 1, 0); n > 0 {
		var b bytes.Buffer
		if err := m.spend(len(data) / 16); err != nil {
			return nil, err
		}
		if err := json.Indent(&b, data, "", strings.Repeat(" ", min(n, 8))); err != nil {
			return nil, fmt.Errorf("indent: %w", err)
		}
		data = b.Bytes()
	}
	return string(data), nil
}

func readJSON(m *machine, a []any) (any, error) {
	s := text(a, 0)
	if err := m.grow(4 * len(s)); err != nil {
		return nil, err
	}
	if err := m.spend(len(s) / 16); err != nil {
		return nil, err
	}
	v, err := source.DecodeJSON([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("the text is no JSON: %w", err)
	}
	return v, nil
}

func getType(args []operand) *shape.Type {
	t := args[0].typ
	if kindOf(t) == shape.Object {
		if name, ok := args[1].value.(string); ok && args[1].constant {
			field, _ := fieldOf(t, name)
			return nullable(field)
		}
		return nullable(elemOf(t))
	}
	if kindOf(t) == shape.List {
		return nullable(elemOf(t))
	}
	return anyType
}

func getItem(_ *machine, a []any) (any, error) {
	if v, err := item(a[0], a[1]); err == nil {
		return canonical(v), nil
	}
	return nil, nil
}

func fieldList(m *machine, v any, f func(k string, v any) any) (any, error) {
	object, _ := v.(map[string]any)
	if err := m.list(4 * len(object)); err != nil {
		return nil, err
	}
	if len(object) == 0 {
		return []any{}, nil
	}
	out := make([]any, 0, len(object))
	for _, k := range sortedKeys(object) {
		out = append(out, f(k, object[k]))
	}
	return out, nil
}

var errPair = errors.New("every item must be a list of a name and a value")

func fromPairs(m *machine, a []any) (any, error) {
	pairs := list(a, 0)
	if err := m.list(3 * len(pairs)); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(pairs))
	for _, p := range pairs {
		pair, _ := canonical(p).([]any)
		if len(pair) != 2 {
			return nil, errPair
		}
		name, ok := pair[0].(string)
		if !ok {
			return nil, errPair
		}
		out[name] = pair[1]
	}
	return out, nil
}

func merge(m *machine, a []any) (any, error) {
	x, _ := a[0].(map[string]any)
	y, _ := a[1].(map[string]any)
	if err := m.list(3 * (len(x) + len(y))); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(x)+len(y))
	maps.Copy(out, x)
	maps.Copy(out, y)
	return out, nil
}

func mergeType(args []operand) *shape.Type {
	a, b := args[0].typ, args[1].typ
	if kindOf(a) != shape.Object || kindOf(b) != shape.Object || a.Open && a.Elem != nil || b.Open {
		return objectType
	}
	out := &shape.Type{Kind: shape.Object, Open: a.Open, Fields: map[string]*shape.Type{}, Untrusted: a.Untrusted || b.Untrusted}
	maps.Copy(out.Fields, a.Fields)
	maps.Copy(out.Fields, b.Fields)
	return out
}
