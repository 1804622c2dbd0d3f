package build

import (
	"slices"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
)

// Flow is a field that text from outside is written to: of the input or of the state of a
// graph.
type Flow struct {
	Graph string
	Input bool
	Field string
	Pos   diag.Pos // of what is written
}

// Outside notes that text from outside comes into a field whose schema does not say so,
// and returns the names of the graph under which it is read now: none when that was known.
// It must not be called while places are compiled.
func (p *Spec) Outside(f Flow) (names []string) {
	g := p.signature[f.Graph]
	if g == nil {
		return nil
	}
	if f.Input {
		if t := g.InputType().Fields[f.Field]; t == nil && !g.InputType().Open || !p.outside(g, "input."+f.Field, t, f.Pos) {
			return nil
		}
		names = append(names, "input")
	}
	i := slices.IndexFunc(g.Fields, func(s StateField) bool { return s.Name == f.Field })
	if i >= 0 && p.outside(g, f.Field, g.Fields[i].Shape.Type(), f.Pos) {
		names = append(names, f.Field)
	}
	if len(names) > 0 {
		g.Output = p.outputType(g.output, g)
	}
	return names
}

// outside notes a name, and reports whether that is new and something else than the type
// says.
func (p *Spec) outside(g *Signature, name string, t *shape.Type, pos diag.Pos) bool {
	if g.outside[name].Known() || marked(t, map[*shape.Type]bool{}) {
		return false
	}
	g.outside[name] = pos
	return true
}

// overlay notes the state fields that begin with text from outside: the input's.
func (p *Spec) overlay(g *Signature) {
	for _, f := range g.Fields {
		if marked(g.InputType().Fields[f.Name], map[*shape.Type]bool{}) {
			p.outside(g, f.Name, f.Shape.Type(), f.Pos)
		}
	}
}

// typeOf returns the type of a name of the graph, marked when text from outside comes in.
func (g *Signature) typeOf(name string, t *shape.Type) *shape.Type {
	if !g.outside[name].Known() {
		return t
	}
	out := shape.Type{}
	if t != nil {
		out = *t
	}
	out.Untrusted = true
	return &out
}

// inputType is the type of `input` in the graph's own expressions.
func (g *Signature) inputType() *shape.Type {
	t := g.InputType()
	out := *t
	out.Fields = make(map[string]*shape.Type, len(t.Fields))
	same := true
	for name, f := range t.Fields {
		out.Fields[name] = g.typeOf("input."+name, f)
		same = same && out.Fields[name] == f
	}
	if same {
		return t
	}
	return &out
}

// pass notes the text from outside in the input that a place gives a graph.
func (s *Scope) pass(g *Signature, input *expr.Value) {
	if input == nil || len(input.Untrusted()) == 0 {
		return
	}
	t := input.Type()
	for _, name := range names(g.InputType().Fields) {
		if t.Untrusted || t.Fields != nil && marked(t.Fields[name], map[*shape.Type]bool{}) {
			s.place.flows = append(s.place.flows, Flow{Graph: g.Name, Input: true, Field: name, Pos: input.Untrusted()[0].Pos})
		}
	}
}

// Flows returns the text from outside that the place gives to graphs.
func (s *Scope) Flows() []Flow { return s.place.flows }

// origin adds to a finding where the text from outside comes in, when the schema does not
// say so.
func (s *Scope) origin(f diag.Finding, r expr.Ref) diag.Finding {
	if s.graph == nil {
		return f
	}
	for _, name := range []string{r.Path[0], path(r)} {
		if pos := s.graph.outside[name]; pos.Known() {
			return f.WithRelated(pos, "it comes in here")
		}
	}
	return f
}
