package shape

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
)

// anyType is the type of which nothing is known.
var anyType = &Type{}

// typeOf returns the static type of what n describes, the same for the same n.
func typeOf(n *node) *Type {
	if n == nil {
		return nil
	}
	if n.typ != nil {
		return n.typ
	}
	if n.onlyRef() {
		t := typeOf(n.refTo)
		n.typ = t
		return t
	}
	v := look(n)
	t := &Type{Untrusted: v.untrusted}
	n.typ = t
	t.Kind = v.kind()
	t.Nullable = t.Kind != Any && t.Kind != Null && v.kinds&kNull != 0 && v.kinds != kAll
	if v.hasEnum {
		t.Enum = slices.DeleteFunc(slices.Clone(v.enum), func(x any) bool { return x == nil })
	}
	if t.Kind == List && !v.tuple {
		t.Elem = typeOf(v.items)
	}
	if t.Kind == Object {
		t.object(v)
	}
	return t
}

func (t *Type) object(v *view) {
	t.Open = v.open == unsaid || v.open == open
	if v.open == open {
		t.Elem = typeOf(v.rest)
	}
	t.Fields = make(map[string]*Type, len(v.fields))
	for name, field := range v.fields {
		t.Fields[name] = typeOf(field)
	}
}

// onlyRef reports whether n says nothing of types but its $ref.
func (n *node) onlyRef() bool {
	return n.refTo != nil && n.kinds == kAll && !n.hasEnum && !n.untrusted && n.one == nil && n.many == nil && n.named == nil
}

// kind is what the values are. A schema that names no type, but properties or items,
// means an object or a list.
func (v *view) kind() Kind {
	switch {
	case v.kinds == kNull:
		return Null
	case v.kinds == kAll && !v.choice && len(v.fields) > 0:
		return Object
	case v.kinds == kAll && !v.choice && v.items != nil:
		return List
	}
	switch v.kinds &^ kNull {
	case kBool:
		return Bool
	case kInt:
		return Int
	case kNumber, kFloat:
		return Number
	case kString:
		return String
	case kList:
		return List
	case kObject:
		return Object
	}
	return Any
}

// finish reports what is wrong with the schemas together, and gives them their types.
func (l *Library) finish(roots []*node, list *diag.List) {
	for _, n := range roots {
		l.weigh(n, list)
	}
	for _, n := range roots {
		settle(n)
		typeOf(n)
		total(n)
	}
}

// String prints the type for people, shortened: {id: string, to: list of string}.
func (t *Type) String() string {
	var b strings.Builder
	t.write(&b, 2)
	return b.String()
}

var kindWords = [...]string{
	Any: "any", Null: "null", Bool: "boolean", Int: "integer", Number: "number", String: "string",
	List: "list", Object: "object", Time: "time", Duration: "duration",
}

func (t *Type) write(b *strings.Builder, depth int) {
	if t == nil {
		b.WriteString("any")
		return
	}
	switch {
	case t.Kind == List && t.Elem != nil && depth > 0:
		b.WriteString("list of ")
		t.Elem.write(b, depth-1)
	case t.Kind == Object && len(t.Fields) > 0 && depth > 0:
		t.writeFields(b, depth)
	case len(t.Enum) > 0 && len(t.Enum) <= 6:
		for i, v := range t.Enum {
			if i > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(show(v))
		}
	default:
		b.WriteString(t.Kind.String())
	}
	if t.Nullable {
		b.WriteString(" or null")
	}
}

func (t *Type) writeFields(b *strings.Builder, depth int) {
	const most = 8
	b.WriteByte('{')
	for i, name := range slices.Sorted(maps.Keys(t.Fields)) {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == most {
			b.WriteString("…")
			break
		}
		b.WriteString(name + ": ")
		t.Fields[name].write(b, depth-1)
	}
	b.WriteByte('}')
}

// String names the kind in the words of findings.
func (k Kind) String() string {
	if int(k) < len(kindWords) {
		return kindWords[k]
	}
	return "any"
}
