package spectest

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/source"
)

// names checks the names that a test uses against its spec, and its conditions.
func (w *world) names(list *diag.List) {
	t, e := w.test, w.test.expect
	g := w.program.Graph(w.graph)
	memories := slices.Sorted(maps.Keys(w.program.Memories))
	for _, m := range t.memory {
		known(list, "memory", m.Key, m.Pos, memories)
	}
	if e.path != nil {
		for _, item := range e.path.Items {
			known(list, "node", item.Text, item.Pos, nodes(g))
		}
	}
	keys(list, "state field", e.state, fields(g))
	keys(list, "memory", e.memory, memories)
	if e.calls != nil {
		for _, item := range e.calls.Items {
			tool := item.Get("tool")
			known(list, "tool", tool.Text, tool.Pos, slices.Sorted(maps.Keys(w.program.Tools)))
		}
	}
	for _, when := range e.when {
		expr.CompileCondition(when, w.env(), list)
	}
}

func nodes(g *engine.Graph) []string {
	out := make([]string, len(g.Nodes))
	for i, n := range g.Nodes {
		out[i] = n.Name
	}
	return out
}

func fields(g *engine.Graph) []string {
	out := make([]string, len(g.Fields))
	for i, f := range g.Fields {
		out[i] = f.Name
	}
	return out
}

// keys checks the keys of a map.
func keys(list *diag.List, kind string, v *source.Value, names []string) {
	if v == nil {
		return
	}
	for _, f := range v.Fields {
		known(list, kind, f.Key, f.Pos, names)
	}
}

// known reports a name that there is not.
func known(list *diag.List, kind, name string, pos diag.Pos, names []string) {
	if slices.Contains(names, name) {
		return
	}
	f := unknownName.At(pos, "the spec has no %s %q", kind, name)
	near := diag.Nearest(name, names)
	switch {
	case near != "":
		f = f.WithHint("Did you mean %q?", near)
	case len(names) == 0:
		f = f.WithHint("It has none at all.")
	default:
		f = f.WithHint("There is: %s.", strings.Join(names, ", "))
	}
	list.Add(f)
}
