package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
)

func (c *lowering) identifier(n *ast.IdentifierNode) operand {
	name, loc := n.Value, n.Location()
	for i := len(c.locals) - 1; i >= 0; i-- {
		if c.locals[i].name == name {
			return c.variable(&c.locals[i], n)
		}
	}
	t, ok := c.env.Lookup(name)
	if !ok {
		c.report(ruleUnknownName, loc.From, fmt.Sprintf("unknown name %q", name), c.nameHint(name))
		return nothing(loc.From, loc.To)
	}
	op := operand{typ: t, from: loc.From, to: loc.To, size: shared}
	op.place = c.newPlace(name, loc.From, false)
	if v, ok := c.env.constant(name); ok {
		op.eval, op.fixed = func(*machine) (any, error) { return v, nil }, true
		return op
	}
	op.eval = withTime(t, func(m *machine) (any, error) { return canonical(m.scope[name]), nil })
	return op
}

// variable is a name of a let or a loop.
func (c *lowering) variable(v *local, n *ast.IdentifierNode) operand {
	slot, loc := v.slot, n.Location()
	op := v.op
	op.from, op.to, op.cond, op.constant, op.fixed, op.place = loc.From, loc.To, nil, false, false, 0
	if v.loop != nil {
		op = operand{typ: v.loop, from: loc.From, to: loc.To, size: built}
		op.place = c.newPlace(v.name, loc.From, true)
	}
	op.eval = withTime(op.typ, func(m *machine) (any, error) { return m.vars[slot], nil })
	return op
}

func (c *lowering) newPlace(name string, at int, local bool) int {
	c.places = append(c.places, place{path: []string{name}, at: at, local: local})
	return len(c.places)
}

// withTime makes times and durations of the text they are in plain data.
func withTime(t *shape.Type, run eval) eval {
	if t.Kind != shape.Time && t.Kind != shape.Duration {
		return run
	}
	return func(m *machine) (any, error) {
		v, err := run(m)
		if s, ok := v.(string); ok {
			if t.Kind == shape.Time {
				if at, err := time.ParseInLocation(time.RFC3339Nano, s, time.UTC); err == nil {
					return at, nil
				}
			} else if d, err := parseDuration(s); err == nil {
				return d, nil
			}
		}
		return v, err
	}
}

var foreignWords = map[string]string{
	"null": "Write nil.", "None": "Write nil.", "undefined": "Write nil.",
	"True": "Write true.", "False": "Write false.",
	"now": "Use run.now, the time of the step.",
}

func (c *lowering) nameHint(name string) string {
	if hint, ok := foreignWords[name]; ok {
		return hint
	}
	names := c.env.Names()
	for _, l := range c.locals {
		names = append(names, l.name)
	}
	if near := diag.Nearest(name, names); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	if _, ok := functionNamed(name); ok {
		return fmt.Sprintf("Call the function with its arguments: %s(…).", name)
	}
	if len(names) == 0 {
		return "There are no names in scope here; put a text in quotes."
	}
	return "Use one of " + enumerate(names) + ", or put a text in quotes."
}

// enumerate lists words for a hint, the first few.
func enumerate(words []string) string {
	const most = 8
	if len(words) > most {
		return strings.Join(words[:most], ", ") + ", …"
	}
	return strings.Join(words, ", ")
}

// pointer is # and the dot of a predicate.
func (c *lowering) pointer(n *ast.PointerNode) operand {
	loc := n.Location()
	if len(c.pred) == 0 {
		c.report(ruleSyntax, loc.From, "# means an item only inside of filter, any and the like", "Name the value.")
		return nothing(loc.From, loc.To)
	}
	p := &c.pred[len(c.pred)-1]
	switch n.Name {
	case "":
		op := p.elem
		op.from, op.to, op.fixed = loc.From, loc.To, false
		op.eval = withTime(op.typ, func(m *machine) (any, error) { return canonical(m.loop.item), nil })
		return op
	case "index":
		return operand{
			typ: intType, from: loc.From, to: loc.To + len("index"),
			eval: func(m *machine) (any, error) { return m.loop.index, nil },
		}
	case "acc":
		if p.hasAcc {
			op := p.elem
			op.typ, op.from, op.to, op.size, op.times, op.fixed = p.acc, loc.From, loc.To+len("acc"), built, true, false
			op.eval = func(m *machine) (any, error) { return m.loop.acc, nil }
			return op
		}
	}
	c.report(ruleUnknownName, loc.From, fmt.Sprintf("unknown name %q", "#"+n.Name), "Use #, #index or, in reduce, #acc.")
	return nothing(loc.From, loc.To)
}

// part makes the operand of something that is in base, of type t.
func (c *lowering) part(t *shape.Type, base operand) operand {
	op := operand{typ: t, from: base.from, to: base.to, tainted: c.sources(base), times: base.times}
	op.size = base.size
	return op
}

