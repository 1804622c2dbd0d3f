package completion

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/nodes/internal/conversation"
)

// handler sends one request to a model. Its result is {message, finish} as plain data.
type handler struct {
	models chat.Client
	stream bool
	gate   func() Gate
}

// Handle performs the request in call.Request, a chat.Request.
func (h handler) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	req, ok := call.Request.(chat.Request)
	if !ok {
		return engine.Result{}, fmt.Errorf("request of a model call is %T", call.Request)
	}
	req.Node, req.Key = call.Node, call.Key
	emit, end := h.stage(call)
	resp, err := h.models.Complete(ctx, req, emit)
	if err != nil {
		return engine.Result{}, failure(req.Model, err)
	}
	end(resp.Message.Content)
	resp.Message.Role = chat.Assistant
	usage := resp.Usage
	return engine.Result{
		Value: map[string]any{"message": conversation.Data(resp.Message), "finish": resp.Finish},
		Usage: &usage,
	}, nil
}

// Gate decides what observers are shown of an answer while it is written.
type Gate interface {
	Next(piece string) string  // what can be shown with a piece more
	Rest(answer string) string // what is shown of what was held back, once the answer is whole
}

// stage returns what takes the text that arrives, nil when nobody watches, and what takes
// the whole answer.
func (h handler) stage(call engine.Call) (emit func(chat.Delta), end func(answer string)) {
	switch {
	case !h.stream || call.Emit == nil:
		return nil, func(string) {}
	case h.gate == nil:
		return func(d chat.Delta) { call.Emit(d.Text) }, func(string) {}
	}
	g := h.gate()
	show := func(text string) {
		if text != "" {
			call.Emit(text)
		}
	}
	return func(d chat.Delta) { show(g.Next(d.Text)) }, func(answer string) { show(g.Rest(answer)) }
}

// failure classes an error of a model client.
func failure(m *chat.Model, err error) error {
	var own *engine.Failure
	var failed *chat.Error
	switch {
	case errors.As(err, &own):
		return err
	case errors.As(err, &failed) && failed.Transient:
		return &engine.Failure{Class: engine.Transient, Message: failed.Message, RetryAfter: failed.RetryAfter}
	case errors.As(err, &failed):
		return &engine.Failure{Class: engine.Permanent, Message: failed.Message}
	case errors.Is(err, context.DeadlineExceeded):
		return &engine.Failure{Class: engine.Timeout, Message: fmt.Sprintf("model %q did not answer in time", m.Name)}
	default:
		return fmt.Errorf("ask model %q: %w", m.Name, err)
	}
}
