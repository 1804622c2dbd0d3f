// Package graph is the node type graph: it runs another graph of the spec as a node.
// The interrupts of that graph surface in the caller's thread; its output is the node's.
package graph

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/source"
)

// Type returns the node type graph.
func Type() build.NodeType {
	return build.NodeType{
		Name: "graph", Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Node {
			input := s.Value(config.Get("input"))
			signature := s.Graph(config.Get("name"))
			if signature == nil {
				return build.Node{}
			}
			s.CheckInput(badInput, config.Get("name").Pos, signature, config.Get("input"), input)
			return build.Node{Plan: &plan{graph: signature.Name, input: input}, Output: signature.Output}
		},
	}
}

type plan struct {
	graph string
	input *expr.Value // nil: none
}

// Next runs the graph. When that fails, the node fails.
func (p *plan) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		input, err := p.evalInput(in.Scope)
		return &engine.RunGraph{Graph: p.graph, Input: input}, err
	})
	switch {
	case err != nil:
		return engine.Move{}, err
	case wait != nil:
		return in.Stop(wait, nil)
	case out.Err != nil:
		return engine.Move{}, out.Err
	}
	return engine.Finish(out.Value), nil
}

func (p *plan) evalInput(scope map[string]any) (map[string]any, error) {
	if p.input == nil {
		return map[string]any{}, nil
	}
	v, err := p.input.Eval(scope)
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	if v, err = engine.Plain(v); err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	input, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("input of graph %q must be an object, not %s", p.graph, engine.KindOf(v))
	}
	return input, nil
}

var badInput = diag.Rule{
	Code: "graph-node/input", Severity: diag.Error, Summary: "The input of a graph does not fit what it declares.",
	Explain: "A graph that is run as a node gets what it declares as `input`.\n\n" +
		"    graph: {name: answer}                                  # wrong, when the graph requires a question\n" +
		"    graph: {name: answer, input: {question: \"{{ text }}\"}} # right\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{badInput} }
