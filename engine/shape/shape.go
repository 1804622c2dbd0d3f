// Package shape is JSON Schema as Weft uses it: one compiled Shape checks data, puts
// data right that is nearly so, gives expressions their static types, and tells
// models and other programs what is wanted. Schemas are JSON Schema 2020-12 with
// three annotations of Weft's own (untrusted, reduce, default is applied); they may
// refer to the spec's types and to nothing else, so nothing is ever fetched.
//
// The package compiles what engine/spec has read and reports findings; it reads no
// files and evaluates no expressions. Its main function is Library.Compile.
package shape

import (
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Shape is a compiled JSON Schema. It is immutable and safe for concurrent use.
// The zero Shape allows everything.
type Shape struct {
	lib  *Library
	root *node // nil: everything is allowed
	url  string
	typ  *Type
	free bool // Check has nothing to look at

	once    sync.Once
	schema  *jsonschema.Schema
	failure string // why schema is nil

	exportOnce sync.Once
	exported   map[string]any
}

// Problem is one way in which a value does not fit.
type Problem struct {
	Path    string // JSON pointer into the value; empty for the value itself
	Message string // in plain words, without the path
}

// String returns path and message in one line.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Anything returns the shape that allows everything.
func Anything() *Shape { return &Shape{free: true} }

// Type returns the static type for expressions; it is never nil. An object whose
// schema declares properties and says nothing of additionalProperties has a closed
// type: its data may carry more, but an expression that names an undeclared field is
// taken for a misspelling. Text with a format (date-time, …) is a String: data holds
// text, whatever its format.
func (s *Shape) Type() *Type {
	if s == nil || s.typ == nil {
		return anyType
	}
	return s.typ
}

// Check reports how v does not fit; empty means that it does. Problems are sorted by
// path, and there are at most maxProblems of them.
func (s *Shape) Check(v any) []Problem {
	if s == nil || s.free || s.root == nil {
		return nil
	}
	if p := measure(v); p != nil {
		return []Problem{*p}
	}
	return s.check(v)
}

// check checks what has been measured.
func (s *Shape) check(v any) []Problem {
	q := quickly{left: maxQuick}
	if q.fits(s.root, v) {
		return nil
	}
	if s.root.risky() && s.root.tooCostly(v) {
		return []Problem{{Message: "is too much work to check: the schema has alternatives on every level"}}
	}
	s.once.Do(s.compile)
	if s.schema == nil {
		return []Problem{{Message: s.failure}}
	}
	err := s.schema.Validate(v)
	if err == nil {
		return nil
	}
	return s.explain(v, err)
}

// compile makes the validator at the first use: most shapes of a spec that is only
// validated are never used to check data.
func (s *Shape) compile() {
	schema, err := s.lib.compile(s.url)
	if err != nil {
		s.failure = "the schema cannot be used: " + err.Error()
		return
	}
	s.schema = schema
}
