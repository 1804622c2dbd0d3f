package shape

import (
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// kinds is a set of the kinds of JSON values.
type kinds = uint8

const (
	kNull kinds = 1 << iota
	kBool
	kInt   // a whole number
	kFloat // any other number
	kString
	kList
	kObject

	kNumber = kInt | kFloat
	kAll    = kNull | kBool | kNumber | kString | kList | kObject
)

// kindsOf are the words of the keyword `type`.
var kindsOf = map[string]kinds{
	"null": kNull, "boolean": kBool, "integer": kInt, "number": kNumber,
	"string": kString, "array": kList, "object": kObject,
}

// typeWords is the keys of kindsOf in the order they are listed to people.
var typeWords = []string{"string", "integer", "number", "boolean", "array", "object", "null"}

// node is one schema or subschema.
type node struct {
	src  *source.Value // nil: made by us
	name string        // of a named type
	bad  bool          // root: has findings
	root *node         // the schema that this is part of

	never   bool // the schema `false`
	refTo   *node
	refName string
	refPos  diag.Pos

	one   map[string]*node    // keywords whose value is a schema
	many  map[string][]*node  // … a list of schemas
	named map[string][]member // … an object of schemas

	kinds     kinds // what `type`, `enum` and `const` leave
	enum      []any
	hasEnum   bool
	required  []string
	dflt      *source.Value // `default` as written
	filled    any           // `default` as it is applied
	fillState uint8
	untrusted bool
	depth     int // of merging, for nodes made by us

	state  uint8 // of the walk that finishes
	weight int   // how many schemas look at one value
	reach  reach // of a root; of others only total
	quick  quick
	view   *view
	typ    *Type
}

// member is a schema under a name.
type member struct {
	key string
	pos diag.Pos
	*node
}

// get returns the member of a keyword's object, nil when there is none.
func (n *node) get(keyword, key string) *node {
	for _, m := range n.named[keyword] {
		if m.key == key {
			return m.node
		}
	}
	return nil
}

// free reports whether everything fits, as far as a glance tells.
func (n *node) free() bool {
	if n.src == nil || n.never {
		return false
	}
	for _, f := range n.src.Fields {
		if !annotations[f.Key] {
			return false
		}
	}
	return true
}

// inPlace returns the schemas that are applied to the same value as n.
func (n *node) inPlace() []*node {
	var out []*node
	if n.refTo != nil {
		out = append(out, n.refTo)
	}
	for _, k := range []string{"not", "if", "then", "else"} {
		if m := n.one[k]; m != nil {
			out = append(out, m)
		}
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		out = append(out, n.many[k]...)
	}
	for _, m := range n.named["dependentSchemas"] {
		out = append(out, m.node)
	}
	return out
}

// inside returns the schemas that are applied to parts of n's value.
func (n *node) inside() []*node {
	var out []*node
	for _, k := range []string{"additionalProperties", "unevaluatedProperties", "propertyNames", "items", "unevaluatedItems", "contains"} {
		if m := n.one[k]; m != nil {
			out = append(out, m)
		}
	}
	out = append(out, n.many["prefixItems"]...)
	for _, k := range []string{"properties", "patternProperties"} {
		for _, m := range n.named[k] {
			out = append(out, m.node)
		}
	}
	return out
}
