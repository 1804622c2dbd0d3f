package expr

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/weft-engine/weft/engine/shape"
)

// each is a function with a predicate: it walks a list and evaluates a body for every
// item, which the body calls #.
type each struct {
	name   string
	at     int
	what   string
	list   operand
	body   operand
	test   cond // body as a condition
	last   *operand
	weight int // steps of one evaluation of the body
}

// predicates are the functions with a predicate, by name.
var predicates = map[string]func(*lowering, *each) operand{
	"all":  func(c *lowering, p *each) operand { return c.quantifier(p, false, false) },
	"any":  func(c *lowering, p *each) operand { return c.quantifier(p, true, true) },
	"none": func(c *lowering, p *each) operand { return c.quantifier(p, true, false) },
	"one":  (*lowering).one, "count": (*lowering).count, "filter": (*lowering).filter, "map": (*lowering).mapping,
	"find":          func(c *lowering, p *each) operand { return c.find(p, false) },
	"findLast":      func(c *lowering, p *each) operand { return c.find(p, true) },
	"findIndex":     func(c *lowering, p *each) operand { return c.findIndex(p, false) },
	"findLastIndex": func(c *lowering, p *each) operand { return c.findIndex(p, true) },
	"sum":           (*lowering).sum, "groupBy": (*lowering).groupBy, "sortBy": (*lowering).sortBy, "reduce": (*lowering).reduce,
}

// conditions are the predicates whose body must be true or false.
var conditions = map[string]bool{
	"all": true, "any": true, "none": true, "one": true, "count": true, "filter": true,
	"find": true, "findLast": true, "findIndex": true, "findLastIndex": true,
}

func (c *lowering) predicate(name string, args []ast.Node, at int) operand {
	p := &each{name: name, at: at, list: c.lower(args[0])}
	p.what = name + "(" + c.cut(p.list.from, p.list.to) + ", …)"
	if k := kindOf(p.list.typ); k != shape.List && k != shape.Any && k != shape.Null {
		c.report(ruleType, p.list.from, fmt.Sprintf("%s wants a list, but %s is %s", name, c.show(p.list), describe(p.list.typ)),
			"Give a list; for an object, its values(…).")
		p.list = nothing(p.list.from, p.list.to)
	}
	if len(args) > 2 {
		last := c.lower(args[2])
		p.last = &last
	}
	elem := c.part(elemOf(p.list.typ), p.list)
	elem.eval = func(m *machine) (any, error) { return m.loop.item, nil }
	if len(args) > 1 {
		p.body = c.body(p, args[1], elem)
	} else {
		p.body = elem
		p.body.eval = withTime(elem.typ, func(m *machine) (any, error) { return canonical(m.loop.item), nil })
	}
	if conditions[name] {
		c.wantBool(p.body, "the condition of "+name)
	}
	p.test = c.condition(p.body)
	op := predicates[name](c, p)
	op.from, op.to = min(at, p.list.from), max(p.body.to, p.list.to)+1
	return op
}

func (c *lowering) body(p *each, node ast.Node, elem operand) operand {
	before := c.visits
	s := scope{elem: elem}
	if p.name == "reduce" {
		s.hasAcc, s.acc = true, anyType
		if p.last == nil {
			s.acc = elem.typ
		}
		if carries(elem.typ) || p.last != nil && carries(p.last.typ) {
			s.acc = untrusted(s.acc)
		}
	}
	c.pred = append(c.pred, s)
	body := c.lower(node)
	c.pred = c.pred[:len(c.pred)-1]
	p.weight = 1 + (c.visits-before)/8
	return body
}

// walk calls f for every item of the list. f returns whether to go on.
func (p *each) walk(m *machine, backwards bool, f func(i int, item any) (bool, error)) error {
	list, err := p.items(m)
	if err != nil {
		return err
	}
	return p.walkItems(m, list, backwards, f)
}

func (p *each) items(m *machine) ([]any, error) {
	v, err := p.list.eval(m)
	if err != nil {
		return nil, err
	}
	list, ok := asList(v)
	if !ok {
		return nil, failAt(p.at, "%s wants a list, but it is %s", p.what, describeValue(v))
	}
	return list, nil
}

