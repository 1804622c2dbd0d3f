package compile

import (
	"github.com/weft-engine/weft/engine"
)

// flow judges where edges lead: nodes that nothing leads to, nodes from which no path
// leads to the end, and joins that can never be complete. It needs the layout alone,
// and says nothing of a graph in which names are wrong.
func flow(c *compilation) {
	for _, g := range c.graphs {
		if !g.sound {
			continue
		}
		from := g.from([]int{g.out.Start}, -1)
		for i, n := range g.nodes {
			if !from[i] {
				c.list.Add(unreachable.At(n.Pos, "no path leads to node %q", n.Key).
					WithHint("Lead an edge to it, or delete it."))
			}
		}
		c.endless(g, from)
		c.joins(g, from)
	}
}

// endless reports the first node of each trap: nodes that lead to each other and never
// to the end.
func (c *compilation) endless(g *graph, from []bool) {
	ends := g.canEnd()
	told := make([]bool, len(g.nodes))
	for i, n := range g.nodes {
		if !from[i] || ends[i] || told[i] {
			continue
		}
		for j, yes := range g.from([]int{i}, -1) {
			told[j] = told[j] || yes
		}
		for j := range g.nodes {
			if !ends[j] && g.from([]int{j}, -1)[i] {
				told[j] = true
			}
		}
		g.endless = true
		c.list.Add(neverEnds.At(n.Pos, "no path leads from node %q to the end", n.Key).
			WithHint("Lead an edge to end, or to a node that does."))
	}
}

// canEnd returns the nodes from which a path leads to the end.
func (g *graph) canEnd() []bool {
	back := make([][]int, len(g.nodes))
	var todo []int
	for i, n := range g.nodes {
		if n.mayEnd() {
			todo = append(todo, i)
		}
		for _, to := range n.next() {
			back[to] = append(back[to], i)
		}
	}
	out := make([]bool, len(g.nodes))
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !out[n] {
			out[n] = true
			todo = append(todo, back[n]...)
		}
	}
	return out
}

// joins reports joins that wait for what cannot happen.
func (c *compilation) joins(g *graph, from []bool) {
	var after reach
	for i, n := range g.nodes {
		if len(n.out.Join) == 0 || !from[i] {
			continue
		}
		if after == nil {
			after = g.reachable()
		}
		c.join(g, n, after)
	}
}

func (c *compilation) join(g *graph, n *node, after reach) {
	before := g.from([]int{g.out.Start}, n.out.Index)
	for k, m := range n.out.Join {
		pos := n.Value.Get("join").Items[k].Pos
		if !before[m] {
			c.list.Add(badJoin.At(pos, "node %q waits for %q, which runs after it or never", n.Key, g.names[m]).
				WithHint("Take it out of the join, or lead a path to it that does not come through %q.", n.Key))
			return
		}
		for _, o := range n.out.Join[:k] {
			if !after.both(g, o, m) {
				c.list.Add(badJoin.At(pos, "node %q waits for %q and for %q, and no run comes to both", n.Key, g.names[o], g.names[m]).
					WithHint("Run both in parallel (next: [%s, %s]), or leave join out.", g.names[o], g.names[m]))
				return
			}
		}
	}
}

// both reports whether a run can come to two nodes: one follows the other, or they lie
// on branches that run in parallel.
func (r reach) both(g *graph, a, b int) bool {
	if r[a][b] || r[b][a] {
		return true
	}
	for _, fan := range g.fans() {
		for _, x := range fan {
			for _, y := range fan {
				if x != y && r.to(x, a) && r.to(y, b) {
					return true
				}
			}
		}
	}
	return false
}

// to reports whether a run that is at one node can be at another, now or later.
func (r reach) to(from, to int) bool {
	return from != engine.End && (from == to || r[from][to])
}
