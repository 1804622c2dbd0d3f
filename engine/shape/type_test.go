package shape_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
)

func TestType(t *testing.T) {
	t.Parallel()
	str, whole := &shape.Type{Kind: shape.String}, &shape.Type{Kind: shape.Int}
	tests := []struct {
		name, schema string
		want         *shape.Type
	}{
		{"any", `{}`, &shape.Type{}},
		{"string", `{"type": "string"}`, str},
		{"date-time is text", `{"type": "string", "format": "date-time"}`, str},
		{"integer", `{"type": "integer"}`, whole},
		{"number", `{"type": "number"}`, &shape.Type{Kind: shape.Number}},
		{"boolean", `{"type": "boolean"}`, &shape.Type{Kind: shape.Bool}},
		{"null", `{"type": "null"}`, &shape.Type{Kind: shape.Null}},
		{"nullable", `{"type": ["string", "null"]}`, &shape.Type{Kind: shape.String, Nullable: true}},
		{"two kinds", `{"type": ["string", "integer"]}`, &shape.Type{}},
		{"enum of texts", `{"enum": ["a", "b"]}`, &shape.Type{Kind: shape.String, Enum: []any{"a", "b"}}},
		{"enum with null", `{"enum": ["a", null]}`, &shape.Type{Kind: shape.String, Enum: []any{"a"}, Nullable: true}},
		{"enum of numbers", `{"enum": [1, 2.5]}`, &shape.Type{Kind: shape.Number, Enum: []any{1, 2.5}}},
		{"mixed enum", `{"enum": ["a", 1]}`, &shape.Type{Enum: []any{"a", 1}}},
		{"const", `{"const": "x"}`, &shape.Type{Kind: shape.String, Enum: []any{"x"}}},
		{"list", `{"type": "array", "items": {"type": "string"}}`, &shape.Type{Kind: shape.List, Elem: str}},
		{"list of anything", `{"type": "array"}`, &shape.Type{Kind: shape.List}},
		{"tuple", `{"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}`, &shape.Type{Kind: shape.List}},
		{"open object", `{"type": "object"}`, &shape.Type{Kind: shape.Object, Open: true, Fields: map[string]*shape.Type{}}},
		{"declared object", `{"type": "object", "properties": {"a": {"type": "string"}}}`, &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"a": str}}},
		{"object without a type", `{"properties": {"a": {"type": "string"}}}`, &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"a": str}}},
		{"list without a type", `{"items": {"type": "string"}}`, &shape.Type{Kind: shape.List, Elem: str}},
		{"nullable alternatives with an enum", `{"anyOf": [{"enum": ["a"]}, {"type": "null"}]}`, &shape.Type{Kind: shape.String, Nullable: true, Enum: []any{"a"}}},
		{
			"alternative objects, one open", `{"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object", "additionalProperties": true}]}`,
			&shape.Type{Kind: shape.Object, Open: true, Fields: map[string]*shape.Type{"a": str}},
		},
		{"closed object", `{"type": "object", "additionalProperties": false}`, &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{}}},
		{"map", `{"type": "object", "additionalProperties": {"type": "integer"}}`, &shape.Type{Kind: shape.Object, Open: true, Elem: whole, Fields: map[string]*shape.Type{}}},
		{
			"declared and open", `{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true}`,
			&shape.Type{Kind: shape.Object, Open: true, Elem: &shape.Type{}, Fields: map[string]*shape.Type{"a": str}},
		},
		{
			"patterns", `{"type": "object", "properties": {"a": {"type": "string"}}, "patternProperties": {"^x": {}}, "additionalProperties": false}`,
			&shape.Type{Kind: shape.Object, Open: true, Fields: map[string]*shape.Type{"a": str}},
		},
		{"untrusted", `{"type": "string", "untrusted": true}`, &shape.Type{Kind: shape.String, Untrusted: true}},
		{"untrusted reference", `{"$ref": "#/types/S", "untrusted": true}`, &shape.Type{Kind: shape.String, Untrusted: true}},
		{"reference", `{"$ref": "#/types/S", "description": "x"}`, str},
		{"nullable reference", `{"anyOf": [{"$ref": "#/types/S"}, {"type": "null"}]}`, &shape.Type{Kind: shape.String, Nullable: true}},
		{"alternatives of one kind", `{"anyOf": [{"enum": ["a"]}, {"enum": ["b"]}]}`, &shape.Type{Kind: shape.String, Enum: []any{"a", "b"}}},
		{"alternatives of one kind, one free", `{"anyOf": [{"enum": ["a"]}, {"type": "string"}]}`, str},
		{
			"alternative objects", `{"oneOf": [{"type": "object", "properties": {"k": {"const": "a"}, "x": {"type": "string"}}}, {"type": "object", "properties": {"k": {"const": "b"}, "y": {"type": "integer"}}}]}`,
			&shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"k": {Kind: shape.String, Enum: []any{"a", "b"}}, "x": str, "y": whole}},
		},
		{
			"all of", `{"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}, "required": ["a"]}]}`,
			&shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"a": str, "b": whole}},
		},
		{
			"all of, same field", `{"allOf": [{"properties": {"a": {"type": "number"}}}, {"properties": {"a": {"type": "integer"}}}]}`,
			&shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"a": whole}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, compile(t, `{"S": {"type": "string"}}`, tt.schema).Type()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecursiveTypes(t *testing.T) {
	t.Parallel()
	var list diag.List
	lib := shape.NewLibrary(tree(t, email), &list)
	tr := lib.Type("Tree")
	if tr.Fields["children"].Elem != tr {
		t.Error("a tree's children are not trees")
	}
	tail := lib.Type("List").Fields["tail"]
	if tail.Kind != shape.Object || !tail.Nullable || tail.Fields["tail"] != tail {
		t.Errorf("the tail of a list is %v", tail)
	}
	if lib.Compile(tree(t, `{"$ref": "#/types/Tree"}`), &list).Type() != tr {
		t.Error("a reference has a type of its own")
	}
	if lib.Type("Nothing") != nil {
		t.Error("a type that is not there")
	}
	if diff := cmp.Diff([]string{"Email", "List", "Message", "ToolCall", "Tree"}, lib.Names()); diff != "" {
		t.Error(diff)
	}
}

