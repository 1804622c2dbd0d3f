package shape_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
)

// at is a finding as the tests write it: code, the text it points to, message, hint.
type at struct{ Code, Text, Message, Hint string }

func findings(t *testing.T, types, schema string) []at {
	t.Helper()
	var list diag.List
	lib := shape.NewLibrary(optional(t, types), &list)
	where := types
	if schema != "" {
		if list.Len() > 0 {
			t.Fatalf("the types have findings: %v", list.Sorted())
		}
		lib.Compile(tree(t, schema), &list)
		where = schema
	}
	var out []at
	for _, f := range list.Sorted() {
		if f.Pos.Col < 1 || f.Pos.Col > len(where) {
			t.Fatalf("%v is not in the text", f)
		}
		rest := where[f.Pos.Col-1:]
		out = append(out, at{string(f.Code), rest[:min(len(rest), 8)], f.Message, f.Hint})
	}
	return out
}

func TestFindings(t *testing.T) {
	t.Parallel()
	const all = "Use one of: string, integer, number, boolean, array, object, null."
	tests := []struct {
		name, schema string
		want         []at
	}{
		{"any", `{}`, nil},
		{"annotations", `{"title": "T", "description": "d", "default": 3, "examples": [1], "untrusted": true, "reduce": "append", "deprecated": true}`, nil},
		{"true", `true`, nil},
		{"false", `false`, nil},
		{"enum without a type", `{"enum": ["a", "b", 3, null]}`, nil},
		{"everything", `{"type": "object", "properties": {"a": {"$ref": "#/types/Email"}}, "patternProperties": {"^x": {}}, "propertyNames": {"maxLength": 9},
			"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"a": {"minProperties": 2}}, "if": {"required": ["a"]}, "then": {}, "else": false, "not": {"const": {}},
			"unevaluatedProperties": {"type": "array", "prefixItems": [{}], "items": false, "contains": {}, "minContains": 1, "maxContains": 2, "uniqueItems": true},
			"oneOf": [{"maxProperties": 4}], "allOf": [true], "anyOf": [{"minProperties": 0}]}`, nil},
		{
			"misspelt keyword", `{"type": "object", "reqired": ["a"]}`,
			[]at{{"shape/unknown-keyword", `"reqired`, `a schema has no keyword "reqired"`, `Did you mean "required"?`}},
		},
		{
			"misspelt keyword inside", `{"type": "array", "items": {"propertes": {}}}`,
			[]at{{"shape/unknown-keyword", `"propert`, `a schema has no keyword "propertes"`, `Did you mean "properties"?`}},
		},
		{
			"keyword of another dialect", `{"type": "string", "nullable": true}`,
			[]at{{"shape/unknown-keyword", `"nullabl`, `a schema has no keyword "nullable"`, `Write type: [string, "null"] (with the type you mean).`}},
		},
		{
			"property as keyword", `{"type": "object", "zipcode": {"type": "string"}}`,
			[]at{{"shape/unknown-keyword", `"zipcode`, `a schema has no keyword "zipcode"`, "Remove it; a property of that name belongs under `properties`."}},
		},
		{"misspelt type", `{"type": "strng"}`, []at{{"shape/invalid", `"strng"}`, `there is no JSON type "strng"`, `Did you mean "string"?`}}},
		{"type of another language", `{"type": "int"}`, []at{{"shape/invalid", `"int"}`, `there is no JSON type "int"`, `Did you mean "integer"?`}}},
		{
			"spec type as type", `{"type": "Email"}`,
			[]at{{"shape/invalid", `"Email"}`, `there is no JSON type "Email"`, `Write {$ref: "#/types/Email"} to refer to the type of the spec.`}},
		},
		{"strange type", `{"type": "zzzzzzzz"}`, []at{{"shape/invalid", `"zzzzzzz`, `there is no JSON type "zzzzzzzz"`, all}}},
		{
			"type null unquoted", `{"type": ["string", null]}`,
			[]at{{"shape/invalid", `null]}`, "`type` has a null that is not text", `Quote it: type: [string, "null"].`}},
		},
		{"type of the wrong kind", `{"type": 3}`, []at{{"shape/invalid", `3}`, "`type` must be the name of a type, not a number", all}}},
		{
			"text as schema", `{"properties": {"a": "string"}}`,
			[]at{{"shape/invalid", `"string"`, `a schema must be an object, not the text "string"`, "Write {type: string}."}},
		},
		{
			"nothing as schema", `{"properties": {"a": null}}`,
			[]at{{"shape/invalid", `null}}`, "a schema must be an object, not null", "Write an object such as {type: string}, or {} for any value."}},
		},
		{
			"required is no list", `{"properties": {"a": {"type": "string", "required": true}}}`,
			[]at{{"shape/invalid", `true}}}`, "`required` must be a list of property names, not a boolean", "Write `required: [name, …]` beside `properties`, in the object that has the property."}},
		},
		{"required twice", `{"required": ["a", "a"]}`, []at{{"shape/invalid", `"a"]}`, "`required` lists \"a\" twice", "Remove one."}}},
		{
			"required with a number", `{"required": [7]}`,
			[]at{{"shape/invalid", `7]}`, "`required` lists property names, but this is a number", "Write the name of a property, in quotes if need be."}},
		},
		{"required and forbidden", `{"additionalProperties": false, "required": ["tilte", "other"], "properties": {"title": {}}}`, []at{
			{"shape/required-undeclared", `"tilte",`, "property \"tilte\" is required but not declared, and `additionalProperties` is false", `Did you mean "title"?`},
			{"shape/required-undeclared", `"other"]`, "property \"other\" is required but not declared, and `additionalProperties` is false", "Declare it under `properties`, or take it out of `required`."},
		}},
		{"required by pattern", `{"additionalProperties": false, "required": ["x1"], "patternProperties": {"^x": {}}}`, nil},
		{
			"limits crossed", `{"minimum": 10, "maximum": 1}`,
			[]at{{"shape/invalid", `10, "max`, "`minimum` is greater than `maximum`, so nothing can fit", "Swap the two, or change one."}},
		},
		{"negative length", `{"minLength": -1}`, []at{{"shape/invalid", `-1}`, "`minLength` must be a whole number from 0 on", "Replace the value."}}},
		{"fraction of items", `{"maxItems": 1.5}`, []at{{"shape/invalid", `1.5}`, "`maxItems` must be a whole number from 0 on", "Replace the value."}}},
		{"text as number", `{"maximum": "9"}`, []at{{"shape/invalid", `"9"}`, "`maximum` must be a number", "Replace the value."}}},
		{"huge number", `{"maximum": 1e999}`, []at{{"shape/invalid", `1e999}`, "`maximum` must be a number", "Replace the value."}}},
		{"multiple of nothing", `{"multipleOf": 0}`, []at{{"shape/invalid", `0}`, "`multipleOf` must be a number greater than 0", "Replace the value."}}},
		{"flag", `{"uniqueItems": "yes"}`, []at{{"shape/invalid", `"yes"}`, "`uniqueItems` must be true or false", "Replace the value."}}},
		{"untrusted is no flag", `{"untrusted": 1}`, []at{{"shape/invalid", `1}`, "`untrusted` must be true or false", "Replace the value."}}},
		{"description", `{"description": 5}`, []at{{"shape/invalid", `5}`, "`description` must be text", "Replace the value."}}},
		{
			"pattern", `{"pattern": "a(b"}`,
			[]at{{"shape/invalid", `"a(b"}`, "the pattern does not compile: missing closing ): `a(b`", "Patterns are Go regular expressions (RE2): no look-around and no back-references."}},
		},
		{
			"pattern of a property", `{"patternProperties": {"[": {}}}`,
			[]at{{"shape/invalid", `"[": {}}`, "the pattern does not compile: missing closing ]: `[`", "Patterns are Go regular expressions (RE2): no look-around and no back-references."}},
		},
		{"enum empty", `{"enum": []}`, []at{{"shape/invalid", `[]}`, "`enum` must be a list with at least one value", "Write enum: [first, second]."}}},
		{
			"enum of another type", `{"type": "string", "enum": ["a", 3]}`,
			[]at{{"shape/invalid", `3]}`, "the value 3 is not of the schema's `type`, so it can never fit", "Change the value (quote it if it is text), or the type."}},
		},
		{
			"const of another type", `{"type": "string", "const": false}`,
			[]at{{"shape/invalid", `false}`, "the value false is not of the schema's `type`, so it can never fit", "Change the value (quote it if it is text), or the type."}},
		},
		{"alternatives empty", `{"anyOf": []}`, []at{{"shape/invalid", `[]}`, "`anyOf` must be a list of schemas with at least one item", "Write anyOf: [{type: string}, …]."}}},
		{
			"properties as list", `{"properties": ["a"]}`,
			[]at{{"shape/invalid", `["a"]}`, "`properties` must be an object from names to schemas, not an array", "Write properties: {name: {type: string}}."}},
		},
		{
			"dependentRequired", `{"dependentRequired": ["a"]}`,
			[]at{{"shape/invalid", `["a"]}`, "`dependentRequired` must be an object from property names to lists of names", "Write dependentRequired: {street: [city]}."}},
		},
		{
			"dialect", `{"$schema": "http://json-schema.org/draft-07/schema#"}`,
			[]at{{"shape/invalid", `"http://`, "`$schema` \"http://json-schema.org/draft-07/schema#\" is not the dialect of specs", "Leave it out: schemas are JSON Schema 2020-12."}},
		},
		{
			"format", `{"format": "datetime"}`,
			[]at{{"shape/unknown-format", `"datetim`, `format "datetime" is not known and is not checked`, `Did you mean "date-time"?`}},
		},
		{"unknown type", `{"$ref": "#/types/Emial"}`, []at{{"shape/unknown-type", `"#/types`, `there is no type "Emial"`, `Did you mean "#/types/Email"?`}}},
		{
			"unknown type unlike any", `{"items": {"$ref": "#/types/Xylophone"}}`,
			[]at{{"shape/unknown-type", `"#/types`, `there is no type "Xylophone"`, "Define it under `types`, or refer to one of: Email, List, Message, ToolCall, Tree."}},
		},
		{
			"remote", `{"$ref": "https://example.com/s.json"}`,
			[]at{{"shape/bad-ref", `"https:/`, "`$ref` \"https://example.com/s.json\" is not a reference to a type of the spec", "Define the schema under `types` and write {$ref: \"#/types/Name\"}; nothing else is ever loaded."}},
		},
		{
			"file", `{"$ref": "file:///etc/passwd"}`,
			[]at{{"shape/bad-ref", `"file://`, "`$ref` \"file:///etc/passwd\" is not a reference to a type of the spec", "Define the schema under `types` and write {$ref: \"#/types/Name\"}; nothing else is ever loaded."}},
		},
		{
			"metaschema", `{"$ref": "https://json-schema.org/draft/2020-12/schema"}`,
			[]at{{"shape/bad-ref", `"https:/`, "`$ref` \"https://json-schema.org/draft/2020-12/schema\" is not a reference to a type of the spec", "Define the schema under `types` and write {$ref: \"#/types/Name\"}; nothing else is ever loaded."}},
		},
		{
			"name alone", `{"$ref": "Email"}`,
			[]at{{"shape/bad-ref", `"Email"}`, "`$ref` \"Email\" is not a reference to a type of the spec", "Write {$ref: \"#/types/Email\"}."}},
		},
		{
			"part of a type", `{"$ref": "#/types/Email/properties/id"}`,
			[]at{{"shape/bad-ref", `"#/types`, "`$ref` \"#/types/Email/properties/id\" is not a reference to a type of the spec", "Define the schema under `types` and write {$ref: \"#/types/Name\"}; nothing else is ever loaded."}},
		},
		{
			"ref unquoted in YAML", `{"$ref": null}`,
			[]at{{"shape/invalid", `null}`, "`$ref` must be text, not null", "Quote it: {$ref: \"#/types/Name\"}; a bare # begins a comment in YAML."}},
		},
		{
			"default", `{"properties": {"days": {"type": "integer", "default": "many"}}}`,
			[]at{{"shape/bad-default", `"many"}}`, `the default does not fit: must be an integer, not a string`, "Change the default, or the schema."}},
		},
		{
			"default inside a default", `{"default": {}, "required": ["a", "b"], "properties": {"a": {"default": 1}, "b": {}}}`,
			[]at{{"shape/bad-default", `{}, "req`, `the default does not fit: property "b" is missing`, "Change the default, or the schema."}},
		},
		{"several", `{"type": "objct", "properties": {"a": {"minimun": 3}, "b": {"$ref": "#/types/Emai"}}}`, []at{
			{"shape/invalid", `"objct",`, `there is no JSON type "objct"`, `Did you mean "object"?`},
			{"shape/unknown-keyword", `"minimun`, `a schema has no keyword "minimun"`, `Did you mean "minimum"?`},
			{"shape/unknown-type", `"#/types`, `there is no type "Emai"`, `Did you mean "#/types/Email"?`},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, findings(t, email, tt.schema)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFindingsInTypes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, types string
		want        []at
	}{
		{
			"reserved", `{"Message": {"type": "object"}}`,
			[]at{{"shape/reserved-type", `"Message`, `type "Message" is built in and cannot be defined again`, `Choose another name, or use the built-in one: {$ref: "#/types/Message"}.`}},
		},
		{"no object", `[1]`, []at{{"shape/invalid", `[1]`, "`types` must be an object from names to schemas, not an array", "Write types: {Email: {type: object, …}}."}}},
		{
			"itself", `{"A": {"$ref": "#/types/A"}}`,
			[]at{{"shape/bad-ref", `"#/types`, `type "A" is defined as itself, without end`, "Remove the reference, or put it under `properties` or `items`."}},
		},
		{
			"itself by way of others", `{"A": {"allOf": [{"$ref": "#/types/B"}]}, "B": {"anyOf": [{"type": "null"}, {"not": {"$ref": "#/types/A"}}]}}`,
			[]at{{"shape/bad-ref", `"#/types`, `type "A" is defined as itself, without end`, "Remove the reference, or put it under `properties` or `items`."}},
		},
		{"recursive", `{"A": {"items": {"$ref": "#/types/B"}}, "B": {"properties": {"a": {"$ref": "#/types/A"}}}}`, nil},
		{
			"default without end", `{"A": {"type": "object", "properties": {"a": {"$ref": "#/types/A", "default": {}}}}}`,
			[]at{{"shape/bad-default", `{}}}}}`, "the default contains itself without end, or grows too large", "Change the default, or the schema."}},
		},
		{
			"refers to a type that is wrong", `{"A": {"type": "objekt"}, "B": {"properties": {"a": {"$ref": "#/types/A"}}}}`,
			[]at{{"shape/invalid", `"objekt"`, `there is no JSON type "objekt"`, `Did you mean "object"?`}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, findings(t, tt.types, "")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// doubling is types that each use the next one twice.
func doubling(n int, use string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"T%d": `+use+`, `, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"T%d": {"type": "string"}}`, n)
	return b.String()
}

func TestTooComplex(t *testing.T) {
	t.Parallel()
	got := findings(t, doubling(60, `{"allOf": [{"$ref": "#/types/T%d"}, {"$ref": "#/types/T%d"}]}`), "")
	if len(got) == 0 || got[0].Code != "shape/too-complex" {
		t.Errorf("got %v", got)
	}
	deep := strings.Repeat(`{"items": `, 150) + `{}` + strings.Repeat(`}`, 150)
	if got := findings(t, "", deep); len(got) != 1 || got[0].Code != "shape/too-complex" {
		t.Errorf("got %v", got)
	}
	fills := findings(t, doubling(60, `{"type": "object", "properties": {"a": {"$ref": "#/types/T%d", "default": {}}, "b": {"$ref": "#/types/T%d", "default": {}}}}`), "")
	if len(fills) == 0 || fills[0].Code != "shape/bad-default" {
		t.Errorf("got %v", fills)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	seen := map[diag.Code]bool{}
	for _, r := range shape.Rules() {
		if seen[r.Code] || !strings.HasPrefix(string(r.Code), "shape/") || r.Summary == "" || !strings.Contains(r.Explain, "```yaml") {
			t.Errorf("rule %+v", r)
		}
		seen[r.Code] = true
	}
}
