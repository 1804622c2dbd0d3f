package shape

import (
	"regexp"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// keywordNames is the keys of keywords, sorted.
var keywordNames = sortedKeys(keywords)

// scalar checks a keyword that takes a number, a text or a flag.
func (p *parser) scalar(n *node, f *source.Field, form form) {
	want := ""
	switch form {
	case count:
		if i, ok := f.Value.Go().(int); !ok || i < 0 {
			want = "a whole number from 0 on"
		}
	case number, positive:
		x, ok := asNumber(f.Value)
		if !ok {
			want = "a number"
		} else if form == positive && x <= 0 {
			want = "a number greater than 0"
		}
	case flag:
		if f.Value.Kind != source.Bool {
			want = "true or false"
		}
		n.untrusted = n.untrusted || f.Key == "untrusted" && f.Value.Bool
	default:
		if f.Value.Kind != source.String {
			want = "text"
		} else {
			p.text(f, form)
		}
	}
	if want != "" {
		p.report(invalid.At(f.Value.Pos, "`%s` must be %s", f.Key, want).
			WithHint("Replace the value."))
	}
}

func (p *parser) text(f *source.Field, form form) {
	switch form {
	case pattern:
		p.regexp(f.Value.Text, f.Value.Pos)
	case formatName:
		p.format(f.Value)
	case dialect:
		if strings.TrimSuffix(f.Value.Text, "#") != "https://json-schema.org/draft/2020-12/schema" {
			p.report(invalid.At(f.Value.Pos, "`$schema` %q is not the dialect of specs", clip(f.Value.Text, 80)).
				WithHint("Leave it out: schemas are JSON Schema 2020-12."))
		}
	}
}

func (p *parser) regexp(expr string, pos diag.Pos) {
	if _, err := regexp.Compile(expr); err != nil {
		p.report(invalid.At(pos, "the pattern does not compile: %s", clip(strings.TrimPrefix(err.Error(), "error parsing regexp: "), 120)).
			WithHint("Patterns are Go regular expressions (RE2): no look-around and no back-references."))
	}
}

func (p *parser) format(v *source.Value) {
	if p.lib.lenient || slices.Contains(formats, v.Text) {
		return
	}
	finding := unknownFormat.At(v.Pos, "format %q is not known and is not checked", clip(v.Text, 80))
	if near := diag.Nearest(v.Text, formats); near != "" {
		p.report(finding.WithHint("Did you mean %q?", near))
		return
	}
	p.report(finding.WithHint("Use `pattern` to check it, or one of: %s.", strings.Join(formats, ", ")))
}

// types reads the keyword `type`.
func (p *parser) types(n *node, f *source.Field) {
	items := []*source.Value{f.Value}
	if f.Value.Kind == source.List {
		items = f.Value.Items
	}
	if len(items) == 0 {
		p.report(invalid.At(f.Value.Pos, "`type` is an empty list").WithHint("Name a type, or leave `type` out for any."))
		return
	}
	var got kinds
	for _, item := range items {
		k := kindsOf[item.Text]
		if item.Kind != source.String || k == 0 {
			p.badType(item)
			return
		}
		got |= k
	}
	n.kinds &= got
}

func (p *parser) badType(v *source.Value) {
	const all = "Use one of: string, integer, number, boolean, array, object, null."
	if v.Kind == source.Null {
		p.report(invalid.At(v.Pos, "`type` has a null that is not text").WithHint("Quote it: type: [string, \"null\"]."))
		return
	}
	if v.Kind != source.String {
		p.report(invalid.At(v.Pos, "`type` must be the name of a type, not %s", article(v.Kind)).WithHint(all))
		return
	}
	finding := invalid.At(v.Pos, "there is no JSON type %q", clip(v.Text, 40))
	near := typeAliases[v.Text]
	if near == "" {
		near = diag.Nearest(v.Text, typeWords)
	}
	switch {
	case near != "":
		p.report(finding.WithHint("Did you mean %q?", near))
	case p.lib.types[v.Text] != nil:
		p.report(finding.WithHint("Write {$ref: \"#/types/%s\"} to refer to the type of the spec.", v.Text))
	default:
		p.report(finding.WithHint(all))
	}
}

// typeAliases are what other languages call the types.
var typeAliases = map[string]string{
	"int": "integer", "float": "number", "double": "number", "bool": "boolean", "str": "string", "text": "string",
	"list": "array", "map": "object", "dict": "object", "nil": "null", "none": "null",
}

// data reads keywords that hold values: enum, const, default, examples.
func (p *parser) data(n *node, f *source.Field, form form) {
	switch {
	case form == anyData && f.Key == "const":
		n.enum, n.hasEnum = []any{f.Value.Go()}, true
	case form == anyData:
		n.dflt = f.Value
	case f.Value.Kind != source.List || form == values && len(f.Value.Items) == 0:
		p.report(invalid.At(f.Value.Pos, "`%s` must be a list with at least one value", f.Key).
			WithHint("Write %s: [first, second].", f.Key))
	case form == values && !n.hasEnum:
		n.enum, n.hasEnum = f.Value.Go().([]any), true
	}
}

// nameList reads a list of property names.
func (p *parser) nameList(keyword string, v *source.Value) []string {
	if v.Kind != source.List {
		hint := "Write " + keyword + ": [name, …]."
		if v.Kind == source.Bool {
			hint = "Write `required: [name, …]` beside `properties`, in the object that has the property."
		}
		p.report(invalid.At(v.Pos, "`%s` must be a list of property names, not %s", keyword, article(v.Kind)).WithHint("%s", hint))
		return nil
	}
	var out []string
	for _, item := range v.Items {
		switch {
		case item.Kind != source.String:
			p.report(invalid.At(item.Pos, "`%s` lists property names, but this is %s", keyword, article(item.Kind)).
				WithHint("Write the name of a property, in quotes if need be."))
		case slices.Contains(out, item.Text):
			p.report(invalid.At(item.Pos, "`%s` lists %q twice", keyword, clip(item.Text, 60)).WithHint("Remove one."))
		default:
			out = append(out, item.Text)
		}
	}
	return out
}

func (p *parser) nameLists(f *source.Field) {
	if f.Value.Kind != source.Map {
		p.report(invalid.At(f.Value.Pos, "`%s` must be an object from property names to lists of names", f.Key).
			WithHint("Write %s: {street: [city]}.", f.Key))
		return
	}
	for _, m := range f.Value.Fields {
		p.nameList(m.Key, m.Value)
	}
}
