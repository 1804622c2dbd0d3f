package shape_test

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/shape"
)

func lines(problems []shape.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return out
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const shop = `{"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
		"age": {"type": "integer", "minimum": 1, "maximum": 9}, "rate": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.25},
		"kind": {"enum": ["a", "b"]}, "at": {"type": "string", "format": "date-time"}, "mail": {"format": "email"}, "day": {"format": "date"}, "link": {"format": "uri"},
		"tags": {"type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": true, "items": {"type": "string"}}, "one": {"const": 1}, "no": false}}`
	tests := []struct {
		name, schema, value string
		want                []string
	}{
		{"fits", shop, `{"name": "bob", "age": 3, "rate": 0.5, "kind": "a", "at": "2026-01-28T06:00:00Z", "mail": "a@b.org", "day": "2026-01-28", "link": "https://a.b/c", "tags": ["x"], "one": 1}`, nil},
		{"whole float is an integer", shop, `{"name": "bob", "age": 3.0}`, nil},
		{"missing", shop, `{}`, []string{`property "name" is missing`}},
		{"kinds", shop, `{"name": 3, "age": "3", "tags": {}}`, []string{
			"/age: must be an integer, not a string", "/name: must be a string, not a number", "/tags: must be an array, not an object",
		}},
		{"limits", shop, `{"name": "b", "age": 10, "rate": 1, "tags": []}`, []string{
			"/age: must be at most 9, not 10", "/name: has 1 characters and needs at least 2", "/rate: must be less than 1, not 1", "/tags: has 0 items and needs at least 1",
		}},
		{"limits of the other side", shop, `{"name": "bbbbbb", "age": 0, "rate": 0, "tags": ["a", "b", "a"]}`, []string{
			"/age: must be at least 1, not 0", "/name: has 6 characters and may have at most 5", "/rate: must be greater than 0, not 0",
			"/tags: has 3 items and may have at most 2", "/tags: has the same item at 0 and 2",
		}},
		{"words", shop, `{"name": "BOB", "rate": 0.3, "kind": "c", "one": 2, "no": 1}`, []string{
			"/kind: must be one of \"a\", \"b\", not \"c\"", "/name: \"BOB\" does not match the pattern ^[a-z]+$", "/no: is not allowed", "/one: must be 1, not 2",
			"/rate: must be a multiple of 0.25, not 0.3",
		}},
		{"formats", shop, `{"name": "bob", "at": "tomorrow", "mail": "me", "day": "28.1.", "link": "a b"}`, []string{
			`/at: "tomorrow" is not a valid date-time`, `/day: "28.1." is not a valid date`, `/link: "a b" is not a valid uri`, `/mail: "me" is not a valid email`,
		}},
		{"unknown property", `{"$ref": "#/types/Email"}`, `{"id": "1", "subject": "s", "subjekt": "x", "qqqqqq": 1}`, []string{
			`property "qqqqqq" is not allowed; allowed are id, subject, to`, `property "subjekt" is not allowed; did you mean "subject"?`,
		}},
		{"unknown property deep", `{"items": {"properties": {"e": {"$ref": "#/types/Email"}}}}`, `[{"e": {"id": "1", "subject": "", "too": []}}]`, []string{
			`/0/e: property "too" is not allowed; did you mean "to"?`,
		}},
		{"recursive", `{"$ref": "#/types/Tree"}`, `{"children": [{"children": [{"value": "x"}]}]}`, []string{"/children/0/children/0/value: must be an integer, not a string"}},
		{"nullable", `{"anyOf": [{"$ref": "#/types/Email"}, {"type": "null"}]}`, `{"id": 1, "subject": ""}`, []string{"/id: must be a string, not a number"}},
		{"no alternative's kind", `{"anyOf": [{"type": "string"}, {"type": ["integer", "null"]}]}`, `[]`, []string{"must be a string, an integer or null, not an array"}},
		{
			"tagged alternatives", `{"oneOf": [{"properties": {"kind": {"const": "a"}, "x": {"type": "string"}}}, {"properties": {"kind": {"const": "b"}, "x": {"type": "integer"}}}]}`,
			`{"kind": "b", "x": "1"}`,
			[]string{"/x: must be an integer, not a string"},
		},
		{"several alternatives", `{"oneOf": [{"minimum": 1}, {"maximum": 5}]}`, `3`, []string{"fits several of the alternatives, and must fit exactly one"}},
		{
			"none of several", `{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}`, `{}`,
			[]string{`fits none of 2 alternatives (property "a" is missing; property "b" is missing)`},
		},
		{"not", `{"not": {"type": "string"}}`, `"x"`, []string{"is excluded by the schema"}},
		{"never", `false`, `1`, []string{"is not allowed"}},
		{"property names", `{"propertyNames": {"maxLength": 2}}`, `{"abc": 1}`, []string{`has a property with a name that is not allowed: "abc"`}},
		{"needs another", `{"dependentRequired": {"a": ["b"]}}`, `{"a": 1}`, []string{`property "b" is missing, which "a" needs`}},
		{"pointer", `{"additionalProperties": {"type": "string"}}`, `{"a/b~c": 1}`, []string{"/a~1b~0c: must be a string, not a number"}},
		{"message", `{"$ref": "#/types/Message"}`, `{"role": "robot", "content": "x", "tool_calls": [{"id": "1", "name": "n"}]}`, []string{
			`/role: must be one of "system", "user", "assistant", "tool", not "robot"`, `/tool_calls/0: property "args" is missing`,
		}},
		{"properties counted", `{"minProperties": 2, "properties": {"a": {"maxProperties": 0}}}`, `{"a": {"b": 1}}`, []string{
			"/a: has 1 properties and may have at most 0", "has 1 properties and needs at least 2",
		}},
		{"long text is cut", `{"enum": ["a"]}`, `"` + strings.Repeat("x", 500) + `"`, []string{`must be one of "a", not "` + strings.Repeat("x", 40) + `…"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := lines(compile(t, email, tt.schema).Check(data(t, tt.value)))
			sortLikeUs := cmp.Transformer("set", func(in []string) map[string]bool {
				out := map[string]bool{}
				for _, s := range in {
					out[s] = true
				}
				return out
			})
			if diff := cmp.Diff(tt.want, got, sortLikeUs); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProblemsAreSortedAndBounded(t *testing.T) {
	t.Parallel()
	s := compile(t, "", `{"items": {"type": "string"}}`)
	var list []any
	for i := range 1000 {
		list = append(list, i)
	}
	got := s.Check(list)
	if len(got) != 20 || got[0].Path != "/0" || got[1].Path != "/1" || got[2].Path != "/10" || got[19].Message != "… and 981 more problems from here on" {
		t.Errorf("%d problems: %v", len(got), got)
	}
}

func TestDataOutOfBounds(t *testing.T) {
	t.Parallel()
	s := compile(t, email, `{"anyOf": [{"$ref": "#/types/Tree"}, {"type": "array"}, {"type": "number"}]}`)
	var deep any
	for range 300 {
		deep = []any{deep}
	}
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"deep", deep, "is too deep to be checked: more than 200 levels"},
		{"not a number", math.NaN(), "has a number that is not finite"},
		{"infinite", []any{math.Inf(1)}, "has a number that is not finite"},
		{"no data", []any{struct{}{}}, "has a struct {} in it, which is not plain data"},
		{"no plain number", int64(3), "has a int64 in it, which is not plain data"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for i, got := range [][]shape.Problem{s.Check(tt.value), second(s.Coerce(tt.value))} {
				if diff := cmp.Diff([]string{tt.want}, lines(got)); diff != "" {
					t.Errorf("%d: %s", i, diff)
				}
			}
		})
	}
}

func second(_ any, problems []shape.Problem) []shape.Problem { return problems }

// A type that offers itself under two alternatives takes a validator twice as long
// with each level of the data.
func TestAlternativesOnEveryLevelEnd(t *testing.T) {
	t.Parallel()
	types := `{"E": {"anyOf": [
		{"type": "object", "properties": {"op": {"const": "add"}, "left": {"$ref": "#/types/E"}, "right": {"$ref": "#/types/E"}}, "required": ["op"]},
		{"type": "object", "properties": {"op": {"const": "mul"}, "left": {"$ref": "#/types/E"}, "right": {"$ref": "#/types/E"}}, "required": ["op"]},
		{"type": "integer"}]}}`
	s := compile(t, types, `{"$ref": "#/types/E"}`)
	var value any = 1
	for i := range 100 {
		value = map[string]any{"op": []any{"add", "mul"}[i%2], "left": value, "right": 2}
	}
	if got := s.Check(value); got != nil {
		t.Errorf("a value that fits: %v", got)
	}
	var wrong any = "x"
	for range 100 {
		wrong = map[string]any{"op": "mul", "left": wrong, "right": 2}
	}
	if got := lines(s.Check(wrong)); len(got) != 1 || !strings.HasPrefix(got[0], "is too much work to check") {
		t.Errorf("a value that does not fit: %v", got)
	}
	small := map[string]any{"op": "mul", "left": map[string]any{"op": "add", "left": "x"}}
	if got := lines(s.Check(small)); len(got) != 1 {
		t.Errorf("a small value: %v", got)
	}
}

func TestMultiplyingTypesEnd(t *testing.T) {
	t.Parallel()
	types := doubling(40, `{"items": {"allOf": [{"$ref": "#/types/T%d"}, {"$ref": "#/types/T%d"}]}}`)
	s := compile(t, types, `{"$ref": "#/types/T0"}`)
	var value any = 1
	for range 40 {
		value = []any{value}
	}
	if got := lines(s.Check(value)); len(got) != 1 || !strings.HasPrefix(got[0], "is too much work to check") {
		t.Errorf("got %v", got)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := compile(t, email, `{"properties": {"t": {"$ref": "#/types/Tree"}, "n": {"type": "integer", "default": 1}, "p": {"pattern": "^a"}}}`)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			got := lines(second(s.Coerce(map[string]any{"t": fmt.Sprintf(`{"value": %d, "children": 1}`, i), "p": "b"})))
			want := []string{`/p: "b" does not match the pattern ^a`, "/t/children: must be an array, not a number"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			_ = s.Schema()
			_ = s.Type().String()
		})
	}
	wg.Wait()
}

func TestAnything(t *testing.T) {
	t.Parallel()
	var none *shape.Shape
	for _, s := range []*shape.Shape{shape.Anything(), none, {}, compile(t, "", `{}`), compile(t, "", `{"description": "x"}`)} {
		v := []any{struct{}{}}
		got, problems := s.Coerce(v)
		if s.Check(v) != nil || problems != nil || len(got.([]any)) != 1 || s.Type().Kind != shape.Any || s.Schema() == nil {
			t.Errorf("%v %v %v", got, problems, s.Type())
		}
	}
}
