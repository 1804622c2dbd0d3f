// Package node is the node types of simulated environments: ues, one operation in it,
// and ues_advance, which moves its time. Both act as the one who runs the environment;
// tools act as its user, see package nodes/tools/ues.
package node

import (
	"context"
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/ues/act"
	"github.com/weft-engine/weft/nodes/ues/env"
)

// Type returns the node type ues.
func Type(keeper *env.Keeper) build.NodeType {
	return build.NodeType{
		Name: "ues", Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Node {
			for i := range operations {
				op := &operations[i]
				given := config.Get(op.name)
				if given == nil {
					continue
				}
				p := &plan{keeper: keeper, op: op, at: env.CompileAt(s, config.Get("at"))}
				p.compile(s, given)
				out := build.Node{Plan: p, Once: op.effect == engine.EffectOnce}
				if op.foreign {
					out.Output = &shape.Type{Untrusted: true}
				}
				return out
			}
			return build.Node{} // the schema has found it
		},
	}
}

// operation is one thing that the node can do.
type operation struct {
	name     string
	effect   engine.Effect
	foreign  bool // what it gives is what others have written
	verbatim bool // its configuration is data as it stands, unless it is an expression
	do       func(r *run) (any, error)
	find     func(r *run) (any, bool, error) // of effect once
}

// plan is a configured operation.
type plan struct {
	keeper *env.Keeper
	op     *operation
	at     *env.At
	args   *expr.Value // nil: data
	data   any
	act    *act.Action // of inject and query
}

// compile reads an operation's configuration.
func (p *plan) compile(s *build.Scope, config *source.Value) {
	if p.op.verbatim && config.Kind != source.String {
		p.data = config.Go()
	} else {
		p.args = s.Value(config)
	}
	if name := config.Get("action"); name != nil {
		p.act = act.Named(name.Text)
		if p.act != nil && p.act.Looks() == (p.op.effect == engine.EffectOnce) {
			s.Report(badAction.At(name.Pos, "%s %s, and %s is for what %s", name.Text, looks[p.act.Looks()], p.op.name, looks[!p.act.Looks()]).
				WithHint("Write %s.", hints[p.act.Looks()]))
		}
	}
}

var (
	looks = map[bool]string{true: "changes nothing", false: "changes something"}
	hints = map[bool]string{true: "query: {action: …}", false: "inject: {action: …}"}
)

// Next performs the operation and gives its result.
func (p *plan) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) { return p.perform(in.Scope) })
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	if out.Err != nil {
		return engine.Move{}, out.Err
	}
	return engine.Finish(out.Value), nil
}

func (p *plan) perform(scope map[string]any) (engine.Op, error) {
	target, err := p.at.Target(scope)
	if err != nil {
		return nil, err
	}
	r := request{target: target, args: p.data, op: p.op, act: p.act}
	var shown any
	if p.args != nil {
		if r.args, err = p.args.Eval(scope); err != nil {
			return nil, fmt.Errorf("%s: %w", p.op.name, err)
		}
		if !p.op.verbatim {
			shown = r.args
		}
	}
	var h engine.Handler = handler{p.keeper}
	if p.op.find != nil {
		h = looker{handler{p.keeper}}
	}
	return &engine.Perform{Handler: h, Request: r, Label: "ues " + p.op.name, Args: shown, Effect: p.op.effect}, nil
}

// request is what a handler is given.
type request struct {
	target env.Target
	op     *operation
	act    *act.Action
	args   any
}

// run is one operation under way.
type run struct {
	request
	ctx    context.Context //nolint:containedctx // of one call
	keeper *env.Keeper
	env    env.Environment
	call   engine.Call
}

// fields are the arguments by name.
func (r *run) fields() map[string]any {
	f, _ := r.args.(map[string]any)
	return f
}

// text is a text among the arguments, "" when there is none.
func (r *run) text(name string) string {
	t, _ := r.fields()[name].(string)
	return t
}

// handler performs operations.
type handler struct{ keeper *env.Keeper }

func (h handler) begin(ctx context.Context, call engine.Call) (*run, error) {
	req, ok := call.Request.(request)
	if !ok {
		return nil, fmt.Errorf("request of a ues node is %T", call.Request)
	}
	e, err := h.keeper.Open(ctx, call.Thread, req.target)
	if err != nil {
		return nil, err
	}
	return &run{request: req, ctx: ctx, keeper: h.keeper, env: e, call: call}, nil
}

// Handle performs the operation in call.Request.
func (h handler) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	r, err := h.begin(ctx, call)
	if err != nil {
		return engine.Result{}, act.Failure(ctx, err)
	}
	v, err := r.op.do(r)
	if err != nil {
		return engine.Result{}, act.Failure(ctx, err)
	}
	return engine.Result{Value: v}, nil
}

// looker is a handler of operations that can be found again.
type looker struct{ handler }

// Lookup finds out whether the operation was performed.
func (l looker) Lookup(ctx context.Context, call engine.Call) (engine.Result, bool, error) {
	r, err := l.begin(ctx, call)
	if err != nil {
		return engine.Result{}, false, err
	}
	v, found, err := r.op.find(r)
	return engine.Result{Value: v}, found, err
}

var badAction = diag.Rule{
	Code: "ues/action", Severity: diag.Error, Summary: "An operation of a simulated environment is used for the wrong thing.",
	Explain: "`query` looks something up and may be repeated at will; `inject` changes something.\n\n" +
		"    ues: {query: {action: email.send, args: {…}}}     # wrong\n" +
		"    ues: {inject: {action: email.receive, args: {…}}}\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return append(env.Rules(), badAction) }
