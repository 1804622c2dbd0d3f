package expr

import (
	"maps"
	"slices"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Env is the names in scope of an expression, with their types. Immutable.
type Env struct {
	names map[string]*shape.Type
	outer *Env
	world *world // the same for an Env and all made of it with With
}

// world is what an Env has besides names. Immutable.
type world struct {
	open      bool
	constants map[string]any
	partials  func(name string) *source.Value
}

// NewEnv returns an Env of these names. A nil type is one of which nothing is known.
func NewEnv(names map[string]*shape.Type) *Env {
	return &Env{names: maps.Clone(names), world: &world{}}
}

// With returns e with one more name, which hides one of the same name.
func (e *Env) With(name string, t *shape.Type) *Env {
	return &Env{names: map[string]*shape.Type{name: t}, outer: e, world: e.about()}
}

// about returns what e has besides names; a nil Env has nothing.
func (e *Env) about() *world {
	if e == nil {
		return &world{}
	}
	return e.world
}

// Opened returns e with every other name in scope as well, each of any type. Where an
// expression is evaluated, a name that is not there is null.
func (e *Env) Opened() *Env {
	w := *e.about()
	w.open = true
	return e.in(&w)
}

// Constants returns e with names whose values are known already; names of e hide them.
// The values are plain data and stay as they are.
func (e *Env) Constants(values map[string]any) *Env {
	w := *e.about()
	w.constants = values
	return e.in(&w)
}

// Partials returns e with texts that templates may include by name; find returns nil
// for a name that there is not.
func (e *Env) Partials(find func(name string) *source.Value) *Env {
	w := *e.about()
	w.partials = find
	return e.in(&w)
}

func (e *Env) in(w *world) *Env {
	if e == nil {
		return &Env{world: w}
	}
	return &Env{names: e.names, outer: e.outer, world: w}
}

// Lookup returns the type of a name in scope.
func (e *Env) Lookup(name string) (t *shape.Type, ok bool) {
	for at := e; at != nil; at = at.outer {
		if t, ok := at.names[name]; ok {
			return orAny(t), true
		}
	}
	if v, ok := e.about().constants[name]; ok {
		return TypeOf(v), true
	}
	if e.about().open {
		return anyType, true
	}
	return nil, false
}

// constant returns the value of a name that is known already.
func (e *Env) constant(name string) (v any, ok bool) {
	for at := e; at != nil; at = at.outer {
		if _, hidden := at.names[name]; hidden {
			return nil, false
		}
	}
	v, ok = e.about().constants[name]
	return v, ok
}

// Names returns the names in scope that are known, sorted.
func (e *Env) Names() []string {
	all := map[string]bool{}
	for name := range e.about().constants {
		all[name] = true
	}
	for ; e != nil; e = e.outer {
		for name := range e.names {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Ref is a name that an expression reads: Path[0] is the name in scope, the rest
// the constant fields behind it.
type Ref struct {
	Path []string
	Pos  diag.Pos
}

// TypeOf returns the type of data that may change: what kind its parts are, not which
// values they have. Objects have the fields that they have and no others.
func TypeOf(v any) *shape.Type { return typeOfData(v, maxUnion) }

func typeOfData(v any, depth int) *shape.Type {
	switch v := canonical(v).(type) {
	case []any:
		if len(v) == 0 {
			return listType
		}
		var elem *shape.Type
		for _, item := range v {
			elem = union(elem, typeOfData(item, depth-1))
		}
		return listOf(elem)
	case map[string]any:
		if depth <= 0 {
			return objectType
		}
		t := &shape.Type{Kind: shape.Object, Fields: make(map[string]*shape.Type, len(v))}
		for k, f := range v {
			t.Fields[k] = typeOfData(f, depth-1)
		}
		return t
	case nil:
		return anyType
	default:
		return &shape.Type{Kind: kindOfValue(v)}
	}
}
