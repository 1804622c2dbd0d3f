package gmail

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/google"
)

// handler carries calls out. It keeps nothing between them.
type handler struct{ *backend }

// work is one call being carried out.
type work struct {
	*backend
	c   *google.Client
	r   *request
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
		return engine.Result{}, w.failure(err)
	}
	return engine.Result{Value: out}, nil
}

// begin finds the account.
func (h handler) begin(call engine.Call) (*work, error) {
	r, ok := call.Request.(*request)
	if !ok {
		return nil, fmt.Errorf("not a request of a Gmail tool: %T", call.Request)
	}
	c, err := h.google.Client(r.account, h.endpoint)
	if err != nil {
		return nil, h.refuse("%s", err)
	}
	return &work{backend: h.backend, c: c, r: r, key: call.Key}, nil
}

// failure classes an error. A refusal of ours has its class already.
func (w *work) failure(err error) error {
	if no, ok := errors.AsType[*refusal](err); ok {
		return w.refuse("%s", no.text)
	}
	return google.Failure(w.action.what, err, w.action.effect != engine.EffectOnce)
}

// refusal is an error of ours: trying again changes nothing.
type refusal struct{ text string }

// Error returns what is wrong.
func (r *refusal) Error() string { return r.text }

func refusef(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// problem says what went wrong with one item of many.
func (w *work) problem(err error) string {
	text := w.failure(err).Error()
	return strings.TrimPrefix(text, w.action.what+": ")
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
