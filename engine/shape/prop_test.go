package shape_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Generators are made anew for each test: rapid's write to themselves when they are used.
func names() *rapid.Generator[string] { return rapid.SampledFrom([]string{"a", "b", "c"}) }

func scalars() *rapid.Generator[any] {
	return rapid.SampledFrom([]any{nil, true, 0, 1, 2, 7, -3, 0.5, 1.0, "", "a", "bb", "1", "0.5", "true", "[1]", `{"a": "1"}`, "null"})
}

func anyData(depth int) *rapid.Generator[any] {
	if depth == 0 {
		return scalars()
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return anyData(depth - 1) })
	return rapid.OneOf(scalars(), rapid.Custom(func(t *rapid.T) any {
		return rapid.SliceOfN(inner, 0, 3).Draw(t, "list")
	}), rapid.Custom(func(t *rapid.T) any {
		return rapid.MapOfN(names(), inner, 0, 3).Draw(t, "object")
	}))
}

// anySchema draws schemas of every keyword; keywords of one schema may be at odds.
func anySchema(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		out := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "keywords") {
			keyword(t, out, depth)
		}
		return out
	})
}

func keyword(t *rapid.T, out map[string]any, depth int) {
	kinds := rapid.SampledFrom([]any{"string", "integer", "number", "boolean", "array", "object", "null"})
	small := rapid.Custom(func(t *rapid.T) any { return rapid.IntRange(0, 3).Draw(t, "n") })
	if depth == 0 {
		out["type"] = kinds.Draw(t, "type")
		return
	}
	sub := anySchema(depth - 1)
	subs := rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(sub, 1, 2).Draw(t, "subs") })
	members := rapid.Custom(func(t *rapid.T) any { return rapid.MapOfN(names(), sub, 0, 2).Draw(t, "members") })
	list := rapid.Custom(func(t *rapid.T) any {
		var out []any
		for _, s := range rapid.SliceOfNDistinct(names(), 0, 2, rapid.ID).Draw(t, "names") {
			out = append(out, s)
		}
		return append([]any{}, out...)
	})
	choices := map[string]*rapid.Generator[any]{
		"type": rapid.OneOf(kinds, rapid.Custom(func(t *rapid.T) any {
			return rapid.SliceOfNDistinct(kinds, 1, 3, func(v any) any { return v }).Draw(t, "types")
		})),
		"enum":  rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(anyData(1), 1, 3).Draw(t, "enum") }),
		"const": anyData(1), "default": anyData(2),
		"properties": members, "additionalProperties": rapid.OneOf(sub, rapid.Just(any(false))), "required": list, "patternProperties": members,
		"items": sub, "prefixItems": subs, "contains": sub, "allOf": subs, "anyOf": subs, "oneOf": subs, "not": sub, "if": sub, "then": sub, "else": sub,
		"minLength": small, "maxLength": small, "minItems": small, "maxItems": small, "minimum": small, "maximum": small, "exclusiveMinimum": small,
		"multipleOf": rapid.Just(any(0.5)), "pattern": rapid.Just(any("^a")), "uniqueItems": rapid.Just(any(true)), "minProperties": small,
		"propertyNames": sub, "dependentSchemas": members, "unevaluatedProperties": sub,
		"$ref": rapid.SampledFrom([]any{"#/types/A", "#/types/B", "#/types/Message"}),
	}
	keys := make([]string, 0, len(choices))
	for k := range choices {
		keys = append(keys, k)
	}
	keys = sorted(keys)
	key := rapid.SampledFrom(keys).Draw(t, "keyword")
	out[key] = choices[key].Draw(t, key)
}

func sorted(keys []string) []string {
	for i := range keys {
		for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}

func drawShape(t *rapid.T) *shape.Shape {
	var list diag.List
	types := map[string]any{"A": anySchema(2).Draw(t, "A"), "B": anySchema(2).Draw(t, "B")}
	s := shape.NewLibrary(shape.FromGo(types), &list).Compile(shape.FromGo(anySchema(3).Draw(t, "schema")), &list)
	if list.HasErrors() {
		t.Skip()
	}
	return s
}

// The quick way and the validator agree on every schema and value.
func TestQuickSaysWhatTheValidatorSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, v := drawShape(t), anyData(3).Draw(t, "value")
		slow := shape.Slow(s, v)
		if shape.Quick(s, v) && len(slow) > 0 {
			t.Fatalf("quick accepts what does not fit: %v", slow)
		}
		if diff := cmp.Diff(lines(slow), lines(s.Check(v))); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestCoerceProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, v := drawShape(t), anyData(3).Draw(t, "value")
		if err := coerceHolds(s, v); err != nil {
			t.Fatal(err)
		}
	})
}

