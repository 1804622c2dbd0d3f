package compile

import (
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// responses judges what the spec says to people: that every template is one text, that
// each intent and dialogue act has at most one, and that what they refer to is there. It
// comes after the definitions, which compiled the texts.
func responses(c *compilation) {
	bases, acts := map[string]diag.Pos{}, map[string]diag.Pos{}
	c.each("templates", func(f source.Field) {
		c.body(f)
		c.role(f)
		c.once(acts, f.Value.Get("dact"), "dialogue act")
		c.once(bases, f.Value.Get("intent"), "intent")
		c.hint(f.Value.Get("block_hint"))
		c.length(f.Value.Get("length"))
		c.restyler(f.Value.Get("naturalize"))
	})
	c.each("intents", func(f source.Field) {
		c.baseOf(f)
		c.baseTemplate(f, bases)
		c.length(f.Value.Get("length"))
		c.restyler(f.Value.Get("naturalize"))
	})
}

// body reports a template that says nothing, or in two ways.
func (c *compilation) body(f source.Field) {
	var has []string
	for _, key := range []string{"text", "sections", "variations"} {
		if f.Value.Has(key) {
			has = append(has, key)
		}
	}
	switch len(has) {
	case 1:
	case 0:
		c.list.Add(templateBody.At(f.Pos, "template %q has no text", f.Key).WithHint("Give it text, sections or variations."))
	default:
		c.list.Add(templateBody.At(f.Value.KeyPos(has[1]), "template %q has %s", f.Key, strings.Join(has, " and ")).
			WithHint("Keep one of them."))
	}
}

func (c *compilation) role(f source.Field) {
	if f.Value.Has("intent") && f.Value.Has("dact") {
		c.list.Add(templateRole.At(f.Value.KeyPos("dact"), "template %q is the base of an intent and replaces the response of a dialogue act", f.Key).
			WithHint("Keep one of them; a second template can include the text of the first."))
	}
	if f.Value.Has("intent") || f.Value.Has("dact") || c.intentOf(f.Key) != nil {
		return
	}
	for _, key := range []string{"block_hint", "skip_naturalize", "naturalize", "temperature", "length"} {
		if f.Value.Has(key) {
			c.list.Add(templateRole.At(f.Value.KeyPos(key), "template %q says %s, and is no response", f.Key, key).
				WithHint("Add the intent or the dact that it answers, or leave %s out.", key))
			return
		}
	}
}

// intentOf returns the intent that names a template as its base.
func (c *compilation) intentOf(template string) *source.Value {
	var out *source.Value
	c.each("intents", func(f source.Field) {
		if v := f.Value.Get("template"); v != nil && text(v) == template {
			out = v
		}
	})
	return out
}

// once reports a second template for one thing.
func (c *compilation) once(seen map[string]diag.Pos, name *source.Value, what string) {
	if name == nil {
		return
	}
	if first, there := seen[text(name)]; there {
		c.list.Add(templateTwice.At(name.Pos, "%s %q has a template already", what, text(name)).
			WithHint("Keep one of the two; variations of a text are written in one template.").WithRelated(first, "the other one"))
		return
	}
	seen[text(name)] = name.Pos
}

func (c *compilation) baseTemplate(f source.Field, bases map[string]diag.Pos) {
	v := f.Value.Get("template")
	if v == nil {
		return
	}
	t := c.root.Get("templates").Get(text(v))
	if t == nil {
		return // reported where names are resolved
	}
	if own := text(t.Get("intent")); own != "" && own != f.Key {
		c.list.Add(templateTwice.At(v.Pos, "template %q is the base of intent %q, and cannot be that of %q too", text(v), own, f.Key).
			WithHint("Map the one intent to the other with `base`, or write another template.").WithRelated(t.Get("intent").Pos, "said here"))
		return
	}
	if own := text(t.Get("intent")); own == "" {
		c.once(bases, &source.Value{Kind: source.String, Text: f.Key, Pos: v.Pos}, "intent")
	} else if bases[f.Key] != t.Get("intent").Pos {
		c.once(bases, &source.Value{Kind: source.String, Text: f.Key, Pos: v.Pos}, "intent")
	}
}

// baseOf reports an intent that maps to none, or to itself.
func (c *compilation) baseOf(f source.Field) {
	v := f.Value.Get("base")
	switch {
	case v == nil:
	case text(v) == f.Key:
		c.list.Add(intentBase.At(v.Pos, "intent %q maps to itself", f.Key).WithHint("Leave base out: it is an intent of its own."))
	case !c.root.Get("intents").Has(text(v)):
		c.list.Add(unknown(intentBase, "intent", v, keys(c.root.Get("intents"))))
	}
}

// blockTypes is the types of block there are; a display may be told of more.
var blockTypes = []string{
	"table", "chart", "card", "list", "form", "selector", "date_picker", "confirmation", "tabs", "breadcrumbs", "pagination",
	"toast", "progress", "loading", "diff", "terminal", "timer",
}

func (c *compilation) hint(v *source.Value) {
	if v == nil || slices.Contains(blockTypes, text(v)) {
		return
	}
	f := blockHint.At(v.Pos, "there is no block %q, unless a display is told of one", text(v))
	if near := diag.Nearest(text(v), blockTypes); near != "" {
		c.list.Add(f.WithHint("Did you mean %q?", near))
		return
	}
	c.list.Add(f.WithHint("Use one of: %s.", strings.Join(blockTypes, ", ")))
}

func (c *compilation) length(v *source.Value) {
	least, ok1 := v.Get("min_tokens").Go().(int)
	most, ok2 := v.Get("max_tokens").Go().(int)
	if ok1 && ok2 && least >= most {
		c.list.Add(templateLength.At(v.Get("min_tokens").Pos, "min_tokens (%d) is not less than max_tokens (%d)", least, most).
			WithHint("Make the range one that a text can be in."))
	}
}

// restyler reports a prompt that cannot be given what it is to restyle.
func (c *compilation) restyler(v *source.Value) {
	t := c.root.Get("templates").Get(text(v))
	if v == nil || t == nil || t.Has("params") && !t.Has("intent") && !t.Has("dact") {
		return
	}
	c.list.Add(naturalizeTemplate.At(v.Pos, "template %q is no prompt that a text can be passed to", text(v)).
		WithHint("Declare its params, and leave intent and dact out."))
}
