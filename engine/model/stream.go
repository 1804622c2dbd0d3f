package model

import (
	"errors"
	"io"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// maxCalls is how many tool calls one answer may have.
const maxCalls = 1024

// collect reads a streamed answer to its end and puts it together.
func (c *call) collect(stream *openai.ChatCompletionStream) (*answer, error) {
	a := assembly{emit: c.emit}
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, streamError(err)
		}
		a.add(&piece)
	}
	if !a.any {
		return nil, &failure{transient: true, status: 200, message: "the answer broke off before it began"}
	}
	if a.finish == "" && !a.counted {
		return nil, &failure{transient: true, status: 200, message: "the answer broke off"}
	}
	return a.answer(), nil
}

// streamError classes an error that the provider sent in the middle of an answer.
func streamError(err error) error {
	var api *openai.APIError
	if !errors.As(err, &api) {
		return err
	}
	f := &failure{status: 200, transient: true, message: "failed in the middle of its answer: " + api.Message, cause: err}
	if code, ok := api.Code.(int); ok && code >= 400 && code < 600 {
		f.status, f.transient = code, transient(code)
	}
	return f
}

// assembly is an answer in the making.
type assembly struct {
	emit    *emitter
	any     bool
	counted bool // the usage has come
	tokens  tokens
	finish  string
	text    strings.Builder
	refusal strings.Builder
	calls   []madeCall
	args    []*strings.Builder
	index   []int // of calls, as the provider counts them
}

func (a *assembly) add(piece *openai.ChatCompletionStreamResponse) {
	a.any = true
	if piece.Usage != nil {
		a.tokens, a.counted = tokens{Input: piece.Usage.PromptTokens, Output: piece.Usage.CompletionTokens}, true
	}
	for i := range piece.Choices {
		choice := &piece.Choices[i]
		if choice.Index != 0 {
			continue
		}
		if choice.FinishReason != "" {
			a.finish = string(choice.FinishReason)
		}
		a.refusal.WriteString(choice.Delta.Refusal)
		if choice.Delta.Content != "" {
			a.text.WriteString(choice.Delta.Content)
			a.emit.text(choice.Delta.Content)
		}
		for j := range choice.Delta.ToolCalls {
			a.call(&choice.Delta.ToolCalls[j])
		}
	}
}

// call adds a piece of a tool call. It belongs to the call of its index, if it has
// one, and otherwise to the last call, unless it brings an id or a name of its own.
func (a *assembly) call(piece *openai.ToolCall) {
	at := -1
	if piece.Index != nil {
		for i, index := range a.index {
			if index == *piece.Index {
				at = i
			}
		}
	} else if piece.ID == "" && piece.Function.Name == "" {
		at = len(a.calls) - 1
	}
	if at < 0 {
		if len(a.calls) == maxCalls {
			return
		}
		index := -1
		if piece.Index != nil {
			index = *piece.Index
		}
		a.calls = append(a.calls, madeCall{})
		a.args = append(a.args, &strings.Builder{})
		a.index = append(a.index, index)
		at = len(a.calls) - 1
	}
	if piece.ID != "" {
		a.calls[at].ID = piece.ID
	}
	if piece.Function.Name != "" && a.calls[at].Function.Name == "" {
		a.calls[at].Function.Name = piece.Function.Name
	}
	a.args[at].WriteString(piece.Function.Arguments)
}

func (a *assembly) answer() *answer {
	for i := range a.calls {
		a.calls[i].Function.Arguments = a.args[i].String()
	}
	m := message{Content: a.text.String(), Refusal: a.refusal.String(), ToolCalls: a.calls}
	return &answer{Choices: []choice{{Message: m, FinishReason: a.finish}}, Usage: a.tokens}
}
