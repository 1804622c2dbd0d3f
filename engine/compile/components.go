package compile

import "slices"

// components returns the strongly connected parts of a directed graph, each before those
// that lead to it, and the part of each vertex.
func components(next [][]int) (part []int, parts [][]int) {
	t := tarjan{
		next: next, order: make([]int, len(next)), low: make([]int, len(next)), at: make([]int, len(next)), part: make([]int, len(next)),
	}
	for i := range next {
		t.order[i], t.part[i] = none, none
	}
	for root := range next {
		if t.order[root] == none {
			t.visit(root)
		}
	}
	return t.part, t.parts
}

// none is no vertex and no part.
const none = -1

// tarjan is Tarjan's algorithm, without recursion: graphs may be long.
type tarjan struct {
	next           [][]int
	order, low, at []int // by vertex: when it was met, the earliest that it leads back to, its next edge
	part           []int
	parts          [][]int
	open, path     []int
	count          int
}

func (t *tarjan) visit(root int) {
	t.path = append(t.path, root)
	for len(t.path) > 0 {
		v := t.path[len(t.path)-1]
		if t.order[v] == none {
			t.order[v], t.low[v] = t.count, t.count
			t.count++
			t.open = append(t.open, v)
		}
		if t.at[v] < len(t.next[v]) {
			t.follow(v)
			continue
		}
		t.path = t.path[:len(t.path)-1]
		if len(t.path) > 0 {
			from := t.path[len(t.path)-1]
			t.low[from] = min(t.low[from], t.low[v])
		}
		if t.low[v] == t.order[v] {
			t.close(v)
		}
	}
}

// follow takes the next edge of a vertex.
func (t *tarjan) follow(v int) {
	to := t.next[v][t.at[v]]
	t.at[v]++
	switch {
	case t.order[to] == none:
		t.path = append(t.path, to)
	case t.part[to] == none:
		t.low[v] = min(t.low[v], t.order[to])
	}
}

// close makes a part of the open vertices from v on.
func (t *tarjan) close(v int) {
	first := len(t.open) - 1
	for t.open[first] != v {
		first--
	}
	for _, m := range t.open[first:] {
		t.part[m] = len(t.parts)
	}
	t.parts = append(t.parts, slices.Clone(t.open[first:]))
	t.open = t.open[:first]
}
