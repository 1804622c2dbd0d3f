package compile

import (
	"slices"

	"github.com/weft-engine/weft/engine"
)

// reach is which nodes can follow which, over one edge or more.
type reach [][]bool

// reachable computes what follows what. Cost: nodes times edges.
func (g *graph) reachable() reach {
	out := make(reach, len(g.nodes))
	for i := range g.nodes {
		out[i] = g.from(g.nodes[i].next(), -1)
	}
	return out
}

// from returns the nodes that some run comes to from these, without passing through
// the node `without`; -1 leaves none out.
func (g *graph) from(first []int, without int) []bool {
	seen := make([]bool, len(g.nodes))
	todo := slices.Clone(first)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == engine.End || n == without || seen[n] {
			continue
		}
		seen[n] = true
		todo = append(todo, g.nodes[n].next()...)
	}
	return seen
}

// mayEnd reports whether a path can end at the node: it leads to the end, nowhere, or
// its choice has no default.
func (n *node) mayEnd() bool {
	sure := false
	for _, e := range n.edges {
		if e.to == engine.End {
			return true
		}
		sure = sure || !e.when
	}
	return !sure
}

// fans returns the groups of nodes that one edge leads to at once.
func (g *graph) fans() [][]int {
	var out [][]int
	for _, n := range g.nodes {
		for _, e := range n.out.Next {
			if len(e.To) > 1 {
				out = append(out, e.To)
			}
		}
		if n.out.OnError != nil && len(n.out.OnError.To) > 1 {
			out = append(out, n.out.OnError.To)
		}
	}
	return out
}
