package nodetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
)

// Run drives one invocation of a plan to its end.
type Run struct {
	Plan  engine.Plan
	Scope map[string]any
	User  string
	// Human answers interrupts; an edit's arguments are coerced as the scheduler does.
	Human func(ask *engine.Ask) engine.Answer
	// Graph runs a graph; nil gives its input back.
	Graph func(op *engine.RunGraph) (any, *engine.Failure)
	// Before may change an operation's outcome: one returned is taken instead of carrying it out.
	Before func(op engine.Op) *engine.Outcome

	Ops     []engine.Op // what the plan asked for, in order
	Emitted []string
	used    map[string]chat.Usage
}

// maxOps bounds an invocation.
const maxOps = 2000

// Now is the time at which outcomes are known.
var Now = time.Date(2026, 1, 28, 12, 0, 0, 0, time.UTC)

// Do returns the plan's output, or the error with which it ended. It fails the test
// when the plan, asked again for the same outcomes, wants something else: a crash
// between two outcomes would not be noticed then.
func (r *Run) Do(t testing.TB) (any, error) {
	t.Helper()
	r.used = map[string]chat.Usage{}
	var done []engine.Outcome
	for range maxOps {
		move, err := r.Plan.Next(r.invocation(done))
		again, errAgain := r.Plan.Next(r.invocation(done))
		if (err == nil) != (errAgain == nil) || !sameOp(move.Op, again.Op) || !reflect.DeepEqual(move.Output, again.Output) {
			t.Fatalf("after %d outcomes the plan wants %T (%v), asked again %T (%v)", len(done), move.Op, err, again.Op, errAgain)
		}
		if err != nil {
			return nil, err
		}
		if move.Op == nil {
			out, err := engine.Plain(move.Output)
			if err != nil {
				t.Fatalf("the output is not plain: %v", err)
			}
			return out, nil
		}
		r.Ops = append(r.Ops, move.Op)
		done = append(done, r.carryOut(t, move.Op, len(done)))
	}
	t.Fatalf("the plan does not end")
	return nil, nil
}

func (r *Run) invocation(done []engine.Outcome) *engine.Invocation {
	in := engine.NewInvocation(r.Scope, done...)
	in.Thread, in.Run, in.User, in.Key, in.Node = "thread", "run", r.User, "thread/run/1", "graph/node"
	in.Used = func(model string) chat.Usage { return r.used[model] }
	return in
}

func sameOp(a, b engine.Op) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	switch a := a.(type) {
	case *engine.Perform:
		b, _ := b.(*engine.Perform)
		return a.Label == b.Label && a.Effect == b.Effect && reflect.DeepEqual(a.Args, b.Args)
	case *engine.Ask:
		b, _ := b.(*engine.Ask)
		return reflect.DeepEqual(a.Request, b.Request)
	}
	return reflect.DeepEqual(a, b)
}

func (r *Run) carryOut(t testing.TB, op engine.Op, index int) engine.Outcome {
	t.Helper()
	if r.Before != nil {
		if out := r.Before(op); out != nil {
			return *out
		}
	}
	switch op := op.(type) {
	case *engine.Perform:
		return r.perform(t, op, index)
	case *engine.Ask:
		return engine.Outcome{Answer: r.answer(t, op), At: Now}
	case *engine.RunGraph:
		if r.Graph == nil {
			return engine.Outcome{Value: op.Input, At: Now}
		}
		v, failed := r.Graph(op)
		return engine.Outcome{Value: v, Err: failed, At: Now}
	}
	return engine.Outcome{At: Now}
}

func (r *Run) perform(t testing.TB, op *engine.Perform, index int) engine.Outcome {
	t.Helper()
	call := engine.Call{
		Key: "thread/run/1." + strconv.Itoa(index), Node: "graph/node", Thread: "thread", Run: "run", User: r.User, Attempt: 1,
		Request: op.Request, Emit: func(text string) { r.Emitted = append(r.Emitted, text) },
	}
	if op.Refuse != nil {
		if f := op.Refuse(); f != nil {
			return engine.Outcome{Err: f, At: Now}
		}
	}
	result, err := op.Handler.Handle(context.Background(), call)
	if err != nil {
		var f *engine.Failure
		if !errors.As(err, &f) {
			f = &engine.Failure{Class: engine.Permanent, Message: err.Error()}
		}
		return engine.Outcome{Err: f, At: Now}
	}
	value, err := engine.Plain(result.Value)
	if err != nil {
		t.Fatalf("the result of %s is not plain: %v", op.Label, err)
	}
	if result.Usage != nil {
		r.used[result.Usage.Model] = r.used[result.Usage.Model].Add(*result.Usage)
	}
	return engine.Outcome{Value: value, Usage: result.Usage, At: Now}
}

func (r *Run) answer(t testing.TB, ask *engine.Ask) *engine.Answer {
	t.Helper()
	if r.Human == nil {
		t.Fatalf("nobody is there to answer %q", ask.Request.Title)
	}
	a := r.Human(ask)
	if a.Response == engine.Edit {
		args, problems := ask.Params.Coerce(a.Args)
		if len(problems) > 0 {
			t.Fatalf("the edited arguments do not fit: %v", problems)
		}
		a.Args, _ = args.(map[string]any)
	}
	return &a
}

// Labels returns what was asked for, in words: "perform send", "ask Title", …
func (r *Run) Labels() []string {
	var out []string
	for _, op := range r.Ops {
		switch op := op.(type) {
		case *engine.Perform:
			out = append(out, "perform "+op.Label)
		case *engine.Ask:
			out = append(out, "ask "+op.Request.Title)
		case *engine.RunGraph:
			out = append(out, "graph "+op.Graph)
		case *engine.Sleep:
			out = append(out, fmt.Sprintf("sleep %s %s", op.For, op.Until))
		}
	}
	return out
}
