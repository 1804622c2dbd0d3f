package compile

import (
	"slices"

	"github.com/weft-engine/weft/engine/expr"
)

// memories tells the engine which memories each node reads, so that a step loads those
// and no others. It comes after the expressions, which say what they read.
func memories(c *compilation) {
	all := c.spec.Memories()
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, g := range c.graphs {
		for _, n := range g.nodes {
			reads := append(slices.Clip(n.before), n.after...)
			for _, name := range names {
				if readsMemory(reads, name) {
					n.out.Memory = append(n.out.Memory, all[name])
				}
			}
		}
		c.outputMemory(g)
	}
}

// readsMemory reports whether any of the expressions reads a memory. One that uses
// `memory` as a whole reads all.
func readsMemory(refs []expr.Ref, name string) bool {
	return slices.ContainsFunc(refs, func(r expr.Ref) bool {
		return r.Path[0] == "memory" && (len(r.Path) == 1 || r.Path[1] == name)
	})
}

// outputMemory reports memories in a graph's output: nothing loads them there.
func (c *compilation) outputMemory(g *graph) {
	for _, r := range g.reads {
		if r.Path[0] == "memory" {
			c.list.Add(outputMemory.At(r.Pos, "the output of a graph cannot read memories").
				WithHint("Read the memory in a node and write it into a state field."))
			return
		}
	}
}
