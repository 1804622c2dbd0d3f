// Package emit is the node type emit: it shows something while the run goes on, to those
// who follow its events. It changes nothing; what it shows is in the journal, so it is
// shown once. Its output is the value.
//
//	emit: {name: block, value: "{{ shown.block }}"}
package emit

import (
	"context"
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/source"
)

// Type returns the node type emit.
func Type() build.NodeType {
	return build.NodeType{
		Name: "emit",
		Build: func(s *build.Scope, config *source.Value) build.Node {
			p := &plan{name: config.Get("name").Text, value: s.Value(config.Get("value"))}
			return build.Node{Plan: p, Output: p.value.Type()}
		},
	}
}

type plan struct {
	name  string
	value *expr.Value
}

// Next shows the value.
func (p *plan) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		v, err := p.value.Eval(in.Scope)
		if err != nil {
			return nil, fmt.Errorf("value: %w", err)
		}
		return &engine.Perform{Handler: Handler{}, Request: v, Label: p.name, Effect: engine.EffectNone}, nil
	})
	switch {
	case wait != nil || err != nil:
		return in.Stop(wait, err)
	case out.Err != nil:
		return engine.Move{}, out.Err
	}
	return engine.Finish(out.Value), nil
}

// Handler carries a value to those who follow a run: a call with it has the value as its
// result, and the name of what is shown as its label.
type Handler struct{}

// Handle returns what the call is made with.
func (Handler) Handle(_ context.Context, call engine.Call) (engine.Result, error) {
	return engine.Result{Value: call.Request}, nil
}