func (c *lowering) member(n *ast.MemberNode) operand {
	base := c.lower(n.Node)
	if name, ok := n.Property.(*ast.StringNode); ok {
		return c.field(n, base, name)
	}
	index := c.lower(n.Property)
	op := c.part(c.indexType(base, index), base)
	op.to = max(index.to+1, base.to)
	what, at, run, at2, optional := c.show(base), n.Location().From, base.eval, index.eval, n.Optional
	op.eval = withTime(op.typ, func(m *machine) (any, error) {
		b, err := run(m)
		if err != nil || skipped(b, optional) {
			return skip(b), err
		}
		i, err := at2(m)
		if err != nil {
			return nil, err
		}
		v, err := item(b, i)
		if err != nil {
			return nil, blame(at, what, err)
		}
		return canonical(v), nil
	})
	return op
}

// skip is what an optional chain gives from where it met null on.
type skipType struct{}

func skipped(base any, optional bool) bool {
	return optional && base == nil || base == skipType{}
}

func skip(base any) any {
	if base == nil {
		return skipType{}
	}
	return base
}

func (c *lowering) indexType(base, index operand) *shape.Type {
	kind, ik := kindOf(base.typ), kindOf(index.typ)
	fits := ik == shape.Any
	switch kind {
	case shape.Any:
		fits = fits || ik == shape.String || isNumeric(ik)
	case shape.List, shape.String:
		fits = fits || ik == shape.Int
	case shape.Object:
		fits = fits || ik == shape.String
	default:
		c.report(ruleType, base.from, fmt.Sprintf("%s is %s, which has no items", c.show(base), describe(base.typ)), "")
		return anyType
	}
	if !fits {
		c.report(ruleType, index.from, fmt.Sprintf("%s is %s, whose items are not found by %s", c.show(base), describe(base.typ),
			describe(index.typ)), "Use an integer for a list, a string for an object.")
	}
	switch kind {
	case shape.String:
		return untrustedIf(base.typ.Untrusted, stringType)
	case shape.Any:
		return untrustedIf(base.typ.Untrusted, anyType)
	default:
		return elemOf(base.typ)
	}
}

// item is base[index] for values known only at run time.
func item(base, index any) (any, error) {
	switch b := base.(type) {
	case map[string]any:
		if key, ok := index.(string); ok {
			return b[key], nil
		}
	case []any:
		if i, ok := toInt(index); ok {
			if i < 0 {
				i += len(b)
			}
			if i < 0 || i >= len(b) {
				return nil, fmt.Errorf("the list has %d items, none at index %v", len(b), index)
			}
			return b[i], nil
		}
	case string:
		if i, ok := toInt(index); ok {
			return letter(b, i)
		}
	case nil:
		return nil, fmt.Errorf("it is null, so it has no item %s", inspect(index))
	}
	return nil, fmt.Errorf("%s has no item %s", describeValue(base), inspect(index))
}

func letter(s string, i int) (any, error) {
	n := utf8.RuneCountInString(s)
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return nil, fmt.Errorf("the string has %d letters, none at index %d", n, i)
	}
	at := byteOffset(s, i)
	_, w := utf8.DecodeRuneInString(s[at:])
	return s[at : at+w], nil
}

// inspect shows a scalar as messages quote it.
func inspect(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}

// field is base.name and base["name"].
func (c *lowering) field(n *ast.MemberNode, base operand, prop *ast.StringNode) operand {
	name, loc := prop.Value, prop.Location()
	op := c.part(c.fieldType(base, name, loc.From), base)
	op.to = max(loc.To, base.to)
	if base.place > 0 {
		p := &c.places[base.place-1]
		p.path = append(slices.Clip(p.path), name)
		op.place = base.place
	}
	what, run, optional := c.show(base), base.eval, n.Optional
	op.eval = withTime(op.typ, func(m *machine) (any, error) {
		b, err := run(m)
		if err != nil {
			return nil, err
		}
		if object, ok := b.(map[string]any); ok {
			return canonical(object[name]), nil
		}
		if skipped(b, optional) {
			return skip(b), nil
		}
		if b == nil {
			return nil, failAt(loc.From, "%s is null, so it has no field %q", what, name)
		}
		return nil, failAt(loc.From, "%s is %s, which has no field %q", what, describeValue(b), name)
	})
	if op.fixed = base.fixed; op.fixed {
		return c.fold(op)
	}
	return op
}

