package compile

import (
	"fmt"
	"slices"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
)

// loops reports loops in graphs that do not say how many steps a run may take. It comes
// after flow: a loop that nothing leaves is told there.
func loops(c *compilation) {
	for _, g := range c.graphs {
		if !g.sound || g.endless || g.Value.Get("limits").Has("steps") {
			continue
		}
		n, e, ok := g.firstLoop()
		if !ok {
			continue
		}
		c.list.Add(unbounded.At(e.pos, "node %q leads back to %q, and graph %q does not say how many steps a run may take", n.Key, g.names[e.to], g.Key).
			WithHint("Add limits: {steps: N} to the graph."))
	}
}

// firstLoop returns the first edge, in the order of the nodes, that leads back.
func (g *graph) firstLoop() (*node, edge, bool) {
	for i, n := range g.nodes {
		for _, e := range n.edges {
			if e.to == engine.End || e.to > i {
				continue
			}
			if e.to == i || g.from([]int{e.to}, -1)[i] {
				return n, e, true
			}
		}
	}
	return nil, edge{}, false
}

// recursion reports graphs that run themselves on every path: no run of them ends.
// One that runs itself on some paths only is bounded by the depth that the engine allows.
func recursion(c *compilation) {
	always := map[string][]string{}
	for _, g := range c.graphs {
		if g.sound {
			always[g.Key] = g.always()
		}
	}
	told := map[string]bool{}
	for _, g := range c.graphs {
		path := circle(always, g.Key)
		if path != nil && !told[g.Key] {
			c.list.Add(endlessRecursion.At(g.callPos(path[0]), "graph %q always runs itself%s: no run of it ends", g.Key, through(path)).
				WithHint("Lead a path around the node that runs it."))
		}
		for _, name := range path {
			told[name] = true
		}
	}
}

// always returns the graphs that every run of g runs: without the nodes that run it, no
// path leads to the end.
func (g *graph) always() []string {
	var out []string
	for _, n := range g.nodes {
		for _, called := range n.does.Runs {
			if n.out.ForEach == nil && !slices.Contains(out, called) && !g.endsWithout(called) {
				out = append(out, called)
			}
		}
	}
	return out
}

// endsWithout reports whether a path leads to the end that passes no node that runs the
// graph. A node that catches its errors may end otherwise.
func (g *graph) endsWithout(called string) bool {
	seen := make([]bool, len(g.nodes))
	todo := []int{g.out.Start}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == engine.End {
			return true
		}
		n := g.nodes[i]
		if seen[i] || slices.Contains(n.does.Runs, called) && n.out.ForEach == nil && n.out.OnError == nil {
			continue
		}
		seen[i] = true
		if n.mayEnd() {
			return true
		}
		todo = append(todo, n.next()...)
	}
	return false
}

// circle returns the shortest way from a graph back to itself, without the graph.
func circle(always map[string][]string, name string) []string {
	type step struct {
		at   string
		path []string
	}
	seen := map[string]bool{}
	todo := []step{{at: name}}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		for _, to := range always[s.at] {
			path := append(slices.Clip(s.path), to)
			if to == name {
				return path
			}
			if !seen[to] {
				seen[to] = true
				todo = append(todo, step{to, path})
			}
		}
	}
	return nil
}

// through names the graphs between a graph and itself.
func through(path []string) string {
	if len(path) == 1 {
		return ""
	}
	return fmt.Sprintf(", by way of %q", join(path[:len(path)-1]))
}

// callPos returns where a graph is run from, or the graph.
func (g *graph) callPos(called string) diag.Pos {
	for _, n := range g.nodes {
		if slices.Contains(n.does.Runs, called) {
			return n.Pos
		}
	}
	return g.Pos
}
