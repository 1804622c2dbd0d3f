package graph_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes/tools/graph"
)

const look = `
graphs:
  look_up:
    input: {type: object, required: [id], additionalProperties: false, properties: {id: {type: string}}}
    start: a
    nodes: {a: {next: end}}
tools:
  find:
    parameters: {type: object, required: [order], additionalProperties: false, properties: {order: {type: string}, id: {type: string}, n: {type: integer}}}
    graph: `

func tool(t *testing.T, config string) (*engine.Tool, *diag.List) {
	t.Helper()
	root, list := spec.Decode([]byte(look+config+"\n"), "spec.yaml")
	if list.HasErrors() {
		t.Fatal(list.Sorted())
	}
	p := build.New(root, build.Types{Backends: []build.BackendType{graph.Type()}}, list)
	return p.Tools()["find"], list
}

func op(t *engine.Tool, args map[string]any) (engine.Op, error) {
	op, _, err := t.Backend.Op(chat.ToolCall{}, map[string]any{"args": args, "call": map[string]any{}, "run": map[string]any{}})
	return op, err
}

func TestArgumentsBecomeTheInput(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]map[string]any{
		"{name: look_up}": {"id": "7", "order": "x"},
		"{name: look_up, input: {id: \"no. {{ args.order }}\"}}": {"id": "no. x"},
		"{name: look_up, input: \"{{ args }}\"}":                 {"id": "7", "order": "x"},
	} {
		tool, list := tool(t, config)
		if list.Len() > 0 {
			t.Errorf("%s: %v", config, list.Sorted())
			continue
		}
		got, err := op(tool, map[string]any{"id": "7", "order": "x"})
		if diff := cmp.Diff(&engine.RunGraph{Graph: "look_up", Input: want}, got); diff != "" || err != nil {
			t.Errorf("%s: %s %v", config, diff, err)
		}
	}
}

func TestInputThatCanNeverFitIsFound(t *testing.T) {
	t.Parallel()
	for config, code := range map[string]diag.Code{
		"{name: look_up, input: {id: \"{{ args.n }}\"}}": "tool/graph-input",
		"{name: look_up, input: \"{{ args.n }}\"}":       "tool/graph-input",
		"{name: lookup}": "graph/unknown",
	} {
		_, list := tool(t, config)
		if got := list.Sorted(); len(got) != 1 || got[0].Code != code {
			t.Errorf("%s: %v", config, got)
		}
	}
}

func TestInputThatIsNoObjectFails(t *testing.T) {
	t.Parallel()
	root, list := spec.Decode([]byte("graphs: {g: {start: a, nodes: {a: {}}}}\ntools: {find: {parameters: {type: object}, graph: {name: g, input: \"{{ args.x }}\"}}}"), "spec.yaml")
	p := build.New(root, build.Types{Backends: []build.BackendType{graph.Type()}}, list)
	if list.Len() > 0 {
		t.Fatal(list.Sorted())
	}
	_, err := op(p.Tools()["find"], map[string]any{"x": "text"})
	if f, ok := errors.AsType[*engine.Failure](err); !ok || f.Class != engine.Permanent {
		t.Errorf("%v", err)
	}
}
