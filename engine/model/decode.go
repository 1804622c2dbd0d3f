package model

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/source"
)

// answer is what we read of a chat completion.
type answer struct {
	Choices []choice `json:"choices"`
	Usage   tokens   `json:"usage"`
}

type choice struct {
	Message      message `json:"message"`
	FinishReason string  `json:"finish_reason"`
}

type message struct {
	Content   any        `json:"content"` // text, null or a list of parts
	Refusal   string     `json:"refusal"`
	ToolCalls []madeCall `json:"tool_calls"`
}

type madeCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type tokens struct {
	Input  int `json:"prompt_tokens"`
	Output int `json:"completion_tokens"`
}

func readAnswer(data []byte) (*answer, error) {
	var a answer
	err := json.Unmarshal(data, &a)
	if err == nil {
		return &a, nil
	}
	if at, ok := errors.AsType[*json.SyntaxError](err); ok && at.Offset >= int64(len(data)) {
		return nil, &failure{status: http.StatusOK, transient: true, message: "the answer broke off", cause: err}
	}
	return nil, unreadable(err)
}

// response turns a provider's answer into ours.
func (c *call) response(a *answer) (chat.Response, error) {
	if len(a.Choices) == 0 {
		return chat.Response{}, &failure{status: http.StatusOK, transient: true, message: "answered without a choice"}
	}
	first := &a.Choices[0]
	out := chat.Response{
		Message: chat.Message{Role: chat.Assistant, Content: first.Message.text(), ToolCalls: c.calls(first.Message.ToolCalls)},
		Usage:   usage(c.model, a.Usage.Input, a.Usage.Output),
	}
	out.Finish = finish(first.FinishReason, len(out.Message.ToolCalls))
	return out, nil
}

func (m *message) text() string {
	if s, ok := m.Content.(string); ok && s != "" {
		return s
	}
	var b strings.Builder
	parts, _ := m.Content.([]any)
	for _, p := range parts {
		part, _ := p.(map[string]any)
		s, _ := part["text"].(string)
		b.WriteString(s)
	}
	if b.Len() == 0 {
		return m.Refusal
	}
	return b.String()
}

func usage(m *chat.Model, input, output int) chat.Usage {
	u := chat.Usage{Model: m.Name, Requests: 1, InputTokens: max(input, 0), OutputTokens: max(output, 0)}
	u.USD = m.Prices.USD(u)
	return u
}

func finish(reason string, calls int) string {
	switch {
	case reason == "length" || reason == "content_filter":
		return reason
	case calls > 0:
		return "tool_calls"
	}
	return "stop"
}

// calls reads tool calls. Missing ids, and those that the conversation has already, get
// one of ours, which counts the calls made, so that it is the same each time.
func (c *call) calls(in []madeCall) []chat.ToolCall {
	if len(in) == 0 {
		return nil
	}
	seen := map[string]bool{}
	next := 1
	for i := range c.req.Messages {
		for _, made := range c.req.Messages[i].ToolCalls {
			seen[made.ID] = true
			next++
		}
	}
	out := make([]chat.ToolCall, len(in))
	for i := range in {
		id := in[i].ID
		for ; id == "" || seen[id]; next++ {
			id = "call_" + strconv.Itoa(next)
		}
		seen[id] = true
		out[i] = toolCall(id, in[i].Function.Name, in[i].Function.Arguments)
	}
	return out
}

// toolCall reads arguments; those that are no JSON object are kept as they came.
func toolCall(id, name, arguments string) chat.ToolCall {
	call := chat.ToolCall{ID: id, Name: name, Args: map[string]any{}}
	if strings.TrimSpace(arguments) == "" {
		return call
	}
	v, err := source.DecodeJSON([]byte(arguments))
	args, ok := v.(map[string]any)
	if err != nil || !ok {
		call.Invalid = arguments
		return call
	}
	call.Args = args
	return call
}

// exhausted reports whether a refusal says that the account's quota is used up, which
// waiting does not mend. OpenAI answers so with status 429.
func exhausted(data string) bool {
	var body struct {
		Error struct {
			Code any    `json:"code"`
			Type string `json:"type"`
		} `json:"error"`
	}
	return json.Unmarshal([]byte(data), &body) == nil && (body.Error.Code == "insufficient_quota" || body.Error.Type == "insufficient_quota")
}

// reason finds the provider's words in the body of a failed request.
func reason(data string) string {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	// Google answers with a list of one.
	trimmed := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(data), "["), "]")
	if json.Unmarshal([]byte(trimmed), &body) != nil {
		return clip(data, 300)
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	var text string
	if json.Unmarshal(body.Error, &text) == nil && text != "" {
		return text
	}
	if body.Message != "" {
		return body.Message
	}
	return clip(data, 300)
}
