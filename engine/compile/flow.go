package compile

// flow judges where edges lead: nodes that nothing leads to, nodes from which no path
// leads to the end, and joins that can never be complete. It needs the layout alone,
// and says nothing of a graph in which names are wrong.
func flow(c *compilation) {
	for _, g := range c.graphs {
		if !g.sound {
			continue
		}
		from := g.from(g.out.Start, -1)
		for i, n := range g.nodes {
			if !from.has(i) {
				c.list.Add(unreachable.At(n.Pos, "no path leads to node %q", n.Key).
					WithHint("Lead an edge to it, or delete it."))
			}
		}
		c.endless(g, from)
		for i, n := range g.nodes {
			if len(n.out.Join) > 0 && from.has(i) {
				c.join(g, n)
			}
		}
	}
}

// endless reports the first node of each trap: nodes that lead to each other and never
// to the end.
func (c *compilation) endless(g *graph, from bitset) {
	ends := g.canEnd()
	if ends.count() == len(g.nodes) {
		return
	}
	r := g.reachable()
	var told []int
	for i, n := range g.nodes {
		if !from.has(i) || ends.has(i) || related(r, told, i) {
			continue
		}
		told = append(told, i)
		g.endless = true
		c.list.Add(neverEnds.At(n.Pos, "no path leads from node %q to the end", n.Key).
			WithHint("Lead an edge to end, or to a node that does."))
	}
}

// related reports whether a node leads to one of these, or one of these to it.
func related(r *reach, nodes []int, n int) bool {
	for _, m := range nodes {
		if r.has(m, n) || r.has(n, m) {
			return true
		}
	}
	return false
}

// canEnd returns the nodes from which a path leads to the end.
func (g *graph) canEnd() bitset {
	back := make([][]int, len(g.nodes))
	var todo []int
	for i, n := range g.nodes {
		if n.mayEnd() {
			todo = append(todo, i)
		}
		for _, to := range n.next {
			back[to] = append(back[to], i)
		}
	}
	out := newBitset(len(g.nodes))
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !out.has(n) {
			out.add(n)
			todo = append(todo, back[n]...)
		}
	}
	return out
}

// join reports a join that waits for what cannot happen: for a node that runs only after
// it, or for two nodes of which no run comes to both.
func (c *compilation) join(g *graph, n *node) {
	if !g.spend(len(g.nodes)) {
		return
	}
	before := g.from(g.out.Start, n.out.Index)
	for k, m := range n.out.Join {
		pos := n.Value.Get("join").Items[k].Pos
		if !before.has(m) {
			c.list.Add(badJoin.At(pos, "node %q waits for %q, which runs after it or never", n.Key, g.names[m]).
				WithHint("Take it out of the join, or lead a path to it that does not come through %q.", n.Key))
			return
		}
		for _, o := range n.out.Join[:k] {
			if g.spend(1) && !g.both(o, m) {
				c.list.Add(badJoin.At(pos, "node %q waits for %q and for %q, and no run comes to both", n.Key, g.names[o], g.names[m]).
					WithHint("Run both in parallel (next: [%s, %s]), or leave join out.", g.names[o], g.names[m]))
				return
			}
		}
	}
}

// both reports whether a run can come to two nodes: one follows the other, or they lie
// on branches that run in parallel.
func (g *graph) both(a, b int) bool {
	r := g.reachable()
	return r.has(a, b) || r.has(b, a) || g.beside(a, b, false)
}
