package spec

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// JSONSchema returns the language of specs as JSON Schema 2020-12, for editors: with
//
//	# yaml-language-server: $schema=weft.schema.json
//
// at the top of a file they complete and document every field. It is made from the
// CUE definitions and says the same, except that a file need not have a name: a spec
// may be split into many.
func JSONSchema() ([]byte, error) {
	r, err := specRule()
	if err != nil {
		return nil, fmt.Errorf("read the schemas: %w", err)
	}
	e := &editorSchema{defs: map[string]any{}}
	root := e.rule(r, true)
	delete(root, "required")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Weft spec"
	root["$defs"] = e.defs
	data, err := json.MarshalIndent(root, "", "  ")
	return append(data, '\n'), err
}

// editorSchema collects the definitions that are referred to.
type editorSchema struct{ defs map[string]any }

// ref returns a reference to a named rule, or an inline schema.
func (e *editorSchema) ref(r *rule) map[string]any {
	if r.name == "" {
		return e.rule(r, false)
	}
	if _, ok := e.defs[r.name]; !ok {
		e.defs[r.name] = nil // recursion ends here
		e.defs[r.name] = e.rule(r, true)
	}
	return map[string]any{"$ref": "#/$defs/" + r.name}
}

// rule returns the schema of r; doc says whether with its description.
func (e *editorSchema) rule(r *rule, doc bool) map[string]any {
	out := map[string]any{}
	switch r.op {
	case opAny:
	case opScalar:
		e.scalar(out, &r.scalar)
	case opMap:
		e.object(out, r)
	case opList:
		e.list(out, r)
	case opOr:
		e.either(out, r)
	}
	if doc && r.doc != "" {
		out["description"] = r.doc
	}
	return out
}

func (e *editorSchema) scalar(out map[string]any, s *scalar) {
	out["type"] = s.kind.String()
	if s.whole {
		out["type"] = "integer"
	}
	if s.literal != nil {
		out["const"] = *s.literal
	}
	if s.re != nil {
		out["pattern"] = s.re.String()
	}
	keys := map[string]string{">=": "minimum", "<=": "maximum", ">": "exclusiveMinimum", "<": "exclusiveMaximum"}
	for _, b := range s.bounds {
		out[keys[b.op]] = b.limit
	}
}

func (e *editorSchema) object(out map[string]any, r *rule) {
	out["type"] = source.Map.String()
	properties, required := map[string]any{}, []string{}
	for _, f := range r.fields {
		p := e.ref(f.rule)
		if f.doc != "" {
			p["description"] = f.doc
		}
		properties[f.name] = p
		if f.required {
			required = append(required, f.name)
		}
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	if len(required) > 0 {
		out["required"] = required
	}
	patterns := map[string]any{}
	for _, p := range r.patterns {
		patterns[p.re.String()] = e.ref(p.rule)
	}
	if len(patterns) > 0 {
		out["patternProperties"] = patterns
	}
	if !r.open {
		out["additionalProperties"] = false
	}
}

func (e *editorSchema) list(out map[string]any, r *rule) {
	out["type"] = source.List.String()
	prefix := make([]any, len(r.prefix))
	for i, p := range r.prefix {
		prefix[i] = e.ref(p)
	}
	if len(prefix) > 0 {
		out["prefixItems"], out["minItems"] = prefix, len(prefix)
	}
	switch {
	case r.rest == nil:
		out["items"] = false
	case r.rest.op != opAny:
		out["items"] = e.ref(r.rest)
	}
}

func (e *editorSchema) either(out map[string]any, r *rule) {
	if options := r.options(); len(options) > 0 {
		out["type"], out["enum"] = source.String.String(), options
		return
	}
	alts := make([]any, len(r.alts))
	for i, a := range r.alts {
		alts[i] = e.ref(a)
	}
	out["anyOf"] = alts
	if r.want != "" && !strings.Contains(r.want, "a map") {
		out["title"] = r.want
	}
}
