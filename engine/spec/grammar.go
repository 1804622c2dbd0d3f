package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/schemas"
)

// specRule returns #Spec as a rule. It is compiled once a process.
var specRule = sync.OnceValues(func() (*rule, error) {
	g, err := readGrammar(schemas.FS)
	if err != nil {
		return nil, err
	}
	return g.definition("Spec")
})

// grammar compiles CUE definitions to rules. It knows the part of CUE that schemas/
// uses and refuses the rest, so a schema can never mean less here than in CUE.
type grammar struct {
	decls map[string]*ast.Field
	rules map[string]*rule
}

func readGrammar(fsys fs.FS) (*grammar, error) {
	names, err := fs.Glob(fsys, "*.cue")
	if err != nil {
		return nil, fmt.Errorf("list schemas: %w", err)
	}
	g := &grammar{decls: map[string]*ast.Field{}, rules: map[string]*rule{}}
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		f, err := parser.ParseFile(name, data, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parse schema: %w", err)
		}
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok {
				g.decls[labelName(field.Label)] = field
			}
		}
	}
	return g, nil
}

func labelName(l ast.Label) string {
	name, _, err := ast.LabelName(l)
	if err != nil {
		return ""
	}
	return name
}

// definition returns the rule of #name.
func (g *grammar) definition(name string) (*rule, error) {
	if r, ok := g.rules[name]; ok {
		if r == nil {
			return nil, fmt.Errorf("schema #%s refers to itself", name)
		}
		return r, nil
	}
	decl, ok := g.decls["#"+name]
	if !ok {
		return nil, fmt.Errorf("schema #%s does not exist", name)
	}
	g.rules[name] = nil
	r, err := g.expr(decl.Value)
	if err != nil {
		return nil, fmt.Errorf("schema #%s: %w", name, err)
	}
	named := *r
	named.name, named.doc = name, comment(decl)
	if want := attribute(decl, "want"); want != "" {
		named.want = want
	}
	named.texts = named.texts || named.isText() || named.isData()
	g.rules[name] = &named
	return &named, nil
}

func (g *grammar) expr(x ast.Expr) (*rule, error) {
	switch x := x.(type) {
	case *ast.Ident:
		return g.ident(x.Name)
	case *ast.ParenExpr:
		return g.expr(x.X)
	case *ast.BasicLit:
		s, err := literal.Unquote(x.Value)
		if err != nil {
			return nil, fmt.Errorf("literal %s: %w", x.Value, err)
		}
		return &rule{op: opScalar, scalar: scalar{kind: source.String, literal: &s}, want: strconv.Quote(s)}, nil
	case *ast.UnaryExpr:
		return unary(x)
	case *ast.BinaryExpr:
		return g.binary(x)
	case *ast.StructLit:
		return g.structure(x)
	case *ast.ListLit:
		return g.list(x)
	}
	return nil, fmt.Errorf("%T is not understood", x)
}

func (g *grammar) ident(name string) (*rule, error) {
	if def, ok := strings.CutPrefix(name, "#"); ok {
		return g.definition(def)
	}
	switch name {
	case "_":
		return &rule{op: opAny, want: "a value"}, nil
	case "string":
		return &rule{op: opScalar, scalar: scalar{kind: source.String}, want: "a text"}, nil
	case "bool":
		return &rule{op: opScalar, scalar: scalar{kind: source.Bool}, want: "true or false"}, nil
	case "number":
		return &rule{op: opScalar, scalar: scalar{kind: source.Number}, want: "a number"}, nil
	case "int":
		return &rule{op: opScalar, scalar: scalar{kind: source.Number, whole: true}, want: "a whole number"}, nil
	}
	return nil, fmt.Errorf("%s is not understood", name)
}

func unary(x *ast.UnaryExpr) (*rule, error) {
	lit, ok := x.X.(*ast.BasicLit)
	if !ok {
		return nil, fmt.Errorf("%s wants a literal", x.Op)
	}
	if x.Op == token.MAT {
		re, err := regular(lit)
		return &rule{op: opScalar, scalar: scalar{kind: source.String, re: re}, want: "a text of the right form"}, err
	}
	limit, err := strconv.ParseFloat(lit.Value, 64)
	if err != nil || !slices.Contains([]token.Token{token.GEQ, token.LEQ, token.GTR, token.LSS}, x.Op) {
		return nil, fmt.Errorf("%s %s is not understood", x.Op, lit.Value)
	}
	return &rule{op: opScalar, scalar: scalar{kind: source.Number, bounds: []bound{{x.Op.String(), limit}}}, want: "a number"}, nil
}

