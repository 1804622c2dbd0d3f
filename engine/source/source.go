// Package source is the tree of plain data that a spec consists of, every value
// with its place in the file it was written in. YAML, JSON and CUE all arrive as
// this tree, so the packages above need not know which one a user chose.
package source

import (
	"strconv"

	"github.com/weft-engine/weft/engine/diag"
)

// Kind is the JSON kind of a Value.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// String names the kind as JSON Schema does.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Value is one value of a spec. A nil *Value means "not written".
// Values are immutable once loaded and safe to share.
type Value struct {
	Kind   Kind
	Pos    diag.Pos // the first byte of the value: the opening quote, the | of a block
	Bool   bool
	Text   string   // String: the decoded text; Number: the literal
	Raw    string   // String: the scalar as written, from Pos on; empty when Text is verbatim (a file)
	Indent int      // String in a block scalar: columns of indentation of its lines
	Items  []*Value // List
	Fields []Field  // Map, in the order written
}

// Field is one entry of a map.
type Field struct {
	Key   string
	Pos   diag.Pos // of the key
	Value *Value
}

// Get returns the value of a field, nil when v has none of that name (or is no map).
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	for i := range v.Fields {
		if v.Fields[i].Key == key {
			return v.Fields[i].Value
		}
	}
	return nil
}

// Has reports whether a map has the field.
func (v *Value) Has(key string) bool { return v.Get(key) != nil }

// KeyPos returns the position of a field's key, or of v when there is no such field.
func (v *Value) KeyPos(key string) diag.Pos {
	for i := range v.Fields {
		if v.Fields[i].Key == key {
			return v.Fields[i].Pos
		}
	}
	return v.Pos
}

// Go returns the value as plain Go data: nil, bool, int, float64, string, []any,
// map[string]any. A number without fraction or exponent that fits is an int.
func (v *Value) Go() any {
	if v == nil {
		return nil
	}
	switch v.Kind {
	case Bool:
		return v.Bool
	case Number:
		return number(v.Text)
	case String:
		return v.Text
	case List:
		out := make([]any, len(v.Items))
		for i, item := range v.Items {
			out[i] = item.Go()
		}
		return out
	case Map:
		out := make(map[string]any, len(v.Fields))
		for _, f := range v.Fields {
			out[f.Key] = f.Value.Go()
		}
		return out
	case Null:
	}
	return nil
}

func number(literal string) any {
	if i, err := strconv.Atoi(literal); err == nil {
		return i
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return literal
	}
	return f
}
