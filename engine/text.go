package engine

import (
	"maps"
	"strings"

	"github.com/weft-engine/weft/engine/expr"
)

// Text is a text of a spec, ready to render: a template in the scope of its place,
// or a named template with parameters of its own.
type Text struct {
	Parts []TextPart
	With  []Assign // the names in scope of Parts, when Own
	Own   bool     // Parts see only With, memory and run, not the place's names
}

// TextPart is one section of a template. Sections that render to nothing are left out.
type TextPart struct {
	When *expr.Expr // nil: always
	Text *expr.Value
	Else *expr.Value // nil: nothing
}

// Render returns the text. A nil Text is empty. Sections are joined by a space.
func (t *Text) Render(scope map[string]any) (string, error) {
	if t == nil {
		return "", nil
	}
	inner, err := t.scope(scope)
	if err != nil {
		return "", err
	}
	if len(t.Parts) == 1 && t.Parts[0].When == nil {
		return t.Parts[0].Text.String(inner)
	}
	var parts []string
	for _, p := range t.Parts {
		s, err := p.render(inner)
		if err != nil {
			return "", err
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " "), nil
}

func (p *TextPart) render(scope map[string]any) (string, error) {
	if p.When != nil {
		v, err := p.When.Eval(scope)
		if err != nil {
			return "", err
		}
		if !expr.Truthy(v) {
			if p.Else == nil {
				return "", nil
			}
			return p.Else.String(scope)
		}
	}
	return p.Text.String(scope)
}

// scope returns the names that the parts see.
func (t *Text) scope(outer map[string]any) (map[string]any, error) {
	if !t.Own && len(t.With) == 0 {
		return outer, nil
	}
	inner := make(map[string]any, len(t.With)+2)
	if !t.Own {
		maps.Copy(inner, outer)
	}
	for _, name := range []string{"memory", "run"} {
		if v, ok := outer[name]; ok {
			inner[name] = v
		}
	}
	for _, a := range t.With {
		v, err := a.Value.Eval(outer)
		if err != nil {
			return nil, err
		}
		inner[a.Name] = v
	}
	return inner, nil
}

// Refs returns the names of the place's scope that the text reads.
func (t *Text) Refs() []expr.Ref {
	if t == nil {
		return nil
	}
	var refs []expr.Ref
	for _, a := range t.With {
		refs = append(refs, a.Value.Refs()...)
	}
	for _, p := range t.Parts {
		refs = append(refs, t.visible(p)...)
	}
	return refs
}

// visible keeps those of a part's names that come from the place, not from With.
func (t *Text) visible(p TextPart) []expr.Ref {
	var all, out []expr.Ref
	if p.When != nil {
		all = append(all, p.When.Refs()...)
	}
	all = append(all, p.Text.Refs()...)
	if p.Else != nil {
		all = append(all, p.Else.Refs()...)
	}
	for _, r := range all {
		if !t.Own && !t.binds(r.Path[0]) || r.Path[0] == "memory" || r.Path[0] == "run" {
			out = append(out, r)
		}
	}
	return out
}

func (t *Text) binds(name string) bool {
	for _, a := range t.With {
		if a.Name == name {
			return true
		}
	}
	return false
}
