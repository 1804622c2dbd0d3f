package expr

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
)

func (c *lowering) binary(n *ast.BinaryNode) operand {
	l, r := c.lower(n.Left), c.lower(n.Right)
	switch n.Operator {
	case "==", "!=":
		return c.equality(n, l, r)
	case "and", "&&", "or", "||":
		return c.logic(n, l, r)
	case "<", ">", "<=", ">=":
		return c.ordering(n, l, r)
	case "in":
		return c.in(n, l, r)
	case "matches":
		return c.matches(n, l, r)
	case "contains":
		return c.textual(n, l, r, strings.Contains)
	case "startsWith":
		return c.textual(n, l, r, strings.HasPrefix)
	case "endsWith":
		return c.textual(n, l, r, strings.HasSuffix)
	case "??":
		return c.coalesce(l, r)
	case "..":
		return c.span(n, l, r)
	}
	return c.arithmetic(n, l, r)
}

// mismatch reports an operator between types that it does not work on.
func (c *lowering) mismatch(n *ast.BinaryNode, l, r operand, hint string) {
	c.report(ruleType, n.Location().From, fmt.Sprintf("%s does not work on %s and %s: %s, %s", n.Operator,
		describe(l.typ), describe(r.typ), c.show(l), c.show(r)), hint)
}

func (c *lowering) logic(n *ast.BinaryNode, l, r operand) operand {
	c.wantBool(l, n.Operator)
	c.wantBool(r, n.Operator)
	a, b := c.condition(l), c.condition(r)
	if n.Operator == "or" || n.Operator == "||" {
		return c.truth(func(m *machine) (bool, error) {
			if v, err := a(m); v || err != nil {
				return v, err
			}
			return b(m)
		}, l, r)
	}
	return c.truth(func(m *machine) (bool, error) {
		if v, err := a(m); !v || err != nil {
			return false, err
		}
		return b(m)
	}, l, r)
}

func (c *lowering) equality(n *ast.BinaryNode, l, r operand) operand {
	c.checkEqual(n.Location().From, n.Operator, l, r)
	want := n.Operator == "=="
	if l.constant && !r.constant {
		l, r = r, l
	}
	a, b := l.eval, r.eval
	if text, ok := r.value.(string); ok && r.constant {
		return c.truth(func(m *machine) (bool, error) {
			v, err := a(m)
			s, ok := v.(string)
			return (ok && s == text) == want && err == nil, err
		}, l, r)
	}
	return c.truth(func(m *machine) (bool, error) {
		x, err := a(m)
		if err != nil {
			return false, err
		}
		y, err := b(m)
		if err != nil {
			return false, err
		}
		same, err := m.equal(x, y, 0)
		return same == want && err == nil, err
	}, l, r)
}

// checkEqual reports two values that can never be equal.
func (c *lowering) checkEqual(at int, operator string, l, r operand) {
	kl, kr := kindOf(l.typ), kindOf(r.typ)
	switch {
	case kl == shape.Null || kr == shape.Null:
		return
	case len(l.typ.Enum) > 0 && len(r.typ.Enum) > 0 && (!l.constant || !r.constant):
		c.checkEnum(at, l, r)
		return
	case kl == shape.Any || kr == shape.Any || kl == kr || isNumeric(kl) && isNumeric(kr):
		return
	}
	c.report(ruleType, at, fmt.Sprintf("%s compares %s with %s, which are never equal: %s, %s", operator,
		describe(l.typ), describe(r.typ), c.show(l), c.show(r)), kindHint(kl, kr))
}

func kindHint(a, b shape.Kind) string {
	has := func(k shape.Kind) bool { return a == k || b == k }
	switch {
	case has(shape.Time) && has(shape.String):
		return "Make a time of the text with date(…)."
	case has(shape.Duration):
		return `Write durations as duration("24h").`
	case has(shape.String) && (has(shape.Int) || has(shape.Number)):
		return "Convert one side with string(…), int(…) or float(…)."
	case has(shape.List):
		return "Compare an item or the length, or use in."
	}
	return "Correct one of the two sides."
}

// checkEnum reports two values of limited types that have no value in common.
func (c *lowering) checkEnum(at int, l, r operand) {
	for _, v := range l.typ.Enum {
		if hasValue(r.typ.Enum, v) {
			return
		}
	}
	if l.constant {
		l, r = r, l
	}
	if !r.constant {
		c.report(ruleEnum, at, fmt.Sprintf("%s and %s have no value in common", c.show(l), c.show(r)),
			fmt.Sprintf("The one can be %s, the other %s.", listValues(l.typ.Enum), listValues(r.typ.Enum)))
		return
	}
	c.report(ruleEnum, r.from, fmt.Sprintf("%s is never %s", c.show(l), inspect(r.value)), enumHint(r.value, l.typ.Enum))
}

