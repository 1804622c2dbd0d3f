// Package act is what tools and nodes can do in a simulated environment, by name:
// email.send, calendar.query, … An act is made with plain data, in the words of the UES
// API, with what a person would leave out filled in: who the sender is, which
// conversation an answer belongs to, how a name stands before an address.
//
// What became of an act that may or may not have been made is found in the queue of
// events: Action.Find.
package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/ues"
)

// Action is one thing that can be done.
type Action struct {
	Name   string
	Effect engine.Effect // of doing it twice

	path    string
	modal   string // the modality of its event, and
	op      string // the operation; "" for what makes no event
	prepare func(ctx context.Context, c *ues.Client, args fields) (fields, error)
	look    func(ctx context.Context, c *ues.Client, args fields) (any, error)
}

// fields are arguments and bodies: plain data by name.
type fields = map[string]any

// Named returns the action of a name, nil when there is none.
func Named(name string) *Action {
	for i := range actions {
		if actions[i].Name == name {
			return &actions[i]
		}
	}
	return nil
}

// Names returns the names of all actions, sorted.
func Names() []string {
	out := make([]string, len(actions))
	for i := range actions {
		out[i] = actions[i].Name
	}
	slices.Sort(out)
	return out
}

// Looks reports whether the action changes nothing.
func (a *Action) Looks() bool { return a.Effect == engine.EffectNone }

// Result is what an act that changed something gives.
type Result struct {
	EventID string
	Message string
	Time    string // the simulated time
	ID      string // of what it made, when that is told
}

// Plain returns the result as plain data.
func (r Result) Plain() map[string]any {
	out := map[string]any{"event_id": r.EventID, "message": r.Message, "time": r.Time}
	if r.ID != "" {
		out["id"] = r.ID
	}
	return out
}

// Do does it. The result is plain data: what was found, or Result.
func (a *Action) Do(ctx context.Context, c *ues.Client, args map[string]any, key string) (any, error) {
	body, err := a.body(ctx, c, args, key)
	if err != nil {
		return nil, err
	}
	if a.look != nil {
		return a.look(ctx, c, body)
	}
	if a.Looks() {
		return lookUp(ctx, c, "POST", a.path, body)
	}
	done, err := c.Act(ctx, a.path, body)
	if err != nil {
		return nil, err
	}
	return Result{EventID: done.EventID, Message: done.Message, Time: done.ScheduledTime.String(), ID: madeID(done.Message)}.Plain(), nil
}

// body is what is sent: the arguments without those that are null, completed.
func (a *Action) body(ctx context.Context, c *ues.Client, args map[string]any, key string) (fields, error) {
	body := make(fields, len(args)+2)
	for name, v := range args {
		if v != nil {
			body[name] = v
		}
	}
	if a.Name == "chat.send" && key != "" {
		mark(body, key)
	}
	if a.prepare == nil {
		return body, nil
	}
	return a.prepare(ctx, c, body)
}

// lookUp makes a call that changes nothing and decodes what it gives.
func lookUp(ctx context.Context, c *ues.Client, method, path string, body any) (any, error) {
	data, err := c.Call(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	return decode(data)
}

func decode(data json.RawMessage) (any, error) {
	v, err := source.DecodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("what the environment answered cannot be read: %w", err)
	}
	return v, nil
}

// madeID is the id of a calendar entry, which only the message of the answer tells.
func madeID(message string) string {
	_, rest, found := strings.Cut(message, "(calendar_event_id: ")
	if !found {
		return ""
	}
	return strings.TrimSuffix(rest, ")")
}

// Failure classes an error of the client for the engine.
func Failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if stopped := ctx.Err(); errors.Is(stopped, context.Canceled) {
		return stopped
	}
	if f, ok := errors.AsType[*engine.Failure](err); ok {
		return f
	}
	f := &engine.Failure{Class: engine.Permanent, Message: err.Error()}
	if lost, ok := errors.AsType[*ues.LostError](err); ok {
		f.Class = engine.Transient
		if lost.Left {
			f.Class = engine.Uncertain
		}
		return f
	}
	if _, ok := errors.AsType[*ues.AnswerError](err); ok {
		f.Class = engine.Uncertain
		return f
	}
	switch ues.StatusOf(err) {
	case 429, 409:
		f.Class = engine.Transient
	case 502, 503, 504:
		f.Class = engine.Uncertain
	case 401:
		f.Message += " Check the key of the environment."
	}
	return f
}
