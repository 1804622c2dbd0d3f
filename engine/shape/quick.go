package shape

import (
	"math"
	"slices"
	"unicode/utf8"
)

// quick is the part of a schema that is checked without the validator, which takes
// some ten times as long. It only ever says yes: what it does not say yes to is for
// the validator, which finds the words too.
type quick struct {
	able   bool // there are no keywords but those below
	scalar bool // enum has nothing but scalars
	props  map[string]*node
	extra  *node
	items  *node
	min    map[string]float64 // limits by keyword
}

// quickKeywords are those that quick knows, beside the annotations.
var quickKeywords = map[string]bool{
	"$ref": true, "type": true, "enum": true, "const": true, "properties": true, "required": true,
	"additionalProperties": true, "items": true, "anyOf": true, "allOf": true,
}

// quickLimits are the limits that quick knows.
var quickLimits = map[string]bool{
	"minLength": true, "maxLength": true, "minItems": true, "maxItems": true, "minimum": true, "maximum": true,
}

// quicken prepares n for fits.
func (n *node) quicken() {
	q := &n.quick
	q.able, q.scalar = n.src != nil, true
	for _, f := range n.src.Fields {
		x, isNumber := asNumber(f.Value)
		switch {
		case annotations[f.Key] || quickKeywords[f.Key]:
		case quickLimits[f.Key] && isNumber:
			if q.min == nil {
				q.min = map[string]float64{}
			}
			q.min[f.Key] = x
		default:
			q.able = false
		}
	}
	for _, v := range n.enum {
		q.scalar = q.scalar && kindOf(v)&(kList|kObject) == 0
	}
	q.extra, q.items = n.one["additionalProperties"], n.one["items"]
	if props := n.named["properties"]; len(props) > 0 {
		q.props = make(map[string]*node, len(props))
		for _, m := range props {
			q.props[m.key] = m.node
		}
	}
}

// maxQuick is how many schemas quick looks at for one value.
const maxQuick = 1_000_000

// quickly reports whether v fits for certain.
type quickly struct {
	left int
}

func (q *quickly) fits(n *node, v any) bool {
	if q.left--; q.left < 0 || !n.quick.able || n.never || n.root.bad {
		return false
	}
	if kindOf(v)&n.kinds == 0 || n.hasEnum && !n.listed(v) || n.quick.min != nil && !n.within(v) {
		return false
	}
	if n.refTo != nil && !q.fits(n.refTo, v) {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		if !q.object(n, v) {
			return false
		}
	case []any:
		if !q.list(n, v) {
			return false
		}
	}
	return n.many == nil || q.combined(n, v)
}

func (q *quickly) list(n *node, v []any) bool {
	if n.quick.items == nil {
		return true
	}
	for _, item := range v {
		if !q.fits(n.quick.items, item) {
			return false
		}
	}
	return true
}

func (q *quickly) object(n *node, v map[string]any) bool {
	for _, name := range n.required {
		if _, ok := v[name]; !ok {
			return false
		}
	}
	if n.quick.extra == nil {
		for name, sub := range n.quick.props {
			if item, ok := v[name]; ok && !q.fits(sub, item) {
				return false
			}
		}
		return true
	}
	for name, item := range v {
		sub := n.quick.props[name]
		if sub == nil {
			sub = n.quick.extra
		}
		if !q.fits(sub, item) {
			return false
		}
	}
	return true
}

func (q *quickly) combined(n *node, v any) bool {
	for _, sub := range n.many["allOf"] {
		if !q.fits(sub, v) {
			return false
		}
	}
	choices := n.many["anyOf"]
	for _, sub := range choices {
		if q.fits(sub, v) {
			return true
		}
	}
	return len(choices) == 0
}

// listed reports whether v is one of the values of enum and const.
func (n *node) listed(v any) bool {
	if !n.quick.scalar || kindOf(v)&(kList|kObject) != 0 || n.src.Has("enum") && n.src.Has("const") {
		return false
	}
	return slices.Contains(n.enum, v)
}

// within reports whether v keeps the limits.
func (n *node) within(v any) bool {
	low, high := "minimum", "maximum"
	var x float64
	switch v := v.(type) {
	case string:
		low, high, x = "minLength", "maxLength", float64(utf8.RuneCountInString(v))
	case []any:
		low, high, x = "minItems", "maxItems", float64(len(v))
	case int:
		x = float64(v)
	case float64:
		x = v
	default:
		return true
	}
	if math.Abs(x) >= 1<<53 {
		return false
	}
	if least, ok := n.quick.min[low]; ok && x < least {
		return false
	}
	most, ok := n.quick.min[high]
	return !ok || x <= most
}
