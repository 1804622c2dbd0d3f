package tool

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/nodes/internal/learn"
)

// single calls one tool. Its output is the tool's result; a call that fails, does not
// fit or is refused by a human fails the node.
type single struct {
	tool    *engine.Tool
	args    *expr.Value // nil: none
	learner *learn.Learner
}

// Next returns what the call waits for, and at the end the tool's result.
func (p *single) Next(in *engine.Invocation) (engine.Move, error) {
	args, err := evalArgs(p.args, in.Scope)
	if err != nil {
		return engine.Move{}, err
	}
	o, wait, err := decide(in, p.tool, chat.ToolCall{ID: in.Key, Name: p.tool.Name, Args: args})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	if o.made != nil {
		if _, wait := o.made.Learn(in, p.learner, 0, nil); wait != nil {
			return in.Stop(wait, nil)
		}
	}
	if o.status == statusOK {
		return engine.Finish(o.result), nil
	}
	return engine.Move{}, p.failure(o)
}

func (p *single) failure(o *outcome) *engine.Failure {
	if o.failure != nil {
		return o.failure
	}
	f := &engine.Failure{Class: engine.Permanent}
	switch o.status {
	case statusRefused:
		f.Message = fmt.Sprintf("a human did not let %q run (%s): %s", p.tool.Name, o.made.Answer.Response, o.reply)
	default:
		f.Message = fmt.Sprintf("the arguments of %q do not fit:\n%s", p.tool.Name, o.problem)
	}
	return f
}

// evalArgs evaluates named arguments.
func evalArgs(x *expr.Value, scope map[string]any) (map[string]any, error) {
	if x == nil {
		return map[string]any{}, nil
	}
	v, err := x.Eval(scope)
	if err != nil {
		return nil, fmt.Errorf("args: %w", err)
	}
	if v, err = engine.Plain(v); err != nil {
		return nil, fmt.Errorf("args: %w", err)
	}
	args, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("args must be an object, not %s", engine.KindOf(v))
	}
	return args, nil
}
