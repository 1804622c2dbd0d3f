package expr

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/expr-lang/expr/ast"

	"github.com/weft-engine/weft/engine/shape"
)

type arithmetic func(m *machine, a, b any) (any, error)

var arithmetics = map[string]arithmetic{
	"+": (*machine).add, "-": (*machine).subtract, "*": (*machine).multiply, "/": (*machine).divide,
	"%": (*machine).modulo, "**": (*machine).power, "^": (*machine).power,
}

func (c *lowering) arithmetic(n *ast.BinaryNode, l, r operand) operand {
	t := arithmeticType(n.Operator, kindOf(l.typ), kindOf(r.typ))
	if t == nil {
		c.mismatch(n, l, r, arithmeticHint(n.Operator, kindOf(l.typ), kindOf(r.typ)))
		t = anyType
	}
	f, ok := arithmetics[n.Operator]
	if !ok {
		c.report(ruleSyntax, n.Location().From, fmt.Sprintf("unknown operator %q", n.Operator), "")
		return nothing(l.from, r.to)
	}
	op := c.derive(t, l, r)
	a, b, at, what := l.eval, r.eval, n.Location().From, c.both(l, r)
	op.eval = func(m *machine) (any, error) {
		x, err := a(m)
		if err != nil {
			return nil, err
		}
		y, err := b(m)
		if err != nil {
			return nil, err
		}
		v, err := f(m, x, y)
		if err != nil {
			return nil, blame(at, what, err)
		}
		return v, nil
	}
	return op
}

// arithmeticType returns the type of a result, nil when the operator does not work.
func arithmeticType(operator string, l, r shape.Kind) *shape.Type {
	switch {
	case l == shape.Any && r == shape.Any:
		return unknownResult(operator)
	case operator == "%":
		if (l == shape.Int || l == shape.Any) && (r == shape.Int || r == shape.Any) {
			return intType
		}
	case l == shape.Any:
		return halfKnown(operator, r)
	case r == shape.Any:
		return halfKnown(operator, l)
	case isNumeric(l) && isNumeric(r):
		if l == shape.Int && r == shape.Int && (operator == "+" || operator == "-" || operator == "*") {
			return intType
		}
		return numberType
	case operator == "+" && l == shape.String && r == shape.String:
		return stringType
	}
	return timeArithmetic(operator, l, r)
}

func unknownResult(operator string) *shape.Type {
	switch operator {
	case "/", "**", "^":
		return numberType
	case "%":
		return intType
	}
	return anyType
}

// halfKnown is the type of a result when only one side is known, of kind k.
func halfKnown(operator string, k shape.Kind) *shape.Type {
	switch {
	case operator == "+" && k == shape.String:
		return stringType
	case k == shape.Number && operator != "*":
		return numberType
	case isNumeric(k):
		return unknownResult(operator)
	case k == shape.Time && (operator == "+" || operator == "-"),
		k == shape.Duration && (operator == "+" || operator == "-" || operator == "*"):
		return anyType
	}
	return nil
}

func timeArithmetic(operator string, l, r shape.Kind) *shape.Type {
	switch {
	case operator == "-" && l == shape.Time && r == shape.Time,
		(operator == "-" || operator == "+") && l == shape.Duration && r == shape.Duration,
		operator == "*" && l == shape.Duration && isNumeric(r),
		operator == "*" && isNumeric(l) && r == shape.Duration:
		return durationType
	case (operator == "+" || operator == "-") && l == shape.Time && r == shape.Duration,
		operator == "+" && l == shape.Duration && r == shape.Time:
		return timeType
	}
	return nil
}

func arithmeticHint(operator string, l, r shape.Kind) string {
	switch {
	case operator == "+" && l == shape.List && r == shape.List:
		return "Join lists with concat(a, b)."
	case operator == "+" && l == shape.Object && r == shape.Object:
		return "Join objects with merge(a, b)."
	case operator == "+" && (l == shape.String || r == shape.String):
		return "Convert the other side with string(…), or use a template."
	case operator == "%":
		return "Give integers on both sides."
	}
	return kindHint(l, r)
}

