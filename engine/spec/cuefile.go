package spec

import (
	"slices"
	"strconv"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// purePackages are CUE's own packages that only compute, and compute little.
var purePackages = []string{
	"crypto/md5", "crypto/sha1", "crypto/sha256", "crypto/sha512", "encoding/base64", "encoding/hex", "encoding/json",
	"list", "math", "math/bits", "net", "path", "regexp", "strconv", "strings", "struct", "time", "uuid",
}

// ownFields of an imported spec do not count in the spec that imports it.
var ownFields = []string{"name", "version", "description", "default_profile", "imports"}

// parseCUE returns the syntax of a .cue file, nil after findings.
func (l *loader) parseCUE(t *text) *ast.File {
	f, err := parser.ParseFile(t.file, t.data)
	if err != nil {
		l.cueErrors(err, nil)
		return nil
	}
	ok := true
	for imp := range f.ImportSpecs() {
		name, err := strconv.Unquote(imp.Path.Value)
		if err == nil && slices.Contains(purePackages, name) {
			continue
		}
		ok = false
		l.list.Add(ruleImport.At(l.cuePos(imp.Path.Pos()), "a spec cannot import the CUE package %s", imp.Path.Value).
			WithHint("Use only CUE's own packages that compute, such as strings and list."))
	}
	ast.Walk(f, func(n ast.Node) bool {
		if a, is := n.(*ast.Attribute); is && slices.Contains([]string{"extern", "embed", "inject"}, a.Name()) {
			ok = false
			l.list.Add(ruleImport.At(l.cuePos(a.Pos()), "a spec cannot use the CUE attribute @%s", a.Name()).
				WithHint("Delete it; include texts with {file: path}."))
		}
		return true
	}, nil)
	if !ok {
		return nil
	}
	return f
}

// decls returns the declarations of a file, in a package of our own, so that files
// see each other's fields whatever their package clauses say.
func decls(f *ast.File, drop []string) []ast.Decl {
	out := []ast.Decl{&ast.Package{Name: ast.NewIdent("spec")}}
	for _, d := range f.Decls {
		if _, ok := d.(*ast.Package); ok {
			continue
		}
		if field, ok := d.(*ast.Field); ok && slices.Contains(drop, labelName(field.Label)) {
			continue
		}
		out = append(out, d)
	}
	return out
}

// readCUE parses the .cue files of a part and returns what they import.
func (l *loader) readCUE(p *part, imported bool) []*source.Value {
	var imports []*source.Value
	for _, t := range p.texts {
		f := l.parseCUE(t)
		if f == nil {
			continue
		}
		imports = append(imports, l.cueImports(f)...)
		if imported {
			f.Decls = decls(f, ownFields)
		} else {
			f.Decls = decls(f, nil)
		}
		p.cue = append(p.cue, f)
	}
	return imports
}

// cueImports returns the imports of a .cue file. They must be literals: they are
// needed before anything is evaluated.
func (l *loader) cueImports(f *ast.File) []*source.Value {
	var out []*source.Value
	for _, d := range f.Decls {
		field, ok := d.(*ast.Field)
		if !ok || labelName(field.Label) != "imports" {
			continue
		}
		list, ok := field.Value.(*ast.ListLit)
		if !ok {
			l.list.Add(ruleImport.At(l.cuePos(field.Value.Pos()), "imports must be a list of literal texts").WithHint("Write imports: [\"../common\"]."))
			continue
		}
		for _, e := range list.Elts {
			lit, ok := e.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				l.list.Add(ruleImport.At(l.cuePos(e.Pos()), "imports must be a list of literal texts").WithHint("Write imports: [\"../common\"]."))
				continue
			}
			text, err := literal.Unquote(lit.Value)
			if err == nil {
				out = append(out, &source.Value{Kind: source.String, Text: text, Pos: l.cuePos(lit.Pos())})
			}
		}
	}
	return out
}

// build evaluates the CUE files of all parts together; files of one part see each
// other's fields. Errors are in the value.
func (l *loader) build(ctx *cue.Context) (cue.Value, bool) {
	v := ctx.CompileString("{}")
	for _, p := range l.parts {
		if len(p.cue) == 0 {
			continue
		}
		inst := build.NewContext().NewInstance("", nil)
		for _, f := range p.cue {
			if err := inst.AddSyntax(f); err != nil {
				l.cueErrors(err, nil)
				return v, false
			}
		}
		next := ctx.BuildInstance(inst)
		if err := next.Err(); err != nil {
			l.cueErrors(next.Validate(), nil)
			return v, false
		}
		v = v.Unify(next)
	}
	return v, true
}

