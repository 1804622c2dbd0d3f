package gmail

import (
	"context"
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
)

// handler carries calls out. It keeps nothing between them.
type handler struct{ *backend }

// work is one call being carried out.
type work struct {
	*backend
	c   *google.Client
	r   *googlecall.Request
	key string
}

// Handle carries one call out.
func (h handler) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	w, err := h.begin(call)
	if err != nil {
		return engine.Result{}, err
	}
	out, err := h.action.run(ctx, w)
	if err != nil {
		return engine.Result{}, w.Failure(err)
	}
	return engine.Result{Value: out}, nil
}

// begin finds the account.
func (h handler) begin(call engine.Call) (*work, error) {
	r, ok := call.Request.(*googlecall.Request)
	if !ok {
		return nil, fmt.Errorf("not a request of a Gmail tool: %T", call.Request)
	}
	c, err := h.Client(r)
	if err != nil {
		return nil, err
	}
	return &work{backend: h.backend, c: c, r: r, key: call.Key}, nil
}

// problem says what went wrong with one item of many.
func (w *work) problem(err error) string {
	return strings.TrimPrefix(w.Failure(err).Error(), w.Action.What+": ")
}

// What requests cost of Gmail's quota, in units.
const (
	unitsGet     = 5
	unitsList    = 5
	unitsModify  = 5
	unitsSend    = 100
	unitsDraft   = 10
	unitsThread  = 10
	unitsLabels  = 1
	unitsHistory = 2
	unitsProfile = 1
)

// reading is a request that changes nothing.
func reading(units int) google.Ask { return google.Ask{Units: units, Repeat: true} }

// validID reports a text that can be the id of a mail: what Gmail gives out.
func validID(id string) bool {
	return id != "" && len(id) <= 100 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:") == ""
}
