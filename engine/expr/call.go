package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
)

// callee is a call of a name or of a method.
func (c *lowering) callee(n *ast.CallNode) operand {
	switch callee := n.Callee.(type) {
	case *ast.IdentifierNode:
		return c.call(callee.Value, n.Arguments, n)
	case *ast.MemberNode:
		if name, ok := callee.Property.(*ast.StringNode); ok {
			return c.method(callee, name.Value, n)
		}
	}
	c.report(ruleUnknownFunction, n.Location().From, "this is no function", "Call a function by its name.")
	return nothing(n.Location().From, n.Location().To)
}

// call is name(args).
func (c *lowering) call(name string, args []ast.Node, n ast.Node) operand {
	at := n.Location().From
	if _, ok := predicates[name]; ok && len(args) > 0 {
		return c.predicate(name, args, at)
	}
	f, ok := functionNamed(name)
	if !ok {
		for _, a := range args {
			c.lower(a)
		}
		c.report(ruleUnknownFunction, at, fmt.Sprintf("unknown function %q", name), functionHint(name))
		return nothing(at, at+len(name))
	}
	operands := make([]operand, len(args))
	for i, a := range args {
		operands[i] = c.lower(a)
	}
	c.checkArguments(f, operands, at)
	op := c.derive(f.resultOf(operands), operands...)
	if f.trusted {
		op = c.derive(f.resultOf(operands))
	}
	op.from, op.to = at, max(op.to, at+len(name)+1)+1
	op.eval = f.caller(operands, at, "`"+c.cut(at, op.to)+"`")
	c.checkLiteral(f, operands)
	if op.fixed = foldable(f) && !slices.ContainsFunc(operands, func(o operand) bool { return !o.fixed }); op.fixed {
		return c.fold(op)
	}
	return op
}

// foldable reports whether calls of f with fixed arguments are computed once: those that
// take data apart or put it together, and build nothing larger than it.
func foldable(f *function) bool {
	return f.Name == "merge" || f.Name == "get" || f.Name == "keys" || f.Name == "values" || f.Name == "default" || f.Name == "len"
}

// replaced names what to use for functions of expr-lang that are not offered.
var replaced = map[string]string{
	"now":      "Use run.now, the time of the step: a replay must see the same.",
	"toJSON":   "Use json(…).",
	"fromJSON": "Use from_json(…).",
	"toPairs":  "Use to_pairs(…).",
	"uniq":     "Use unique(…).",
	"timezone": `Give the zone's name to date(text, layout, "Europe/Berlin") or format_date.`,
}

func functionHint(name string) string {
	if hint, ok := replaced[name]; ok {
		return hint
	}
	if near := diag.Nearest(name, functionNames()); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return "Run `weft explain expr/unknown-function` for what there is."
}

func (c *lowering) checkArguments(f *function, args []operand, at int) {
	least, most := f.arity()
	if len(args) < least || len(args) > most {
		c.report(ruleType, at, fmt.Sprintf("%s is called with %s", f.Name, plural(len(args), "argument")), "Write "+f.Signature+".")
		return
	}
	for i, a := range args {
		p := f.param(i)
		if k := kindOf(a.typ); !p.takes(k) {
			c.report(ruleType, a.from, fmt.Sprintf("%s wants %s for %s, but %s is %s", f.Name, p.describe(), p.name, c.show(a), describe(a.typ)),
				"Write "+f.Signature+".")
		}
	}
}

// readers are functions that read a text of a form: one that is written out can be held
// against it before anything runs.
var readers = []string{"duration", "date"}

