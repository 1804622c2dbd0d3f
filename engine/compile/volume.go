package compile

import (
	"github.com/weft-engine/weft/engine/source"
)

const (
	maxNodes  = 10_000   // of one graph
	maxVolume = 32 << 20 // bytes of text that are compiled, each text as often as it is used
)

// volume refuses specs whose graphs are too large to be judged, and whose texts multiply:
// a template without parameters is compiled anew in each node that uses it, a policy in
// each node that calls one of its tools. It comes before the expressions, which would
// take hours. What it refuses is not looked at further.
func volume(c *compilation) {
	v := volumes{c: c, templates: map[string]int{}, policies: map[string]int{}, tools: map[string]int{}}
	v.definitions()
	total := 0
	for _, g := range c.graphs {
		if len(g.nodes) > maxNodes {
			c.list.Add(largeGraph.At(g.Pos, "graph %q has %s nodes: more than %s", g.Key, number(len(g.nodes)), number(maxNodes)).
				WithHint("Split it into graphs that run each other."))
			c.stop = true
			return
		}
		g.calls()
		for _, n := range g.nodes {
			if total += v.node(g, n); total > maxVolume {
				c.list.Add(largeVolume.At(n.Pos, "the texts of the spec, each as often as it is used, are more than %d MiB", maxVolume>>20).
					WithHint("Give templates that many nodes use `params`: they are then compiled once."))
				c.stop = true
				return
			}
		}
	}
}

// volumes is the bytes of text that compiling a use takes, by name.
type volumes struct {
	c                          *compilation
	templates, policies, tools map[string]int
	all                        int // of all tools
}

func (v *volumes) definitions() {
	v.c.each("templates", func(f source.Field) {
		if !f.Value.Has("params") {
			v.templates[f.Key] = v.of(f.Value, 0)
		}
	})
	v.c.each("interrupts", func(f source.Field) { v.policies[f.Key] = v.of(f.Value, 0) })
	v.c.each("tools", func(f source.Field) {
		v.tools[f.Key] = v.policies[text(f.Value.Get("interrupt"))]
		v.all += v.tools[f.Key]
	})
}

// node returns what a node takes.
func (v *volumes) node(g *graph, n *node) int {
	size := v.of(n.Value, 0)
	tool := n.Value.Get("tool")
	switch {
	case tool == nil:
		return size + v.policies[text(n.config.Get("policy"))]
	case tool.Has("name"):
		return size + v.tools[text(tool.Get("name"))]
	case g.tools == nil:
		return size + v.all
	}
	for _, name := range g.tools {
		size += v.tools[name]
	}
	return size
}

// maxNesting bounds how deep a definition is walked; the spec's own limit is 100.
const maxNesting = 128

// of adds up the texts in a tree, those of the templates that it names too.
func (v *volumes) of(tree *source.Value, depth int) int {
	if tree == nil || depth > maxNesting {
		return 0
	}
	size := 1
	if tree.Kind == source.String {
		size += len(tree.Text)
	}
	for _, item := range tree.Items {
		size += v.of(item, depth+1)
	}
	for _, f := range tree.Fields {
		size += v.of(f.Value, depth+1)
		if f.Key == "template" {
			size += v.templates[text(f.Value)] + v.templates[text(f.Value.Get("name"))]
		}
	}
	return size
}
