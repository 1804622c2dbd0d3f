package tool

import (
	"cmp"
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/conversation"
	"github.com/weft-engine/weft/nodes/internal/decision"
)

// What became of a call.
const (
	statusOK      = "ok"      // it was carried out, or the human answered it
	statusFailed  = "failed"  // it was tried
	statusInvalid = "invalid" // no such tool, or its arguments do not fit
	statusRefused = "refused" // a human did not let it run
	statusNotRun  = "not_run" // a human stopped before it
)

// outcome is what became of one call.
type outcome struct {
	status  string
	call    chat.ToolCall // with the arguments that fit
	args    map[string]any
	made    *decision.Made // nil: nobody was asked
	result  any
	problem string
	reply   string // what the model reads
	stop    bool
	failure *engine.Failure // why it failed, if it was tried
}

// decide takes one call to its outcome: its arguments are checked, a human is asked
// if the tool has a policy, and it is carried out or not. Each is an operation of the
// invocation, so that none is ever repeated.
func decide(in *engine.Invocation, t *engine.Tool, call chat.ToolCall) (*outcome, engine.Op, error) {
	args, problems := fit(t, call.Args)
	if len(problems) > 0 {
		return misfit(call, problems), nil, nil
	}
	call.Args = args
	if t.Policy == nil {
		return carry(in, t, &outcome{call: call, args: args})
	}
	out, wait, err := in.Do(func() (engine.Op, error) { return question(in, t, call), nil })
	if wait != nil || err != nil {
		return nil, wait, err
	}
	if out.Answer == nil {
		return nil, nil, fmt.Errorf("the interrupt about %q ended without an answer", t.Name)
	}
	return settle(in, t, call, out.Answer)
}

// question is the interrupt about a call.
func question(in *engine.Invocation, t *engine.Tool, call chat.ToolCall) *engine.Ask {
	ask := decision.Question(in.Scope, t.Policy, call, t.Params)
	ask.Request.Kind, ask.Request.Action = "tool", call.Name
	return ask
}

// fit returns arguments that fit the tool's parameters, and how they do not.
func fit(t *engine.Tool, args map[string]any) (map[string]any, []shape.Problem) {
	if t.Params == nil {
		return map[string]any{}, nil
	}
	if args == nil {
		args = map[string]any{}
	}
	v, problems := t.Params.Coerce(args)
	if len(problems) > 0 {
		return nil, problems
	}
	fitted, ok := v.(map[string]any)
	if !ok {
		return args, nil
	}
	return fitted, nil
}

// settle does what follows from the human's answer.
func settle(in *engine.Invocation, t *engine.Tool, call chat.ToolCall, a *engine.Answer) (*outcome, engine.Op, error) {
	made := &decision.Made{Policy: t.Policy, Call: call, Answer: a}
	d := made.On()
	o := &outcome{call: call, args: call.Args, made: made, stop: d.Stop}
	if a.Response == engine.Edit {
		args, problems := fit(t, a.Args)
		if len(problems) > 0 {
			bad := misfit(call, problems)
			bad.made, bad.stop = made, d.Stop
			return bad, nil, nil
		}
		o.args, made.Edited = args, args
	}
	switch {
	case t.Backend == nil && t.Result == nil && a.Response != engine.Ignore:
		answered(o, a)
	case d.Run:
		return carry(in, t, o)
	default:
		o.status = statusRefused
		o.reply = refusal(o)
	}
	if d.Reply != nil {
		replyWith(in, d.Reply, o)
	}
	return o, nil, nil
}

// answered is the outcome of a tool that only asks: the answer is its result.
func answered(o *outcome, a *engine.Answer) {
	o.status = statusOK
	if a.Response == engine.Respond {
		o.result, o.reply = a.Text, a.Text
		return
	}
	o.result, o.reply = o.args, "The user agreed."
	if a.Response == engine.Edit {
		o.reply = "The user agreed, with these arguments: " + conversation.Cut(conversation.Compact(o.args), argsLimit)
	}
}

// replyWith renders the policy's reply. One that cannot be rendered leaves the usual
// text: the calls before this one have happened, and the run must go on.
func replyWith(in *engine.Invocation, reply *engine.Text, o *outcome) {
	text, err := reply.Render(o.made.Scope(in.Scope))
	if err != nil {
		o.problem = fmt.Sprintf("the policy's reply cannot be rendered: %s", err)
		return
	}
	o.reply = text
}

// carry has the tool's backend make the call.
func carry(in *engine.Invocation, t *engine.Tool, o *outcome) (*outcome, engine.Op, error) {
	run := o.call
	run.Args = o.args
	scope := map[string]any{"args": o.args, "call": conversation.CallData(run), "run": in.Scope["run"]}
	if t.Backend == nil {
		return fixed(t, o, scope), nil, nil
	}
	op, result, err := t.Backend.Op(run, scope)
	if op == nil || err != nil {
		return atOnce(o, result, err), nil, nil
	}
	out, wait, err := in.Do(func() (engine.Op, error) { return dressed(t, op, o.args), nil })
	if wait != nil || err != nil {
		return nil, wait, err
	}
	return carried(o, out), nil, nil
}

// carried is the outcome of a call that a backend was asked to make.
func carried(o *outcome, out engine.Outcome) *outcome {
	if out.Err != nil {
		return fail(o, out.Err)
	}
	return succeed(o, out.Value)
}

// fixed is the outcome of a tool without a backend.
func fixed(t *engine.Tool, o *outcome, scope map[string]any) *outcome {
	if t.Result == nil {
		return succeed(o, nil)
	}
	v, err := t.Result.Eval(scope)
	return atOnce(o, v, err)
}

// atOnce is the outcome of a call whose result was computed: nothing is journaled, and
// whenever the plan is asked again it is computed again.
func atOnce(o *outcome, result any, err error) *outcome {
	if err == nil {
		result, err = engine.Plain(result)
	}
	if err != nil {
		return fail(o, asFailure(err))
	}
	return succeed(o, result)
}

// dressed gives an operation what the tool says of its calls.
func dressed(t *engine.Tool, op engine.Op, args map[string]any) engine.Op {
	p, ok := op.(*engine.Perform)
	if !ok {
		return op
	}
	out := *p
	out.Label = cmp.Or(p.Label, t.Name)
	out.Effect = cmp.Or(p.Effect, t.Effect)
	out.Timeout = cmp.Or(p.Timeout, t.Timeout)
	if args != nil {
		out.Args = args // what a human knows the call by
	}
	if out.Retry == nil {
		out.Retry = t.Retry
	}
	return &out
}
