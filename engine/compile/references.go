package compile

import (
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// references resolves the names in the parts of a spec that are not graphs: intents,
// response templates, scenarios. It comes after the definitions that they
// name; what they name counts as used.
func references(c *compilation) {
	s := c.spec.NewScope(nil, c.list)
	c.everywhere("intents", func(v *source.Value) {
		s.TemplateName(v.Get("template"))
		s.TemplateName(v.Get("naturalize"))
	})
	c.everywhere("templates", func(v *source.Value) {
		s.TemplateName(v.Get("naturalize"))
		c.intent(v.Get("intent"))
	})
	c.everywhere("scenarios", func(v *source.Value) {
		if name := v.Get("turns").Get("on_turn_end"); name != nil {
			s.Graph(name)
		}
		c.judges(v.Get("criteria"), func(m *source.Value) { s.Model(m, diag.Pos{}) })
	})
	c.spec.Uses().Merge(s.Uses())
}

// everywhere visits the definitions of a section.
func (c *compilation) everywhere(section string, visit func(*source.Value)) {
	c.each(section, func(f source.Field) { visit(f.Value) })
}

// each visits the definitions of a section with their names.
func (c *compilation) each(section string, visit func(source.Field)) {
	if v := c.root.Get(section); v != nil {
		for _, f := range v.Fields {
			visit(f)
		}
	}
}

func (c *compilation) intent(name *source.Value) {
	if name == nil || c.root.Get("intents").Has(text(name)) {
		return
	}
	c.list.Add(unknown(unknownIntent, "intent", name, keys(c.root.Get("intents"))))
}

// judges visits the models that criteria name.
func (c *compilation) judges(criteria *source.Value, visit func(*source.Value)) {
	if criteria == nil {
		return
	}
	for _, f := range criteria.Fields {
		if m := f.Value.Get("judge").Get("model"); m != nil {
			visit(m)
		}
	}
}
