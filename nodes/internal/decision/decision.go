// Package decision is a human's say in a run: the interrupt that a policy asks for, and
// what follows from the answer. Nodes decide what they do with it; this package only
// puts the question, names what is in scope afterwards, and has a memory learn.
package decision

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/conversation"
	"github.com/weft-engine/weft/nodes/internal/learn"
)

// Question is the interrupt about a call under a policy; params is the shape of its
// arguments, nil when they cannot be edited. What cannot be rendered is said in the
// description: the human still sees the call itself and can decide.
func Question(scope map[string]any, p *engine.Policy, call chat.ToolCall, params *shape.Shape) *engine.Ask {
	scope = withCall(scope, call)
	title, err := p.Title.Render(scope)
	if title = oneLine(title); err != nil || title == "" {
		title = oneLine(call.Name)
	}
	description, err := p.Description.Render(scope)
	if err != nil {
		description = fmt.Sprintf("The description of this interrupt cannot be shown: %s.", err)
	}
	ask := &engine.Ask{
		Request: engine.InterruptRequest{
			Policy: p.Name, Title: title, Description: conversation.Cut(description, descriptionLimit), Allow: p.Allow, Args: call.Args, Default: p.Default,
		},
		After: p.After,
	}
	if slices.Contains(p.Allow, engine.Edit) {
		ask.Params = params
	}
	return ask
}

// What a human is shown at most. Both may quote what a model or a stranger wrote.
const (
	titleLimit       = 200
	descriptionLimit = 256 << 10
)

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > titleLimit {
		return string(r[:titleLimit-1]) + "…"
	}
	return s
}

func withCall(scope map[string]any, call chat.ToolCall) map[string]any {
	out := make(map[string]any, len(scope)+3)
	maps.Copy(out, scope)
	out["call"] = conversation.CallData(call)
	return out
}

// Made is a decision that a human made.
type Made struct {
	Policy *engine.Policy
	Call   chat.ToolCall // as it was proposed
	Answer *engine.Answer
	Edited map[string]any // the arguments as the human changed them; nil: unchanged
}

// On returns what the policy says of the answer. Without a word of it, accept and edit
// go on and the others do not.
func (m *Made) On() *engine.Decision {
	if d := m.Policy.On[m.Answer.Response]; d != nil {
		return d
	}
	return &engine.Decision{Run: m.Answer.Response == engine.Accept || m.Answer.Response == engine.Edit}
}

// Scope returns the names in scope of what follows: the outer ones, call, response
// and edited.
func (m *Made) Scope(outer map[string]any) map[string]any {
	out := withCall(outer, m.Call)
	out["response"], out["edited"] = m.Answer.Text, nil
	if m.Edited != nil {
		out["edited"] = m.Edited
	}
	return out
}

// contextLimit bounds how much of the conversation a memory is told.
const contextLimit = 24 << 10

// Learn has a memory learn from the decision if the policy says so; nil when it does
// not. Index tells the decisions of one invocation apart. Since is what the node has
// added to the conversation.
func (m *Made) Learn(in *engine.Invocation, l *learn.Learner, index int, since []chat.Message) (*learn.Learned, engine.Op) {
	r := m.On().Remember
	if r == nil {
		return nil, nil
	}
	note, err := r.Note.Render(m.Scope(in.Scope))
	if err != nil {
		failed := learn.Fail(r.Memory, fmt.Errorf("note: %w", err))
		return &failed, nil
	}
	lesson := learn.Lesson{
		Memory: r.Memory, Note: note, By: cmp.Or(m.Answer.By, in.User),
		Key: in.Key + "/" + strconv.Itoa(index),
	}
	if r.Context {
		lesson.Context = transcript(in, since)
	}
	learned, wait := l.Learn(in, lesson)
	return &learned, wait
}

// transcript renders the conversation so far: the state field `messages`, and what
// came since. It is text, because a conversation in which some calls are not answered
// yet is none that a provider accepts.
func transcript(in *engine.Invocation, since []chat.Message) string {
	messages, err := conversation.Parse(in.Scope["messages"])
	if err != nil {
		messages = nil
	}
	return conversation.Text(append(slices.Clip(messages), since...), contextLimit)
}
