// Package nodetest drives the plans of node types in tests: nodes built from YAML, a
// model that answers from a list, and a runner of one invocation that asks the plan
// anew after every outcome, as the scheduler does.
package nodetest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/weft-engine/weft/engine/chat"
)

// Model is a chat client that answers from a list, in order. It keeps what it was asked.
type Model struct {
	mu      sync.Mutex
	Answers []Answer
	Asked   []chat.Request
}

// Answer is one scripted answer; Err is given instead when it is set, after the deltas.
type Answer struct {
	Text   string
	Calls  []chat.ToolCall
	Finish string
	Deltas []string
	Usage  chat.Usage
	Err    error
}

// Say returns a model that answers with these texts.
func Say(texts ...string) *Model {
	m := &Model{}
	for _, text := range texts {
		m.Answers = append(m.Answers, Answer{Text: text})
	}
	return m
}

// Complete answers with what is next on the list.
func (m *Model) Complete(_ context.Context, req chat.Request, emit func(chat.Delta)) (chat.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	req.Messages = slices.Clone(req.Messages)
	m.Asked = append(m.Asked, req)
	if len(m.Asked) > len(m.Answers) {
		return chat.Response{}, &chat.Error{Message: fmt.Sprintf("the script has %d answers, and this is request %d", len(m.Answers), len(m.Asked))}
	}
	a := m.Answers[len(m.Asked)-1]
	if emit != nil {
		for _, text := range a.Deltas {
			emit(chat.Delta{Text: text})
		}
	}
	if a.Err != nil {
		return chat.Response{}, a.Err
	}
	finish := a.Finish
	if finish == "" {
		finish = "stop"
	}
	a.Usage.Model = req.Model.Name
	return chat.Response{
		Message: chat.Message{Role: chat.Assistant, Content: a.Text, ToolCalls: a.Calls}, Usage: a.Usage, Finish: finish,
	}, nil
}
