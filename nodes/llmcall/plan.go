package llmcall

import (
	"fmt"
	"slices"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/completion"
	"github.com/weft-engine/weft/nodes/internal/conversation"
)

// plan is a configured llm_call.
type plan struct {
	models         chat.Client
	model          *chat.Model
	system, prompt *engine.Text
	messages       *conversation.Source
	history        int // 0: all
	tools          []chat.Tool
	choice         string
	response       *shape.Shape
	responseName   string
	temperature    *float64
	maxTokens      int
	stream         bool
	repair         int
}

// Next asks the model, and again when its answer is not what was asked for.
func (p *plan) Next(in *engine.Invocation) (engine.Move, error) {
	q := completion.Question{
		Models: p.models, Stream: p.stream, Shape: p.response, Repair: p.repair,
		Messages: func() ([]chat.Message, error) { return p.conversation(in.Scope) },
		Request: chat.Request{
			Model: p.model, Tools: p.tools, ToolChoice: p.choice, Temperature: p.temperature, MaxTokens: p.maxTokens,
		},
	}
	if p.response != nil {
		q.Request.Response = &chat.ResponseSchema{Name: p.responseName, Schema: p.response.Schema()}
	}
	answer, wait, err := q.Ask(in)
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	if p.response != nil {
		return engine.Finish(answer.Value), nil
	}
	calls, _ := answer.Data["tool_calls"].([]any)
	if calls == nil {
		calls = []any{}
	}
	return engine.Finish(map[string]any{
		"message": answer.Data, "text": answer.Message.Content, "tool_calls": calls, "finish": answer.Finish,
	}), nil
}

// conversation returns what is sent: the system text, the conversation so far cut to
// its history, and the prompt.
func (p *plan) conversation(scope map[string]any) ([]chat.Message, error) {
	said, err := p.messages.Messages(scope)
	if err != nil {
		return nil, err
	}
	said = conversation.Last(said, p.history)
	prompt, err := p.prompt.Render(scope)
	if err != nil {
		return nil, fmt.Errorf("prompt: %w", err)
	}
	if prompt != "" {
		said = append(slices.Clip(said), chat.Message{Role: chat.User, Content: prompt})
	}
	if said, err = conversation.Complete(said); err != nil {
		return nil, err
	}
	if len(said) == 0 {
		return nil, fmt.Errorf("there is nothing to ask: `messages` and `prompt` are both empty")
	}
	system, err := p.system.Render(scope)
	if err != nil {
		return nil, fmt.Errorf("system: %w", err)
	}
	if system == "" {
		return said, nil
	}
	return append([]chat.Message{{Role: chat.System, Content: system}}, said...), nil
}
