package build

import (
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Prompt compiles a text that a model reads. Text from outside, which its type marks
// `untrusted: true`, must not stand in it as it is: a model cannot tell it from what the
// spec says. Nil when v is nil.
func (s *Scope) Prompt(v *source.Value) *engine.Text {
	t := s.Text(v)
	if t == nil {
		return nil
	}
	s.within(use(v), func() {
		for _, p := range t.Parts {
			s.Fenced(p.Text)
			s.Fenced(p.Else)
		}
	})
	if t.Own {
		s.fencedParams(v, t)
	}
	return t
}

// use is where a template is named, no place when a text stands where it is used.
func use(v *source.Value) diag.Pos {
	if name := v.Get("template"); name != nil {
		return name.Pos
	}
	return diag.Pos{}
}

// Fenced reports text from outside in a value that a model reads.
func (s *Scope) Fenced(x *expr.Value) {
	if x == nil {
		return
	}
	for _, r := range x.Untrusted() {
		f := unfenced.At(r.Pos, "%s is text from outside, and the model would take it for instructions", path(r)).
			WithHint("Fence it: {{ fence(%s, \"%s\") }}.", path(r), r.Path[len(r.Path)-1])
		s.Report(s.origin(f, r))
	}
}

// fencedParams reports text from outside that is passed as a parameter that does not
// say so: the template cannot know that it has to be fenced.
func (s *Scope) fencedParams(v *source.Value, t *engine.Text) {
	params := s.spec.template[text(v.Get("template"))].params
	for _, a := range t.With {
		want := params.Fields[a.Name]
		if len(a.Value.Untrusted()) == 0 || want == nil || marked(want, map[*shape.Type]bool{}) {
			continue
		}
		f := unfenced.At(v.Get("with").Get(a.Name).Pos, "text from outside is passed as parameter %q of template %q, which does not expect it", a.Name, text(v.Get("template"))).
			WithHint("Pass it fenced, or mark the parameter `untrusted: true` and fence it in the template.")
		s.Report(s.origin(f, a.Value.Untrusted()[0]))
	}
}

// TextType returns the type of a text: text from outside when it holds some. name is that
// of the template it is made of, nil for a text in place.
func (s *Scope) TextType(name *source.Value, t *engine.Text) *shape.Type {
	out := &shape.Type{Kind: shape.String}
	if t == nil {
		return out
	}
	for _, p := range t.Parts {
		for _, x := range []*expr.Value{p.Text, p.Else} {
			out.Untrusted = out.Untrusted || x != nil && len(x.Untrusted()) > 0
		}
	}
	if def := s.spec.template[text(name)]; t.Own && def != nil && def.params != nil {
		for _, a := range t.With {
			out.Untrusted = out.Untrusted || len(a.Value.Untrusted()) > 0 && !marked(def.params.Fields[a.Name], map[*shape.Type]bool{})
		}
	}
	return out
}

// marked reports whether a type or a part of it is marked as text from outside.
func marked(t *shape.Type, seen map[*shape.Type]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	if t.Untrusted || marked(t.Elem, seen) {
		return true
	}
	for _, f := range t.Fields {
		if marked(f, seen) {
			return true
		}
	}
	return false
}

// path writes what an expression reads as it is written.
func path(r expr.Ref) string { return strings.Join(r.Path, ".") }

// trusted reports text from outside in what decides where a backend goes: the host of
// an address, and a command line.
func (s *Scope) trusted(backend string, config *source.Value) {
	var places []*source.Value
	switch backend {
	case "http":
		if host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(text(config.Get("url")), "https://"), "http://"), "/"); strings.Contains(host, "{{") {
			places = append(places, config.Get("url"))
		}
	case "exec":
		places = items(config.Get("command"))
	case "ues":
		at := config.Get("at")
		if url := at.Get("url"); url != nil {
			at = url
		}
		if at != nil && at.Kind == source.String {
			places = append(places, at)
		}
	}
	for _, v := range places {
		for _, r := range expr.CompileValue(v, s.env, &diag.List{}).Untrusted() {
			s.Report(untrustedCommand.At(r.Pos, "%s is text from outside, and would decide what the tool calls", path(r)).
				WithHint("Pass it in a query, a body or standard input, or limit it to an enum."))
		}
	}
}