func TestTypeString(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{}`:                        "any",
		`{"type": "integer"}`:       "integer",
		`{"enum": ["a", "b"]}`:      `"a" | "b"`,
		`{"$ref": "#/types/Email"}`: "{id: string, subject: string, to: list of string}",
		`{"$ref": "#/types/Tree"}`:  "{children: list of object, value: integer}",
		`{"type": "array", "items": {"type": ["object", "null"], "properties": {"a": {}}}}`: "list of {a: any} or null",
	} {
		if got := compile(t, email, schema).Type().String(); got != want {
			t.Errorf("%s: %s", schema, got)
		}
	}
	var none *shape.Type
	if none.String() != "any" || (&shape.Type{Kind: shape.Time}).String() != "time" || shape.Kind(99).String() != "any" {
		t.Error("other kinds")
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, want string }{
		{
			"annotations of ours go", `{"type": "string", "untrusted": true, "reduce": "append", "description": "d", "default": "x", "$schema": "https://json-schema.org/draft/2020-12/schema"}`,
			`{"type": "string", "description": "d", "default": "x"}`,
		},
		{
			"types come along", `{"type": "object", "properties": {"t": {"$ref": "#/types/Tree"}, "untrusted": {"const": {"untrusted": true}}}}`,
			`{"type": "object", "properties": {"t": {"$ref": "#/$defs/Tree"}, "untrusted": {"const": {"untrusted": true}}},
			"$defs": {"Tree": {"type": "object", "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}}}`,
		},
		{
			"a reference alone is written out", `{"$ref": "#/types/Email", "description": "d"}`,
			`{"type": "object", "description": "d", "required": ["id", "subject"], "additionalProperties": false,
			"properties": {"id": {"type": "string"}, "subject": {"type": "string"}, "to": {"type": "array", "items": {"type": "string"}}}}`,
		},
		{"nothing fits", `false`, `{"not": {}}`},
		{"anything", `true`, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := compile(t, email, tt.schema)
			if diff := cmp.Diff(data(t, tt.want), any(s.Schema())); diff != "" {
				t.Error(diff)
			}
			again, err := shape.FromSchema(s.Schema())
			if err != nil {
				t.Fatal(err)
			}
			one, _ := json.Marshal(s.Schema())
			two, _ := json.Marshal(again.Schema())
			if string(one) != string(two) {
				t.Errorf("%s\n%s", one, two)
			}
		})
	}
}

func TestFromSchema(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema, value string
		want                []string
	}{
		{
			"draft 7", `{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "x", "definitions": {"A": {"type": "integer"}}, "properties": {"a": {"$ref": "#/definitions/A"}}}`,
			`{"a": "x"}`,
			[]string{"/a: must be an integer, not a string"},
		},
		{
			"the schema itself", `{"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": false}`, `{"a": {"a": {"b": 1}}}`,
			[]string{`/a/a: property "b" is not allowed; did you mean "a"?`},
		},
		{"a part", `{"properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}}}`, `{"b": true}`, []string{"/b: must be an integer, not a boolean"}},
		{"unknown keywords", `{"type": "integer", "x-order": 3, "nullable": true}`, `"x"`, []string{"must be an integer, not a string"}},
		{"pattern of another engine", `{"type": "string", "pattern": "(?!a)"}`, `"x"`, nil},
		{"bad default", `{"properties": {"a": {"type": "string", "default": null}}}`, `{"a": "x"}`, nil},
		{"old items", `{"items": [{"type": "integer"}]}`, `["x"]`, []string{"/0: must be an integer, not a string"}},
		{"names that are built in", `{"$defs": {"Message": {"type": "integer"}}, "$ref": "#/$defs/Message"}`, `"x"`, []string{"must be an integer, not a string"}},
		{
			"two of one name", `{"$defs": {"A": {"type": "integer"}}, "x": {"A": {"type": "string"}}, "prefixItems": [{"$ref": "#/$defs/A"}, {"$ref": "#/x/A"}]}`, `["a", 1]`,
			[]string{"/0: must be an integer, not a string", "/1: must be a string, not a number"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := shape.FromSchema(data(t, tt.schema).(map[string]any))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, lines(s.Check(data(t, tt.value)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFromSchemaErrors(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"$ref": "https://example.com/x"}`: `read schema: $ref "https://example.com/x" leads out of the schema, and nothing is ever loaded`,
		`{"$ref": "#/nowhere"}`:             `read schema: $ref "#/nowhere" leads nowhere`,
		`{"$ref": "#"}`:                     "read schema: type \"Root\" is defined as itself, without end Remove the reference, or put it under `properties` or `items`.",
		`{"type": "strng"}`:                 `read schema: there is no JSON type "strng" Did you mean "string"?`,
	} {
		_, err := shape.FromSchema(data(t, schema).(map[string]any))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", schema, err)
		}
	}
}
