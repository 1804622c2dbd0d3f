package compile

import (
	"slices"

	"github.com/weft-engine/weft/engine"
)

// writers reports nodes that write one field in one step although the field has no
// reducer that could merge them. It follows each fan-out in lockstep, as steps do, over
// edges that are always taken; where a condition decides, it is not certain that the
// branches meet, and nothing is reported. It comes after the expressions, which resolve
// what is written, and needs sound edges.
func writers(c *compilation) {
	for _, g := range c.graphs {
		if !g.sound {
			continue
		}
		told := map[string]bool{}
		for _, fan := range g.fans() {
			c.lockstep(g, fan, told)
		}
	}
}

// lockstep walks the branches of a fan-out step by step.
func (c *compilation) lockstep(g *graph, fan []int, told map[string]bool) {
	step := slices.DeleteFunc(slices.Clone(fan), func(n int) bool { return n == engine.End || len(g.nodes[n].out.Join) > 0 })
	slices.Sort(step)
	seen := map[int]bool{}
	for len(step) > 1 && g.spend(len(step)) {
		c.collide(g, step, told)
		var next []int
		for _, n := range step {
			if seen[n] {
				continue
			}
			seen[n] = true
			next = append(next, g.certain(n)...)
		}
		slices.Sort(next)
		step = slices.Compact(next)
	}
}

// certain returns the nodes that always follow a node in the next step.
func (g *graph) certain(n int) []int {
	var out []int
	next := g.nodes[n].out.Next
	if len(next) != 1 || next[0].When != nil || g.nodes[n].out.OnError != nil {
		return nil
	}
	for _, to := range next[0].To {
		if to != engine.End && len(g.nodes[to].out.Join) == 0 {
			out = append(out, to)
		}
	}
	return out
}

// collide reports the first pair of nodes of a step that write one field.
func (c *compilation) collide(g *graph, step []int, told map[string]bool) {
	first := map[string]int{}
	for _, i := range step {
		n := g.nodes[i]
		for _, w := range n.writes {
			f := g.fields[w.field]
			if w.catch || f == nil || f.Reduce != engine.Replace {
				continue
			}
			other, ok := first[w.field]
			if !ok {
				first[w.field] = i
				continue
			}
			if told[w.field] {
				continue
			}
			told[w.field] = true
			c.list.Add(twoWriters.At(w.pos, "nodes %q and %q run in one step and both write %q, which has no reducer", g.names[other], n.Key, w.field).
				WithHint("Give the field a reducer (append, merge, sum, …), or write different fields.").
				WithRelated(g.nodes[other].Value.Get("set").KeyPos(w.field), "the other write").
				WithRelated(g.Value.Get("state").KeyPos(w.field), "the field"))
		}
	}
}