func enumHint(v any, enum []any) string {
	var words []string
	for _, e := range enum {
		if s, ok := e.(string); ok {
			words = append(words, s)
		}
	}
	if s, ok := v.(string); ok {
		if near := diag.Nearest(s, words); near != "" {
			return fmt.Sprintf("Did you mean %q?", near)
		}
	}
	return "It can be " + listValues(enum) + "."
}

func listValues(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = inspect(v)
	}
	return enumerate(words)
}

func (c *lowering) ordering(n *ast.BinaryNode, l, r operand) operand {
	kl, kr := kindOf(l.typ), kindOf(r.typ)
	fits := isNumeric(kl) && isNumeric(kr) || kl == kr && isOrdered(kl) ||
		kl == shape.Any && (isOrdered(kr) || kr == shape.Any) || kr == shape.Any && isOrdered(kl)
	if !fits {
		c.mismatch(n, l, r, kindHint(kl, kr))
	}
	a, b, at, what, holds := l.eval, r.eval, n.Location().From, c.both(l, r), comparisons[n.Operator]
	return c.truth(func(m *machine) (bool, error) {
		x, err := a(m)
		if err != nil {
			return false, err
		}
		y, err := b(m)
		if err != nil {
			return false, err
		}
		if i, ok := x.(int); ok {
			if j, ok := y.(int); ok {
				return holds(order(i, j)), nil
			}
		}
		cmp, err := compare(x, y)
		if err != nil {
			return false, blame(at, what, err)
		}
		return holds(cmp), nil
	}, l, r)
}

var comparisons = map[string]func(int) bool{
	"<":  func(c int) bool { return c < 0 },
	">":  func(c int) bool { return c > 0 },
	"<=": func(c int) bool { return c <= 0 },
	">=": func(c int) bool { return c >= 0 },
}

func isOrdered(k shape.Kind) bool {
	return isNumeric(k) || k == shape.String || k == shape.Time || k == shape.Duration
}

// both quotes an operator with its sides.
func (c *lowering) both(l, r operand) string {
	return "`" + c.cut(min(l.from, r.from), max(l.to, r.to)) + "`"
}

func (c *lowering) in(n *ast.BinaryNode, l, r operand) operand {
	kl, kr := kindOf(l.typ), kindOf(r.typ)
	switch kr {
	case shape.Any, shape.Null:
	case shape.List:
		c.checkIn(n, l, r)
	case shape.Object:
		if kl != shape.String && kl != shape.Any {
			c.mismatch(n, l, r, "The names of an object's fields are strings.")
		}
	case shape.String:
		c.mismatch(n, l, r, "Use contains to look into a string.")
	default:
		c.mismatch(n, l, r, "Give a list or an object on the right side.")
	}
	a, b, at, what := l.eval, r.eval, n.Location().From, c.both(l, r)
	if r.constant {
		list, _ := r.value.([]any)
		b = func(*machine) (any, error) { return list, nil }
	}
	return c.truth(func(m *machine) (bool, error) {
		x, err := a(m)
		if err != nil {
			return false, err
		}
		y, err := b(m)
		if err != nil {
			return false, err
		}
		found, err := m.in(x, y)
		if err != nil {
			return false, blame(at, what, err)
		}
		return found, nil
	}, l, r)
}

// checkIn reports items of a written list that the left side can never be, and a left
// side that the items can never be.
func (c *lowering) checkIn(n *ast.BinaryNode, l, r operand) {
	if array, ok := n.Right.(*ast.ArrayNode); ok {
		for _, item := range array.Nodes {
			if s, ok := item.(*ast.StringNode); ok {
				c.checkEqual(s.Location().From, "in", l, literal(s.Value, &shape.Type{Kind: shape.String, Enum: []any{s.Value}}, s))
			}
		}
		return
	}
	elem := elemOf(r.typ)
	c.checkEqual(n.Location().From, "in", l, operand{typ: elem, from: r.from, to: r.to})
}

func (m *machine) in(needle, where any) (bool, error) {
	switch w := where.(type) {
	case nil:
		return false, nil
	case map[string]any:
		key, ok := needle.(string)
		if !ok {
			return false, nil
		}
		_, found := w[key]
		return found, nil
	case []any:
		if err := m.spend(len(w)/8 + 1); err != nil {
			return false, err
		}
		for _, v := range w {
			if ok, err := m.equal(needle, canonical(v), 0); ok || err != nil {
				return ok, err
			}
		}
		return false, nil
	}
	return false, noOperator("in", needle, where)
}

