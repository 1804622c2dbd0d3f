package shape

import (
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// maxNesting is how deep schemas may be nested in each other as they are written.
const maxNesting = 100

// parser reads one schema. It reports everything that is wrong and keeps what is right.
type parser struct {
	lib  *Library
	list *diag.List
	root *node
}

// report adds a finding; an error makes the whole schema unusable for checking.
func (p *parser) report(f diag.Finding) {
	if f.Severity == diag.Error {
		p.root.bad = true
	}
	p.list.Add(f)
}

func (p *parser) schema(v *source.Value, depth int) *node {
	n := &node{}
	p.into(n, v, depth)
	return n
}

func (p *parser) into(n *node, v *source.Value, depth int) {
	n.src, n.root, n.kinds = v, p.root, kAll
	switch {
	case depth > maxNesting:
		p.report(tooComplex.At(v.Pos, "the schema is nested deeper than %d levels", maxNesting).
			WithHint("Give the inner part a name in `types` and refer to it."))
	case v.Kind == source.Bool:
		n.never = !v.Bool
	case v.Kind == source.Map:
		for i := range v.Fields {
			p.keyword(n, &v.Fields[i], depth)
		}
		p.sane(n)
	case v.Kind == source.String && kindsOf[v.Text] != 0:
		p.report(invalid.At(v.Pos, "a schema must be an object, not the text %q", v.Text).
			WithHint("Write {type: %s}.", v.Text))
	default:
		p.report(invalid.At(v.Pos, "a schema must be an object, not %s", article(v.Kind)).
			WithHint("Write an object such as {type: string}, or {} for any value."))
	}
}

func (p *parser) keyword(n *node, f *source.Field, depth int) {
	form, known := keywords[f.Key]
	if !known {
		p.unknown(f)
		return
	}
	switch form {
	case anyData, values, list:
		p.data(n, f, form)
	case aSchema:
		p.root.reach.mixed = p.root.reach.mixed || doubled[f.Key]
		n.setOne(f.Key, p.schema(f.Value, depth+1))
	case schemaList:
		p.schemas(n, f, depth)
	case schemaMap, patternMap:
		p.members(n, f, depth)
	case typeNames:
		p.types(n, f)
	case reference:
		p.reference(n, f)
	case names:
		n.required = p.nameList(f.Key, f.Value)
	case namesMap:
		p.nameLists(f)
	default:
		p.scalar(n, f, form)
	}
}

func (p *parser) unknown(f *source.Field) {
	finding := unknownKeyword.At(f.Pos, "a schema has no keyword %q", f.Key)
	hint, found := elsewhere[f.Key]
	switch near := diag.Nearest(f.Key, keywordNames); {
	case found:
		finding = finding.WithHint("%s", hint)
	case near != "":
		finding = finding.WithHint("Did you mean %q?", near)
	default:
		finding = finding.WithHint("Remove it; a property of that name belongs under `properties`.")
	}
	p.report(finding)
}

func (p *parser) schemas(n *node, f *source.Field, depth int) {
	if f.Value.Kind != source.List || len(f.Value.Items) == 0 {
		p.report(invalid.At(f.Value.Pos, "`%s` must be a list of schemas with at least one item", f.Key).
			WithHint("Write %s: [{type: string}, …].", f.Key))
		return
	}
	subs := make([]*node, len(f.Value.Items))
	for i, item := range f.Value.Items {
		subs[i] = p.schema(item, depth+1)
	}
	p.root.reach.mixed = p.root.reach.mixed || f.Key != "prefixItems"
	if n.many == nil {
		n.many = map[string][]*node{}
	}
	n.many[f.Key] = subs
}

func (p *parser) members(n *node, f *source.Field, depth int) {
	if f.Value.Kind != source.Map {
		p.report(invalid.At(f.Value.Pos, "`%s` must be an object from names to schemas, not %s", f.Key, article(f.Value.Kind)).
			WithHint("Write %s: {name: {type: string}}.", f.Key))
		return
	}
	subs := make([]member, 0, len(f.Value.Fields))
	for _, m := range f.Value.Fields {
		if keywords[f.Key] == patternMap {
			p.regexp(m.Key, m.Pos)
		}
		subs = append(subs, member{key: m.Key, pos: m.Pos, node: p.schema(m.Value, depth+1)})
	}
	p.root.reach.mixed = p.root.reach.mixed || f.Key == "dependentSchemas"
	if n.named == nil {
		n.named = map[string][]member{}
	}
	n.named[f.Key] = subs
}

func (n *node) setOne(keyword string, sub *node) {
	if n.one == nil {
		n.one = map[string]*node{}
	}
	n.one[keyword] = sub
}

func (p *parser) reference(n *node, f *source.Field) {
	if f.Value.Kind != source.String {
		p.report(invalid.At(f.Value.Pos, "`$ref` must be text, not %s", article(f.Value.Kind)).
			WithHint("Quote it: {$ref: \"#/types/Name\"}; a bare # begins a comment in YAML."))
		return
	}
	ref := f.Value.Text
	name, ok := strings.CutPrefix(ref, "#/types/")
	if !ok || strings.ContainsAny(name, "/#") {
		p.badReference(ref, f.Value.Pos)
		return
	}
	target := p.lib.types[unescape(name)]
	if target == nil {
		finding := unknownType.At(f.Value.Pos, "there is no type %q", name)
		if near := diag.Nearest(name, p.lib.names); near != "" {
			finding = finding.WithHint("Did you mean \"#/types/%s\"?", near)
		} else {
			finding = finding.WithHint("Define it under `types`, or refer to one of: %s.", strings.Join(p.lib.names, ", "))
		}
		p.report(finding)
		return
	}
	p.root.reach.refs = append(p.root.reach.refs, target)
	n.refTo, n.refName, n.refPos = target, unescape(name), f.Value.Pos
}

func (p *parser) badReference(ref string, pos diag.Pos) {
	finding := badRef.At(pos, "`$ref` %q is not a reference to a type of the spec", clip(ref, 80))
	if p.lib.types[ref] != nil {
		p.report(finding.WithHint("Write {$ref: \"#/types/%s\"}.", ref))
		return
	}
	p.report(finding.WithHint("Define the schema under `types` and write {$ref: \"#/types/Name\"}; nothing else is ever loaded."))
}
