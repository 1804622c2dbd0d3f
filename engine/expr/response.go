package expr

import (
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// Filled is what became of the placeholders of a response, added up over the texts that
// were filled with it.
type Filled struct {
	Placeholders int      // that were met, each time they were
	Done         int      // of these that had a value
	Missing      []string // the names that had none, each once, in order
	Values       []string // the texts that were inserted, lists item by item; empty ones left out
}

// CompileResponse compiles a text that is said to people, not to models. It is never
// refused for want of a value:
//
//   - a placeholder whose value is missing, null or cannot be computed is empty, and a
//     Fill notes it;
//   - conditions take any value, with not, and, or too;
//   - lists are joined by a comma and a space;
//   - a line disappears when nothing but blocks stood on it and none of them said
//     anything; one with a placeholder stays, even if that was empty.
func CompileResponse(v *source.Value, env *Env, list *diag.List) *Value {
	switch {
	case v == nil:
		return Literal("")
	case v.Kind == source.String:
		return compileString(v, env, list, responseText)
	}
	return CompileText(v, env, list)
}

// CompileTest compiles a condition of a response: any value will do.
func CompileTest(v *source.Value, env *Env, list *diag.List) *Expr {
	if v == nil || v.Kind != source.String {
		return CompileExpr(v, env, list)
	}
	return (&site{loc: v.Locator(), env: env, list: list, lenient: true}).compile(snippet{v, 0, v.Text})
}

func (x *Expr) holds(m *machine) bool {
	v, err := x.raw(m)
	return err == nil && Truthy(v)
}

// Fill is the filling of one response of several texts. It is not safe for concurrent use.
type Fill struct {
	Filled
	locale string
	m      machine
	w      writer
}

// NewFill begins a filling with the values in scope. Formats that name no locale use the
// given one; "" is en.
func NewFill(scope map[string]any, locale string) *Fill {
	f := &Fill{locale: locale, m: machine{scope: scope}}
	f.m.fill = f
	return f
}

// Holds reports whether a condition of the response holds; one that cannot be evaluated
// does not.
func (f *Fill) Holds(x *Expr) bool { return x.holds(&f.m) }

// Text renders a text of the response. Placeholders without a value are empty and noted;
// an error is one of limits.
func (f *Fill) Text(x *Value) (string, error) {
	if x.form == many {
		f.w = writer{buf: f.w.buf[:0]}
		return x.renderTo(&f.m, &f.w)
	}
	v, err := x.eval(&f.m)
	if err != nil {
		return "", err
	}
	return f.m.said(v)
}

// placeholder is an insertion of a response.
func (b *builder) placeholder(x *Expr) piece {
	var names, roots []string
	for _, r := range x.refs {
		names = append(names, strings.Join(r.Path, "."))
		roots = append(roots, r.Path[0])
	}
	if len(names) == 0 {
		names = []string{strings.TrimSpace(x.text)}
	}
	return func(m *machine, w *writer) error {
		w.filled = true
		v, err := x.raw(m)
		s := ""
		if err == nil {
			s, err = m.said(v)
		}
		there := err == nil && v != nil && (s != "" || !m.lacks(roots))
		m.tell(names, v, s, there)
		if !there {
			return nil
		}
		if err := w.insert(s); err != nil {
			return x.locate(blame(x.op.from, "", err))
		}
		return nil
	}
}

// lacks reports whether one of the names has no value.
func (m *machine) lacks(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return m.scope[n] == nil })
}

// tell notes what became of a placeholder.
func (m *machine) tell(names []string, v any, s string, there bool) {
	f := m.fill
	if f == nil {
		return
	}
	f.Placeholders++
	if !there {
		for _, n := range names {
			if !slices.Contains(f.Missing, n) {
				f.Missing = append(f.Missing, n)
			}
		}
		return
	}
	f.Done++
	items, isList := v.([]any)
	if !isList && s != "" {
		f.Values = append(f.Values, s)
	}
	for _, item := range items {
		if s, err := m.textOf(canonical(item)); err == nil && s != "" {
			f.Values = append(f.Values, s)
		}
	}
}

// said renders a value as people read it: the items of lists are joined.
func (m *machine) said(v any) (string, error) {
	items, ok := v.([]any)
	if !ok {
		return m.textOf(v)
	}
	parts := make([]string, 0, len(items))
	for _, item := range items {
		if item = canonical(item); item == nil {
			continue
		}
		s, err := m.textOf(item)
		if err != nil {
			return "", err
		}
		if err := m.grow(len(s) + len(", ")); err != nil {
			return "", err
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", "), nil
}