func (c *lowering) fieldType(base operand, name string, at int) *shape.Type {
	t := base.typ
	switch kindOf(t) {
	case shape.Any:
		return untrustedIf(t.Untrusted, anyType)
	case shape.Object:
		field, ok := fieldOf(t, name)
		if !ok {
			c.report(ruleUnknownField, at, fmt.Sprintf("%s has no field %q", c.show(base), name), fieldHint(t, name))
		}
		return field
	case shape.List:
		c.report(ruleType, at, fmt.Sprintf("%s is a list, which has no field %q", c.show(base), name),
			fmt.Sprintf("Take an item, for example last(…).%s, or all of them: map(…, .%s).", name, name))
	case shape.Time, shape.Duration:
		c.report(ruleUnknownField, at, fmt.Sprintf("%s is %s, which has no field %q", c.show(base), describe(t), name),
			"Call one of its methods: "+strings.Join(methodNames(kindOf(t)), ", ")+".")
	case shape.Null:
		c.report(ruleType, at, fmt.Sprintf("%s is null, which has no field %q", c.show(base), name), "")
	default:
		c.report(ruleUnknownField, at, fmt.Sprintf("%s is %s, which has no field %q", c.show(base), describe(t), name),
			"Remove the field, or declare the value as an object.")
	}
	return anyType
}

func fieldHint(t *shape.Type, name string) string {
	fields := slices.Sorted(maps.Keys(t.Fields))
	if near := diag.Nearest(name, fields); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	if len(fields) == 0 {
		return "The object has no fields at all."
	}
	return "It has " + enumerate(fields) + "."
}

// chained is a whole a?.b.c: null from where it met null.
func (c *lowering) chained(n *ast.ChainNode) operand {
	op := c.lower(n.Node)
	run := op.eval
	op.typ, op.cond = nullable(op.typ), nil
	op.eval = func(m *machine) (any, error) {
		v, err := run(m)
		if (v == skipType{}) {
			return nil, err
		}
		return v, err
	}
	return op
}

func (c *lowering) slice(n *ast.SliceNode) operand {
	base := c.lower(n.Node)
	switch kindOf(base.typ) {
	case shape.Any, shape.List, shape.String:
	default:
		c.report(ruleType, base.from, fmt.Sprintf("%s is %s, of which no part can be taken", c.show(base), describe(base.typ)),
			"Take parts of a list or a string.")
	}
	t := *base.typ
	t.Enum = nil
	op := c.part(&t, base)
	from, to := c.bound(n.From, &op), c.bound(n.To, &op)
	op.to++
	at, run, what := n.Location().From, base.eval, c.show(base)
	op.eval = func(m *machine) (any, error) {
		b, err := run(m)
		if err != nil {
			return nil, err
		}
		i, err := from(m)
		if err != nil {
			return nil, err
		}
		j, err := to(m)
		if err != nil {
			return nil, err
		}
		v, err := cutValue(b, i, j)
		if err != nil {
			return nil, blame(at, what, err)
		}
		return v, nil
	}
	return op
}

func (c *lowering) bound(n ast.Node, op *operand) eval {
	if n == nil {
		return func(*machine) (any, error) { return nil, nil }
	}
	b := c.lower(n)
	op.to = max(op.to, b.to)
	if k := kindOf(b.typ); k != shape.Int && k != shape.Any {
		c.report(ruleType, b.from, fmt.Sprintf("a bound must be an integer, but %s is %s", c.show(b), describe(b.typ)), "")
	}
	return b.eval
}

// cutValue is v[from:to]; null bounds are the ends, negative ones count from the end.
func cutValue(v, from, to any) (any, error) {
	list, isList := v.([]any)
	s, isText := v.(string)
	n := len(list)
	switch {
	case v == nil:
		return nil, nil
	case isText:
		n = utf8.RuneCountInString(s)
	case !isList:
		return nil, fmt.Errorf("no part can be taken of %s", describeValue(v))
	}
	i, iok := cutBound(from, 0, n)
	j, jok := cutBound(to, n, n)
	if !iok || !jok {
		return nil, fmt.Errorf("the bounds must be integers")
	}
	i = min(i, j)
	if isList {
		return list[i:j:j], nil
	}
	start := byteOffset(s, i)
	return s[start : start+byteOffset(s[start:], j-i)], nil
}

func cutBound(v any, missing, n int) (int, bool) {
	if v == nil {
		return missing, true
	}
	i, ok := toInt(v)
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n), ok
}

func (c *lowering) let(n *ast.VariableDeclaratorNode) operand {
	value := c.lower(n.Value)
	at := n.Location().From
	if _, ok := c.env.Lookup(n.Name); ok {
		c.report(ruleType, at, fmt.Sprintf("%q is in scope already", n.Name), "Choose another name for the let.")
	} else if _, ok := functionNamed(n.Name); ok {
		c.report(ruleType, at, fmt.Sprintf("%q is a function", n.Name), "Choose another name for the let.")
	}
	value.tainted = c.sources(value)
	value.times = c.timesIn(value)
	value.size = max(value.size, built)
	slot := c.slots
	c.slots++
	c.locals = append(c.locals, local{name: n.Name, slot: slot, op: value})
	body := c.lower(n.Expr)
	c.locals = c.locals[:len(c.locals)-1]
	bind, run := value.eval, body.eval
	body.cond, body.constant = nil, false
	body.eval = func(m *machine) (any, error) {
		v, err := bind(m)
		if err != nil {
			return nil, err
		}
		m.setVar(slot, v)
		return run(m)
	}
	return body
}
