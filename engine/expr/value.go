package expr

import (
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Value is a compiled tree of data whose strings are templates. It is immutable and
// safe for concurrent use.
type Value struct {
	form    form
	data    any      // constant
	whole   *Expr    // one
	pieces  []piece  // many
	guess   int      // many: bytes to begin with
	keys    []string // fields
	items   []*Value // fields, list
	typ     *shape.Type
	refs    []Ref
	tainted []Ref
	parts   []string // names of the templates that are included
	src     *source.Value
	broken  bool
}

// form says which of its fields a Value uses.
type form uint8

const (
	constant form = iota
	one           // a string that is one {{ … }}
	many          // a string with tags
	elements      // a list
	fields        // a map
)

// CompileValue compiles the templates in a tree of data, and reports what is wrong with
// them to list. A string that is exactly one {{ … }} keeps the type of its value; the line ends
// that a block of YAML puts around it do not count. It never returns nil; a nil v is the constant null.
func CompileValue(v *source.Value, env *Env, list *diag.List) *Value {
	if v == nil {
		return Literal(nil)
	}
	x := &Value{src: v}
	switch v.Kind {
	case source.String:
		return compileString(v, env, list, wholeValue)
	case source.List:
		x.form = elements
		var elem *shape.Type
		for _, item := range v.Items {
			child := CompileValue(item, env, list)
			elem = union(elem, child.typ)
			x.adopt(child)
		}
		x.typ = listOf(elem)
	case source.Map:
		x.form = fields
		x.typ = &shape.Type{Kind: shape.Object, Fields: make(map[string]*shape.Type, len(v.Fields))}
		for _, f := range v.Fields {
			child := CompileValue(f.Value, env, list)
			x.typ.Fields[f.Key] = child.typ
			x.keys = append(x.keys, f.Key)
			x.adopt(child)
		}
	default:
		x = Literal(v.Go())
		x.src = v
		return x
	}
	return x.simplify()
}

// adopt takes in a child of a list or map.
func (x *Value) adopt(child *Value) {
	x.items = append(x.items, child)
	x.refs = append(x.refs, child.refs...)
	x.tainted = append(x.tainted, child.tainted...)
	x.parts = append(x.parts, child.parts...)
}

// simplify makes a tree of constants a constant.
func (x *Value) simplify() *Value {
	for _, item := range x.items {
		if item.form != constant {
			return x
		}
	}
	data, err := x.eval(&machine{})
	if err != nil {
		return x
	}
	return &Value{data: data, typ: x.typ, src: x.src}
}

// CompileText compiles a template that is always rendered to text, such as a prompt.
// A nil v is the empty text.
func CompileText(v *source.Value, env *Env, list *diag.List) *Value {
	switch {
	case v == nil:
		return Literal("")
	case v.Kind == source.String:
		return compileString(v, env, list, alwaysText)
	case v.Kind == source.List || v.Kind == source.Map:
		list.Add(ruleText.At(v.Pos, "a text is wanted, but this is %s", article(v.Kind.String())).WithHint("Write a text."))
		return &Value{form: many, broken: true, typ: stringType, src: v}
	}
	s, err := new(machine).textOf(v.Go())
	if err != nil {
		s = v.Text
	}
	x := Literal(s)
	x.src = v
	return x
}

// Literal returns a Value that is always v.
func Literal(v any) *Value { return &Value{data: v, typ: typeOfValue(v)} }

// kept says what becomes of a string with tags.
type kept uint8

const (
	wholeValue   kept = iota // one that is exactly one {{ … }} keeps the type of its value
	alwaysText               // it is rendered
	responseText             // it is rendered for people
)

func compileString(v *source.Value, env *Env, list *diag.List, as kept) *Value {
	x := &Value{src: v, typ: stringType}
	tags, problem := scanTags(v.Text)
	if len(tags) == 0 && problem == nil {
		x.data, x.typ = v.Text, typeOfValue(v.Text)
		return x
	}
	if len(v.Text) > maxTemplate {
		list.Add(ruleTooLarge.At(v.Pos, "the template has more than %d KiB", maxTemplate>>10).WithHint("Split it into several templates."))
		x.form, x.broken = many, true
		return x
	}
	where := site{loc: v.Locator(), env: env, list: list, lenient: as == responseText}
	if as == wholeValue && isWhole(v.Text, tags) && problem == nil {
		x.form = one
		x.whole = where.compile(snippet{v, tags[0].from, v.Text[tags[0].from:tags[0].to]})
		x.typ, x.refs, x.tainted, x.broken = x.whole.Type(), x.whole.refs, x.whole.tainted, x.whole.broken
		return x
	}
	b := &builder{site: where, src: v, text: v.Text, tags: tags}
	if problem != nil {
		b.broken = true
		list.Add(problem.rule.At(v.At(problem.at), "%s", problem.message).WithHint("%s", problem.hint))
	}
	x.form, x.pieces, x.guess = many, b.template(), len(v.Text)+256
	x.refs, x.tainted, x.broken, x.parts = b.refs, b.tainted, b.broken, b.parts
	x.typ = untrustedIf(len(b.tainted) > 0, stringType)
	return x
}

func isWhole(text string, tags []tag) bool {
	return len(tags) == 1 && tags[0].kind == '{' && strings.Trim(text[:tags[0].start]+text[tags[0].end:], "\n") == ""
}

// Eval evaluates the templates on the values of the names in scope; see Expr.Eval.
func (x *Value) Eval(scope map[string]any) (any, error) {
	if x.form == constant {
		return x.data, nil
	}
	return x.eval(&machine{scope: scope})
}

func (x *Value) eval(m *machine) (any, error) {
	switch x.form {
	case one:
		return x.whole.run(m)
	case many:
		return x.render(m)
	case elements:
		out := make([]any, len(x.items))
		for i, item := range x.items {
			v, err := item.eval(m)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	case fields:
		out := make(map[string]any, len(x.items))
		for i, item := range x.items {
			v, err := item.eval(m)
			if err != nil {
				return nil, err
			}
			out[x.keys[i]] = v
		}
		return out, nil
	case constant:
	}
	return x.data, nil
}

func (x *Value) render(m *machine) (string, error) {
	return x.renderTo(m, &writer{buf: make([]byte, 0, x.guess)})
}

// renderTo renders into a writer that is new but for its memory.
func (x *Value) renderTo(m *machine, w *writer) (string, error) {
	if x.broken {
		return "", &Error{Pos: x.src.At(0), Message: "the template has errors", cause: errBroken}
	}
	if err := write(x.pieces, m, w); err != nil {
		return "", err
	}
	w.finish()
	if err := m.grow(len(w.buf)); err != nil {
		return "", &Error{Pos: x.src.At(0), Message: err.Error(), cause: err}
	}
	return string(w.buf), nil
}

// String evaluates and renders text: null is empty, lists and maps are compact JSON.
func (x *Value) String(scope map[string]any) (string, error) {
	m := &machine{scope: scope}
	v, err := x.eval(m)
	if err != nil {
		return "", err
	}
	s, err := m.textOf(canonical(v))
	if err != nil {
		return "", &Error{Pos: x.src.At(0), Message: err.Error(), cause: err}
	}
	return s, nil
}

// Constant returns the value when it is the same for every scope.
func (x *Value) Constant() (v any, ok bool) { return x.data, x.form == constant }

// Type returns the static type of what Eval returns; never nil.
func (x *Value) Type() *shape.Type { return x.typ }

// Refs returns the names that are read from the environment, in the order written.
func (x *Value) Refs() []Ref { return x.refs }

// Untrusted returns the places where text from outside is inserted, directly or through
// functions, without fence.
func (x *Value) Untrusted() []Ref { return x.tainted }

// Includes returns the names of the templates that are included, directly or by others.
func (x *Value) Includes() []string { return x.parts }
