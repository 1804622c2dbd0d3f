// Package shape stub.
package shape

import (
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// Shape is a compiled JSON Schema.
type Shape struct{ typ *Type }

// Library compiles schemas that may refer to the spec's types.
type Library struct{}

// Problem is one way in which a value does not fit.
type Problem struct {
	Path    string // JSON pointer into the value
	Message string
}

// NewLibrary compiles the spec's `types` section (nil when there is none).
func NewLibrary(types *source.Value, list *diag.List) *Library { return &Library{} }

// Compile compiles one schema.
func (l *Library) Compile(v *source.Value, list *diag.List) *Shape { return &Shape{} }

// Check reports how v does not fit; empty means that it does.
func (s *Shape) Check(v any) []Problem { return nil }

// Coerce returns v with strings parsed where the schema wants another kind.
func (s *Shape) Coerce(v any) (any, []Problem) { return v, nil }

// Type returns the static type.
func (s *Shape) Type() *Type { return s.typ }

// Schema returns the self-contained JSON Schema.
func (s *Shape) Schema() map[string]any { return nil }
