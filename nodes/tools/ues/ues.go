// Package ues is the backend of tools that act in a simulated environment as its user:
// they send mail, answer it, plan meetings. The key is that of the user, which can do no
// more than a user can.
package ues

import (
	"context"
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/ues/act"
	"github.com/weft-engine/weft/nodes/ues/env"
)

// Type is the backend type `ues`.
func Type(keeper *env.Keeper) build.BackendType {
	return build.BackendType{
		Name: "ues", Rules: Rules(),
		Build: func(s *build.Scope, _ *engine.Tool, config *source.Value) build.Backend {
			name := config.Get("action")
			if name == nil {
				s.Report(noAction.At(config.Pos, "the tool does not say what it does in the environment").
					WithHint("Write action: email.send, email.query, calendar.create or another."))
				return build.Backend{}
			}
			a := act.Named(name.Text)
			if a == nil {
				return build.Backend{} // the schema has found it
			}
			b := &backend{keeper: keeper, act: a, at: env.CompileAt(s, config.Get("at")), args: s.Value(config.Get("args"))}
			return build.Backend{Backend: b, Effect: a.Effect, Settles: a.Effect == engine.EffectOnce, Live: true}
		},
	}
}

// backend is one tool.
type backend struct {
	keeper *env.Keeper
	act    *act.Action
	at     *env.At
	args   *expr.Value // nil: those of the call
}

// Op makes the act ready.
func (b *backend) Op(call chat.ToolCall, scope map[string]any) (engine.Op, any, error) {
	target, err := b.at.Target(scope)
	if err != nil {
		return nil, nil, &engine.Failure{Class: engine.Permanent, Message: err.Error()}
	}
	args := call.Args
	if b.args != nil {
		v, err := b.args.Eval(scope)
		if err != nil {
			return nil, nil, &engine.Failure{Class: engine.Permanent, Message: fmt.Sprintf("%s: %s", b.act.Name, err)}
		}
		var ok bool
		if args, ok = v.(map[string]any); !ok {
			return nil, nil, &engine.Failure{Class: engine.Permanent, Message: fmt.Sprintf("%s: its args are %T and not a map", b.act.Name, v)}
		}
	}
	return &engine.Perform{Handler: handler{b.keeper}, Request: request{target, b.act, args}, Args: args}, nil, nil
}

// request is what a handler is given.
type request struct {
	target env.Target
	act    *act.Action
	args   map[string]any
}

// handler acts.
type handler struct{ keeper *env.Keeper }

func (h handler) open(ctx context.Context, call engine.Call) (request, env.Environment, error) {
	req, ok := call.Request.(request)
	if !ok {
		return req, env.Environment{}, fmt.Errorf("request of a ues tool is %T", call.Request)
	}
	e, err := h.keeper.Open(ctx, call.Thread, req.target)
	return req, e, err
}

// Handle does the act in call.Request.
func (h handler) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	req, e, err := h.open(ctx, call)
	if err != nil {
		return engine.Result{}, act.Failure(ctx, err)
	}
	v, err := req.act.Do(ctx, e.User, req.args, call.Key)
	if err != nil {
		return engine.Result{}, act.Failure(ctx, err)
	}
	return engine.Result{Value: v}, nil
}

// Lookup looks in the environment's events whether the act was done.
func (h handler) Lookup(ctx context.Context, call engine.Call) (engine.Result, bool, error) {
	req, e, err := h.open(ctx, call)
	if err != nil {
		return engine.Result{}, false, err
	}
	v, found, err := req.act.Find(ctx, e.Admin, e.Agents, req.args, call.Key)
	return engine.Result{Value: v}, found, err
}

var noAction = diag.Rule{
	Code: "tool/ues-action", Severity: diag.Error, Summary: "A tool of a simulated environment does not say what it does.",
	Explain: "`action` names what is done: email.send, email.reply, email.query, sms.send, chat.send, calendar.create and others.\n\n" +
		"    ues: {args: {subject: \"{{ args.subject }}\"}}                       # wrong\n" +
		"    ues: {action: email.send, args: {subject: \"{{ args.subject }}\", …}}\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return append(env.Rules(), noAction) }
