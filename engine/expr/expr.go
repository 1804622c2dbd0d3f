// Package expr stub.
package expr

import (
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Env is the names in scope of an expression, with their types. Immutable.
type Env struct{}

// NewEnv returns an Env of these names.
func NewEnv(names map[string]*shape.Type) *Env { return &Env{} }

// With returns e with one more name.
func (e *Env) With(name string, t *shape.Type) *Env { return e }

// Ref is a name that an expression reads: Path[0] is the name in scope, the rest
// the constant fields behind it.
type Ref struct {
	Path []string
	Pos  diag.Pos
}

// Expr is a compiled expression.
type Expr struct{}

// CompileExpr compiles.
func CompileExpr(v *source.Value, env *Env, list *diag.List) *Expr { return &Expr{} }

// CompileCondition compiles an expression that must be boolean.
func CompileCondition(v *source.Value, env *Env, list *diag.List) *Expr { return &Expr{} }

// Eval evaluates.
func (x *Expr) Eval(scope map[string]any) (any, error) { return nil, nil }

// Bool evaluates a condition.
func (x *Expr) Bool(scope map[string]any) (bool, error) { return false, nil }

// Type returns the static type of the result.
func (x *Expr) Type() *shape.Type { return nil }

// Refs returns the names read.
func (x *Expr) Refs() []Ref { return nil }

// Value is a compiled tree of data whose strings are templates.
type Value struct{}

// CompileValue compiles.
func CompileValue(v *source.Value, env *Env, list *diag.List) *Value { return &Value{} }

// Eval returns plain data.
func (x *Value) Eval(scope map[string]any) (any, error) { return nil, nil }

// String evaluates and renders text.
func (x *Value) String(scope map[string]any) (string, error) { return "", nil }

// Type returns the static type.
func (x *Value) Type() *shape.Type { return nil }

// Refs returns the names read.
func (x *Value) Refs() []Ref { return nil }