func isTextual(t *shape.Type) bool {
	k := kindOf(t)
	return k == shape.Any || k == shape.String || k == shape.Null
}

// textual is an operator on two strings; it is false when one of them is null.
func (c *lowering) textual(n *ast.BinaryNode, l, r operand, holds func(a, b string) bool) operand {
	if !isTextual(l.typ) || !isTextual(r.typ) {
		hint := "Give strings on both sides."
		if kindOf(l.typ) == shape.List {
			hint = "Use in to look for an item of a list: x in list."
		}
		c.mismatch(n, l, r, hint)
	}
	return c.texts(n, l, r, func(m *machine, a, b string) (bool, error) {
		return holds(a, b), m.read(len(a))
	})
}

func (c *lowering) texts(n *ast.BinaryNode, l, r operand, holds func(m *machine, a, b string) (bool, error)) operand {
	a, b, at, what, operator := l.eval, r.eval, n.Location().From, c.both(l, r), n.Operator
	return c.truth(func(m *machine) (bool, error) {
		x, err := a(m)
		if err != nil {
			return false, err
		}
		y, err := b(m)
		if err != nil || x == nil || y == nil {
			return false, err
		}
		s, sok := x.(string)
		t, tok := y.(string)
		if !sok || !tok {
			return false, blame(at, what, noOperator(operator, x, y))
		}
		found, err := holds(m, s, t)
		if err != nil {
			return false, blame(at, what, err)
		}
		return found, nil
	}, l, r)
}

func (c *lowering) matches(n *ast.BinaryNode, l, r operand) operand {
	pattern, ok := r.value.(string)
	if !ok || !r.constant {
		if !isTextual(l.typ) || !isTextual(r.typ) {
			c.mismatch(n, l, r, "Give strings on both sides.")
		}
		return c.texts(n, l, r, func(m *machine, s, pattern string) (bool, error) {
			re, weight, err := compilePattern(pattern)
			if err != nil {
				return false, err
			}
			if err := m.spend(100 + len(pattern)*10); err != nil {
				return false, err
			}
			return match(m, re, weight, s)
		})
	}
	if !isTextual(l.typ) {
		c.mismatch(n, l, r, "Give strings on both sides.")
	}
	re, weight, err := compilePattern(pattern)
	if err != nil {
		c.report(ruleSyntax, r.from, err.Error(), "Correct the pattern; its syntax is RE2.")
		return nothing(l.from, r.to)
	}
	return c.texts(n, l, r, func(m *machine, s, _ string) (bool, error) { return match(m, re, weight, s) })
}

func match(m *machine, re *regexp.Regexp, weight int, s string) (bool, error) {
	if err := m.spend(len(s) * weight / 256); err != nil {
		return false, err
	}
	return re.MatchString(s), nil
}

func (c *lowering) coalesce(l, r operand) operand {
	op := c.derive(coalesceType(l.typ, r.typ), l, r)
	a, b := l.eval, r.eval
	op.eval = func(m *machine) (any, error) {
		if v, err := a(m); v != nil || err != nil {
			return v, err
		}
		return b(m)
	}
	return op
}

func coalesceType(l, r *shape.Type) *shape.Type {
	if l.Nullable {
		t := *l
		t.Nullable = false
		l = &t
	}
	return union(l, r)
}

func (c *lowering) span(n *ast.BinaryNode, l, r operand) operand {
	for _, op := range []operand{l, r} {
		if k := kindOf(op.typ); k != shape.Int && k != shape.Any {
			c.mismatch(n, l, r, "Give integers on both sides.")
			break
		}
	}
	op := c.derive(listOf(intType), l, r)
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
		v, err := m.span(x, y)
		if err != nil {
			return nil, blame(at, what, err)
		}
		return v, nil
	}
	return op
}

func (m *machine) span(from, to any) (any, error) {
	i, iok := toInt(from)
	j, jok := toInt(to)
	switch {
	case !iok || !jok:
		return nil, noOperator("..", from, to)
	case j < i:
		return []any{}, nil
	case uint(j)-uint(i) >= maxSteps:
		return nil, fmt.Errorf("the range has more than %d integers: %w", maxSteps, ErrLimit)
	}
	n := j - i + 1
	if err := m.spend(n / 2); err != nil {
		return nil, err
	}
	if err := m.list(2 * n); err != nil {
		return nil, err
	}
	out := make([]any, n)
	for k := range out {
		out[k] = i + k
	}
	return out, nil
}
