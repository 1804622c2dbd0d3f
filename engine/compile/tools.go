package compile

import (
	"github.com/weft-engine/weft/engine/source"
)

// calls finds the tools that models of a graph are told of: those, and no others, may
// a list of calls name in it. A graph without such a model takes its calls from
// somewhere else, and may call every tool.
func (g *graph) calls() {
	seen := map[string]bool{}
	for _, n := range g.nodes {
		v := n.config.Get("tools")
		if v == nil || v.Kind != source.List {
			continue
		}
		for _, item := range v.Items {
			if name := text(item); name != "" && !seen[name] {
				seen[name] = true
				g.tools = append(g.tools, name)
			}
		}
	}
}
