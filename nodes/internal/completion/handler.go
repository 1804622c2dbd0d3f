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

	// refusal is why the request must not be sent: the budget is used up. It is the
	// call's result, and not an error of the plan, so that it is journaled: what has
	// been used goes on growing, and a plan must see the same whenever it is asked.
	refusal *engine.Failure
}

// Handle performs the request in call.Request, a chat.Request.
func (h handler) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	if h.refusal != nil {
		return engine.Result{}, h.refusal
	}
	req, ok := call.Request.(chat.Request)
	if !ok {
		return engine.Result{}, fmt.Errorf("request of a model call is %T", call.Request)
	}
	req.Node, req.Key = call.Node, call.Key
	var emit func(chat.Delta)
	if h.stream && call.Emit != nil {
		emit = func(d chat.Delta) { call.Emit(d.Text) }
	}
	resp, err := h.models.Complete(ctx, req, emit)
	if err != nil {
		return engine.Result{}, failure(req.Model, err)
	}
	resp.Message.Role = chat.Assistant
	usage := resp.Usage
	return engine.Result{
		Value: map[string]any{"message": conversation.Data(resp.Message), "finish": resp.Finish},
		Usage: &usage,
	}, nil
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