// checkLiteral reports a written text that a function cannot read.
func (c *lowering) checkLiteral(f *function, args []operand) {
	if c.lenient || len(args) == 0 || !slices.Contains(readers, f.Name) {
		return
	}
	values := make([]any, len(args))
	for i, a := range args {
		if values[i] = a.value; !a.constant {
			return
		}
	}
	if least, most := f.arity(); len(args) < least || len(args) > most || !f.param(0).takes(kindOf(args[0].typ)) {
		return // that is told
	}
	if _, err := f.invoke(&machine{}, values); err != nil {
		c.report(ruleType, args[0].from, fmt.Sprintf("%s cannot read this: %v", f.Name, err), "Write "+f.Signature+".")
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// caller returns the eval of a call with these arguments.
func (f *function) caller(args []operand, at int, what string) eval {
	evals := make([]eval, len(args))
	for i, a := range args {
		evals[i] = a.eval
	}
	return func(m *machine) (any, error) {
		base := m.push(len(evals))
		defer m.pop(base)
		for i, run := range evals {
			v, err := run(m)
			if err != nil {
				return nil, err
			}
			if v, err = f.param(i).accept(f.Name, v); err != nil {
				return nil, failAt(args[i].from, "%s: %s", what, err)
			}
			m.args[base+i] = v
		}
		v, err := f.invoke(m, m.args[base:len(m.args):len(m.args)])
		if err != nil {
			return nil, blame(at, what, err)
		}
		return v, nil
	}
}

// push makes room for the arguments of a call, which no function keeps, and returns
// where it begins.
func (m *machine) push(n int) int {
	if m.args == nil {
		m.args = make([]any, 0, 4)
	}
	base := len(m.args)
	for range n {
		m.args = append(m.args, nil)
	}
	return base
}

func (m *machine) pop(base int) {
	clear(m.args[base:])
	m.args = m.args[:base]
}

// invoke calls f, and counts what it reads and builds.
func (f *function) invoke(m *machine, args []any) (any, error) {
	if err := m.spend(f.cost + 1); err != nil {
		return nil, err
	}
	for _, a := range args {
		if err := m.weigh(a, m.read); err != nil {
			return nil, err
		}
	}
	v, err := f.call(m, args)
	if err != nil {
		return nil, err
	}
	return v, m.weigh(v, m.grow)
}

func (m *machine) weigh(v any, text func(int) error) error {
	switch v := v.(type) {
	case string:
		return text(len(v))
	case []any:
		return m.spend(len(v) / 8)
	case map[string]any:
		return m.spend(len(v) / 8)
	}
	return nil
}

// method is base.name(args), of times and durations.
func (c *lowering) method(callee *ast.MemberNode, name string, n *ast.CallNode) operand {
	base := c.lower(callee.Node)
	at := n.Location().From
	args := make([]operand, len(n.Arguments))
	for i, a := range n.Arguments {
		args[i] = c.lower(a)
	}
	k := kindOf(base.typ)
	f, ok := methodNamed(k, name)
	if !ok {
		c.report(ruleUnknownFunction, at, fmt.Sprintf("%s has no method %q", c.show(base), name), methodHint(k, name))
		return nothing(base.from, at+len(name))
	}
	if len(args) > 0 {
		c.report(ruleType, at, fmt.Sprintf("%s is called with %s", name, plural(len(args), "argument")), "Write "+name+"().")
	}
	op := c.derive(f.result, base)
	op.to = at + len(name) + 2
	run, what, optional := base.eval, c.show(base), callee.Optional
	op.eval = func(m *machine) (any, error) {
		v, err := run(m)
		if err != nil || skipped(v, optional) {
			return skip(v), err
		}
		f, ok := methodNamed(kindOfValue(v), name)
		if !ok || kindOfValue(v) == shape.Any {
			return nil, failAt(at, "%s is %s, which has no method %q", what, describeValue(v), name)
		}
		return f.call(v), nil
	}
	return op
}

func methodHint(k shape.Kind, name string) string {
	names := methodNames(k)
	if near := diag.Nearest(name, names); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	if slices.Contains(functionNames(), name) {
		return fmt.Sprintf("Call it as a function: %s(…).", name)
	}
	if len(names) == 0 {
		return "Only times and durations have methods; functions are called as name(…)."
	}
	return "It has " + strings.Join(names, ", ") + "."
}