func (p *each) walkItems(m *machine, list []any, backwards bool, f func(i int, item any) (bool, error)) error {
	saved := m.loop
	defer func() { m.loop = saved }()
	m.loop = loop{acc: saved.acc}
	for n := range list {
		i := n
		if backwards {
			i = len(list) - 1 - n
		}
		if err := m.spend(max(p.weight, 1)); err != nil {
			return blame(p.at, p.what, err)
		}
		m.loop.item, m.loop.index = list[i], i
		if more, err := f(i, list[i]); !more || err != nil {
			return err
		}
	}
	return nil
}

// quantifier is any, all and none: found is what the test of an item must give to
// end the search with then.
func (c *lowering) quantifier(p *each, found, then bool) operand {
	return c.truth(func(m *machine) (bool, error) {
		result := !then
		err := p.walk(m, false, func(int, any) (bool, error) {
			ok, err := p.test(m)
			if ok == found && err == nil {
				result = then
				return false, nil
			}
			return true, err
		})
		return result && err == nil, err
	}, p.list)
}

func (p *each) counted(m *machine, most int) (int, error) {
	n := 0
	err := p.walk(m, false, func(int, any) (bool, error) {
		ok, err := p.test(m)
		if ok {
			n++
		}
		return n < most, err
	})
	return n, err
}

func (c *lowering) one(p *each) operand {
	return c.truth(func(m *machine) (bool, error) {
		n, err := p.counted(m, 2)
		return n == 1 && err == nil, err
	}, p.list)
}

func (c *lowering) count(p *each) operand {
	op := c.derive(intType, p.list)
	op.eval = func(m *machine) (any, error) {
		n, err := p.counted(m, maxSteps+1)
		if err != nil {
			return nil, err
		}
		return n, nil
	}
	return op
}

// sameList is the operand of a list of items of p.list.
func (c *lowering) sameList(p *each) operand {
	op := c.part(listOf(elemOf(p.list.typ)), p.list)
	op.cond = nil
	return op
}

func (c *lowering) filter(p *each) operand {
	op := c.sameList(p)
	op.eval = func(m *machine) (any, error) {
		out := []any{}
		err := p.walk(m, false, func(_ int, item any) (bool, error) {
			ok, err := p.test(m)
			if ok {
				out = append(out, item)
			}
			return true, err
		})
		if err != nil {
			return nil, err
		}
		return out, m.list(len(out))
	}
	return op
}

