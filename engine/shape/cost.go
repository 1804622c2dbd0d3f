package shape

import (
	"reflect"
)

// maxCost is how many times a schema may look at a value in one check.
const maxCost = 2_000_000

// maxSpread is how often subschemas may be used in one shape before its checks are
// counted beforehand.
const maxSpread = 50_000

// reach is what a root schema leads to.
type reach struct {
	refs      []*node // the types it refers to
	mixed     bool    // it has several schemas for one and the same value
	itself    bool    // it leads to itself
	recursive bool    // it leads to a type that leads to itself
	combined  bool    // it is mixed, or leads to a type that is
	total     int     // how often subschemas are used when the types are written out
	walk      int     // the last walk that came by
}

// risky reports whether checking may take much longer than the data is large: a
// recursive type with alternatives looks at the same value again on each level, and
// types that use each other several times multiply.
func (n *node) risky() bool {
	r := &n.root.reach
	return r.recursive && r.combined || total(n) > maxSpread
}

// total counts n and what is below it. Where a type is inside itself it counts once.
func total(n *node) int {
	if n.reach.total != 0 {
		return n.reach.total
	}
	n.reach.total = 1
	sum := 1
	for _, sub := range append(n.inPlace(), n.inside()...) {
		sum = min(sum+total(sub), maxSpread+1)
	}
	n.reach.total = sum
	return sum
}

// survey follows the references between the types.
func survey(types []*node) {
	for i, n := range types {
		for _, to := range leadsTo(n, 2*i+1) {
			n.reach.combined = n.reach.combined || to.reach.mixed
			n.reach.itself = n.reach.itself || to == n
		}
	}
	for i, n := range types {
		for _, to := range leadsTo(n, 2*i+2) {
			n.reach.recursive = n.reach.recursive || to.reach.itself
		}
	}
}

// leadsTo returns the types that n leads to, n too if it leads to itself. Each walk
// has a number of its own.
func leadsTo(n *node, walk int) []*node {
	var out []*node
	todo := []*node{n}
	for len(todo) > 0 {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range next.reach.refs {
			if to.reach.walk != walk {
				to.reach.walk = walk
				out = append(out, to)
				todo = append(todo, to)
			}
		}
	}
	return out
}

// join adds what the types lead to that a schema refers to.
func (r *reach) join() {
	r.combined = r.mixed
	for _, to := range r.refs {
		r.recursive = r.recursive || to.reach.recursive
		r.combined = r.combined || to.reach.mixed || to.reach.combined
	}
}

// cost counts how many times a schema would look at a value, up to a limit. What is
// looked at again costs again, but is counted once.
type cost struct {
	known map[costKey]int
	steps int
}

type costKey struct {
	n    *node
	data uintptr
	size int
}

// tooCostly reports whether checking v would take too long.
func (n *node) tooCostly(v any) bool {
	c := cost{known: map[costKey]int{}}
	return c.of(n, v) > maxCost
}

func (c *cost) of(n *node, v any) int {
	if c.steps++; c.steps > maxCost {
		return maxCost + 1
	}
	key, list := costKey{n: n}, false
	switch v := v.(type) {
	case map[string]any:
		key.data, key.size, list = reflect.ValueOf(v).Pointer(), len(v), true
	case []any:
		key.data, key.size, list = reflect.ValueOf(v).Pointer(), len(v), true
	}
	if sum, ok := c.known[key]; list && ok {
		return sum
	}
	sum := 1
	add := func(sub *node, v any) {
		if sub != nil && sum <= maxCost {
			sum = min(sum+c.of(sub, v), maxCost+1)
		}
	}
	for _, sub := range n.inPlace() {
		add(sub, v)
	}
	switch v := v.(type) {
	case map[string]any:
		n.eachValue(v, add)
	case []any:
		n.eachItem(v, add)
	}
	if list {
		c.known[key] = sum
	}
	return sum
}

func (n *node) eachValue(v map[string]any, add func(*node, any)) {
	for name, item := range v {
		add(n.get("properties", name), item)
		for _, m := range n.named["patternProperties"] {
			add(m.node, item)
		}
		add(n.one["additionalProperties"], item)
		add(n.one["unevaluatedProperties"], item)
		add(n.one["propertyNames"], nil)
	}
}

func (n *node) eachItem(v []any, add func(*node, any)) {
	first := n.many["prefixItems"]
	for i, item := range v {
		if i < len(first) {
			add(first[i], item)
		}
		add(n.one["items"], item)
		add(n.one["contains"], item)
		add(n.one["unevaluatedItems"], item)
	}
}
