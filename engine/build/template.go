package build

import (
	"slices"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// templateDef is a template of the spec. One with parameters is compiled once, in a
// scope of its own, and so is a response; another is compiled where it is used, in the
// scope of the place.
type templateDef struct {
	source.Field
	params   *shape.Type // nil: none
	response bool        // belongs to an intent or a dialogue act
	required []string
	parts    []engine.TextPart
	reads    []expr.Ref // memory and run
	uses     Uses
}

func (p *Spec) buildTemplates(list *diag.List) {
	p.template = make(map[string]*templateDef, len(p.templates.fields))
	for _, f := range p.templates.fields {
		p.template[f.Key] = p.declareTemplate(f, list)
	}
	for _, f := range p.templates.fields {
		t := p.template[f.Key]
		if t.params == nil || t.response {
			continue
		}
		s := p.NewScope(p.Names(t.params.Fields), list)
		t.parts = s.parts(f.Value)
		t.uses, t.reads = s.place.uses, s.outside(t.params)
	}
}

// outside returns what a template with parameters reads besides them.
func (s *Scope) outside(params *shape.Type) []expr.Ref {
	var out []expr.Ref
	for _, r := range s.place.refs {
		if params.Fields[r.Path[0]] == nil {
			out = append(out, r)
		}
	}
	return out
}

func (p *Spec) declareTemplate(f source.Field, list *diag.List) *templateDef {
	t := &templateDef{Field: f, response: p.isResponse(f)}
	v := f.Value.Get("params")
	if v == nil && t.response {
		t.params = &shape.Type{Kind: shape.Object, Open: true}
	}
	if v == nil {
		return t
	}
	s := p.lib.Compile(v, list)
	if t.params = s.Type(); t.params.Kind != shape.Object {
		if t.params.Kind != shape.Any {
			list.Add(templateParams.At(v.Pos, "the params of template %q are not an object", f.Key).
				WithHint("Declare them as {type: object, properties: {…}}."))
		}
		t.params = &shape.Type{Kind: shape.Object, Open: true}
	}
	if names, ok := s.Schema()["required"].([]any); ok {
		for _, n := range names {
			if name, ok := n.(string); ok {
				t.required = append(t.required, name)
			}
		}
	}
	return t
}

// Text compiles a text: a template in place, one kept in a file, or {template: name}.
// Nil when v is nil.
func (s *Scope) Text(v *source.Value) *engine.Text {
	switch {
	case v == nil:
		return nil
	case v.Kind == source.Map && v.Has("template"):
		return s.Template(v.Get("template"), v.Get("with"))
	}
	return &engine.Text{Parts: []engine.TextPart{{Text: s.rendered(v)}}}
}

// TemplateName reports whether there is a template of that name, for places that only
// refer to it; it reports one that there is not. A nil name is none.
func (s *Scope) TemplateName(name *source.Value) bool {
	if name == nil {
		return false
	}
	if s.spec.template[text(name)] == nil {
		s.Report(Unknown(unknownTemplate, "template", name, s.spec.templates.names))
		return false
	}
	s.place.uses.Templates.add(text(name))
	return true
}

// Template compiles the use of a named template with parameters; with may be nil.
// It never returns nil.
func (s *Scope) Template(name, with *source.Value) *engine.Text {
	if !s.TemplateName(name) {
		return &engine.Text{}
	}
	t := s.spec.template[text(name)]
	if t.params == nil {
		return s.inline(t, name, with)
	}
	s.place.uses.Merge(&t.uses)
	s.Reads(t.reads)
	out := &engine.Text{Own: true, Parts: t.parts, With: s.assigns(with)}
	s.checkWith(t, name, with, out.With)
	return out
}

// inline compiles a template without parameters in the scope of the place.
func (s *Scope) inline(t *templateDef, name, with *source.Value) *engine.Text {
	out := &engine.Text{With: s.assigns(with)}
	inner := s
	for _, a := range out.With {
		inner = inner.With(a.Name, a.Value.Type())
	}
	s.within(name.Pos, func() { out.Parts = inner.parts(t.Value) })
	return out
}

// assigns compiles named values.
func (s *Scope) assigns(with *source.Value) []engine.Assign {
	if with == nil {
		return nil
	}
	var out []engine.Assign
	for _, f := range with.Fields {
		out = append(out, engine.Assign{Name: f.Key, Value: s.Value(f.Value)})
	}
	return out
}

// parts compiles the text or the sections of a template.
func (s *Scope) parts(def *source.Value) []engine.TextPart {
	if v := def.Get("text"); v != nil {
		return []engine.TextPart{{Text: s.rendered(v)}}
	}
	if v := items(def.Get("variations")); len(v) > 0 {
		return []engine.TextPart{{Text: s.rendered(v[0])}}
	}
	var out []engine.TextPart
	for _, v := range items(def.Get("sections")) {
		if v.Kind != source.Map {
			out = append(out, engine.TextPart{Text: s.rendered(v)})
			continue
		}
		part := engine.TextPart{When: s.Expr(v.Get("when")), Text: s.rendered(v.Get("text"))}
		if e := v.Get("else"); e != nil {
			part.Else = s.rendered(e)
		}
		out = append(out, part)
	}
	return out
}

// rendered compiles a template that always gives text.
func (s *Scope) rendered(v *source.Value) *expr.Value {
	x := expr.CompileText(v, s.env, s.place.list)
	s.Reads(x.Refs())
	s.place.uses.Templates.Add(x.Includes()...)
	return x
}

// items returns the items of a list, none when v is nil.
func items(v *source.Value) []*source.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// checkWith compares what a template is given with what it declares.
func (s *Scope) checkWith(t *templateDef, name, with *source.Value, given []engine.Assign) {
	declared := make([]string, 0, len(t.params.Fields))
	for n := range t.params.Fields {
		declared = append(declared, n)
	}
	slices.Sort(declared)
	for _, n := range t.required {
		if with.Get(n) == nil {
			s.Report(templateMissing.At(name.Pos, "template %q needs the parameter %q", t.Key, n).
				WithHint("Pass it: {template: %s, with: {%s: …}}.", t.Key, n))
		}
	}
	for _, a := range given {
		want := t.params.Fields[a.Name]
		switch {
		case want != nil:
			s.checkParam(t, a, want, with)
		case !t.params.Open:
			s.Report(unknownParam(t, with.KeyPos(a.Name), a.Name, declared))
		}
	}
}

func unknownParam(t *templateDef, pos diag.Pos, name string, declared []string) diag.Finding {
	f := templateParam.At(pos, "template %q has no parameter %q", t.Key, name)
	if near := diag.Nearest(name, declared); near != "" {
		return f.WithHint("Did you mean %q?", near)
	}
	return f.WithHint("Declare it in the template's params, or leave it out.")
}

func (s *Scope) checkParam(t *templateDef, a engine.Assign, want *shape.Type, with *source.Value) {
	got := a.Value.Type()
	if fit := Fits(got, want); fit == Never {
		s.Report(templateType.At(with.Get(a.Name).Pos, "parameter %q of template %q is %s, and %s", a.Name, t.Key, Describe(want), Misfit(got, want)).
			WithHint("Pass a value of that type, or change the template's params."))
	}
}
