// Package llmcall is the node type llm_call: it asks a model. What it sends is the
// system text, the conversation so far and the prompt, in this order; what it gives is
// the assistant's message, or data of the shape that `response` wants.
package llmcall

import (
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/internal/conversation"
)

// Type returns the node type llm_call, which asks models through the client.
func Type(models chat.Client) build.NodeType {
	return build.NodeType{
		Name:  "llm_call",
		Rules: []diag.Rule{asksNothing, conversation.BadMessages, badChoice, responseAndTools, aimlessHistory},
		Build: func(s *build.Scope, config *source.Value) build.Node {
			p := newPlan(s, config)
			p.models = models
			return build.Node{Plan: p, Output: output(s, p.response)}
		},
	}
}

// defaultRepair is how often an answer that does not fit is sent back.
const defaultRepair = 1

func newPlan(s *build.Scope, v *source.Value) *plan {
	p := &plan{
		model: s.Model(v.Get("model"), v.Pos), system: s.Prompt(v.Get("system")), prompt: s.Prompt(v.Get("prompt")),
		messages: conversation.Compile(s, v.Get("messages")), stream: true, repair: defaultRepair,
	}
	p.history, _ = v.Get("history").Go().(int)
	p.maxTokens, _ = v.Get("max_tokens").Go().(int)
	if stream, ok := v.Get("stream").Go().(bool); ok {
		p.stream = stream
	}
	if repair, ok := v.Get("repair").Go().(int); ok {
		p.repair = repair
	}
	if t := v.Get("temperature"); t != nil {
		temperature := number(t.Go())
		p.temperature = &temperature
	}
	p.bind(s, v)
	if r := v.Get("response"); r != nil {
		p.response, p.responseName = s.Shape(r), nameOf(r)
	}
	check(s, v)
	return p
}

func (p *plan) bind(s *build.Scope, v *source.Value) {
	if tools := v.Get("tools"); tools != nil {
		for _, name := range tools.Items {
			if t := s.Bind(name); t != nil {
				p.tools = append(p.tools, t.Chat())
			}
		}
	}
	if choice := v.Get("tool_choice"); choice != nil {
		p.choice = choice.Text
	}
}

func number(v any) float64 {
	switch n := v.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return 0
}

// nameOf names an answer for the provider: the type's name when the schema refers to one.
func nameOf(v *source.Value) string {
	if ref := v.Get("$ref"); ref != nil {
		return strings.TrimPrefix(ref.Text, "#/types/")
	}
	return "answer"
}

// output is the type of `output`: the response, or {message, text, tool_calls, finish}.
func output(s *build.Scope, response *shape.Shape) *shape.Type {
	if response != nil {
		return response.Type()
	}
	text := &shape.Type{Kind: shape.String}
	return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"message": conversation.MessageType(s), "text": text, "tool_calls": conversation.CallList(s), "finish": text,
	}}
}

var _ engine.Plan = (*plan)(nil)
