package build

import (
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Signature is what callers of a graph see of it, and the names that its own
// expressions see.
type Signature struct {
	Name   string
	Pos    diag.Pos
	Input  *shape.Shape // nil: none is declared
	Fields []StateField // in the order declared
	Output *shape.Type

	output  *source.Value       // as it is written
	outside map[string]diag.Pos // names under which text from outside is read though no schema says so, and where it comes in
}

// StateField is a field of a graph's state as it is declared.
type StateField struct {
	Name  string
	Pos   diag.Pos
	Shape *shape.Shape
}

// Graph returns the signature of the graph of that name. Nil when there is none, which
// is reported.
func (s *Scope) Graph(v *source.Value) *Signature {
	g := s.spec.signature[text(v)]
	if g == nil {
		s.Report(Unknown(unknownGraph, "graph", v, s.spec.graphs.names))
		return nil
	}
	s.place.uses.Graphs.add(g.Name)
	s.place.does.Runs = append(s.place.does.Runs, g.Name)
	return g
}

// Signature returns the signature of a graph, nil when there is none of that name.
func (p *Spec) Signature(name string) *Signature { return p.signature[name] }

// InputType returns the type of `input`.
func (g *Signature) InputType() *shape.Type {
	if g.Input == nil {
		return &shape.Type{Kind: shape.Object, Open: true}
	}
	return g.Input.Type()
}

// GraphNames returns the names that expressions of the graph's nodes see: the state,
// input, memory and run.
func (p *Spec) GraphNames(g *Signature) map[string]*shape.Type {
	names := p.Names(map[string]*shape.Type{"input": g.inputType()})
	for _, f := range g.Fields {
		if names[f.Name] == nil {
			names[f.Name] = g.typeOf(f.Name, f.Shape.Type())
		}
	}
	return names
}

func (p *Spec) buildSignatures(list *diag.List) {
	p.signature = make(map[string]*Signature, len(p.graphs.fields))
	for _, f := range p.graphs.fields {
		g := &Signature{Name: f.Key, Pos: f.Pos, output: f.Value.Get("output"), outside: map[string]diag.Pos{}}
		if v := f.Value.Get("input"); v != nil {
			g.Input = p.lib.Compile(v, list)
		}
		if state := f.Value.Get("state"); state != nil {
			for _, field := range state.Fields {
				g.Fields = append(g.Fields, StateField{Name: field.Key, Pos: field.Pos, Shape: p.lib.Compile(field.Value, list)})
			}
		}
		p.signature[f.Key] = g
		p.overlay(g)
		g.Output = p.outputType(g.output, g)
	}
}

// outputType is the type of what a graph gives: of its output, or of its whole state.
// What is wrong with the output is reported when the graph is compiled.
func (p *Spec) outputType(output *source.Value, g *Signature) *shape.Type {
	t := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{}}
	if output == nil {
		for _, f := range g.Fields {
			t.Fields[f.Name] = g.typeOf(f.Name, f.Shape.Type())
		}
		return t
	}
	s := p.NewScope(p.GraphNames(g), &diag.List{})
	if output.Kind != source.Map {
		return s.Value(output).Type()
	}
	for _, f := range output.Fields {
		t.Fields[f.Key] = s.Value(f.Value).Type()
	}
	return t
}
