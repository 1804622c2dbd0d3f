package expr

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/shape"
)

// The types of literals and results. Never written to.
var (
	anyType      = &shape.Type{Kind: shape.Any}
	nullType     = &shape.Type{Kind: shape.Null}
	boolType     = &shape.Type{Kind: shape.Bool}
	intType      = &shape.Type{Kind: shape.Int}
	numberType   = &shape.Type{Kind: shape.Number}
	stringType   = &shape.Type{Kind: shape.String}
	listType     = &shape.Type{Kind: shape.List}
	emptyType    = &shape.Type{Kind: shape.List} // of the list []
	objectType   = &shape.Type{Kind: shape.Object, Open: true}
	timeType     = &shape.Type{Kind: shape.Time}
	durationType = &shape.Type{Kind: shape.Duration}

	callType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"id": stringType, "name": stringType, "args": objectType, "invalid": stringType,
	}}
	messageType = &shape.Type{Kind: shape.Object, Nullable: true, Fields: map[string]*shape.Type{
		"id": stringType, "content": stringType, "tool_call_id": stringType, "name": stringType,
		"role":       {Kind: shape.String, Enum: []any{"system", "user", "assistant", "tool"}},
		"tool_calls": listOf(callType),
	}}
)

func orAny(t *shape.Type) *shape.Type {
	if t == nil {
		return anyType
	}
	return t
}

func listOf(elem *shape.Type) *shape.Type { return &shape.Type{Kind: shape.List, Elem: elem} }

// kindOf is the kind of t as operators see it: one that is only given by its values
// has the kind of these.
func kindOf(t *shape.Type) shape.Kind {
	if t.Kind != shape.Any || len(t.Enum) == 0 {
		return t.Kind
	}
	k := kindOfValue(t.Enum[0])
	for _, v := range t.Enum[1:] {
		if kindOfValue(v) != k {
			return shape.Any
		}
	}
	return k
}

func isNumeric(k shape.Kind) bool { return k == shape.Int || k == shape.Number }

// harmless reports whether a value of t cannot carry text from outside.
func harmless(t *shape.Type) bool {
	switch kindOf(t) {
	case shape.Null, shape.Bool, shape.Int, shape.Number, shape.Time, shape.Duration:
		return true
	default:
		return len(t.Enum) > 0
	}
}

// untrusted returns t marked as text from outside.
func untrusted(t *shape.Type) *shape.Type {
	if t.Untrusted || harmless(t) {
		return t
	}
	out := *t
	out.Untrusted = true
	return &out
}

// carries reports whether a value of t is or contains text from outside.
func carries(t *shape.Type) bool {
	switch {
	case t == nil || harmless(t):
		return false
	case t.Untrusted:
		return true
	case t.Kind != shape.List && t.Kind != shape.Object:
		return false
	}
	return contains(t, func(t *shape.Type) bool { return t.Untrusted && !harmless(t) }, map[*shape.Type]bool{})
}

// timed reports whether a value of t may be or contain a time or a duration, which
// are text in plain data.
func timed(t *shape.Type) bool {
	isTime := func(t *shape.Type) bool { return t.Kind == shape.Time || t.Kind == shape.Duration }
	if t == nil || isTime(t) || t.Kind != shape.List && t.Kind != shape.Object {
		return t != nil && isTime(t)
	}
	return contains(t, isTime, map[*shape.Type]bool{})
}

func contains(t *shape.Type, is func(*shape.Type) bool, seen map[*shape.Type]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	if is(t) || contains(t.Elem, is, seen) {
		return true
	}
	for _, f := range t.Fields {
		if contains(f, is, seen) {
			return true
		}
	}
	return false
}

// elemOf returns the type of the items of a list, or of the values of an object.
func elemOf(t *shape.Type) *shape.Type {
	elem := anyType
	switch t.Kind {
	case shape.List:
		elem = orAny(t.Elem)
	case shape.Object:
		if t.Open && t.Elem == nil {
			break
		}
		elem = t.Elem
		for _, name := range slices.Sorted(maps.Keys(t.Fields)) { // the order shows in what findings list
			elem = union(elem, orAny(t.Fields[name]))
		}
		elem = orAny(elem)
	default:
	}
	if t.Untrusted {
		return untrusted(elem)
	}
	return elem
}