// evaluate unifies the CUE files with the plain data and returns the result as plain
// data, with the profile applied. After findings it returns what is known: the plain data.
func (l *loader) evaluate(data *source.Value, opts Options, s *Spec) (root *source.Value) {
	if l.list.HasErrors() || len(l.later) > 0 {
		return data // what the files say is not known
	}
	defer func() {
		if p := recover(); p != nil { // the evaluator is not ours: no input may end the process
			l.list.Add(ruleSyntax.At(diag.Pos{File: s.Dir}, "the CUE files cannot be evaluated: %v", p))
			root = nil
		}
	}()
	if !l.light(data) {
		return data
	}
	ctx := cuecontext.New()
	v, ok := l.build(ctx)
	if !ok {
		return data
	}
	if data != nil {
		v = v.Unify(ctx.BuildExpr(syntax(data)))
	}
	plain := l.profileNames(v, data)
	if profile := l.chooseProfile(plain, opts, s); profile != nil {
		v = v.Unify(v.LookupPath(cue.MakePath(cue.Str("profiles"), cue.Str(s.Profile))))
		if data != nil {
			data = unify(data, data.Get("profiles").Get(s.Profile), &diag.List{}) // for positions: CUE finds the conflicts
		}
	}
	if err := v.Validate(cue.Concrete(true)); err != nil {
		l.cueErrors(err, data)
		return data
	}
	return l.export(v, data)
}

// profileNames returns what chooseProfile needs to know of v: profiles without their content.
func (l *loader) profileNames(v cue.Value, twin *source.Value) *source.Value {
	out := &source.Value{Kind: source.Map}
	if d := v.LookupPath(cue.ParsePath("default_profile")); d.Kind() == cue.StringKind {
		out.Fields = append(out.Fields, source.Field{Key: "default_profile", Value: l.export(d, twin.Get("default_profile"))})
	}
	it, err := v.LookupPath(cue.ParsePath("profiles")).Fields()
	if err != nil {
		return out
	}
	profiles := &source.Value{Kind: source.Map}
	for it.Next() {
		profiles.Fields = append(profiles.Fields, source.Field{Key: it.Selector().Unquoted(), Value: &source.Value{Kind: source.Map}})
	}
	out.Fields = append(out.Fields, source.Field{Key: "profiles", Value: profiles})
	return out
}

// syntax returns plain data as CUE.
func syntax(v *source.Value) ast.Expr {
	switch v.Kind {
	case source.Bool:
		return ast.NewBool(v.Bool)
	case source.Number:
		return number(v.Text)
	case source.String:
		return &ast.BasicLit{Kind: token.STRING, Value: literal.String.Quote(v.Text)}
	case source.List:
		out := &ast.ListLit{Elts: make([]ast.Expr, len(v.Items))}
		for i, item := range v.Items {
			out.Elts[i] = syntax(item)
		}
		return out
	case source.Map:
		out := &ast.StructLit{Elts: make([]ast.Decl, len(v.Fields))}
		for i, f := range v.Fields {
			out.Elts[i] = &ast.Field{Label: ast.NewStringLabel(f.Key), Value: syntax(f.Value)}
		}
		return out
	case source.Null:
	}
	return ast.NewNull()
}

func number(text string) ast.Expr {
	kind := token.FLOAT
	if isWhole(text) {
		kind = token.INT
	}
	if text != "" && text[0] == '-' {
		return &ast.UnaryExpr{Op: token.SUB, X: &ast.BasicLit{Kind: kind, Value: text[1:]}}
	}
	return &ast.BasicLit{Kind: kind, Value: text}
}

// cuePos translates a position of CUE. The end of a file lies behind its last line there.
func (l *loader) cuePos(p token.Pos) diag.Pos {
	t := l.texts[p.Filename()]
	if t == nil {
		return diag.Pos{}
	}
	return t.within(diag.Pos{File: t.file, Line: p.Line(), Col: p.Column()})
}
