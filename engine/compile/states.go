package compile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

const (
	defaultSteps = 100
	maxSteps     = 1_000_000
)

// reserved is the names that the engine itself puts in scope.
var reserved = []string{"input", "output", "memory", "run", "error"}

// states makes the graphs with their fields and limits. It comes before the nodes,
// which write the fields and are typed by them.
func states(c *compilation) {
	graphs := c.root.Get("graphs")
	if graphs == nil {
		return
	}
	for _, f := range graphs.Fields {
		g := &graph{
			Field: f, sig: c.spec.Signature(f.Key), index: map[string]int{},
			fields: map[string]*engine.Field{}, checks: map[string]*check{},
		}
		g.out = &engine.Graph{Name: f.Key, Description: text(f.Value.Get("description")), Input: g.sig.Input, Steps: defaultSteps}
		c.graphs = append(c.graphs, g)
		for _, field := range g.sig.Fields {
			c.state(g, field)
		}
		c.overlay(g)
		c.limits(g)
	}
}

func (c *compilation) state(g *graph, f build.StateField) {
	def := g.Value.Get("state").Get(f.Name)
	if slices.Contains(reserved, f.Name) || f.Name == "data" && c.root.Has("data") {
		c.list.Add(reservedName.At(f.Pos, "a state field cannot be called %q: expressions know something else by that name", f.Name).
			WithHint("Choose another name for the field."))
		return
	}
	out := &engine.Field{Name: f.Name, Shape: f.Shape}
	if v := def.Get("default"); v != nil {
		out.Default, out.Has = v.Go(), true
	}
	out.Reduce = c.reducer(f, def)
	if !out.Has {
		out.Default, out.Has = out.Reduce.Empty()
	}
	g.fields[f.Name], g.checks[f.Name] = out, &check{}
	g.out.Fields = append(g.out.Fields, out)
}

// reduces is the kinds of values that a reducer can merge into a field of.
var reduces = map[engine.Reducer][]shape.Kind{
	engine.Append: {shape.List}, engine.ByID: {shape.List}, engine.Union: {shape.List},
	engine.Merge: {shape.Object}, engine.Sum: {shape.Number, shape.Int},
	engine.Min: {shape.Number, shape.Int, shape.String}, engine.Max: {shape.Number, shape.Int, shape.String},
}

func (c *compilation) reducer(f build.StateField, def *source.Value) engine.Reducer {
	v := def.Get("reduce")
	if v == nil {
		return engine.Replace
	}
	r, ok := engine.ReducerByName(text(v))
	if !ok {
		c.list.Add(unknown(badReducer, "reducer", v, engine.ReducerNames()))
		return engine.Replace
	}
	kinds, limited := reduces[r]
	t := f.Shape.Type()
	if limited && t.Kind != shape.Any && !slices.Contains(kinds, t.Kind) {
		words := make([]string, 0, len(kinds))
		for _, k := range kinds {
			if k != shape.Int {
				words = append(words, build.Describe(&shape.Type{Kind: k}))
			}
		}
		c.list.Add(badReducer.At(v.Pos, "%s needs %s, and field %q is %s", r, strings.Join(words, " or "), f.Name, build.Describe(t)).
			WithHint("Change the field's type, or use another reducer."))
		return engine.Replace
	}
	return r
}

// overlay checks the input fields that the state takes over.
func (c *compilation) overlay(g *graph) {
	input := g.sig.InputType()
	for _, f := range g.sig.Fields {
		t := input.Fields[f.Name]
		if t == nil || build.Fits(t, f.Shape.Type()) != build.Never {
			continue
		}
		c.list.Add(inputType.At(f.Pos, "state field %q starts with the input's, but one is %s and the other %s",
			f.Name, build.Describe(f.Shape.Type()), build.Describe(t)).
			WithHint("Give both the same type, or rename one of them.").
			WithRelated(inputPos(g, f.Name), "the input"))
	}
}

// inputPos returns where an input field is declared, or the input as a whole.
func inputPos(g *graph, name string) diag.Pos {
	input := g.Value.Get("input")
	if p := input.Get("properties"); p.Has(name) {
		return p.KeyPos(name)
	}
	return input.Pos
}

func (c *compilation) limits(g *graph) {
	limits := g.Value.Get("limits")
	if v := limits.Get("steps"); v != nil {
		n, ok := v.Go().(int)
		if !ok || n < 1 || n > maxSteps {
			c.list.Add(badLimit.At(v.Pos, "limits.steps is %s: it must be from 1 to %s", v.Text, number(maxSteps)).
				WithHint("Take the number of steps that the longest sensible run needs, and some reserve."))
			n = defaultSteps
		}
		g.out.Steps = n
	}
	g.out.Timeout = c.duration(limits.Get("timeout"))
}

// number writes a whole number with its thousands apart.
func number(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return number(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

func (c *compilation) duration(v *source.Value) time.Duration {
	return c.spec.NewScope(nil, c.list).Duration(v)
}

// text returns the text of a string value, "" for anything else.
func text(v *source.Value) string {
	if v == nil || v.Kind != source.String {
		return ""
	}
	return v.Text
}

// unknown is the finding about a name that nothing has.
func unknown(rule diag.Rule, what string, v *source.Value, names []string) diag.Finding {
	return build.Unknown(rule, what, v, names)
}
