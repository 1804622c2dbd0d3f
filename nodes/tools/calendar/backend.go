// Package calendar is the backend of tools that look into a Google calendar and plan,
// move and cancel meetings in it. What it says of a calendar is what Google said: when
// Google does not answer, the tool fails. A meeting is planned once: its id is made
// from the call's key, so that planning it again meets the first one.
package calendar

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
)

// Deps is what calendar tools need from the program they run in.
type Deps struct {
	Google *google.Accounts // nil: nothing can be carried out
}

// backend is one calendar tool, compiled.
type backend struct {
	*googlecall.Tool
	action  *action
	options options
}

// options are what a spec sets and no argument can change.
type options struct {
	calendar string // id of the calendar
	zone     string // "" is the calendar's own
	hours    week
	slot     time.Duration // the shortest time that is worth telling
	buffer   time.Duration // between meetings
	titles   bool          // events are told by their titles
	notify   string        // who is told of meetings: all, externalOnly or none
	check    bool          // a review looks for conflicts
	known    []string
}

// Type is the backend type `calendar`.
func Type(deps Deps) build.BackendType {
	return build.BackendType{
		Name:  "calendar",
		Rules: Rules(),
		Build: func(s *build.Scope, tool *engine.Tool, config *source.Value) build.Backend {
			b := compile(&googlecall.Compiler{Scope: s, Tool: tool, Def: config}, deps)
			if b == nil {
				return build.Backend{}
			}
			a := b.Action
			return build.Backend{Backend: b, Effect: a.Effect, Settles: a.Effect == engine.EffectOnce, Result: a.Result, Live: true}
		},
	}
}

// compile reads the definition. It returns nil after adding findings.
func compile(c *googlecall.Compiler, deps Deps) *backend {
	name := c.Def.Get("action")
	if name == nil {
		return nil // the schema has said so
	}
	b := &backend{action: actionNamed(name.Text)}
	if b.action == nil {
		return nil
	}
	b.Tool = c.Compile(deps.Google, b.action.Action)
	b.options.read(c)
	if c.Failed() {
		return nil
	}
	return b
}

func (o *options) read(c *googlecall.Compiler) {
	*o = options{calendar: "primary", hours: usualWeek(), slot: 15 * time.Minute, titles: true, notify: "all", check: true}
	if v := c.Def.Get("calendar"); v != nil {
		o.calendar = v.Text
	}
	if v := c.Def.Get("zone"); v != nil {
		o.zone = v.Text
		if _, err := zone(v.Text); err != nil {
			c.Report(BadHours.At(v.Pos, "%s", err).WithHint("Write a zone such as Europe/Berlin."))
		}
	}
	if v := c.Def.Get("working_hours"); v != nil {
		o.hours = readWeek(c, v)
	}
	if v := c.Def.Get("min_slot"); v != nil {
		o.slot = c.Scope.Duration(v)
	}
	o.buffer = c.Scope.Duration(c.Def.Get("buffer"))
	if v := c.Def.Get("titles"); v != nil {
		o.titles = v.Bool
	}
	if v := c.Def.Get("conflicts"); v != nil {
		o.check = v.Bool
	}
	if v := c.Def.Get("notify"); v != nil {
		o.notify = map[string]string{"all": "all", "external": "externalOnly", "none": "none"}[v.Text]
	}
	if v := c.Def.Get("known_domains"); v != nil {
		for _, item := range v.Items {
			o.known = append(o.known, item.Text)
		}
	}
}

// Op makes the call ready. A review that looks nothing up is made at once.
func (b *backend) Op(_ chat.ToolCall, scope map[string]any) (engine.Op, any, error) {
	r, err := b.Prepare(scope)
	switch {
	case err != nil:
		return nil, nil, err
	case b.Action.Name == "review" && !b.options.check:
		return nil, reviewed(b, r, time.Time{}, nil), nil
	case b.action.lookup != nil:
		return &engine.Perform{Handler: planner{handler{b}}, Request: r}, nil, nil
	}
	return &engine.Perform{Handler: handler{b}, Request: r}, nil, nil
}

// action is one thing that a calendar tool can do. lookup finds out whether it was
// done; without it doing it again does no harm.
type action struct {
	googlecall.Action
	run    func(ctx context.Context, w *work) (any, error)
	lookup func(ctx context.Context, w *work) (any, error)
}

