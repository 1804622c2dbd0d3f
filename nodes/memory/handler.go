package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/memory"
)

type undoRequest struct {
	memory  *engine.Memory
	version engine.Seq // 0: the last change
	by      memory.By
}

// undoer takes changes back. Its result is {version, text}.
type undoer struct{ memories *memory.Store }

// Handle undoes the change in call.Request.
func (u undoer) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	req, ok := call.Request.(undoRequest)
	if !ok {
		return engine.Result{}, fmt.Errorf("request of an undo is %T", call.Request)
	}
	place := memory.Place{Memory: req.memory, User: call.User, Thread: call.Thread}
	version, err := u.memories.Undo(ctx, place, req.version, req.by)
	if err != nil {
		return engine.Result{}, failure(ctx, err)
	}
	now, err := u.memories.ReadMemory(ctx, req.memory, call.User, call.Thread)
	if err != nil {
		return engine.Result{}, failure(ctx, err)
	}
	return engine.Result{Value: map[string]any{"version": int(version), "text": now.Text}}, nil
}

func failure(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, engine.ErrNotFound), errors.Is(err, engine.ErrCorrupt), errors.Is(err, engine.ErrNewer):
		return &engine.Failure{Class: engine.Permanent, Message: err.Error()}
	case ctx.Err() != nil:
		return err
	}
	return &engine.Failure{Class: engine.Transient, Message: err.Error()}
}
