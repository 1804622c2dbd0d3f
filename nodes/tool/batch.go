package tool

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/nodes/internal/conversation"
	"github.com/weft-engine/weft/nodes/internal/learn"
)

// maxCalls bounds the calls of one message that are carried out.
const maxCalls = 128

// batch handles a list of calls in order. Each call gets exactly one outcome and one
// tool message; a later call is asked about only after an earlier one was carried out.
type batch struct {
	calls   *expr.Value
	names   []string // of the tools that may be called
	tools   map[string]*engine.Tool
	learner *learn.Learner
}

// Next returns what the batch waits for, and at the end {messages, calls, stopped, learned}.
func (p *batch) Next(in *engine.Invocation) (engine.Move, error) {
	v, err := p.calls.Eval(in.Scope)
	if err != nil {
		return engine.Move{}, fmt.Errorf("calls: %w", err)
	}
	if v, err = engine.Plain(v); err != nil {
		return engine.Move{}, fmt.Errorf("calls: %w", err)
	}
	calls, err := conversation.ParseCalls(v)
	if err != nil {
		return engine.Move{}, fmt.Errorf("calls: %w", err)
	}
	r := &record{}
	for i, call := range calls {
		o, wait, err := p.outcome(in, i, call, r)
		if wait != nil || err != nil {
			return in.Stop(wait, err)
		}
		if o.failure != nil && o.failure.Class == engine.Limit {
			return engine.Move{}, o.failure
		}
		r.add(o)
		wait = p.learn(in, i, o, r)
		if wait != nil {
			return in.Stop(wait, nil)
		}
	}
	return engine.Finish(r.output()), nil
}

func (p *batch) outcome(in *engine.Invocation, i int, call chat.ToolCall, r *record) (*outcome, engine.Op, error) {
	switch t := p.tools[call.Name]; {
	case r.stopped != "":
		return notRun(call, "the user stopped after "+r.stopped), nil, nil
	case i >= maxCalls:
		return notRun(call, fmt.Sprintf("at most %d calls are carried out at a time", maxCalls)), nil, nil
	case t == nil:
		return unknown(call, p.names), nil, nil
	case call.Invalid != "":
		return garbled(call), nil, nil
	default:
		return decide(in, t, call)
	}
}

// learn has the memory learn that the decision on a call is for. It comes after the
// call's outcome is journaled: whatever becomes of it, the call is not made again.
func (p *batch) learn(in *engine.Invocation, i int, o *outcome, r *record) engine.Op {
	if o.made == nil {
		return nil
	}
	learned, wait := o.made.Learn(in, p.learner, i, r.messages)
	if wait != nil {
		return wait
	}
	if learned != nil {
		r.learned = append(r.learned, learned.Data())
	}
	return nil
}

// record is what became of the calls so far.
type record struct {
	messages []chat.Message
	calls    []any
	learned  []any
	stopped  string // the call after which the batch ended
}

func (r *record) add(o *outcome) {
	r.messages = append(r.messages, chat.Message{
		Role: chat.ToolRole, ToolCallID: o.call.ID, Name: o.call.Name, Content: o.reply,
	})
	r.calls = append(r.calls, o.data())
	if o.stop && r.stopped == "" {
		r.stopped = o.call.Name
	}
}

func (o *outcome) data() map[string]any {
	args := o.args
	if args == nil {
		args = map[string]any{}
	}
	out := map[string]any{"id": o.call.ID, "name": o.call.Name, "args": args, "status": o.status, "edited": false}
	if o.made != nil {
		out["response"], out["edited"] = string(o.made.Answer.Response), o.made.Edited != nil
	}
	if o.result != nil {
		out["result"] = o.result
	}
	if o.problem != "" {
		out["error"] = o.problem
	}
	return out
}

func (r *record) output() map[string]any {
	messages := make([]any, len(r.messages))
	for i, m := range r.messages {
		messages[i] = conversation.Data(m)
	}
	return map[string]any{
		"messages": messages, "calls": list(r.calls), "learned": list(r.learned), "stopped": r.stopped != "",
	}
}

func list(items []any) []any {
	if items == nil {
		return []any{}
	}
	return items
}
