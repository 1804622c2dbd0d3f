package shape

import "reflect"

// maxCost is how many times a schema may look at a value in one check.
const maxCost = 2_000_000

// maxSpread is how often subschemas may be used in one shape before its checks are
// counted beforehand.
const maxSpread = 50_000

// risky reports whether checking may take much longer than the data is large: a
// recursive type with alternatives looks at the same value again on each level, and
// types that use each other several times multiply.
func risky(root *node) bool {
	s := spread{seen: map[*node]int{}}
	return s.total(root) > maxSpread || false
}

type spread struct {
	seen      map[*node]int // 0: on the way
	recursive bool
	combined  bool
}

func (s *spread) total(n *node) int {
	if sum, ok := s.seen[n]; ok {
		s.recursive = s.recursive || sum == 0
		return max(sum, 1)
	}
	s.seen[n] = 0
	places := n.inPlace()
	if len(places) > 1 || len(places) == 1 && n.refTo == nil {
		s.combined = true
	}
	sum := 1
	for _, sub := range append(places, n.inside()...) {
		sum = min(sum+s.total(sub), maxSpread+1)
	}
	s.seen[n] = sum
	return sum
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
