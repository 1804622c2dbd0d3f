package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/act"
	"github.com/weft-engine/weft/nodes/ues/env"
)

// AdvanceType returns the node type ues_advance.
func AdvanceType(keeper *env.Keeper) build.NodeType {
	count := &shape.Type{Kind: shape.Int}
	output := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"from": {Kind: shape.String}, "to": {Kind: shape.String}, "events_executed": count, "events_failed": count,
		"events": {Kind: shape.List, Elem: &shape.Type{}},
	}}
	return build.NodeType{
		Name: "ues_advance", Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Node {
			p := &advance{keeper: keeper, at: env.CompileAt(s, config.Get("at")), apply: time.Second}
			if a := config.Get("apply"); a != nil {
				p.apply = s.Duration(a)
			}
			if phase := config.Get("phase"); phase != nil {
				p.phase = phase.Text
			}
			p.by, p.until = s.Value(config.Get("by")), s.Value(config.Get("until"))
			return build.Node{Plan: p, Output: output, Once: true}
		},
	}
}

// advance is a configured move of the time. It reads the clock first, so that each move
// has an instant that it leads to, by which it can be found again.
type advance struct {
	keeper    *env.Keeper
	at        *env.At
	by, until *expr.Value // one of them
	apply     time.Duration
	phase     string // apply, rest, or both
}

// Next moves the time in one or two parts: the first applies what was done, the second
// lets the rest of the time pass.
func (p *advance) Next(in *engine.Invocation) (engine.Move, error) {
	target, err := p.at.Target(in.Scope)
	if err != nil {
		return engine.Move{}, err
	}
	out, wait, err := in.Do(func() (engine.Op, error) {
		return &engine.Perform{Handler: clock{p.keeper}, Request: target, Label: "ues time", Effect: engine.EffectNone}, nil
	})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	if out.Err != nil {
		return engine.Move{}, out.Err
	}
	from, err := instant(out.Value)
	if err != nil {
		return engine.Move{}, err
	}
	first, rest, err := p.parts(in.Scope, from)
	if err != nil {
		return engine.Move{}, err
	}
	done := map[string]any{"from": stamp(from), "to": stamp(from), "events_executed": 0, "events_failed": 0, "events": []any{}}
	for _, by := range []time.Duration{first, rest} {
		if by <= 0 {
			continue
		}
		out, wait, err := in.Do(func() (engine.Op, error) {
			return &engine.Perform{
				Handler: mover{p.keeper}, Request: move{target, from, by}, Label: "ues advance", Effect: engine.EffectOnce,
				Args: map[string]any{"from": stamp(from), "by": by.String()},
			}, nil
		})
		if wait != nil || err != nil {
			return in.Stop(wait, err)
		}
		if out.Err != nil {
			return engine.Move{}, out.Err
		}
		from = from.Add(by)
		add(done, out.Value)
	}
	return engine.Finish(done), nil
}

// add puts the outcome of one part to the whole.
func add(done map[string]any, v any) {
	part, _ := v.(map[string]any)
	done["to"] = part["to"]
	for _, count := range []string{"events_executed", "events_failed"} {
		a, _ := done[count].(int)
		b, _ := part[count].(int)
		done[count] = a + b
	}
	all, _ := done["events"].([]any)
	more, _ := part["events"].([]any)
	done["events"] = append(append([]any{}, all...), more...)
}

// parts are how far the time is moved to apply what was done, and after that.
func (p *advance) parts(scope map[string]any, from time.Time) (first, rest time.Duration, err error) {
	by, err := p.length(scope, from)
	if err != nil {
		return 0, 0, err
	}
	switch p.phase {
	case "apply":
		return p.apply, 0, nil
	case "rest":
		return 0, by.Truncate(time.Second) - p.apply, nil
	}
	first = min(p.apply, by)
	return first, by - first, nil
}

// length is how far the time is to be moved in all.
func (p *advance) length(scope map[string]any, from time.Time) (time.Duration, error) {
	if p.until != nil {
		v, err := p.until.Eval(scope)
		if err != nil {
			return 0, fmt.Errorf("until: %w", err)
		}
		at, err := instant(v)
		if err != nil {
			return 0, fmt.Errorf("until: %w", err)
		}
		return max(0, at.Sub(from)).Truncate(time.Microsecond), nil
	}
	v, err := p.by.Eval(scope)
	if err != nil {
		return 0, fmt.Errorf("by: %w", err)
	}
	switch v := v.(type) {
	case time.Duration:
		return max(0, v).Truncate(time.Microsecond), nil
	case string:
		d, err := build.ParseDuration(v)
		if err != nil {
			return 0, fmt.Errorf("by: %w", err)
		}
		return d.Truncate(time.Microsecond), nil
	}
	return 0, fmt.Errorf("by: a duration such as 30s is wanted, and this is %T", v)
}

