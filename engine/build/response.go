package build

import (
	"maps"
	"slices"
	"strconv"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/response"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// isResponse reports whether a template is said to people: it belongs to an intent or a
// dialogue act.
func (p *Spec) isResponse(f source.Field) bool {
	if f.Value.Has("intent") || f.Value.Has("dact") {
		return true
	}
	return slices.ContainsFunc(p.intents.fields, func(in source.Field) bool { return text(in.Value.Get("template")) == f.Key })
}

// partial returns the definition of a template that another includes.
func (p *Spec) partial(name string) *source.Value {
	f, ok := p.templates.get(name)
	if !ok {
		return nil
	}
	return f.Value
}

// entries returns the names of the data that a path reads: all, when the name is
// computed.
func (p *Spec) entries(path []string) []string {
	if len(path) > 1 {
		return path[1:2]
	}
	return slices.Collect(maps.Keys(p.data))
}

// buildResponses makes the registry. What is missing or said twice is for the compiler
// to report; of two templates for one thing the first counts.
func (p *Spec) buildResponses(list *diag.List) {
	r := &response.Registry{
		Intents: map[string]*response.Intent{}, Acts: map[string]*response.Template{},
		Bases: map[string]*response.Template{}, Named: map[string]*response.Template{},
	}
	p.responses = r
	for _, f := range p.templates.fields {
		if t := p.template[f.Key]; t.response {
			r.Named[f.Key] = p.buildResponse(t, list)
		}
	}
	for _, f := range p.templates.fields {
		t := r.Named[f.Key]
		if t == nil {
			continue
		}
		if t.Act != "" && r.Acts[t.Act] == nil {
			r.Acts[t.Act] = t
		}
		if t.Intent != "" && r.Bases[t.Intent] == nil {
			r.Bases[t.Intent] = t
		}
	}
	for _, f := range p.intents.fields {
		r.Intents[f.Key] = p.buildIntent(f, list)
		if t := r.Named[text(f.Value.Get("template"))]; t != nil && r.Bases[f.Key] == nil {
			r.Bases[f.Key] = t
		}
	}
	p.restylers()
}

// responseScope is what a response sees: its parameters, or anything when it declares
// none. The names of the engine and of the spec's data are free.
func (p *Spec) responseScope(t *templateDef, list *diag.List) *Scope {
	env := expr.NewEnv(t.params.Fields).Partials(p.partial)
	if t.params.Open {
		env = env.Opened()
	}
	return &Scope{spec: p, env: env, place: &place{list: list}}
}

func (p *Spec) buildResponse(t *templateDef, list *diag.List) *response.Template {
	v := t.Value
	s := p.responseScope(t, list)
	out := &response.Template{
		Name: t.Key, Intent: text(v.Get("intent")), Act: text(v.Get("dact")), Version: version(v.Get("version")),
		Hint: text(v.Get("block_hint")), Verbatim: truth(v.Get("skip_naturalize"), false), Naturalize: text(v.Get("naturalize")),
	}
	if n := v.Get("temperature"); n != nil {
		temperature := decimal(n)
		out.Temperature = &temperature
	}
	out.Min, out.Max = bounds(v.Get("length"))
	for _, one := range wordings(v) {
		out.Variations = append(out.Variations, s.responseParts(one))
	}
	out.SetReads()
	for _, part := range out.Variations[0] {
		t.parts = append(t.parts, engine.TextPart{When: part.When, Text: part.Text, Else: part.Else})
	}
	t.uses = s.place.uses
	p.uses.Merge(&t.uses)
	return out
}

// wordings returns the ways in which a template can be said, each a list of sections.
func wordings(v *source.Value) [][]*source.Value {
	var out [][]*source.Value
	switch {
	case v.Has("text"):
		out = append(out, []*source.Value{v.Get("text")})
	case v.Has("sections"):
		out = append(out, items(v.Get("sections")))
	default:
		for _, one := range items(v.Get("variations")) {
			out = append(out, []*source.Value{one})
		}
	}
	if len(out) == 0 {
		out = append(out, nil)
	}
	return out
}

func (s *Scope) responseParts(sections []*source.Value) []response.Part {
	out := make([]response.Part, 0, len(sections))
	for _, v := range sections {
		if v.Kind != source.Map {
			out = append(out, response.Part{Text: s.said(v)})
			continue
		}
		part := response.Part{Text: s.said(v.Get("text"))}
		if when := v.Get("when"); when != nil {
			part.When = expr.CompileTest(when, s.env, s.place.list)
			s.Reads(part.When.Refs())
		}
		if e := v.Get("else"); e != nil {
			part.Else = s.said(e)
		}
		out = append(out, part)
	}
	return out
}

func (s *Scope) said(v *source.Value) *expr.Value {
	x := expr.CompileResponse(v, s.env, s.place.list)
	s.Reads(x.Refs())
	s.place.uses.Templates.Add(x.Includes()...)
	return x
}

// version writes a version as records show it: 3 is v3.
func version(v *source.Value) string {
	if v == nil {
		return "v1"
	}
	if n, ok := v.Go().(int); ok {
		return "v" + strconv.Itoa(n)
	}
	if _, err := strconv.Atoi(text(v)); err == nil {
		return "v" + text(v)
	}
	return v.Text
}

func bounds(v *source.Value) (least, most int) {
	return integer(v.Get("min_tokens"), 0), integer(v.Get("max_tokens"), 0)
}

// flagsType is what `speaks` of an intent sees.
var flagsType = map[string]*shape.Type{"flags": {Kind: shape.Object, Open: true}}

func (p *Spec) buildIntent(f source.Field, list *diag.List) *response.Intent {
	s := p.NewScope(flagsType, list)
	out := &response.Intent{Name: f.Key, Base: text(f.Value.Get("base")), Naturalize: text(f.Value.Get("naturalize"))}
	if v := f.Value.Get("speaks"); v != nil {
		out.Speaks = s.Value(v)
	}
	out.Min, out.Max = bounds(f.Value.Get("length"))
	p.uses.Merge(&s.place.uses)
	return out
}

// restylers notes which templates restyle responses.
func (p *Spec) restylers() {
	names := map[string]bool{}
	for _, section := range []section{p.templates, p.intents} {
		for _, f := range section.fields {
			name := text(f.Value.Get("naturalize"))
			if t := p.template[name]; t != nil && t.params != nil && !t.response {
				names[name] = true
			}
		}
	}
	p.prompts = slices.Sorted(maps.Keys(names))
}

// Restylers compiles the use of every template that restyles responses with these
// parameters: which of them is wanted is known only at run time.
func (s *Scope) Restylers(with *source.Value) map[string]*engine.Text {
	out := make(map[string]*engine.Text, len(s.spec.prompts))
	for _, name := range s.spec.prompts {
		t := s.spec.template[name]
		s.place.uses.Templates.add(name)
		s.place.uses.Merge(&t.uses)
		s.Reads(t.reads)
		text := &engine.Text{Own: true, Parts: t.parts, With: s.assigns(with)}
		for _, part := range t.parts {
			s.Fenced(part.Text)
			s.Fenced(part.Else)
		}
		at := &source.Value{Kind: source.String, Text: name, Pos: s.place.pos}
		s.checkWith(t, at, with, text.With)
		out[name] = text
	}
	return out
}

// Responses returns the registry of what the spec says to people.
func (s *Scope) Responses() *response.Registry { return s.spec.responses }

// Preview returns a template as a response: as it is said, when it is one, and
// otherwise with every name allowed. What is wrong with it is left out of account. Nil
// when there is none of that name.
func (p *Spec) Preview(name string) *response.Template {
	if t := p.responses.Named[name]; t != nil {
		return t
	}
	t := p.template[name]
	if t == nil {
		return nil
	}
	open := *t
	open.params, open.parts = &shape.Type{Kind: shape.Object, Open: true}, nil
	return p.buildResponse(&open, &diag.List{})
}
