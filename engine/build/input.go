package build

import (
	"slices"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// CheckInput compares the input that a place gives a graph with the one the graph
// wants, and reports what does not fit under rule. v is the input as written, nil when
// there is none; at is where a field that is missing is reported.
func (s *Scope) CheckInput(rule diag.Rule, at diag.Pos, g *Signature, v *source.Value, input *expr.Value) {
	report := func(pos diag.Pos, hint, format string, args ...any) {
		s.Report(rule.At(pos, format, args...).WithHint("%s", hint).WithRelated(g.Pos, "the graph"))
	}
	s.pass(g, input)
	want := g.InputType()
	literal := v == nil || v.Kind == source.Map
	if v != nil {
		at = v.Pos
		got := input.Type()
		if !literal {
			if Fits(got, want) == Never {
				report(at, "Give what the graph declares as its input.", "the input does not fit graph %q: it wants %s, and this is %s", g.Name, Describe(want), Describe(got))
			}
			return
		}
		s.inputFields(v, got, want, g, report)
	}
	if g.Input == nil {
		return
	}
	required, _ := g.Input.Schema()["required"].([]any)
	for _, r := range required {
		if name, _ := r.(string); name != "" && v.Get(name) == nil {
			report(at, "Add it to input.", "graph %q needs the input %q", g.Name, name)
		}
	}
}

// inputFields compares the fields that are written one by one.
func (s *Scope) inputFields(v *source.Value, got, want *shape.Type, g *Signature, report func(diag.Pos, string, string, ...any)) {
	if want == nil || want.Kind != shape.Object || got == nil {
		return
	}
	for _, f := range v.Fields {
		wanted := want.Fields[f.Key]
		switch {
		case wanted == nil && want.Open:
		case wanted == nil:
			hint := "Delete it, or declare it as input of the graph."
			if near := diag.Nearest(f.Key, names(want.Fields)); near != "" {
				hint = "Did you mean \"" + near + "\"?"
			}
			report(f.Pos, hint, "graph %q has no input %q", g.Name, f.Key)
		case Fits(got.Fields[f.Key], wanted) == Never:
			report(f.Value.Pos, "Give what the graph declares.", "input %q of graph %q wants %s, and this is %s", f.Key, g.Name, Describe(wanted), Describe(got.Fields[f.Key]))
		}
	}
}

func names(fields map[string]*shape.Type) []string {
	out := make([]string, 0, len(fields))
	for name := range fields {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