// clock reads the time. Its result is an instant.
type clock struct{ keeper *env.Keeper }

// Handle reads the time of the environment in call.Request.
func (c clock) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	target, ok := call.Request.(env.Target)
	if !ok {
		return engine.Result{}, fmt.Errorf("request of a ues_advance node is %T", call.Request)
	}
	e, err := c.keeper.Open(ctx, call.Thread, target)
	if err != nil {
		return engine.Result{}, act.Failure(ctx, err)
	}
	now, err := e.Admin.Time().Get(ctx)
	if err != nil {
		return engine.Result{}, act.Failure(ctx, err)
	}
	return engine.Result{Value: stamp(now.CurrentTime.Time)}, nil
}

// move is one part of an advance.
type move struct {
	target env.Target
	from   time.Time
	by     time.Duration
}

// mover moves the time. Its result is {to, events_executed, events_failed, events}.
type mover struct{ keeper *env.Keeper }

func (m mover) open(ctx context.Context, call engine.Call) (move, env.Environment, error) {
	req, ok := call.Request.(move)
	if !ok {
		return req, env.Environment{}, fmt.Errorf("request of a ues_advance node is %T", call.Request)
	}
	e, err := m.keeper.Open(ctx, call.Thread, req.target)
	return req, e, err
}

// Handle moves the time as call.Request says.
func (m mover) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	req, e, err := m.open(ctx, call)
	if err != nil {
		return engine.Result{}, act.Failure(ctx, err)
	}
	done, err := e.Admin.Time().Advance(ctx, req.by)
	if err != nil {
		return engine.Result{}, act.Failure(ctx, err)
	}
	events := make([]any, len(done.ExecutionDetails))
	for i, ran := range done.ExecutionDetails {
		one := map[string]any{"event_id": ran.EventID, "modality": ran.Modality, "status": ran.Status, "error": nil}
		if ran.Error != nil {
			one["error"] = *ran.Error
		}
		events[i] = one
	}
	return engine.Result{Value: map[string]any{
		"to": stamp(done.CurrentTime.Time), "events_executed": done.EventsExecuted, "events_failed": done.EventsFailed, "events": events,
	}}, nil
}

var errBetween = errors.New("the simulated time is neither where it was nor where it was to go: somebody else moves it")

// Lookup looks the clock up: it shows whether the time was moved.
func (m mover) Lookup(ctx context.Context, call engine.Call) (engine.Result, bool, error) {
	req, e, err := m.open(ctx, call)
	if err != nil {
		return engine.Result{}, false, err
	}
	now, err := e.Admin.Time().Get(ctx)
	to := req.from.Add(req.by)
	switch {
	case err != nil:
		return engine.Result{}, false, err
	case now.CurrentTime.Equal(req.from):
		return engine.Result{}, false, nil
	case now.CurrentTime.Before(to):
		return engine.Result{}, false, errBetween
	}
	done, err := ran(ctx, e.Admin, to)
	done["to"] = stamp(to)
	return engine.Result{Value: done}, true, err
}

// ran tells what was executed when the time was moved to an instant.
func ran(ctx context.Context, c *ues.Client, to time.Time) (map[string]any, error) {
	events, failed := []any{}, 0
	for _, status := range []string{ues.Executed, ues.Failed} {
		list, err := c.Events().List(ctx, ues.EventQuery{Status: status, End: to})
		if err != nil {
			return map[string]any{}, err
		}
		for i := range list.Events {
			e := &list.Events[i]
			if e.ExecutedAt == nil || !e.ExecutedAt.Equal(to) || e.ScheduledTime.Equal(to) && e.CreatedAt.Equal(to) {
				continue // of another advance, or done at once by somebody
			}
			one := map[string]any{"event_id": e.EventID, "modality": e.Modality, "status": e.Status, "error": nil}
			if e.ErrorMessage != nil {
				one["error"] = *e.ErrorMessage
			}
			events = append(events, one)
			if status == ues.Failed {
				failed++
			}
		}
	}
	return map[string]any{"events_executed": len(events), "events_failed": failed, "events": events}, nil
}
