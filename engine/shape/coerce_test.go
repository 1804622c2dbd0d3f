package shape_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCoerce(t *testing.T) {
	t.Parallel()
	const object = `{"type": "object", "properties": {"n": {"type": "integer"}, "x": {"type": "number"}, "b": {"type": "boolean"}, "l": {"type": "array", "items": {"type": "integer"}},
		"o": {"type": "object", "properties": {"in": {"type": "integer"}}}, "s": {"type": "string"}, "e": {"enum": [1, 2]}, "sn": {"type": ["string", "integer"]},
		"nn": {"type": ["integer", "null"]}, "m": {"$ref": "#/types/Email"}, "t": {"$ref": "#/types/Tree"}}, "additionalProperties": {"type": "boolean"}}`
	tests := []struct {
		name, schema, value, want string
		problems                  []string
	}{
		{"integer", object, `{"n": "3"}`, `{"n": 3}`, nil},
		{"integer with space", object, `{"n": " 3\n"}`, `{"n": 3}`, nil},
		{"integer that is none", object, `{"n": "3x"}`, `{"n": "3x"}`, []string{"/n: must be an integer, not a string"}},
		{"integer of a fraction", object, `{"n": "3.5"}`, `{"n": "3.5"}`, []string{"/n: must be an integer, not a string"}},
		{"integer of a whole float", object, `{"n": 3.0}`, `{"n": 3}`, nil},
		{"integer of a text float", object, `{"n": "3.0"}`, `{"n": 3}`, nil},
		{"float stays where a number is wanted", object, `{"x": 3.0}`, `{"x": 3.0}`, nil},
		{"number", object, `{"x": "0.5"}`, `{"x": 0.5}`, nil},
		{"boolean", object, `{"b": "True"}`, `{"b": true}`, nil},
		{"list", object, `{"l": "[1, \"2\"]"}`, `{"l": [1, 2]}`, nil},
		{"list of texts", object, `{"l": ["1", 2]}`, `{"l": [1, 2]}`, nil},
		{"object", object, `{"o": "{\"in\": \"7\"}"}`, `{"o": {"in": 7}}`, nil},
		{"text stays", object, `{"s": "3"}`, `{"s": "3"}`, nil},
		{"number is not made text", object, `{"s": 3}`, `{"s": 3}`, []string{"/s: must be a string, not a number"}},
		{"enum", object, `{"e": "2"}`, `{"e": 2}`, nil},
		{"text is allowed", object, `{"sn": "3"}`, `{"sn": "3"}`, nil},
		{"null of a text", object, `{"nn": "null"}`, `{"nn": null}`, nil},
		{"nullable", object, `{"nn": "4"}`, `{"nn": 4}`, nil},
		{"additional", object, `{"zz": "false"}`, `{"zz": false}`, nil},
		{"through a reference", object, `{"m": "{\"id\": \"1\", \"subject\": \"2\"}"}`, `{"m": {"id": "1", "subject": "2"}}`, nil},
		{"recursive", object, `{"t": {"children": ["{\"value\": \"1\", \"children\": \"[]\"}"]}}`, `{"t": {"children": [{"value": 1, "children": []}]}}`, nil},
		{"text in text", object, `{"n": "\"3\""}`, `{"n": "\"3\""}`, []string{"/n: must be an integer, not a string"}},
		{"whole value", `{"type": "array"}`, `"[1]"`, `[1]`, nil},
		{"two documents", `{"type": "array"}`, `"[1] [2]"`, `"[1] [2]"`, []string{"must be an array, not a string"}},
		{"nullable alternative", `{"anyOf": [{"type": "null"}, {"type": "object", "properties": {"a": {"type": "integer"}}}]}`, `{"a": "1"}`, `{"a": 1}`, nil},
		{
			"real alternatives are left alone", `{"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": {"type": "boolean"}}]}`,
			`["1"]`, `["1"]`,
			[]string{"fits none of 2 alternatives (/0: must be an integer, not a string; /0: must be a boolean, not a string)"},
		},
		{"allOf", `{"allOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {"type": "integer"}}}]}`, `{"a": "1", "b": "2"}`, `{"a": 1, "b": 2}`, nil},

		{"default", `{"properties": {"a": {"default": 1}, "b": {"type": "object", "default": {}, "properties": {"c": {"default": [2]}}}}}`, `{}`, `{"a": 1, "b": {"c": [2]}}`, nil},
		{"default of what is there", `{"properties": {"a": {"default": 1}}}`, `{"a": null}`, `{"a": null}`, nil},
		{"default below what is there", `{"properties": {"b": {"properties": {"c": {"default": 2}}}}}`, `{"b": {}}`, `{"b": {"c": 2}}`, nil},
		{"default that would do harm", `{"properties": {"a": {"default": 1}}, "maxProperties": 1}`, `{"b": 1}`, `{"b": 1}`, nil},
		{"default in text", `{"type": "object", "properties": {"a": {"default": 1}}}`, `"{}"`, `{"a": 1}`, nil},
		{"required with a default", `{"required": ["a"], "properties": {"a": {"type": "integer", "default": 1}}}`, `{}`, `{"a": 1}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := compile(t, email, tt.schema)
			in := data(t, tt.value)
			got, problems := s.Coerce(in)
			if diff := cmp.Diff(data(t, tt.want), got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.problems, lines(problems)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(data(t, tt.value), in); diff != "" {
				t.Errorf("the value was changed: %s", diff)
			}
		})
	}
}

func TestDefaultsAreNotShared(t *testing.T) {
	t.Parallel()
	s := compile(t, "", `{"properties": {"a": {"default": {"b": []}}}}`)
	first, _ := s.Coerce(map[string]any{})
	first.(map[string]any)["a"].(map[string]any)["b"] = "changed"
	again, _ := s.Coerce(map[string]any{})
	if diff := cmp.Diff(any(map[string]any{"a": map[string]any{"b": []any{}}}), again); diff != "" {
		t.Error(diff)
	}
}
