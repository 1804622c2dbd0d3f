package local

import (
	"context"
	"fmt"

	"github.com/weft-engine/weft/engine"
)

// Fork is a new thread with the past of another.
type Fork struct {
	From engine.ThreadID
	At   engine.Seq      // the last event to keep; 0 keeps all
	To   engine.ThreadID // "": a new one
	Set  map[string]any  // state fields to change at that point
	By   string
}

// Fork copies a thread's events up to a point into a new thread and changes its
// state there. The copy is not driven: resume it. What the other thread had under
// way at that point is done again by the copy.
func (r *Runner) Fork(ctx context.Context, p *engine.Program, f Fork) (Result, error) {
	if f.To == "" {
		f.To = engine.ThreadID(r.NewID())
	}
	clock, err := r.clockOf(ctx, p, f.From)
	if err != nil {
		return Result{}, err
	}
	d := r.fresh(p, f.To)
	d.clock = clock
	for rec, err := range r.Store.Read(ctx, f.From, 0) {
		if err != nil {
			return Result{}, fmt.Errorf("read thread %s: %w", f.From, err)
		}
		if f.At > 0 && rec.Seq > f.At {
			break
		}
		ev, err := r.decode(ctx, rec)
		if err != nil {
			return Result{}, fmt.Errorf("thread %s: %w", f.From, err)
		}
		if err := d.apply(ev); err != nil {
			return Result{}, fmt.Errorf("thread %s, event %d: %w", f.From, rec.Seq, err)
		}
	}
	if len(d.pending) == 0 {
		return Result{}, fmt.Errorf("thread %s: %w", f.From, engine.ErrNotFound)
	}
	if f.At > engine.Seq(len(d.pending)) {
		return Result{}, fmt.Errorf("thread %s has %d events, none numbered %d: %w", f.From, len(d.pending), f.At, engine.ErrNotFound)
	}
	at := engine.Seq(len(d.pending))
	if err := d.apply(&engine.Forked{At: d.now(), Thread: f.From, Seq: at}); err != nil {
		return Result{}, err
	}
	if len(f.Set) > 0 {
		values, err := r.values(p, d.sched, f.Set)
		if err != nil {
			return Result{}, err
		}
		if err := d.apply(&engine.StateSet{At: d.now(), By: f.By, Values: values}); err != nil {
			return Result{}, err
		}
	}
	return d.leave(ctx)
}

// values checks fields against the graph whose state they change.
func (r *Runner) values(p *engine.Program, s *engine.Scheduler, set map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(set))
	g := p.Graph(s.Started().Graph)
	for name, value := range set {
		field := g.Field(name)
		if field == nil {
			return nil, fmt.Errorf("graph %q has no state field %q", g.Name, name)
		}
		plain, err := engine.Plain(value)
		if err != nil {
			return nil, fmt.Errorf("state field %q: %w", name, err)
		}
		out[name] = plain
		if field.Shape == nil {
			continue
		}
		coerced, problems := field.Shape.Coerce(plain)
		if len(problems) > 0 {
			return nil, &InputError{Graph: g.Name + "." + name, Problems: problems}
		}
		out[name] = coerced
	}
	return out, nil
}
