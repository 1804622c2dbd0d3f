package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// include compiles {% include name %}: the text of another template, in the scope of
// this place. It is a text, or sections that are left out when they give nothing.
func (b *builder) include(head *block) piece {
	name := strings.TrimSpace(head.rest)
	broken := func(*machine, *writer) error { return errBroken }
	if !isName(name) {
		b.report(head.tag.start, "the include does not name a template", "Write {% include name %}.")
		return broken
	}
	def := b.env.partial(name)
	switch {
	case def == nil:
		b.report(head.tag.start, fmt.Sprintf("there is no template %q to include", name), "Define it under templates, or correct the name.")
		return broken
	case slices.Contains(b.inside, name):
		b.report(head.tag.start, fmt.Sprintf("template %q includes itself", name), "Take the include out: such a text has no end.")
		return broken
	case len(b.inside) >= maxIncludes || b.tooMuch(def):
		b.broken = true
		b.list.Add(ruleTooLarge.At(b.loc.At(head.tag.start), "the texts that include each other are too many or too long").WithHint("Include less."))
		return broken
	}
	b.parts = append(b.parts, name)
	if sections := def.Get("sections"); sections != nil {
		return b.sections(name, sections.Items)
	}
	body := b.included(name, def.Get("text"))
	return func(m *machine, w *writer) error {
		w.tagged = true
		return write(body, m, w)
	}
}

// partial returns the definition of a template, nil when there is none.
func (e *Env) partial(name string) *source.Value {
	if find := e.about().partials; find != nil {
		return find(name)
	}
	return nil
}

// tooMuch counts the text that is included, however deep.
func (b *builder) tooMuch(def *source.Value) bool {
	if b.volume == nil {
		b.volume = new(int)
	}
	*b.volume += volume(def, 0)
	return *b.volume > maxTemplate
}

func volume(v *source.Value, depth int) int {
	if v == nil || depth > maxBlocks {
		return 0
	}
	n := len(v.Text)
	for _, item := range v.Items {
		n += volume(item, depth+1)
	}
	for _, f := range v.Fields {
		n += volume(f.Value, depth+1)
	}
	return n
}

// included compiles a text of another template.
func (b *builder) included(name string, v *source.Value) []piece {
	if v == nil || v.Kind != source.String {
		return nil
	}
	text := strings.TrimRight(v.Text, "\r\n")
	tags, problem := scanTags(text)
	inner := &builder{
		site: site{loc: v.Locator(), env: b.env, locals: b.locals, list: b.list, lenient: b.lenient},
		src:  v, text: text, tags: tags, depth: b.depth, inside: append(slices.Clip(b.inside), name), volume: b.volume,
	}
	if problem != nil {
		inner.broken = true
		b.list.Add(problem.rule.At(v.At(problem.at), "%s", problem.message).WithHint("%s", problem.hint))
	}
	pieces := inner.template()
	b.refs = append(b.refs, inner.refs...)
	b.tainted = append(b.tainted, inner.tainted...)
	b.parts = append(b.parts, inner.parts...)
	b.broken = b.broken || inner.broken
	return pieces
}

// section is one part of an included template.
type section struct {
	test        func(m *machine) (bool, error) // nil: always
	body, other []piece
}

// sections compiles the parts of another template: those that say something are joined
// by a space.
func (b *builder) sections(name string, items []*source.Value) piece {
	parts := make([]section, 0, len(items))
	for _, item := range items {
		if item.Kind != source.Map {
			parts = append(parts, section{body: b.included(name, item)})
			continue
		}
		p := section{body: b.included(name, item.Get("text")), other: b.included(name, item.Get("else"))}
		if when := item.Get("when"); when != nil {
			x := b.condition(when)
			p.test = func(m *machine) (bool, error) {
				v, err := x.raw(m)
				return Truthy(v) && err == nil, err
			}
			if b.lenient {
				p.test = func(m *machine) (bool, error) { return x.holds(m), nil }
			}
		}
		parts = append(parts, p)
	}
	return func(m *machine, w *writer) error { return writeSections(parts, m, w) }
}

// condition compiles the condition of a section.
func (b *builder) condition(when *source.Value) *Expr {
	w := &site{loc: when.Locator(), env: b.env, locals: b.locals, list: b.list, lenient: b.lenient}
	if when.Kind != source.String {
		return literalExpr(when, when.Go())
	}
	x := w.compile(snippet{when, 0, when.Text})
	b.refs = append(b.refs, x.refs...)
	b.broken = b.broken || x.broken
	return x
}

func writeSections(parts []section, m *machine, w *writer) error {
	w.tagged = true
	said := false
	for _, p := range parts {
		body := p.body
		if p.test != nil {
			ok, err := p.test(m)
			if err != nil {
				return err
			}
			if !ok {
				body = p.other
			}
		}
		inner := &writer{}
		if err := write(body, m, inner); err != nil {
			return err
		}
		inner.finish()
		if len(inner.buf) == 0 {
			continue
		}
		if said {
			inner.buf = append([]byte(" "), inner.buf...)
		}
		said = true
		if err := w.insert(string(inner.buf)); err != nil {
			return err
		}
	}
	return nil
}
