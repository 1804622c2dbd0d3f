package build

import (
	"time"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Scope is a place in a spec: the names that expressions see there, the definitions of
// the spec, and where findings go. It also keeps what the place uses. A Scope and those
// derived from it belong to one goroutine.
type Scope struct {
	spec  *Spec
	env   *expr.Env
	added *added     // by With
	graph *Signature // whose nodes it is a place of; nil elsewhere
	place *place
}

// added is the names that With added: not the place's own. The last one comes first.
type added struct {
	name  string
	outer *added
}

func (a *added) has(name string) bool {
	for ; a != nil; a = a.outer {
		if a.name == name {
			return true
		}
	}
	return false
}

// place is what a scope and those derived from it have in common.
type place struct {
	pos   diag.Pos
	list  *diag.List
	uses  Uses
	does  Does
	refs  []expr.Ref
	flows []Flow
	// callable is the tools that a list of calls may name here; nil is all.
	callable []string
}

// NewScope returns the scope of a place with these names.
func (p *Spec) NewScope(names map[string]*shape.Type, list *diag.List) *Scope {
	env := expr.NewEnv(names).Partials(p.partial)
	if len(p.data) > 0 {
		env = env.Constants(map[string]any{"data": p.data})
	}
	return &Scope{spec: p, env: env, place: &place{list: list}}
}

// GraphScope returns the scope of what stands in a graph.
func (p *Spec) GraphScope(g *Signature, list *diag.List) *Scope {
	s := p.NewScope(p.GraphNames(g), list)
	s.graph = g
	return s
}

// At returns the scope of another place with the same names.
func (s *Scope) At(pos diag.Pos, list *diag.List) *Scope {
	return &Scope{spec: s.spec, env: s.env, added: s.added, graph: s.graph, place: &place{pos: pos, list: list, callable: s.place.callable}}
}

// With returns a scope with one more name, which may hide another. What reads the name
// is not told by Refs.
func (s *Scope) With(name string, t *shape.Type) *Scope {
	return &Scope{spec: s.spec, env: s.env.With(name, t), added: &added{name, s.added}, graph: s.graph, place: s.place}
}

// Calling says which tools a list of calls may name at this place: these only, or all
// when there are none.
func (s *Scope) Calling(tools []string) *Scope {
	s.place.callable = tools
	return s
}

// Report adds a finding.
func (s *Scope) Report(f diag.Finding) { s.place.list.Add(f) }

// within compiles a definition on behalf of a place: what is found in it is found there
// because of the place, and says so.
func (s *Scope) within(use diag.Pos, compile func()) {
	outer := s.place.list
	s.place.list = &diag.List{}
	compile()
	for _, f := range s.place.list.Sorted() {
		if use.Known() {
			f = f.WithRelated(use, "used here")
		}
		outer.Add(f)
	}
	s.place.list = outer
}

// Type returns the type of a name in scope, nil when there is no such name.
func (s *Scope) Type(name string) *shape.Type {
	t, _ := s.env.Lookup(name)
	return t
}

// Environment returns what Types.Environment made of the spec's `environment`.
func (s *Scope) Environment() any { return s.spec.env }

// Env returns the names in scope, for packages that compile expressions themselves.
// What they read is made known with Reads.
func (s *Scope) Env() *expr.Env { return s.env }

// List returns where findings go.
func (s *Scope) List() *diag.List { return s.place.list }

// Reads makes known what an expression reads that was compiled with Env.
func (s *Scope) Reads(refs []expr.Ref) {
	for _, r := range refs {
		if len(r.Path) == 0 || s.added.has(r.Path[0]) {
			continue
		}
		s.place.refs = append(s.place.refs, r)
		if r.Path[0] == "memory" && len(r.Path) > 1 {
			s.place.uses.Memories.add(r.Path[1])
		}
		if r.Path[0] == "data" {
			s.place.uses.Data.Add(s.spec.entries(r.Path)...)
		}
	}
}

// Refs returns what expressions and texts of this place have read so far of its names.
func (s *Scope) Refs() []expr.Ref { return s.place.refs }

// Uses returns the definitions that this place has used so far.
func (s *Scope) Uses() *Uses { return &s.place.uses }

// Does returns what this place can do to the world, by the tools and graphs that it has
// used so far.
func (s *Scope) Does() Does { return s.place.does }

// Expr compiles a bare expression. Nil when v is nil.
func (s *Scope) Expr(v *source.Value) *expr.Expr {
	if v == nil {
		return nil
	}
	x := expr.CompileExpr(v, s.env, s.place.list)
	s.Reads(x.Refs())
	return x
}

// Condition compiles a bare expression that must be boolean. Nil when v is nil.
func (s *Scope) Condition(v *source.Value) *expr.Expr {
	if v == nil {
		return nil
	}
	x := expr.CompileCondition(v, s.env, s.place.list)
	s.Reads(x.Refs())
	return x
}

// Value compiles data whose strings are templates. Nil when v is nil.
func (s *Scope) Value(v *source.Value) *expr.Value {
	if v == nil {
		return nil
	}
	s.noSecrets(v, 0)
	x := expr.CompileValue(v, s.env, s.place.list)
	s.Reads(x.Refs())
	s.place.uses.Templates.Add(x.Includes()...)
	return x
}

// Shape compiles a JSON Schema that may refer to the spec's types. Nil when v is nil.
func (s *Scope) Shape(v *source.Value) *shape.Shape {
	if v == nil {
		return nil
	}
	return s.spec.lib.Compile(v, s.place.list)
}

// Duration reads a duration. Zero when v is nil, and when it is none, which is reported.
func (s *Scope) Duration(v *source.Value) time.Duration { return duration(v, s.place.list) }