func regular(lit *ast.BasicLit) (*regexp.Regexp, error) {
	s, err := literal.Unquote(lit.Value)
	if err != nil {
		return nil, fmt.Errorf("pattern %s: %w", lit.Value, err)
	}
	return regexp.Compile(s)
}

func (g *grammar) binary(x *ast.BinaryExpr) (*rule, error) {
	a, err := g.expr(x.X)
	if err != nil {
		return nil, err
	}
	b, err := g.expr(x.Y)
	if err != nil {
		return nil, err
	}
	switch {
	case x.Op == token.OR:
		return either(a, b), nil
	case x.Op == token.AND && a.op != opMap && b.op != opMap: // CUE would close both maps: embed instead
		return both(a, b)
	}
	return nil, fmt.Errorf("operator %s is not understood", x.Op)
}

// either returns the rule for a or b, flat when they have no names of their own.
func either(a, b *rule) *rule {
	r := &rule{op: opOr, texts: a.texts || b.texts}
	for _, x := range []*rule{a, b} {
		if x.op == opOr && x.name == "" {
			r.alts = append(r.alts, x.alts...)
		} else {
			r.alts = append(r.alts, x)
		}
	}
	wants := make([]string, len(r.alts))
	for i, x := range r.alts {
		wants[i] = x.want
	}
	r.want = listWords(wants, "or")
	return r
}

var errMeet = errors.New("operands of & do not meet")

// both returns the rule that a and b say together.
func both(a, b *rule) (*rule, error) {
	switch {
	case a.op == opAny:
		return b, nil
	case b.op == opAny:
		return a, nil
	case a.op == opScalar && b.op == opScalar && a.kind == b.kind:
		return bothScalars(a, b), nil
	case a.op == opMap && b.op == opMap:
		return bothMaps(a, b)
	}
	return nil, errMeet
}

func bothScalars(a, b *rule) *rule {
	r := *a
	r.whole = a.whole || b.whole
	r.bounds = slices.Concat(a.bounds, b.bounds)
	if b.re != nil {
		r.re = b.re
	}
	if b.literal != nil {
		r.literal = b.literal
	}
	return &r
}

// bothMaps joins two maps as an embedding does: what either allows is allowed.
func bothMaps(a, b *rule) (*rule, error) {
	r := &rule{op: opMap, doc: a.doc, want: a.want, open: a.open || b.open, texts: a.texts || b.texts}
	r.fields, r.patterns = slices.Clone(a.fields), slices.Clone(a.patterns)
	r.setIndex()
	for _, f := range b.fields {
		i, there := r.index[f.name]
		if !there {
			r.fields = append(r.fields, f)
			continue
		}
		old := &r.fields[i]
		joined, err := both(old.rule, f.rule)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.name, err)
		}
		old.rule, old.required = joined, old.required || f.required
	}
	for _, p := range b.patterns {
		i := slices.IndexFunc(r.patterns, func(q pattern) bool { return q.re.String() == p.re.String() })
		if i < 0 {
			r.patterns = append(r.patterns, p)
			continue
		}
		joined, err := both(r.patterns[i].rule, p.rule)
		if err != nil {
			return nil, fmt.Errorf("pattern %s: %w", p.re, err)
		}
		r.patterns[i].rule = joined
	}
	r.setIndex()
	return r, nil
}

func (r *rule) setIndex() {
	r.index = make(map[string]int, len(r.fields))
	for i, f := range r.fields {
		r.index[f.name] = i
	}
}

func comment(n ast.Node) string {
	var lines []string
	for _, group := range ast.Comments(n) {
		if !group.Doc {
			continue
		}
		for _, c := range group.List {
			lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), " "))
		}
	}
	return strings.Join(lines, "\n")
}

// attribute returns the body of @key(…), without quotes.
func attribute(f *ast.Field, key string) string {
	for _, a := range f.Attrs {
		k, body := a.Split()
		if k != key {
			continue
		}
		if s, err := strconv.Unquote(body); err == nil {
			return s
		}
		return body
	}
	return ""
}

func hasAttribute(f *ast.Field, key string) bool {
	return slices.ContainsFunc(f.Attrs, func(a *ast.Attribute) bool {
		k, _ := a.Split()
		return k == key
	})
}
