// Package interrupt is the node type interrupt: it asks a human, by a policy of the
// spec or by one written in place. What the answer leads to is the graph's to say, by
// `next`; the policy's `remember` works as it does for tools, its `run`, `reply` and
// `stop` have no meaning here.
package interrupt

import (
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/internal/decision"
	"github.com/weft-engine/weft/nodes/internal/learn"
)

// Type returns the node type interrupt. Models and memories are for what policies remember.
func Type(models chat.Client, memories *memory.Store) build.NodeType {
	learner := learn.New(models, memories)
	return build.NodeType{
		Name: "interrupt", Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Node {
			p := &plan{args: s.Value(config.Get("args")), learner: learner}
			args := argsType(p.args)
			p.policy = policy(s, config, args)
			if p.policy == nil {
				return build.Node{Output: output(args)}
			}
			p.params = editable(s, config, args, p.policy)
			return build.Node{Plan: p, Output: output(args), Asks: true}
		},
	}
}

func policy(s *build.Scope, config *source.Value, args *shape.Type) *engine.Policy {
	name, inline := config.Get("policy"), config.Has("allow")
	switch {
	case name != nil && inline:
		s.Report(badPolicy.At(config.KeyPos("allow"), "the interrupt has a policy, %q, and one written in place", name.Text).
			WithHint("Keep one of them."))
		return nil
	case name != nil:
		return s.Policy(name, build.CallType(args))
	case inline:
		return s.PolicyOf(config, build.CallType(args))
	}
	s.Report(badPolicy.At(config.Pos, "the interrupt does not say what may be answered").
		WithHint("Name a policy (policy: …), or write one in place (allow: [accept, ignore])."))
	return nil
}

var openObject = &shape.Type{Kind: shape.Object, Open: true}

func argsType(x *expr.Value) *shape.Type {
	if x == nil {
		return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{}}
	}
	if t := x.Type(); t != nil && t.Kind == shape.Object {
		return t
	}
	return openObject
}

// output is the type of `output`.
func output(args *shape.Type) *shape.Type {
	text := &shape.Type{Kind: shape.String}
	return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"response": {Kind: shape.String, Enum: []any{"accept", "edit", "respond", "ignore"}},
		"text":     text, "args": args, "by": text, "learned": {Kind: shape.List, Elem: learn.Type()},
	}}
}

// plan is a configured interrupt.
type plan struct {
	policy  *engine.Policy
	args    *expr.Value  // nil: none
	params  *shape.Shape // of args, when they may be edited
	learner *learn.Learner
}

// Next asks, and at the end returns {response, text, args, by, learned}.
func (p *plan) Next(in *engine.Invocation) (engine.Move, error) {
	args, err := evalArgs(p.args, in.Scope)
	if err != nil {
		return engine.Move{}, err
	}
	call := chat.ToolCall{ID: in.Key, Name: nodeName(in.Node), Args: args}
	out, wait, err := in.Do(func() (engine.Op, error) {
		ask := decision.Question(in.Scope, p.policy, call, p.params)
		ask.Request.Kind = "node"
		return ask, nil
	})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	if out.Answer == nil {
		return engine.Move{}, fmt.Errorf("the interrupt ended without an answer")
	}
	made := &decision.Made{Policy: p.policy, Call: call, Answer: out.Answer}
	if out.Answer.Response == engine.Edit {
		args, made.Edited = out.Answer.Args, out.Answer.Args
	}
	learned, wait := made.Learn(in, p.learner, 0, nil)
	if wait != nil {
		return in.Stop(wait, nil)
	}
	lessons := []any{}
	if learned != nil {
		lessons = append(lessons, learned.Data())
	}
	return engine.Finish(map[string]any{
		"response": string(out.Answer.Response), "text": out.Answer.Text, "args": args, "by": out.Answer.By, "learned": lessons,
	}), nil
}

// nodeName is the last part of a node's path: what an interrupt without a title is called.
func nodeName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

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

var badPolicy = diag.Rule{
	Code: "interrupt-node/policy", Severity: diag.Error, Summary: "An interrupt does not say what may be answered.",
	Explain: "An interrupt names a policy of the spec's `interrupts`, or is one itself.\n\n" +
		"    interrupt: {policy: review}                                        # a policy of the spec\n" +
		"    interrupt: {allow: [respond, ignore], title: \"A new mail\"}         # written in place\n",
}

var nothingToEdit = diag.Rule{
	Code: "interrupt-node/edit", Severity: diag.Error, Summary: "An interrupt lets people edit arguments that it does not have.",
	Explain: "`edit` changes the interrupt's `args`; without any there is nothing to change.\n\n" +
		"    interrupt: {allow: [accept, edit], title: \"Send this?\"}                                     # wrong\n" +
		"    interrupt: {allow: [accept, edit], title: \"Send this?\", args: {body: \"{{ draft }}\"}}        # right\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{badPolicy, nothingToEdit} }
