package local

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-engine/weft/engine"
)

// open takes the lease of a thread and folds its journal. What is outstanding is
// what the driver does first.
func (r *Runner) open(ctx context.Context, p *engine.Program, thread engine.ThreadID) (*driver, error) {
	head, err := r.Store.Acquire(ctx, thread, r.Owner)
	if err != nil {
		return nil, fmt.Errorf("thread %s: %w", thread, err)
	}
	d := r.fresh(p, thread)
	d.created, d.seq = head.Summary.Created, head.Seq
	after, err := d.restore(ctx, head)
	if err == nil {
		err = r.fold(ctx, d.sched, thread, after)
	}
	if err != nil {
		return nil, errors.Join(err, r.release(ctx, thread, head.Seq))
	}
	d.last = d.sched.Summary().Updated
	d.todo = d.sched.Outstanding()
	return d, nil
}

// restore begins from the thread's snapshot where it fits, and returns after which
// event to go on.
func (d *driver) restore(ctx context.Context, head engine.Head) (engine.Seq, error) {
	if head.Snapshot == nil {
		return 0, nil
	}
	s, ok, err := engine.Restore(d.program, d.thread, head.Snapshot, func(h engine.Hash) ([]byte, error) { return d.r.Store.Blob(ctx, h) })
	if err != nil || !ok {
		return 0, err
	}
	d.sched = s
	return head.SnapshotSeq, nil
}

// release gives a thread up that could not be folded.
func (r *Runner) release(ctx context.Context, thread engine.ThreadID, seq engine.Seq) error {
	err := r.Store.Append(context.WithoutCancel(ctx), engine.Batch{Thread: thread, After: seq, Owner: r.Owner, Release: true})
	if errors.Is(err, engine.ErrConflict) {
		return nil
	}
	return err
}

// fold steps a scheduler through a thread's events behind after.
func (r *Runner) fold(ctx context.Context, s *engine.Scheduler, thread engine.ThreadID, after engine.Seq) error {
	none := after == 0
	for rec, err := range r.Store.Read(ctx, thread, after) {
		if err != nil {
			return fmt.Errorf("read thread %s: %w", thread, err)
		}
		none = false
		ev, err := r.decode(ctx, rec)
		if err != nil {
			return fmt.Errorf("thread %s: %w", thread, err)
		}
		if _, err := s.Step(ev); err != nil {
			return fmt.Errorf("thread %s, event %d: %w", thread, rec.Seq, err)
		}
	}
	if none {
		return fmt.Errorf("thread %s: %w", thread, engine.ErrNotFound)
	}
	return nil
}

func (r *Runner) decode(ctx context.Context, rec engine.Record) (engine.Event, error) {
	return engine.DecodeEvent(rec, func(h engine.Hash) ([]byte, error) { return r.Store.Blob(ctx, h) })
}

// keepSpec has the next append store the spec that the run is pinned to.
func (d *driver) keepSpec(p *engine.Program) error {
	if _, kept := d.r.bundles.Load(p.Hash); kept {
		return nil
	}
	hash, err := parseHash(p.Hash)
	if err != nil {
		return err
	}
	d.blobs = append(d.blobs, engine.Blob{Hash: hash, Data: p.Bundle})
	return nil
}

// check returns an answer as the interrupt takes it. One that comes too late is told
// who was faster.
func (d *driver) check(ctx context.Context, a engine.Answer) (engine.Answer, error) {
	checked, err := d.sched.CheckAnswer(a)
	if !errors.Is(err, engine.ErrNotFound) {
		return checked, err
	}
	answers := &Answers{}
	for rec, readErr := range d.r.Store.Read(ctx, d.thread, 0) {
		if readErr != nil {
			return a, errors.Join(err, readErr)
		}
		switch rec.Kind {
		case engine.KindInterruptRaised, engine.KindInterruptAnswered, engine.KindTimerFired:
		default:
			continue
		}
		ev, decodeErr := d.r.decode(ctx, rec)
		if decodeErr != nil {
			return a, errors.Join(err, decodeErr)
		}
		if earlier := answers.Next(ev); earlier != nil && earlier.Answer.Interrupt == a.Interrupt {
			return a, earlier
		}
	}
	return a, err
}
