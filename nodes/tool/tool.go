// Package tool is the node type tool: it calls one tool of the spec, or every call of a
// list in order, each under its tool's policy. It does nothing itself: backends carry
// calls out, humans decide on those that have a policy. What was decided or done once
// is never asked or done again.
package tool

import (
	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/internal/conversation"
	"github.com/weft-engine/weft/nodes/internal/learn"
)

// Type returns the node type tool. Models and memories are for what policies remember.
func Type(models chat.Client, memories *memory.Store) build.NodeType {
	learner := learn.New(models, memories)
	return build.NodeType{
		Name:  "tool",
		Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Node {
			if calls := config.Get("calls"); calls != nil {
				return newBatch(s, calls, learner)
			}
			return newSingle(s, config, learner)
		},
	}
}

func newSingle(s *build.Scope, config *source.Value, learner *learn.Learner) build.Node {
	args := config.Get("args")
	x := s.Value(args)
	t := s.Tool(config.Get("name"))
	if t == nil {
		return build.Node{}
	}
	checkArgs(s, t, config, x)
	return build.Node{
		Plan: &single{tool: t.Tool, args: x, learner: learner}, Output: t.Output,
		Asks: t.Policy != nil, Once: t.Effect == engine.EffectOnce,
	}
}

func newBatch(s *build.Scope, calls *source.Value, learner *learn.Learner) build.Node {
	p := &batch{calls: s.Value(calls), tools: map[string]*engine.Tool{}, learner: learner}
	want := conversation.CallList(s)
	if got := p.calls.Type(); build.Fits(got, want) == build.Never || noCall(got) {
		s.Report(badCalls.At(calls.Pos, "calls are a list of tool calls, and this is %s", build.Describe(got)).
			WithHint("Write \"{{ tool_calls(messages) }}\", or `output.tool_calls` of an llm_call kept in the state."))
	}
	node := build.Node{Plan: p, Output: batchType(s)}
	for _, t := range s.Callable() {
		p.names = append(p.names, t.Name)
		p.tools[t.Name] = t.Tool
		node.Asks = node.Asks || t.Policy != nil
		node.Once = node.Once || t.Effect == engine.EffectOnce
	}
	return node
}

// noCall reports whether a type is a list of objects that cannot have arguments, such
// as messages.
func noCall(t *shape.Type) bool {
	if t == nil || t.Kind != shape.List || t.Elem == nil || t.Elem.Kind != shape.Object {
		return false
	}
	return t.Elem.Fields["args"] == nil && !t.Elem.Open
}

// batchType is the type of `output` of a list of calls.
func batchType(s *build.Scope) *shape.Type {
	text, truth := &shape.Type{Kind: shape.String}, &shape.Type{Kind: shape.Bool}
	maybe := &shape.Type{Kind: shape.String, Nullable: true}
	call := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"id": text, "name": text, "args": {Kind: shape.Object, Open: true}, "edited": truth,
		"status":   {Kind: shape.String, Enum: []any{statusOK, statusFailed, statusInvalid, statusRefused, statusNotRun}},
		"response": {Kind: shape.String, Nullable: true, Enum: []any{"accept", "edit", "respond", "ignore"}},
		"result":   {Kind: shape.Any}, "error": maybe,
	}}
	return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"messages": conversation.MessageList(s), "calls": {Kind: shape.List, Elem: call},
		"learned": {Kind: shape.List, Elem: learn.Type()}, "stopped": truth,
	}}
}

var (
	badCalls = diag.Rule{
		Code: "tool-node/calls", Severity: diag.Error, Summary: "Something else stands where tool calls belong.",
		Explain: "`calls` is a list of tool calls, as a model makes them.\n\n" +
			"    tool: {calls: \"{{ messages }}\"}               # wrong: messages\n" +
			"    tool: {calls: \"{{ tool_calls(messages) }}\"}   # right: the calls of the last message\n",
	}
	badArgs = diag.Rule{
		Code: "tool-node/args", Severity: diag.Error, Summary: "The arguments of a tool call do not fit the tool.",
		Explain: "The arguments are checked against the tool's `parameters`: what is required is there, nothing else is, and every value " +
			"is of the right type.\n",
	}
)

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{badCalls, badArgs} }