// errNotDone: a lookup found that the call was not made.
var errNotDone = errors.New("not done")

// actions is everything that a calendar tool can do.
func actions() []*action {
	when := []string{"calendar", "zone", "working_hours"}
	return []*action{
		{Action: googlecall.Action{
			Name: "availability", What: "look into the calendar", Effect: engine.EffectNone, Needs: []string{"dates"}, Texts: []string{"timezone"}, Lists: []string{"dates"},
			Options: append([]string{"min_slot", "buffer", "titles"}, when...), Result: daysType,
		}, run: availability},
		{Action: googlecall.Action{
			Name: "schedule", What: "schedule the meeting", Effect: engine.EffectOnce, Needs: []string{"title", "start", "end", "timezone"},
			Texts: []string{"title", "start", "end", "timezone", "description", "location"}, Lists: []string{"attendees"},
			Options: []string{"calendar", "notify", "recipients"},
		}, run: schedule, lookup: scheduled},
		{Action: googlecall.Action{
			Name: "reschedule", What: "move the meeting", Effect: engine.EffectOnce, Needs: []string{"id", "start", "end", "timezone"},
			Texts: []string{"id", "start", "end", "timezone"}, Options: []string{"calendar", "notify"},
		}, run: reschedule, lookup: rescheduled},
		{Action: googlecall.Action{
			Name: "cancel", What: "cancel the meeting", Effect: engine.EffectOnce, Needs: []string{"id"}, Texts: []string{"id"}, Options: []string{"calendar", "notify"},
		}, run: cancel, lookup: canceled},
		{Action: googlecall.Action{
			Name: "review", What: "review the invitation", Effect: engine.EffectNone, Needs: []string{"title", "start", "end", "timezone"},
			Texts: []string{"call_id", "title", "start", "end", "timezone", "description", "location"}, Lists: []string{"attendees"},
			Options: append([]string{"conflicts", "titles", "recipients", "known_domains"}, when...), Result: reviewType,
		}, run: review},
	}
}

func actionNamed(name string) *action {
	for _, a := range actions() {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// handler carries calls out. It keeps nothing between them.
type handler struct{ *backend }

// planner is a handler whose calls may happen only once.
type planner struct{ handler }

// work is one call being carried out.
type work struct {
	*backend
	c   *google.Client
	r   *googlecall.Request
	key string
}

func (h handler) begin(call engine.Call) (*work, error) {
	r, ok := call.Request.(*googlecall.Request)
	if !ok {
		return nil, fmt.Errorf("not a request of a calendar tool: %T", call.Request)
	}
	c, err := h.Client(r)
	if err != nil {
		return nil, err
	}
	return &work{backend: h.backend, c: c, r: r, key: call.Key}, nil
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

// Lookup finds out whether a call was made.
func (p planner) Lookup(ctx context.Context, call engine.Call) (engine.Result, bool, error) {
	w, err := p.begin(call)
	if err != nil {
		return engine.Result{}, false, err
	}
	out, err := p.action.lookup(ctx, w)
	switch {
	case errors.Is(err, errNotDone):
		return engine.Result{}, false, nil
	case err != nil:
		return engine.Result{}, false, w.Failure(err)
	}
	return engine.Result{Value: out}, true, nil
}

var (
	textType = &shape.Type{Kind: shape.String}
	strange  = &shape.Type{Kind: shape.String, Untrusted: true}
	textList = &shape.Type{Kind: shape.List, Elem: textType}
	daysType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"zone": textType,
		"days": {Kind: shape.List, Elem: &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
			"date": textType, "weekday": textType, "hours": textList, "busy": {Kind: shape.List, Elem: strange}, "free": textList, "note": textType,
		}}},
	}}
	reviewType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"id": textType, "title": textType, "day": textType, "start": textType, "end": textType, "end_day": textType, "timezone": textType, "offset": textType,
		"own_time": textType, "duration": textType, "attendees": textList, "description": textType, "location": textType, "problem": textType,
		"conflicts": {Kind: shape.List, Elem: strange},
		"flags":     {Kind: shape.List, Elem: &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"kind": textType, "value": strange, "text": strange}}},
	}}
)
