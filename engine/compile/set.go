package compile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// set compiles writes of state fields and compares each with the field's type and
// what its reducer takes.
func (c *compilation) set(g *graph, n *node, s *build.Scope, v *source.Value, catch bool) []engine.Assign {
	if v == nil {
		return nil
	}
	var out []engine.Assign
	for _, f := range v.Fields {
		field := g.fields[f.Key]
		value := s.Value(f.Value)
		if field == nil {
			n.list.Add(unknownField(g, f))
			continue
		}
		n.writes = append(n.writes, write{field: f.Key, pos: f.Pos, catch: catch})
		a := engine.Assign{Name: f.Key, Value: value}
		switch taken(value.Type(), field) {
		case build.Never:
			n.list.Add(setType.At(f.Value.Pos, "field %q takes %s, and %s", f.Key, takes(field), misfit(value.Type(), field)).
				WithHint("Write a value that fits, or change the field's type.").
				WithRelated(g.Value.Get("state").KeyPos(f.Key), "the field"))
		case build.Sometimes:
			a.Check = c.checkOf(g, field)
		case build.Always:
			if !c.settled(g, field, value.Type()) {
				a.Check = c.checkOf(g, field)
			}
		}
		out = append(out, a)
	}
	return out
}

func unknownField(g *graph, f source.Field) diag.Finding {
	names := make([]string, len(g.out.Fields))
	for i, field := range g.out.Fields {
		names[i] = field.Name
	}
	out := unknownStateField.At(f.Pos, "graph %q has no state field %q", g.Key, f.Key)
	if near := diag.Nearest(f.Key, names); near != "" {
		return out.WithHint("Did you mean %q?", near)
	}
	return out.WithHint("Declare it under `state`.")
}

// taken compares the type of a written value with what the field's reducer takes.
func taken(got *shape.Type, f *engine.Field) build.Fit {
	want := f.Shape.Type()
	switch f.Reduce {
	case engine.Append, engine.ByID, engine.Union:
		return listTaken(got, want)
	case engine.Merge:
		return mergeTaken(got, want)
	case engine.Sum:
		return build.Fits(got, &shape.Type{Kind: shape.Number, Nullable: true})
	case engine.Replace, engine.Min, engine.Max:
	}
	return build.Fits(got, want)
}

// listTaken: a list of items, or one item.
func listTaken(got, want *shape.Type) build.Fit {
	if got == nil || got.Kind == shape.Any {
		return build.Fits(got, want)
	}
	if got.Kind == shape.List || got.Kind == shape.Null {
		wide := *want
		wide.Nullable = true
		return build.Fits(got, &wide)
	}
	return build.Fits(got, want.Elem)
}

// mergeTaken: some of the object's fields.
func mergeTaken(got, want *shape.Type) build.Fit {
	fit := build.Fits(got, want)
	if fit == build.Never || want.Open || got == nil || got.Kind != shape.Object {
		return fit
	}
	for name := range got.Fields {
		if want.Fields[name] == nil {
			return build.Never
		}
	}
	return fit
}

// misfit says how a value is not what a field's reducer takes.
func misfit(got *shape.Type, f *engine.Field) string {
	want := f.Shape.Type()
	switch f.Reduce {
	case engine.Append, engine.ByID, engine.Union:
		if got.Kind != shape.List {
			want = want.Elem
		}
	case engine.Merge:
		for _, name := range slices.Sorted(maps.Keys(got.Fields)) {
			if want.Fields[name] == nil && !want.Open {
				return fmt.Sprintf("%q is none of them", name)
			}
		}
	case engine.Replace, engine.Sum, engine.Min, engine.Max:
	}
	return build.Misfit(got, want)
}

// takes says what a field's reducer takes.
func takes(f *engine.Field) string {
	t := f.Shape.Type()
	switch f.Reduce {
	case engine.Append, engine.ByID, engine.Union:
		return build.Describe(t) + " or one item of it"
	case engine.Merge:
		return "an object with some of its properties"
	case engine.Sum:
		return "a number"
	case engine.Replace, engine.Min, engine.Max:
	}
	return build.Describe(t)
}
