package shape

import (
	"maps"
	"slices"
)

// view is what a schema says of a value when $ref, allOf and alternatives are seen
// through: the ground for static types and for putting data right. It is a reading,
// not the whole truth: if/then/else, not and limits are left out.
type view struct {
	kinds     kinds
	fields    map[string]*node
	open      openness
	rest      *node // of undeclared properties; nil is any
	items     *node // nil is any
	tuple     bool  // the first items have schemas of their own
	enum      []any
	hasEnum   bool
	untrusted bool
	choice    bool // there were several alternatives

	settled bool
	fills   []fill // of the fields that have one, by name
}

// openness says whether undeclared properties are allowed; greater wins in allOf.
type openness uint8

const (
	unsaid   openness = iota // nothing of objects
	declared                 // properties, and no word of others
	open                     // additionalProperties: true or a schema
	closed                   // additionalProperties: false
)

// maxMerge is how often merged schemas are merged again before they count as any.
const maxMerge = 3

// look returns the view of n. Schemas that are in their own place were reported and cut.
func look(n *node) *view {
	if n.view != nil {
		return n.view
	}
	v := &view{kinds: kAll}
	n.view = v
	got := n.alone()
	if n.refTo != nil {
		got = meet(got, *look(n.refTo))
	}
	for _, sub := range n.many["allOf"] {
		got = meet(got, *look(sub))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if subs := n.many[keyword]; len(subs) > 0 {
			got = meet(got, join(subs))
		}
	}
	*v = got
	return v
}

// alone is the view of n's own keywords.
func (n *node) alone() view {
	v := view{kinds: n.kinds, enum: n.enum, hasEnum: n.hasEnum, untrusted: n.untrusted, items: n.one["items"]}
	if n.never {
		v.kinds = 0
	}
	v.tuple = len(n.many["prefixItems"]) > 0
	if props, ok := n.named["properties"]; ok {
		v.open = declared
		v.fields = make(map[string]*node, len(props))
		for _, m := range props {
			v.fields[m.key] = m.node
		}
	}
	rest := n.one["additionalProperties"]
	if rest == nil {
		rest = n.one["unevaluatedProperties"]
	}
	switch patterns := len(n.named["patternProperties"]) > 0; {
	case patterns:
		v.open = open
	case rest != nil && rest.never:
		v.open = closed
	case rest != nil:
		v.open, v.rest = open, rest
	}
	return v
}

// meet is the view of a value that both describe.
func meet(a, b view) view {
	out := view{
		kinds: a.kinds & b.kinds, untrusted: a.untrusted || b.untrusted,
		choice: a.choice || b.choice, tuple: a.tuple || b.tuple,
		open: max(a.open, b.open), rest: a.rest,
		items: both("allOf", a.items, b.items),
	}
	if out.rest == nil {
		out.rest = b.rest
	}
	out.enum, out.hasEnum = a.enum, a.hasEnum
	if b.hasEnum {
		out.enum, out.hasEnum = common(a, b), true
	}
	out.fields = mergeFields("allOf", a.fields, b.fields)
	return out
}

// join is the view of a value that one of the alternatives describes.
func join(alternatives []*node) view {
	var out view
	seen := 0
	null := kinds(0)
	for _, n := range alternatives {
		v := *look(n)
		if v.kinds == kNull {
			null = kNull
			continue
		}
		if seen++; seen == 1 {
			out = v
			continue
		}
		out = either(out, v)
	}
	out.kinds |= null
	return out
}

func either(a, b view) view {
	out := view{
		kinds: a.kinds | b.kinds, untrusted: a.untrusted || b.untrusted,
		choice: true, tuple: a.tuple || b.tuple,
		open: min(a.open, b.open), hasEnum: a.hasEnum && b.hasEnum,
	}
	if a.open == open || b.open == open {
		out.open = open
	}
	if out.hasEnum {
		out.enum = append(slices.Clone(a.enum), b.enum...)
	}
	if a.kinds&kObject == 0 || b.kinds&kObject == 0 {
		out.open, out.rest = max(a.open, b.open), pick(a.rest, b.rest)
	}
	if a.kinds&kList == 0 || b.kinds&kList == 0 {
		out.items = pick(a.items, b.items)
	} else if a.items != nil && b.items != nil {
		out.items = both("anyOf", a.items, b.items)
	}
	out.fields = mergeFields("anyOf", a.fields, b.fields)
	return out
}

func pick(a, b *node) *node {
	if a != nil {
		return a
	}
	return b
}

func mergeFields(keyword string, a, b map[string]*node) map[string]*node {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make(map[string]*node, len(a)+len(b))
	maps.Copy(out, a)
	for name, n := range b {
		out[name] = both(keyword, out[name], n)
	}
	return out
}

// both returns a schema made of two: allOf or anyOf of them.
func both(keyword string, a, b *node) *node {
	if a == nil || a == b {
		return b
	}
	if b == nil {
		return a
	}
	n := &node{kinds: kAll, depth: max(a.depth, b.depth) + 1}
	if n.depth <= maxMerge {
		n.many = map[string][]*node{keyword: {a, b}}
	}
	return n
}

// common returns the allowed values of both.
func common(a, b view) []any {
	if !a.hasEnum {
		return b.enum
	}
	var out []any
	for _, x := range a.enum {
		if slices.ContainsFunc(b.enum, func(y any) bool { return show(x) == show(y) }) {
			out = append(out, x)
		}
	}
	return out
}