func (c *lowering) unary(n *ast.UnaryNode) operand {
	op := c.lower(n.Node)
	at := n.Location().From
	if n.Operator == "!" || n.Operator == "not" {
		c.wantBool(op, n.Operator)
		test := c.condition(op)
		out := c.truth(func(m *machine) (bool, error) {
			v, err := test(m)
			return !v && err == nil, err
		}, op)
		out.from = min(at, op.from)
		return out
	}
	k := kindOf(op.typ)
	t := map[shape.Kind]*shape.Type{shape.Int: intType, shape.Number: numberType, shape.Duration: durationType, shape.Any: anyType}[k]
	if t == nil {
		c.report(ruleType, at, fmt.Sprintf("%s does not work on %s: %s", n.Operator, describe(op.typ), c.show(op)), "Give a number.")
		t = anyType
	}
	out := c.derive(t, op)
	out.from = min(at, op.from)
	run, what, negate := op.eval, c.show(op), n.Operator == "-"
	out.eval = func(m *machine) (any, error) {
		v, err := run(m)
		if err != nil {
			return nil, err
		}
		if kindOfValue(v) == shape.Duration || isNumeric(kindOfValue(v)) {
			if !negate {
				return v, nil
			}
			v, err = m.multiply(v, -1)
			if err != nil {
				return nil, blame(at, what, err)
			}
			return v, nil
		}
		return nil, failAt(at, "%s is %s, not a number", what, describeValue(v))
	}
	return out
}

func (c *lowering) conditional(n *ast.ConditionalNode) operand {
	test := c.lower(n.Cond)
	c.wantBool(test, "the condition")
	l, r := c.lower(n.Exp1), c.lower(n.Exp2)
	op := c.derive(union(l.typ, r.typ), l, r)
	op.from = min(op.from, test.from)
	choose, a, b := c.condition(test), l.eval, r.eval
	op.eval = func(m *machine) (any, error) {
		first, err := choose(m)
		if err != nil {
			return nil, err
		}
		if first {
			return a(m)
		}
		return b(m)
	}
	return op
}

func (c *lowering) array(n *ast.ArrayNode) operand {
	at := n.Location().From
	items, evals := make([]operand, len(n.Nodes)), make([]eval, len(n.Nodes))
	var elem *shape.Type
	constant := true
	for i, node := range n.Nodes {
		items[i] = c.lower(node)
		evals[i] = items[i].eval
		elem = union(elem, items[i].typ)
		constant = constant && items[i].constant
	}
	t := emptyType
	if len(items) > 0 {
		t = listOf(elem)
	}
	op := c.derive(t, items...)
	op.from, op.to = at, max(op.to, at)+1
	if constant {
		op.constant, op.value = true, constants(items)
	}
	op.eval = func(m *machine) (any, error) {
		if err := m.list(len(evals)); err != nil {
			return nil, blame(at, "", err)
		}
		out := make([]any, len(evals))
		for i, run := range evals {
			v, err := run(m)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		return out, nil
	}
	return op
}

func constants(items []operand) []any {
	out := make([]any, len(items))
	for i, op := range items {
		out[i] = op.value
	}
	return out
}

// compilePattern compiles a regular expression; its weight is the size of its program.
func compilePattern(pattern string) (re *regexp.Regexp, weight int, err error) {
	if len(pattern) > maxPattern {
		return nil, 0, fmt.Errorf("the pattern has more than %d bytes: %w", maxPattern, ErrLimit)
	}
	re, err = regexp.Compile(pattern)
	if err != nil {
		if e, ok := errors.AsType[*syntax.Error](err); ok {
			return nil, 0, fmt.Errorf("the pattern cannot be read: %s: %q", e.Code, e.Expr)
		}
		return nil, 0, fmt.Errorf("the pattern cannot be read: %w", err)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, 0, fmt.Errorf("the pattern cannot be read: %w", err)
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, 0, fmt.Errorf("the pattern cannot be read: %w", err)
	}
	return re, len(prog.Inst), nil
}
