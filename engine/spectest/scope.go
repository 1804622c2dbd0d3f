package spectest

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
)

// env is the names that `when` may use: the state's fields, and what a test knows of
// the run. A state field hides a name of the test's own.
func (w *world) env() *expr.Env {
	text, unknown := &shape.Type{Kind: shape.String}, &shape.Type{Kind: shape.Any}
	names := map[string]*shape.Type{
		"output": unknown, "status": text, "error": text,
		"path":  {Kind: shape.List, Elem: text},
		"input": unknown, "memory": {Kind: shape.Object, Open: true, Elem: text},
		"interrupts": {Kind: shape.List, Elem: &shape.Type{Kind: shape.Object, Open: true}},
		"calls": {Kind: shape.List, Elem: &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
			"tool": text, "args": {Kind: shape.Object, Open: true}, "status": text,
			"result": unknown, "error": {Kind: shape.String, Nullable: true},
		}}},
	}
	g := w.program.Graph(w.graph)
	if g.Input != nil {
		names["input"] = g.Input.Type()
	}
	for _, f := range g.Fields {
		names[f.Name] = unknown
		if f.Shape != nil {
			names[f.Name] = f.Shape.Type()
		}
	}
	return expr.NewEnv(names)
}

// scope is the values of these names.
func (w *world) scope(ctx context.Context) (map[string]any, error) {
	memories := map[string]any{}
	for name, m := range w.program.Memories {
		v, err := w.memories.ReadMemory(ctx, m, w.test.user, thread)
		if err != nil {
			return nil, err
		}
		memories[name] = v.Text
	}
	calls := []any{}
	for _, c := range w.recorder.ran() {
		calls = append(calls, c.data())
	}
	raised := []any{}
	for _, r := range w.raised {
		raised = append(raised, interruptData(r))
	}
	path := make([]any, len(w.path))
	for i, node := range w.path {
		path[i] = node
	}
	input := w.test.input
	if input == nil {
		input = map[string]any{}
	}
	scope := map[string]any{
		"output": w.result.Output, "status": string(w.status()), "error": w.problem(), "path": path,
		"input": input, "memory": memories, "interrupts": raised, "calls": calls,
	}
	for _, f := range w.program.Graph(w.graph).Fields {
		scope[f.Name] = nil
	}
	maps.Copy(scope, w.result.State)
	return scope, nil
}

// graphs returns the names of a program's graphs.
func graphs(p *engine.Program) []string {
	names := make([]string, len(p.Graphs))
	for i, g := range p.Graphs {
		names[i] = g.Name
	}
	return names
}

// MainGraph returns the graph that is meant where none is named: the only one, or the
// one called main.
func MainGraph(names []string) (string, bool) {
	if len(names) == 1 {
		return names[0], true
	}
	return "main", slices.Contains(names, "main")
}

func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return strings.Join(quoted, ", ")
}
