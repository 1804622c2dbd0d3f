package compile

import (
	"fmt"
	"slices"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
)

// recursion reports graphs that run themselves on every path: no run of them ends. One
// that runs itself on some paths only is bounded by the depth that the engine allows. It
// comes after the expressions, because only a built node knows which graph it runs.
func recursion(c *compilation) {
	index := make(map[string]int, len(c.graphs))
	for i, g := range c.graphs {
		index[g.Key] = i
	}
	always := make([][]int, len(c.graphs))
	for i, g := range c.graphs {
		if g.sound {
			always[i] = g.always(index)
		}
	}
	part, parts := components(always)
	told := make([]bool, len(parts))
	for i, g := range c.graphs {
		if told[part[i]] || len(parts[part[i]]) == 1 && !slices.Contains(always[i], i) {
			continue
		}
		told[part[i]] = true
		path := circle(always, i)
		c.list.Add(endlessRecursion.At(g.callPos(c.graphs[path[0]].Key), "graph %q always runs itself%s: no run of it ends", g.Key, c.through(path)).
			WithHint("Lead a path around the node that runs it."))
	}
}

// always returns the graphs that every run of g runs: without the nodes that run it, no
// path leads to the end.
func (g *graph) always(index map[string]int) []int {
	var out []int
	asked := map[string]bool{}
	for _, n := range g.nodes {
		for _, called := range n.does.Runs {
			i, known := index[called]
			if !known || asked[called] || n.out.ForEach != nil {
				continue
			}
			asked[called] = true
			if !g.endsWithout(called) {
				out = append(out, i)
			}
		}
	}
	return out
}

// endsWithout reports whether a path leads to the end that passes no node that runs the
// graph. A node that catches its errors may end otherwise.
func (g *graph) endsWithout(called string) bool {
	if !g.spend(len(g.nodes)) {
		return true
	}
	seen := newBitset(len(g.nodes))
	todo := []int{g.out.Start}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == engine.End {
			return true
		}
		n := g.nodes[i]
		if seen.has(i) || slices.Contains(n.does.Runs, called) && n.out.ForEach == nil && n.out.OnError == nil {
			continue
		}
		seen.add(i)
		if n.mayEnd() {
			return true
		}
		todo = append(todo, n.next...)
	}
	return false
}

// circle returns the shortest way from a graph back to itself, without its beginning.
// There is one.
func circle(always [][]int, first int) []int {
	from := map[int]int{}
	todo := []int{first}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, to := range always[at] {
			if _, seen := from[to]; seen {
				continue
			}
			from[to] = at
			if to == first {
				path := []int{first}
				for p := at; p != first; p = from[p] {
					path = append(path, p)
				}
				slices.Reverse(path)
				return path
			}
			todo = append(todo, to)
		}
	}
	return []int{first}
}

// through names the graphs between a graph and itself.
func (c *compilation) through(path []int) string {
	if len(path) == 1 {
		return ""
	}
	names := make([]string, len(path)-1)
	for i := range names {
		names[i] = c.graphs[path[i]].Key
	}
	return fmt.Sprintf(", by way of %q", join(names))
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
