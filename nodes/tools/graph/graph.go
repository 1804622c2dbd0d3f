// Package graph is the backend of tools that run a graph of the spec: the arguments
// are its input, its output is the result. Its interrupts surface in the thread of
// the graph that called the tool.
package graph

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// BadInput is found where what a tool passes can never be the graph's input.
var BadInput = diag.Rule{
	Code: "tool/graph-input", Severity: diag.Error,
	Summary: "A tool passes its graph an input that can never fit.",
	Explain: "A tool with the backend `graph` passes its arguments on as the graph's input, or what `input` makes of " +
		"them. They must be able to fit the input that the graph declares.\n\n" +
		"    graph: {name: look_up, input: {id: \"{{ args.order }}\"}}\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{BadInput} }

// Type is the backend type `graph`.
func Type() build.BackendType {
	return build.BackendType{Name: "graph", Rules: Rules(), Build: newBackend}
}

func newBackend(s *build.Scope, _ *engine.Tool, config *source.Value) build.Backend {
	g := s.Graph(config.Get("name"))
	if g == nil {
		return build.Backend{}
	}
	input := s.Value(config.Get("input"))
	given := s.Type("args")
	if input != nil {
		given = input.Type()
	}
	if g.Input != nil && build.Fits(given, g.InputType()) == build.Never {
		s.Report(misfit(config, g, given))
	}
	return build.Backend{Backend: &backend{graph: g.Name, input: input}, Result: g.Output, Graph: g.Name}
}

// misfit is the finding about an input that can never fit: at the field that does not,
// when one of them is to blame.
func misfit(config *source.Value, g *build.Signature, given *shape.Type) diag.Finding {
	const hint = "Say with `input` which argument becomes which field of the graph's input."
	want, input := g.InputType(), config.Get("input")
	for _, name := range slices.Sorted(maps.Keys(want.Fields)) {
		got := given.Fields[name]
		if got == nil || build.Fits(got, want.Fields[name]) != build.Never {
			continue
		}
		at := config.Get("name").Pos
		if field := input.Get(name); field != nil {
			at = field.Pos
		}
		return BadInput.At(at, "%q of the input of graph %q must be %s, and this is %s", name, g.Name, build.Describe(want.Fields[name]), build.Describe(got)).
			WithHint("%s", hint)
	}
	at := config.Get("name").Pos
	if input != nil {
		at = input.Pos
	}
	return BadInput.At(at, "graph %q takes %s, and this is %s", g.Name, build.Describe(want), build.Describe(given)).WithHint("%s", hint)
}

// backend is one tool that runs a graph.
type backend struct {
	graph string
	input *expr.Value // nil: the arguments
}

// Op runs the graph.
func (b *backend) Op(_ chat.ToolCall, scope map[string]any) (engine.Op, any, error) {
	input := scope["args"]
	if b.input != nil {
		var err error
		if input, err = b.input.Eval(scope); err != nil {
			return nil, nil, &engine.Failure{Class: engine.Permanent, Message: fmt.Sprintf("input of graph %s: %s", b.graph, err)}
		}
	}
	fields, ok := input.(map[string]any)
	if !ok && input != nil {
		return nil, nil, &engine.Failure{Class: engine.Permanent, Message: fmt.Sprintf("input of graph %s is not an object", b.graph)}
	}
	return &engine.RunGraph{Graph: b.graph, Input: fields}, nil, nil
}
