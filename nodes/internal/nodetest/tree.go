package nodetest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// Tree is a JSON text as a spec has it.
func Tree(t testing.TB, text string) *source.Value {
	t.Helper()
	v, err := source.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %s", text, err)
	}
	return Value(t, v)
}

// Value is plain data as a spec has it, the keys of maps sorted.
func Value(t testing.TB, data any) *source.Value {
	t.Helper()
	v := &source.Value{Pos: diag.Pos{File: "spec.yaml", Line: 1, Col: 1}}
	switch d := data.(type) {
	case nil:
		v.Kind = source.Null
	case bool:
		v.Kind, v.Bool = source.Bool, d
	case string:
		v.Kind, v.Text = source.String, d
	case []any:
		v.Kind = source.List
		for _, item := range d {
			v.Items = append(v.Items, Value(t, item))
		}
	case map[string]any:
		v.Kind = source.Map
		for _, key := range slices.Sorted(maps.Keys(d)) {
			v.Fields = append(v.Fields, source.Field{Key: key, Pos: v.Pos, Value: Value(t, d[key])})
		}
	case int, int64, float64:
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		v.Kind, v.Text = source.Number, string(text)
	default:
		t.Fatalf("%T is no plain data", data)
	}
	return v
}