// fieldOf returns the type of a field; ok is false when an object of t never has it.
func fieldOf(t *shape.Type, name string) (field *shape.Type, ok bool) {
	field, ok = t.Fields[name]
	if !ok {
		if !t.Open {
			return anyType, false
		}
		field = t.Elem
	}
	field = orAny(field)
	if t.Untrusted {
		field = untrusted(field)
	}
	return field, true
}

// maxUnion is how deep union looks into types; they may be recursive.
const maxUnion = 6

// union returns the type of a value that is either an a or a b. Nil is no type yet.
func union(a, b *shape.Type) *shape.Type { return unionAt(a, b, maxUnion) }

func unionAt(a, b *shape.Type, depth int) *shape.Type {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	case a.Kind == shape.Null:
		return nullable(b)
	case b.Kind == shape.Null:
		return nullable(a)
	case a == emptyType && b.Kind == shape.List:
		return b
	case b == emptyType && a.Kind == shape.List:
		return a
	}
	out := &shape.Type{Nullable: a.Nullable || b.Nullable, Untrusted: a.Untrusted || b.Untrusted}
	ka, kb := kindOf(a), kindOf(b)
	switch {
	case depth == 0 || ka == shape.Any || ka != kb && (!isNumeric(ka) || !isNumeric(kb)):
		return &shape.Type{Untrusted: carries(a) || carries(b)}
	case ka == shape.List:
		out.Kind, out.Elem = ka, unionElem(a.Elem, b.Elem, depth)
	case ka == shape.Object:
		unionObject(a, b, out, depth)
	case ka == kb:
		out.Kind, out.Enum = ka, unionEnum(a.Enum, b.Enum)
	default:
		out.Kind = shape.Number
	}
	return out
}

func unionElem(a, b *shape.Type, depth int) *shape.Type {
	if a == b {
		return a
	}
	return unionAt(orAny(a), orAny(b), depth-1)
}

func unionObject(a, b, out *shape.Type, depth int) {
	out.Kind = shape.Object
	out.Open = a.Open || b.Open
	if out.Open {
		out.Elem = unionElem(a.Elem, b.Elem, depth)
	}
	out.Fields = make(map[string]*shape.Type, max(len(a.Fields), len(b.Fields)))
	for name, f := range a.Fields {
		if g, both := b.Fields[name]; both {
			out.Fields[name] = unionAt(orAny(f), orAny(g), depth-1)
		} else if !b.Open {
			out.Fields[name] = nullable(orAny(f))
		}
	}
	for name, g := range b.Fields {
		if _, both := a.Fields[name]; !both && !a.Open {
			out.Fields[name] = nullable(orAny(g))
		}
	}
}

func unionEnum(a, b []any) []any {
	if len(a) == 0 || len(b) == 0 || len(a)+len(b) > 100 {
		return nil
	}
	out := append([]any{}, a...)
	for _, v := range b {
		if !hasValue(a, v) {
			out = append(out, v)
		}
	}
	return out
}

func hasValue(list []any, v any) bool {
	for _, x := range list {
		if same(x, v) {
			return true
		}
	}
	return false
}

func nullable(t *shape.Type) *shape.Type {
	if t.Nullable || t.Kind == shape.Any || t.Kind == shape.Null {
		return t
	}
	out := *t
	out.Nullable = true
	return &out
}

// describe names t with its article for findings: a string, an integer, an object.
func describe(t *shape.Type) string { return article(kindOf(t).String()) }

func article(word string) string {
	if word == "null" || word == "any" {
		return word
	}
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

func untrustedIf(is bool, t *shape.Type) *shape.Type {
	if is {
		return untrusted(t)
	}
	return t
}
