package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-engine/weft/engine"
)

// driver drives one thread, from one goroutine.
type driver struct {
	r       *Runner
	program *engine.Program
	thread  engine.ThreadID
	clock   Clock
	sched   *engine.Scheduler
	created time.Time
	seq     engine.Seq // of the last event that was given to the store

	pending []engine.Record // folded, not in the store yet
	blobs   []engine.Blob   // to go with the next append
	force   bool            // the next append must be on disk
	tell    bool            // the next append carries the summary
	writing chan error      // an append under way; nil when there is none
	todo    []engine.EffectRequest
	queue   []*engine.Invoke // to be called
	running map[engine.Target]*running
	results chan outcome
	timers  map[timer]time.Time
	last    time.Time
	bytes   int // appended since the last snapshot
	again   int // how many bytes to append before the next is tried
}

type timer struct {
	kind   engine.TimerKind
	target engine.Target
}

// running is a call under way.
type running struct {
	cancel context.CancelFunc
	once   bool
}

// outcome is what became of a call.
type outcome struct {
	target engine.Target
	event  engine.Event // nil: the call was given up, nothing is known
}

func (r *Runner) fresh(p *engine.Program, thread engine.ThreadID) *driver {
	return &driver{
		r: r, program: p, thread: thread, clock: r.Clock, sched: engine.NewScheduler(p, thread),
		running: map[engine.Target]*running{}, results: make(chan outcome, 64), timers: map[timer]time.Time{}, again: minSnapshot,
	}
}

// now returns the time for the next event: to the millisecond, never before the last.
func (d *driver) now() time.Time {
	now := d.clock.Now().UTC().Truncate(time.Millisecond)
	if now.Before(d.last) {
		return d.last
	}
	d.last = now
	return now
}

// apply folds an event and keeps it for the next append.
func (d *driver) apply(ev engine.Event) error {
	rec, err := engine.EncodeEvent(ev)
	if err != nil {
		return err
	}
	effects, err := d.sched.Step(ev)
	if err != nil {
		return err
	}
	rec.Seq = d.seq + engine.Seq(len(d.pending)) + 1
	d.bytes += recordSize(rec)
	d.pending = append(d.pending, rec)
	d.todo = append(d.todo, effects...)
	if d.r.Watch.Event != nil {
		d.r.Watch.Event(d.thread, rec.Seq, ev)
	}
	switch ev.(type) {
	case *engine.CallStarted, *engine.InterruptAnswered, *engine.RunCanceled, *engine.Upgraded, *engine.StateSet:
		d.force, d.tell = true, true
	case *engine.RunStarted, *engine.InterruptRaised:
		d.tell = true
	case *engine.RunEnded:
		d.force, d.tell = true, true
	}
	return nil
}

// drive folds the events, then carries the thread on until it ends, parks or ctx ends.
func (d *driver) drive(ctx context.Context, events ...engine.Event) (Result, error) {
	defer d.stop()
	d.trace()
	for _, ev := range events {
		if err := d.apply(ev); err != nil {
			return d.giveUp(ctx, err)
		}
	}
	for {
		ended, err := d.settle(ctx)
		if err != nil {
			return d.giveUp(ctx, err)
		}
		if ended || len(d.running) == 0 && !d.waits() {
			return d.leave(ctx)
		}
		if err := d.save(ctx); err != nil {
			return d.giveUp(ctx, err)
		}
		d.call(ctx)
		if err := d.await(ctx); err != nil {
			return d.giveUp(ctx, err)
		}
	}
}

// trace tells Watch.Begin of the nodes that begin from now on.
func (d *driver) trace() {
	if d.r.Watch.Begin != nil {
		d.sched.Trace = func(a engine.Activation) { d.r.Watch.Begin(d.thread, a) }
	}
}

// leave gives the thread up at a park or an end.
func (d *driver) leave(ctx context.Context) (Result, error) {
	result := resultOf(d.thread, d.sched)
	if err := d.flush(ctx, true); err != nil {
		return Result{}, err
	}
	return result, nil
}

// giveUp gives the thread up where it stands. What was folded is kept, unless the
// store refused it.
func (d *driver) giveUp(ctx context.Context, cause error) (Result, error) {
	d.stop()
	if d.seq == 0 && len(d.pending) == 0 {
		return Result{Thread: d.thread}, cause
	}
	err := d.flush(ctx, true)
	if err != nil && !errors.Is(err, engine.ErrConflict) && !errors.Is(err, engine.ErrLeased) {
		cause = errors.Join(cause, err)
	}
	return resultOf(d.thread, d.sched), cause
}

// settle carries out every effect that needs no waiting. It reports whether the run
// has ended.
func (d *driver) settle(ctx context.Context) (ended bool, err error) {
	for len(d.todo) > 0 {
		e := d.todo[0]
		d.todo = d.todo[1:]
		if err := d.carryOut(ctx, e); err != nil {
			return false, err
		}
	}
	d.todo = nil
	if d.sched.Closed() {
		return true, nil
	}
	return false, d.intend()
}

