package interrupt

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// editable returns the shape that edited arguments must have: the names that the spec
// writes, each of the kind its expression has. Nil when the policy allows no edit.
func editable(s *build.Scope, config *source.Value, args *shape.Type, p *engine.Policy) *shape.Shape {
	if !slices.Contains(p.Allow, engine.Edit) {
		return nil
	}
	if len(args.Fields) == 0 && !args.Open {
		at := config.KeyPos("allow")
		if name := config.Get("policy"); name != nil {
			at = name.Pos
		}
		s.Report(nothingToEdit.At(at, "the interrupt lets people edit arguments, and has none").
			WithHint("Add args, or do not allow edit."))
		return nil
	}
	made, err := shape.FromSchema(argsSchema(args, config.Get("args")))
	if err != nil {
		return shape.Anything()
	}
	return made
}

// argsSchema returns the JSON Schema of the arguments. A value that the spec writes out
// is only where editing starts: its kind is kept, not that it is this one value.
func argsSchema(args *shape.Type, written *source.Value) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(args.Fields)) {
		v := written.Get(name)
		computed := v == nil || v.Kind == source.String && strings.Contains(v.Text, "{{")
		properties[name] = schemaOf(args.Fields[name], computed, maxDepth)
		required = append(required, name)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": args.Open}
}

// maxDepth bounds how deep a schema describes a type.
const maxDepth = 6

// schemaOf returns the JSON Schema of a type, as far as it says.
func schemaOf(t *shape.Type, enums bool, depth int) map[string]any {
	if t == nil || depth == 0 {
		return map[string]any{}
	}
	out := map[string]any{}
	switch t.Kind {
	case shape.Bool:
		out["type"] = "boolean"
	case shape.Int:
		out["type"] = "integer"
	case shape.Number:
		out["type"] = "number"
	case shape.String, shape.Time, shape.Duration:
		out["type"] = "string"
	case shape.List:
		out["type"] = "array"
		out["items"] = schemaOf(t.Elem, enums, depth-1)
	case shape.Object:
		out["type"] = "object"
		properties := map[string]any{}
		for name, field := range t.Fields {
			properties[name] = schemaOf(field, enums, depth-1)
		}
		out["properties"] = properties
	case shape.Any, shape.Null:
		return out
	}
	if t.Nullable {
		out["type"] = []any{out["type"], "null"}
	}
	if enums && len(t.Enum) > 1 && !t.Nullable {
		out["enum"] = t.Enum
	}
	return out
}