// coerceHolds checks what Coerce promises of one value.
func coerceHolds(s *shape.Shape, v any) error {
	before, _ := json.Marshal(v)
	fitted := len(s.Check(v)) == 0
	once, problems := s.Coerce(v)
	after, _ := json.Marshal(v)
	if string(before) != string(after) {
		return fmt.Errorf("changed its argument from %s to %s", before, after)
	}
	if diff := cmp.Diff(lines(s.Check(once)), lines(problems)); diff != "" {
		return fmt.Errorf("told other problems than Check: %s", diff)
	}
	if fitted && len(problems) > 0 {
		return fmt.Errorf("broke a value that fitted: %v", lines(problems))
	}
	twice, _ := s.Coerce(once)
	if diff := cmp.Diff(once, twice); diff != "" {
		return fmt.Errorf("coercing twice is not coercing once: %s", diff)
	}
	return nil
}

// What is exported for others says the same as the shape.
func TestSchemaMeansTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, v := drawShape(t), anyData(3).Draw(t, "value")
		other, err := shape.FromSchema(s.Schema())
		if err != nil {
			t.Fatalf("%v\n%v", err, s.Schema())
		}
		if (len(s.Check(v)) == 0) != (len(other.Check(v)) == 0) {
			t.Fatalf("%v\n%v", lines(s.Check(v)), lines(other.Check(v)))
		}
	})
}

// Data that fits is of the static type, as far as types go.
func TestTypeIsRight(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, v := drawShape(t), anyData(3).Draw(t, "value")
		if len(s.Check(v)) == 0 && !has(s.Type(), v, 4) {
			t.Fatalf("%v is not of type %v", v, s.Type())
		}
	})
}

// has is what a type says, written out anew. Objects and lists without a `type` are
// typed as such, though anything else fits them too.
func has(t *shape.Type, v any, depth int) bool {
	if t == nil || t.Kind == shape.Any || depth == 0 {
		return true
	}
	switch v := v.(type) {
	case nil:
		return t.Kind == shape.Null || t.Nullable || t.Kind == shape.Object || t.Kind == shape.List
	case bool:
		return t.Kind != shape.String && t.Kind != shape.Int && t.Kind != shape.Number
	case int:
		return t.Kind != shape.String && t.Kind != shape.Bool
	case float64:
		return t.Kind != shape.String && t.Kind != shape.Bool && (t.Kind != shape.Int || v == float64(int(v)))
	case string:
		return t.Kind != shape.Bool && t.Kind != shape.Int && t.Kind != shape.Number
	case []any:
		for _, item := range v {
			if t.Kind == shape.List && !has(t.Elem, item, depth-1) {
				return false
			}
		}
		return t.Kind == shape.List || t.Kind == shape.Object
	case map[string]any:
		for name, field := range t.Fields {
			if item, ok := v[name]; ok && t.Kind == shape.Object && !has(field, item, depth-1) {
				return false
			}
		}
		return t.Kind == shape.Object || t.Kind == shape.List
	}
	return false
}

func FuzzSchema(f *testing.F) {
	f.Add(email, `{"properties": {"e": {"$ref": "#/types/Email"}, "t": {"$ref": "#/types/Tree", "default": {}}}}`, `{"e": "{}", "t": {"value": "1"}}`)
	f.Add(`{"A": {"anyOf": [{"$ref": "#/types/B"}, {"type": "null"}]}, "B": {"items": {"$ref": "#/types/A"}}}`, `{"$ref": "#/types/A"}`, `[["1", null]]`)
	f.Add(`{"A": {"$ref": "#/types/A"}}`, `{"type": ["integer", "boolean"], "enum": [1, true], "format": "date-time"}`, `"true"`)
	f.Add(``, `{"patternProperties": {"^a": false}, "dependentRequired": {"a": ["b"]}, "if": {"const": 1}, "then": {"multipleOf": 2}}`, `1`)
	f.Fuzz(func(t *testing.T, types, schema, value string) {
		var list diag.List
		var tv *source.Value
		if types != "" {
			v, err := parse(types)
			if err != nil {
				return
			}
			tv = v
		}
		sv, err := parse(schema)
		if err != nil {
			return
		}
		s := shape.NewLibrary(tv, &list).Compile(sv, &list)
		for _, f := range list.Sorted() {
			if f.Message == "" || f.Pos.Col < 1 || f.Pos.Col > max(len(types), len(schema)) {
				t.Fatalf("finding without place or words: %+v", f)
			}
		}
		_ = s.Type().String()
		if m, ok := sv.Go().(map[string]any); ok {
			if again, err := shape.FromSchema(m); err == nil {
				_ = again.Check(m)
			}
		}
		v, err := source.DecodeJSON([]byte(value))
		if err != nil || list.HasErrors() {
			return
		}
		for _, p := range s.Check(v) {
			if p.Message == "" || len(p.Message) > 4000 {
				t.Fatalf("problem %+v", p)
			}
		}
		if got := shape.Slow(s, v); len(got) > 0 && len(got[0].Message) > 22 && got[0].Message[:22] == "the schema cannot be u" {
			t.Fatalf("a schema without findings cannot be used: %v", got)
		}
		if err := coerceHolds(s, v); err != nil {
			t.Fatal(err)
		}
	})
}