func (d *driver) carryOut(ctx context.Context, e engine.EffectRequest) error {
	switch e := e.(type) {
	case *engine.Invoke:
		d.queue = append(d.queue, e)
	case *engine.Raise:
		e.Request.Opened = d.now()
		return d.apply(&engine.InterruptRaised{At: d.now(), Target: e.Target, Request: e.Request})
	case *engine.SetTimer:
		d.timers[timer{e.Timer, e.Target}] = e.At
	case *engine.Load:
		return d.load(ctx, e)
	case *engine.Abort:
		d.abort(e.Target)
	case *engine.Close:
		return d.apply(&engine.RunEnded{At: d.now(), Status: e.Status, Failure: e.Failure})
	}
	return nil
}

func (d *driver) load(ctx context.Context, e *engine.Load) error {
	if d.r.Memory == nil {
		return errors.New("the graph reads memory, and the runner has none")
	}
	ev := &engine.MemoryRead{Target: e.Target}
	for _, m := range e.Memories {
		v, err := d.r.Memory.ReadMemory(ctx, m, e.User, d.thread)
		if err != nil {
			return fmt.Errorf("read memory %s: %w", m.Name, err)
		}
		if have, ok := e.Have[m.Name]; ok && have == v.Version {
			continue
		}
		if ev.Values == nil {
			ev.Values = map[string]engine.MemoryValue{}
		}
		ev.Values[m.Name] = v
	}
	ev.At = d.now()
	return d.apply(ev)
}

func (d *driver) abort(t engine.Target) {
	for key := range d.timers {
		if key.target == t && (t != engine.Target{} || key.kind == engine.RunTimer) {
			delete(d.timers, key)
		}
	}
	for i, e := range d.queue {
		if e.Target == t {
			d.queue = append(d.queue[:i:i], d.queue[i+1:]...)
			break
		}
	}
	if call := d.running[t]; call != nil {
		call.cancel()
	}
}

// waits reports whether something is to be called, or a timer is worth waiting for.
func (d *driver) waits() bool {
	if len(d.queue) > 0 {
		return true
	}
	_, at, ok := d.earliest()
	if still, is := d.clock.(Still); is && still.Still() {
		return ok && !at.After(d.clock.Now())
	}
	return ok && at.Sub(d.clock.Now()) <= d.r.maxWait()
}

func (d *driver) earliest() (first timer, at time.Time, ok bool) {
	for key, t := range d.timers {
		if !ok || t.Before(at) || t.Equal(at) && key.before(first) {
			first, at, ok = key, t, true
		}
	}
	return first, at, ok
}

func (t timer) before(o timer) bool {
	if t.target.ID != o.target.ID {
		return t.target.ID < o.target.ID
	}
	return t.kind < o.kind
}

// await waits for the next event and folds it with all others that have come.
func (d *driver) await(ctx context.Context) error {
	var come <-chan struct{}
	key, at, ok := d.earliest()
	if ok {
		var stop func()
		come, stop = d.clock.Wait(at)
		defer stop()
	}
	select {
	case out := <-d.results:
		if err := d.took(out); err != nil {
			return err
		}
	case <-come:
		delete(d.timers, key)
		ends := key.kind == engine.NodeTimer || key.kind == engine.RunTimer
		return d.apply(&engine.TimerFired{At: later(d.now(), at), Timer: key.kind, Target: key.target, Settle: ends})
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		select {
		case out := <-d.results:
			if err := d.took(out); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func later(a, b time.Time) time.Time {
	if b = b.UTC().Truncate(time.Millisecond); a.Before(b) {
		return b
	}
	return a
}

// took folds a call's outcome, unless the call is not wanted any more.
func (d *driver) took(out outcome) error {
	call := d.running[out.target]
	delete(d.running, out.target)
	call.cancel()
	d.force = d.force || call.once
	if out.event == nil {
		return nil
	}
	err := d.apply(out.event)
	if errors.Is(err, engine.ErrDiverged) || errors.Is(err, engine.ErrFinished) {
		d.r.Log.Debug().Str("thread", string(d.thread)).Err(err).Msg("result of an aborted call")
		return nil
	}
	return err
}

// stop cancels the calls under way and waits for them. Results that come in now are
// kept: what was done is done.
func (d *driver) stop() {
	for _, call := range d.running {
		call.cancel()
	}
	for len(d.running) > 0 {
		out := <-d.results
		if err := d.took(out); err != nil {
			d.r.Log.Error().Str("thread", string(d.thread)).Err(err).Msg("result not folded")
		}
	}
}

func (r *Runner) maxWait() time.Duration {
	if r.MaxWait > 0 {
		return r.MaxWait
	}
	return 2 * time.Minute
}
