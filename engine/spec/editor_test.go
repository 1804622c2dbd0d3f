package spec_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/weft-engine/weft/engine/spec"
)

// editor compiles the schema that editors get.
func editor(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := spec.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("weft.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("weft.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plain makes data as the schema library wants it.
func plain(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEditorSchemaFits(t *testing.T) {
	s := editor(t)
	full := fullSpec(t)
	if err := s.Validate(plain(t, full)); err != nil {
		t.Errorf("a spec with every field: %v", err)
	}
	for section, v := range full { // a spec may be split into a file a section
		if err := s.Validate(plain(t, map[string]any{section: v})); err != nil {
			t.Errorf("%s alone: %v", section, err)
		}
	}
	for text, why := range map[string]string{
		`modles: {}`: "unknown section",
		`models: {default: {provider: nobody, model: x}}`:                 "unknown provider",
		`models: {default: {provider: openai, model: x, temperature: 3}}`: "out of range",
		`graphs: {g: {start: a, nodes: {a: {llm_cal: {}}}}}`:              "unknown node type",
		`graphs: {g: {start: a, nodes: {a: {wait: {}}}}}`:                 "neither for nor until",
		`tools: {t: {timeout: fast}}`:                                     "no duration",
		`profiles: {p: {modles: {}}}`:                                     "unknown section of a profile",
		`tools: {T: {}}`:                                                  "a name with capitals",
	} {
		v, list := spec.Decode([]byte(text), "x.yaml")
		if list.Len() > 0 {
			t.Fatal(list.Err())
		}
		if s.Validate(plain(t, v.Go())) == nil {
			t.Errorf("%s is accepted: %s", why, text)
		}
	}
}

// Every field and every definition is documented: the schema is the manual.
func TestEditorSchemaDocumentsEverything(t *testing.T) {
	data, err := spec.JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	fields := 0
	var visit func(v any, path string)
	visit = func(v any, path string) {
		m, ok := v.(map[string]any)
		if !ok {
			if list, ok := v.([]any); ok {
				for _, item := range list {
					visit(item, path)
				}
			}
			return
		}
		properties, _ := m["properties"].(map[string]any)
		for name, p := range properties {
			fields++
			if p, ok := p.(map[string]any); !ok || p["description"] == nil {
				t.Errorf("%s.%s is not documented", path, name)
			}
		}
		for key, child := range m {
			visit(child, path+"."+key)
		}
	}
	visit(root, "")
	if fields < 150 {
		t.Errorf("only %d fields were seen", fields)
	}
	for name, def := range root["$defs"].(map[string]any) {
		if text, _ := def.(map[string]any)["description"].(string); strings.TrimSpace(text) == "" {
			t.Errorf("#%s is not documented", name)
		}
	}
}
