package expr

import (
	"errors"
	"slices"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Expr is a compiled expression. It is immutable and safe for concurrent use.
type Expr struct {
	snippet
	op      operand
	test    cond
	refs    []Ref
	tainted []Ref
	walk    bool // the result may need to be made plain
	broken  bool
}

// CompileExpr compiles the expression in v, and reports what is wrong with it to list.
// It never returns nil: a broken expression gives an error when it is evaluated. A
// boolean, a number or null stands for itself.
func CompileExpr(v *source.Value, env *Env, list *diag.List) *Expr {
	switch {
	case v == nil:
		list.Add(ruleSyntax.At(diag.Pos{}, "an expression is missing").WithHint("Write an expression."))
		return brokenExpr(v)
	case v.Kind == source.String:
		return (&site{loc: v.Locator(), env: env, list: list}).compile(snippet{v, 0, v.Text})
	case v.Kind == source.List || v.Kind == source.Map:
		list.Add(ruleSyntax.At(v.Pos, "an expression is a string, but this is %s", article(v.Kind.String())).
			WithHint("Write the expression in quotes."))
		return brokenExpr(v)
	}
	return literalExpr(v, v.Go())
}

func literalExpr(src *source.Value, v any) *Expr {
	x := &Expr{snippet: snippet{src: src}, op: operand{typ: typeOfValue(v), constant: true, value: v}}
	x.op.eval = func(*machine) (any, error) { return v, nil }
	x.test = (&lowering{snippet: x.snippet}).condition(x.op)
	return x
}

func brokenExpr(src *source.Value) *Expr {
	x := &Expr{snippet: snippet{src: src}, op: nothing(0, 0), broken: true}
	x.test = func(*machine) (bool, error) { return false, errBroken }
	return x
}

// CompileCondition compiles an expression that must be boolean.
func CompileCondition(v *source.Value, env *Env, list *diag.List) *Expr {
	x := CompileExpr(v, env, list)
	switch kindOf(x.op.typ) {
	case shape.Bool, shape.Any:
	default:
		if !x.broken {
			list.Add(ruleNotBoolean.At(x.pos(x.op.from), "the condition gives %s, not true or false", describe(x.op.typ)).
				WithHint("%s", boolHint(x.op.typ)))
			x.broken = true
		}
	}
	return x
}

// site is where expressions stand: a value, and what is in scope there.
type site struct {
	loc     *source.Locator
	env     *Env
	locals  []local // of the surrounding loops of a template
	list    *diag.List
	lenient bool // of a response
}

func (w *site) compile(s snippet) *Expr {
	x := &Expr{snippet: s}
	c := &lowering{
		snippet: s, loc: w.loc, letters: letterTable(s.text), env: w.env, list: w.list,
		locals: slices.Clip(w.locals), slots: len(w.locals), lenient: w.lenient,
	}
	tree, problem := parse(s.text)
	if problem != nil {
		c.report(problem.rule, problem.at, problem.message, problem.hint)
		x = brokenExpr(s.src)
		x.snippet = s
		return x
	}
	x.op = c.lower(tree)
	x.test = c.condition(x.op)
	x.broken = c.broken
	x.walk = x.op.size == built || c.timesIn(x.op)
	for _, i := range c.sources(x.op) {
		x.tainted = append(x.tainted, c.ref(c.places[i]))
	}
	for _, p := range c.places {
		if !p.local {
			x.refs = append(x.refs, c.ref(p))
		}
	}
	return x
}

func (c *lowering) ref(p place) Ref { return Ref{Path: p.path, Pos: c.pos(p.at)} }

// Eval evaluates the expression on the values of the names in scope, which are plain
// data; a name of type time may also be a time.Time. The result is plain data: a time
// is RFC 3339 text, a duration is text such as 1h30m. Errors are of type *Error.
func (x *Expr) Eval(scope map[string]any) (any, error) {
	return x.run(&machine{scope: scope})
}

func (x *Expr) run(m *machine) (any, error) {
	v, err := x.raw(m)
	if err != nil {
		return nil, err
	}
	if !x.walk {
		return plainScalar(v), nil
	}
	v, err = m.plain(v, 0)
	if err != nil {
		return nil, x.locate(blame(x.op.from, "", errTooBig))
	}
	return v, nil
}

// raw evaluates without making the result plain.
func (x *Expr) raw(m *machine) (any, error) {
	if x.broken {
		return nil, x.locate(errBroken)
	}
	v, err := x.op.eval(m)
	if err != nil {
		return nil, x.locate(err)
	}
	return v, nil
}

// locate makes an *Error of an error of the evaluation.
func (x *Expr) locate(err error) error {
	if _, done := errors.AsType[*Error](err); done {
		return err
	}
	f, ok := errors.AsType[*fault](err)
	if !ok {
		f = &fault{at: x.op.from, message: err.Error(), cause: err}
	}
	return &Error{Pos: x.pos(f.at), Message: f.message, cause: f.cause}
}

// Bool evaluates a condition. Null is false; what is neither true nor false is an error.
func (x *Expr) Bool(scope map[string]any) (bool, error) {
	return x.check(&machine{scope: scope})
}

func (x *Expr) check(m *machine) (bool, error) {
	if x.broken {
		return false, x.locate(errBroken)
	}
	ok, err := x.test(m)
	if err != nil {
		return false, x.locate(err)
	}
	return ok, nil
}

// Type returns the static type of the result; never nil.
func (x *Expr) Type() *shape.Type { return x.op.typ }

// Refs returns the names that are read from the environment, in the order written.
func (x *Expr) Refs() []Ref { return x.refs }

// Untrusted returns the places of text from outside that the result contains.
func (x *Expr) Untrusted() []Ref { return x.tainted }

// typeOfValue returns the type of a constant.
func typeOfValue(v any) *shape.Type {
	switch v := canonical(v).(type) {
	case nil:
		return nullType
	case bool:
		return boolType
	case int:
		return &shape.Type{Kind: shape.Int, Enum: []any{v}}
	case float64:
		return numberType
	case string:
		return &shape.Type{Kind: shape.String, Enum: []any{v}}
	case []any:
		var elem *shape.Type
		for _, item := range v {
			elem = union(elem, typeOfValue(item))
		}
		return listOf(elem)
	case map[string]any:
		t := &shape.Type{Kind: shape.Object, Fields: make(map[string]*shape.Type, len(v))}
		for k, f := range v {
			t.Fields[k] = typeOfValue(f)
		}
		return t
	default:
		return &shape.Type{Kind: kindOfValue(v)}
	}
}
