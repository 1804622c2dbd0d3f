package expr

import (
	"fmt"

	"github.com/expr-lang/expr/ast"

	"github.com/weft-engine/weft/engine/shape"
)

// pair is one field of a written object: its name or what computes the name, and its value.
type pair struct {
	name  string
	key   eval
	value eval
	at    int
}

func (c *lowering) object(n *ast.MapNode) operand {
	at := n.Location().From
	t := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{}}
	pairs, parts := make([]pair, 0, len(n.Pairs)), make([]operand, 0, len(n.Pairs))
	for _, p := range n.Pairs {
		node, ok := p.(*ast.PairNode)
		if !ok {
			continue
		}
		value := c.lower(node.Value)
		parts = append(parts, value)
		if key, ok := node.Key.(*ast.StringNode); ok {
			t.Fields[key.Value] = value.typ
			pairs = append(pairs, pair{name: key.Value, value: value.eval})
			continue
		}
		key := c.lower(node.Key)
		if !isTextual(key.typ) {
			c.report(ruleType, key.from, fmt.Sprintf("the name of a field must be a string, but %s is %s", c.show(key), describe(key.typ)),
				"Convert it with string(…).")
		}
		parts = append(parts, key)
		t.Open = true
		pairs = append(pairs, pair{key: key.eval, value: value.eval, at: key.from})
	}
	op := c.derive(t, parts...)
	op.from, op.to = at, max(op.to, at)+1
	op.eval = func(m *machine) (any, error) { return m.object(pairs, at) }
	return op
}

func (m *machine) object(pairs []pair, at int) (any, error) {
	if err := m.list(3 * len(pairs)); err != nil {
		return nil, blame(at, "", err)
	}
	out := make(map[string]any, len(pairs))
	for _, p := range pairs {
		name := p.name
		if p.key != nil {
			k, err := p.key(m)
			if err != nil {
				return nil, err
			}
			s, ok := k.(string)
			if !ok {
				return nil, failAt(p.at, "the name of a field must be a string, but it is %s", describeValue(k))
			}
			name = s
		}
		v, err := p.value(m)
		if err != nil {
			return nil, err
		}
		out[name] = v
	}
	return out, nil
}
