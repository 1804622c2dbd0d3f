package compile

import "github.com/weft-engine/weft/engine"

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
	r := g.reachable()
	for i, n := range g.nodes {
		for _, e := range n.edges {
			if e.to != engine.End && e.to <= i && r.looped(i, e.to) {
				return n, e, true
			}
		}
	}
	return nil, edge{}, false
}