func (c *lowering) mapping(p *each) operand {
	op := c.derive(listOf(p.body.typ), p.body)
	op.size = built
	op.eval = func(m *machine) (any, error) {
		list, err := p.items(m)
		if err != nil {
			return nil, err
		}
		if err := m.list(len(list)); err != nil {
			return nil, blame(p.at, p.what, err)
		}
		out := make([]any, 0, len(list))
		err = p.walkItems(m, list, false, func(int, any) (bool, error) {
			v, err := p.body.eval(m)
			out = append(out, v)
			return true, err
		})
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	return op
}

func (c *lowering) find(p *each, backwards bool) operand {
	op := c.part(nullable(elemOf(p.list.typ)), p.list)
	op.eval = withTime(op.typ, func(m *machine) (any, error) {
		var found any
		err := p.walk(m, backwards, func(_ int, item any) (bool, error) {
			ok, err := p.test(m)
			if ok && err == nil {
				found = canonical(item)
				return false, nil
			}
			return true, err
		})
		return found, err
	})
	return op
}

func (c *lowering) findIndex(p *each, backwards bool) operand {
	op := c.derive(nullable(intType), p.list)
	op.eval = func(m *machine) (any, error) {
		var found any
		err := p.walk(m, backwards, func(i int, _ any) (bool, error) {
			ok, err := p.test(m)
			if ok && err == nil {
				found = i
				return false, nil
			}
			return true, err
		})
		return found, err
	}
	return op
}

func (c *lowering) sum(p *each) operand {
	t := p.body.typ
	switch k := kindOf(t); k {
	case shape.Int:
		t = intType
	case shape.Number, shape.Duration:
	case shape.Any, shape.Null:
		t = anyType
	default:
		c.report(ruleType, p.body.from, fmt.Sprintf("sum wants numbers, but %s is %s", c.show(p.body), describe(t)),
			"Give a list of numbers, or what to add of each item: sum(items, .price).")
		t = anyType
	}
	op := c.derive(t, p.list)
	op.eval = func(m *machine) (any, error) {
		var total any = 0
		first := true
		err := p.walk(m, false, func(int, any) (bool, error) {
			v, err := p.body.eval(m)
			if err != nil {
				return false, err
			}
			if first && kindOfValue(v) == shape.Duration {
				total = v
			} else if total, err = m.add(total, v); err != nil {
				return false, blame(p.at, p.what, err)
			}
			first = false
			return true, nil
		})
		if err != nil {
			return nil, err
		}
		return total, nil
	}
	return op
}

func (c *lowering) groupBy(p *each) operand {
	op := c.part(&shape.Type{Kind: shape.Object, Open: true, Elem: listOf(elemOf(p.list.typ))}, p.list)
	op.eval = func(m *machine) (any, error) {
		out := map[string]any{}
		err := p.walk(m, false, func(_ int, item any) (bool, error) {
			v, err := p.body.eval(m)
			if err != nil {
				return false, err
			}
			key, err := m.textOf(v)
			if err != nil {
				return false, blame(p.at, p.what, err)
			}
			group, _ := out[key].([]any)
			out[key] = append(group, item)
			return true, m.list(1)
		})
		if err != nil {
			return nil, err
		}
		return out, nil
	}
	return op
}

// keyed is an item with what it is sorted by.
type keyed struct{ key, item any }

func (c *lowering) sortBy(p *each) operand {
	op := c.sameList(p)
	op.eval = func(m *machine) (any, error) {
		desc, err := p.descending(m)
		if err != nil {
			return nil, err
		}
		var rows []keyed
		err = p.walk(m, false, func(_ int, item any) (bool, error) {
			v, err := p.body.eval(m)
			rows = append(rows, keyed{v, item})
			return true, err
		})
		if err != nil {
			return nil, err
		}
		out, err := m.sorted(rows, desc)
		if err != nil {
			return nil, blame(p.at, p.what, err)
		}
		return out, nil
	}
	return op
}

func (p *each) descending(m *machine) (bool, error) {
	if p.last == nil {
		return false, nil
	}
	v, err := p.last.eval(m)
	if err != nil {
		return false, err
	}
	if v != "asc" && v != "desc" {
		return false, failAt(p.last.from, `the order is "asc" or "desc", not %s`, inspect(v))
	}
	return v == "desc", nil
}

// sorted returns the items in the order of their keys; equal ones stay as they are.
func (m *machine) sorted(rows []keyed, desc bool) ([]any, error) {
	if err := m.spend(2 * len(rows)); err != nil {
		return nil, err
	}
	if err := m.list(4 * len(rows)); err != nil {
		return nil, err
	}
	var failed error
	slices.SortStableFunc(rows, func(a, b keyed) int {
		n, err := compare(a.key, b.key)
		if err != nil && failed == nil {
			failed = err
		}
		if desc {
			return -n
		}
		return n
	})
	if failed != nil {
		return nil, failed
	}
	out := make([]any, len(rows))
	for i, r := range rows {
		out[i] = r.item
	}
	return out, nil
}

func (c *lowering) reduce(p *each) operand {
	t := anyType
	parts := []operand{p.list, p.body}
	if p.last != nil {
		parts = append(parts, *p.last)
		if kindOf(p.last.typ) == kindOf(p.body.typ) && len(p.body.typ.Enum) == 0 {
			t = p.body.typ
		}
	}
	op := c.derive(t, parts...)
	op.size, op.times = built, true
	op.eval = func(m *machine) (any, error) {
		list, err := p.items(m)
		if err != nil {
			return nil, err
		}
		acc, list, err := p.start(m, list)
		if err != nil {
			return nil, err
		}
		saved := m.loop
		defer func() { m.loop = saved }()
		m.loop.acc = acc
		err = p.walkItems(m, list, false, func(int, any) (bool, error) {
			v, err := p.body.eval(m)
			m.loop.acc = v
			acc = v
			return true, err
		})
		if err != nil {
			return nil, err
		}
		return acc, nil
	}
	return op
}

// start returns the first value of reduce's #acc and the items that are left.
func (p *each) start(m *machine, list []any) (acc any, rest []any, err error) {
	if p.last != nil {
		acc, err = p.last.eval(m)
		return acc, list, err
	}
	if len(list) == 0 {
		return nil, nil, failAt(p.at, "reduce of an empty list needs a third argument to begin with")
	}
	return canonical(list[0]), list[1:], nil
}
