package shape

import (
	"maps"
	"math"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// maxParsed is the length up to which text is tried as JSON.
const maxParsed = 1 << 20

// Coerce returns v put right where it is nearly so, and how the result does not fit.
// Text is parsed where the schema wants a list, an object, a number or a boolean and
// no text; 3.0 becomes 3 where it wants an integer; missing properties take their
// default. v itself is not changed, but the result may share parts with it. What fits
// already stays fitting, and coercing twice changes nothing more.
func (s *Shape) Coerce(v any) (any, []Problem) {
	if s == nil || s.free || s.root == nil {
		return v, nil
	}
	if p := measure(v); p != nil {
		return v, []Problem{*p}
	}
	c := coercer{left: maxValues}
	out := c.value(s.root, v)
	if c.left < 0 {
		return v, []Problem{tooLarge()}
	}
	problems := s.Check(out)
	if len(problems) > 0 && len(s.check(v)) == 0 {
		return v, nil
	}
	return out, problems
}

type coercer struct {
	left      int // values that may still be made
	preparing bool
}

func (c *coercer) value(n *node, v any) any {
	if c.left--; c.left < 0 {
		return v
	}
	w := look(n)
	if text, ok := v.(string); ok && w.kinds&kString == 0 && !c.preparing {
		v = parse(text, w.kinds)
	}
	switch x := v.(type) {
	case float64:
		if w.kinds&kNumber == kInt && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return int(x)
		}
	case []any:
		if w.items != nil && w.kinds&kList != 0 && !w.tuple && !w.choice {
			return c.items(w, x)
		}
	case map[string]any:
		if w.kinds&kObject != 0 && !w.choice {
			return c.fields(w, x)
		}
	}
	return v
}

// parse returns what the text says when it is of a wanted kind, otherwise the text.
func parse(text string, wanted kinds) any {
	t := strings.TrimSpace(text)
	switch {
	case wanted == 0 || len(t) > maxParsed:
		return text
	case wanted&kBool != 0 && strings.EqualFold(t, "true"):
		return true
	case wanted&kBool != 0 && strings.EqualFold(t, "false"):
		return false
	}
	v, err := source.DecodeJSON([]byte(t))
	if err != nil || kindOf(v)&wanted == 0 || measure(v) != nil {
		return text
	}
	return v
}

func (c *coercer) items(w *view, list []any) any {
	var out []any
	for i, item := range list {
		got := c.value(w.items, item)
		if out == nil && !same(got, item) {
			out = append(make([]any, 0, len(list)), list[:i]...)
		}
		if out != nil {
			out = append(out, got)
		}
	}
	if out == nil {
		return list
	}
	return out
}

func (c *coercer) fields(w *view, object map[string]any) any {
	out := object
	set := func(key string, v any) {
		if len(out) == len(object) && sameMap(out, object) {
			out = make(map[string]any, len(object)+len(w.fills))
			maps.Copy(out, object)
		}
		out[key] = v
	}
	for key, item := range object {
		n := w.fields[key]
		if n == nil {
			n = w.rest
		}
		if n == nil {
			continue
		}
		if got := c.value(n, item); !same(got, item) {
			set(key, got)
		}
	}
	for _, f := range w.fills {
		if _, there := object[f.name]; there || f.from.dflt == nil {
			continue
		}
		if c.preparing && !f.from.prepare() {
			c.left = -1
			return object
		}
		c.left -= size(f.from.filled)
		set(f.name, copied(f.from.filled))
	}
	return out
}
