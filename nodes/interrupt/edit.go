package interrupt

import (
	"maps"
	"slices"

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
	made, err := shape.FromSchema(schemaOf(args, maxDepth))
	if err != nil {
		return shape.Anything()
	}
	return made
}

// maxDepth bounds how deep a schema describes a type.
const maxDepth = 6

// schemaOf returns the JSON Schema of a type, as far as it says.
func schemaOf(t *shape.Type, depth int) map[string]any {
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
		out["items"] = schemaOf(t.Elem, depth-1)
	case shape.Object:
		out = objectSchema(t, depth)
	case shape.Any, shape.Null:
		return out
	}
	if t.Nullable {
		out["type"] = []any{out["type"], "null"}
	}
	if len(t.Enum) > 0 {
		out["enum"] = t.Enum
	}
	return out
}

func objectSchema(t *shape.Type, depth int) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(t.Fields)) {
		properties[name] = schemaOf(t.Fields[name], depth-1)
		if depth == maxDepth {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": t.Open}
}
