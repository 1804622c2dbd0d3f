package expr

import (
	"maps"
	"slices"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
)

// Env is the names in scope of an expression, with their types. Immutable.
type Env struct {
	names map[string]*shape.Type
	outer *Env
}

// NewEnv returns an Env of these names. A nil type is one of which nothing is known.
func NewEnv(names map[string]*shape.Type) *Env { return &Env{names: maps.Clone(names)} }

// With returns e with one more name, which hides one of the same name.
func (e *Env) With(name string, t *shape.Type) *Env {
	return &Env{names: map[string]*shape.Type{name: t}, outer: e}
}

// Lookup returns the type of a name in scope.
func (e *Env) Lookup(name string) (t *shape.Type, ok bool) {
	for ; e != nil; e = e.outer {
		if t, ok := e.names[name]; ok {
			return orAny(t), true
		}
	}
	return nil, false
}

// Names returns the names in scope, sorted.
func (e *Env) Names() []string {
	all := map[string]bool{}
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
