package compile

import (
	"slices"

	"github.com/weft-engine/weft/engine/build"
)

// again follows text from outside: what is written to a field, or given to a graph, is
// text from outside wherever it is read, also when no schema says so. It returns the nodes
// that read something of which that was not known when they were compiled. As each field
// is noted once, this ends.
func (c *compilation) again() []job {
	read := map[string][]string{} // by graph, names
	for _, f := range c.outside {
		read[f.Graph] = append(read[f.Graph], c.spec.Outside(f)...)
	}
	c.outside = nil
	for _, g := range c.graphs {
		for _, n := range g.nodes {
			for _, f := range slices.Concat(g.flows(n), n.flows) {
				read[f.Graph] = append(read[f.Graph], c.spec.Outside(f)...)
			}
		}
	}
	var jobs []job
	for _, g := range c.graphs {
		if len(read[g.Key]) > 0 {
			g.scope = c.spec.GraphScope(g.sig, c.list).Calling(g.tools)
		}
		for _, n := range g.nodes {
			if n.reads(read[g.Key]) || n.runs(read) {
				jobs = append(jobs, job{g, n})
			}
		}
	}
	return jobs
}

// flows returns the fields that a node writes text from outside to.
func (g *graph) flows(n *node) []build.Flow {
	writes := n.out.Set
	if n.out.OnError != nil {
		writes = append(slices.Clip(writes), n.out.OnError.Set...)
	}
	var out []build.Flow
	for _, w := range writes {
		if refs := w.Value.Untrusted(); len(refs) > 0 {
			out = append(out, build.Flow{Graph: g.Key, Field: w.Name, Pos: refs[0].Pos})
		}
	}
	return out
}

// reads reports whether a node reads one of these names of its graph.
func (n *node) reads(names []string) bool {
	for _, r := range slices.Concat(n.before, n.after) {
		if slices.Contains(names, r.Path[0]) {
			return true
		}
	}
	return false
}

// runs reports whether a node runs one of these graphs: what it gives may have changed.
func (n *node) runs(changed map[string][]string) bool {
	for name := range n.uses.Graphs {
		if len(changed[name]) > 0 {
			return true
		}
	}
	return false
}
