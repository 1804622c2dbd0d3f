package nodetest

import (
	"context"

	"github.com/weft-engine/weft/engine"
)

// Handle keeps the call and answers.
func (b backend) Handle(_ context.Context, call engine.Call) (engine.Result, error) {
	args, _ := call.Request.(map[string]any)
	b.Calls = append(b.Calls, Made{Tool: b.tool, Args: args, Key: call.Key})
	if b.Answer == nil {
		return engine.Result{Value: "done: " + b.tool}, nil
	}
	v, err := b.Answer(b.tool, args)
	return engine.Result{Value: v}, err
}

// Lookup tells whether a call with the key was carried out.
func (b backend) Lookup(_ context.Context, call engine.Call) (engine.Result, bool, error) {
	for _, made := range b.Calls {
		if made.Key == call.Key {
			return engine.Result{Value: "done: " + made.Tool}, true, nil
		}
	}
	return engine.Result{}, false, nil
}
