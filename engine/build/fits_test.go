package build_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/shape"
)

func compileShape(t rapid.TB, schema string) *shape.Shape {
	var m map[string]any
	if err := json.Unmarshal([]byte(schema), &m); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	s, err := shape.FromSchema(m)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return s
}

func TestFits(t *testing.T) {
	const (
		text, whole, number = `{"type":"string"}`, `{"type":"integer"}`, `{"type":"number"}`
		maybe               = `{"type":["string","null"]}`
		ab, abc, d          = `{"enum":["a","b"]}`, `{"enum":["a","b","c"]}`, `{"enum":["d"]}`
		texts, wholes       = `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"integer"}}`
		point, named        = `{"type":"object","properties":{"x":{"type":"integer"}}}`, `{"type":"object","properties":{"x":{"type":"string"}}}`
	)
	for _, c := range []struct {
		got, want string
		fit       build.Fit
	}{
		{text, text, build.Always},
		{text, `{}`, build.Always},
		{`{}`, text, build.Sometimes},
		{whole, number, build.Always},
		{number, whole, build.Sometimes},
		{whole, text, build.Never},
		{maybe, text, build.Sometimes},
		{text, maybe, build.Always},
		{`{"type":"null"}`, text, build.Never},
		{`{"type":"null"}`, maybe, build.Always},
		{ab, abc, build.Always},
		{abc, ab, build.Sometimes},
		{ab, d, build.Never},
		{ab, text, build.Always},
		{text, ab, build.Sometimes},
		{whole, ab, build.Never},
		{texts, texts, build.Always},
		{texts, wholes, build.Never},
		{`{"type":"array"}`, texts, build.Sometimes},
		{texts, text, build.Never},
		{point, named, build.Never},
		{point, `{"type":"object"}`, build.Always},
		{point, texts, build.Never},
		{`{"enum":[["a"],{"x":1}]}`, `{"enum":[["a"],{"x":2}]}`, build.Sometimes},
	} {
		if got := build.Fits(compileShape(t, c.got).Type(), compileShape(t, c.want).Type()); got != c.fit {
			t.Errorf("%s where %s is wanted: %d, want %d", c.got, c.want, got, c.fit)
		}
	}
}

func TestMisfit(t *testing.T) {
	for _, c := range []struct{ got, want, says string }{
		{`{"type":"string"}`, `{"type":"integer"}`, "this is a text"},
		{
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `{"type":"object","properties":{"b":{"type":"integer"}}}`,
			`property "b" of this is a text, not a whole number`,
		},
		{
			`{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}`, `{"type":"array","items":{"type":"object","properties":{"a":{"type":"boolean"}}}}`,
			`property "a" of an item of this is a text, not a boolean`,
		},
	} {
		if got := build.Misfit(compileShape(t, c.got).Type(), compileShape(t, c.want).Type()); got != c.says {
			t.Errorf("%s where %s is wanted: %q", c.got, c.want, got)
		}
	}
}

// schemas draws schemas that say nothing but types.
func schemas(depth int) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		kinds := []string{"string", "integer", "number", "boolean", "null", "enum", "any", "maybe"}
		if depth > 0 {
			kinds = append(kinds, "array", "object")
		}
		switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
		case "any":
			return map[string]any{}
		case "enum":
			return map[string]any{"enum": rapid.SliceOfNDistinct(rapid.SampledFrom([]any{"a", "b", "c", 1, 2}), 1, 3, rapid.ID[any]).Draw(t, "values")}
		case "maybe":
			return map[string]any{"type": []any{"integer", "null"}}
		case "array":
			return map[string]any{"type": kind, "minItems": 1, "items": schemas(depth-1).Draw(t, "items")}
		case "object":
			return map[string]any{
				"type": kind, "additionalProperties": false, "required": []any{"x"},
				"properties": map[string]any{"x": schemas(depth-1).Draw(t, "x")},
			}
		default:
			return map[string]any{"type": kind}
		}
	})
}

// value draws data that fits a schema of schemas.
func value(t *rapid.T, schema map[string]any) any {
	if enum, ok := schema["enum"].([]any); ok {
		return rapid.SampledFrom(enum).Draw(t, "one")
	}
	if _, ok := schema["type"].([]any); ok {
		return rapid.SampledFrom([]any{nil, 1}).Draw(t, "maybe")
	}
	switch schema["type"] {
	case "string":
		return rapid.SampledFrom([]string{"a", "d", ""}).Draw(t, "text")
	case "integer":
		return rapid.IntRange(0, 3).Draw(t, "int")
	case "number":
		return rapid.SampledFrom([]any{1, 2.5}).Draw(t, "number")
	case "boolean":
		return rapid.Bool().Draw(t, "bool")
	case "null":
		return nil
	case "array":
		return []any{value(t, schema["items"].(map[string]any))}
	case "object":
		return map[string]any{"x": value(t, schema["properties"].(map[string]any)["x"].(map[string]any))}
	}
	return rapid.SampledFrom([]any{nil, 1, "a", true, []any{"a"}, map[string]any{"x": 1}}).Draw(t, "any")
}

// TestFitsAgreesWithData: what never fits has no value that does, and of what always
// fits every value does.
func TestFitsAgreesWithData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := schemas(2).Draw(t, "got"), schemas(2).Draw(t, "want")
		v := value(t, a)
		got, err := shape.FromSchema(a)
		want, err2 := shape.FromSchema(b)
		if err != nil || err2 != nil {
			t.Fatalf("%v, %v", err, err2)
		}
		if p := got.Check(v); len(p) > 0 {
			t.Fatalf("%v does not fit its own schema %v: %v", v, a, p)
		}
		problems := want.Check(v)
		switch fit := build.Fits(got.Type(), want.Type()); {
		case fit == build.Always && len(problems) > 0:
			t.Fatalf("%v of %v always fits %v: %v", v, a, b, problems)
		case fit == build.Never && len(problems) == 0:
			t.Fatalf("%v of %v never fits %v, and does", v, a, b)
		}
	})
}

func TestDescribe(t *testing.T) {
	for schema, want := range map[string]string{
		`{}`: "any value", `{"type":"string"}`: "a text", `{"type":"integer"}`: "a whole number",
		`{"type":"array","items":{"type":"object"}}`: "a list of objects", `{"type":"array"}`: "a list",
		`{"type":["string","null"]}`: "a text or null", `{"type":"null"}`: "null", `{"enum":[["a"],["b"]]}`: "one of [a], [b]",
		`{"enum":["a","b"]}`: `one of "a", "b"`, `{"enum":["a"]}`: `the text "a"`, `{"enum":[1,2]}`: "one of 1, 2",
	} {
		if got := build.Describe(compileShape(t, schema).Type()); got != want {
			t.Errorf("%s is described as %q, want %q", schema, got, want)
		}
	}
	if got := build.Describe(nil); got != "any value" {
		t.Errorf("no type is described as %q", got)
	}
}
