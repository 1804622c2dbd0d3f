package local

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/shape"
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
// state there. A name that is in use gives a *TakenError. The copy is not driven: resume it. What the other thread had under
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
	if err := d.relive(ctx, f.From, f.At); err != nil {
		return Result{}, err
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
	res, err := d.leave(ctx)
	if errors.Is(err, engine.ErrConflict) || errors.Is(err, engine.ErrLeased) {
		return Result{}, &TakenError{Thread: f.To}
	}
	return res, err
}

// relive applies the events of another thread up to one, 0 being the last.
func (d *driver) relive(ctx context.Context, thread engine.ThreadID, upTo engine.Seq) error {
	for rec, err := range d.r.Store.Read(ctx, thread, 0) {
		if err != nil {
			return fmt.Errorf("read thread %s: %w", thread, err)
		}
		if upTo > 0 && rec.Seq > upTo {
			break
		}
		ev, err := d.r.decode(ctx, rec)
		if err != nil {
			return fmt.Errorf("thread %s: %w", thread, err)
		}
		if err := d.apply(ev); err != nil {
			return fmt.Errorf("thread %s, event %d: %w", thread, rec.Seq, err)
		}
	}
	n := engine.Seq(len(d.pending))
	switch {
	case n == 0:
		return fmt.Errorf("thread %s: %w", thread, engine.ErrNotFound)
	case upTo > n:
		return fmt.Errorf("thread %s has %d events, none numbered %d: %w", thread, n, upTo, engine.ErrNotFound)
	}
	return nil
}

// values checks fields against the graph whose state they change.
func (r *Runner) values(p *engine.Program, s *engine.Scheduler, set map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(set))
	g := p.Graph(s.Started().Graph)
	for name, value := range set {
		field := g.Field(name)
		if field == nil {
			return nil, &InputError{Graph: g.Name, Field: name, Problems: []shape.Problem{{Message: "there is no state field of that name"}}}
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
			return nil, &InputError{Graph: g.Name, Field: name, Problems: problems}
		}
		out[name] = coerced
	}
	return out, nil
}
