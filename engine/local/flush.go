package local

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-engine/weft/engine"
)

// appendTimeout bounds an append. It does not end with the caller's context: a
// result that was paid for is not dropped because the process is about to stop.
const appendTimeout = 30 * time.Second

// maxPending is how many events may wait while an append is under way.
const maxPending = 256

// save appends what is pending before the next calls are made. It waits where
// something depends on it: an intent, the result of a once call, an answer, the
// beginning of a run. Other results are appended while the run goes on; a crash in
// between repeats calls that are harmless to repeat.
func (d *driver) save(ctx context.Context) error {
	if len(d.pending) == 0 {
		return nil
	}
	if d.force || d.tell || len(d.pending) >= maxPending {
		return d.flush(ctx, false)
	}
	if d.writing != nil {
		select {
		case err := <-d.writing:
			if d.writing = nil; err != nil {
				d.pending = nil
				return err
			}
		default:
			return nil
		}
	}
	w, err := d.next(false)
	if err != nil {
		return err
	}
	d.writing = make(chan error, 1)
	go func(done chan<- error) { done <- d.append(ctx, w) }(d.writing)
	return nil
}

// flush appends what is pending and waits for it.
func (d *driver) flush(ctx context.Context, release bool) error {
	if err := d.written(); err != nil {
		return err
	}
	if len(d.pending) == 0 && !release {
		return nil
	}
	w, err := d.next(release)
	if err != nil {
		return err
	}
	return d.append(ctx, w)
}

// written waits for the append under way.
func (d *driver) written() error {
	if d.writing == nil {
		return nil
	}
	err := <-d.writing
	d.writing = nil
	if err != nil {
		d.pending = nil
	}
	return err
}

// write is an append on its way.
type write struct {
	engine.Batch
	spec bool // it carries the spec that the run is pinned to
}

// next makes an append of what is pending.
func (d *driver) next(release bool) (write, error) {
	b := write{spec: len(d.blobs) > 0, Batch: engine.Batch{Thread: d.thread, After: d.seq, Records: d.pending, Owner: d.r.Owner, Release: release, Sync: d.force || release}}
	if len(d.blobs) > 0 && len(b.Records) > 0 {
		b.Records[0].Blobs = append(b.Records[0].Blobs, d.blobs...)
	}
	if err := d.shorten(&b.Batch); err != nil {
		return b, err
	}
	if d.tell || release {
		summary := d.sched.Summary()
		if d.created.IsZero() {
			d.created = d.now()
		}
		summary.Created = d.created
		b.Summary = &summary
	}
	d.seq += engine.Seq(len(d.pending))
	d.pending, d.blobs, d.force, d.tell = nil, nil, false, false
	return b, nil
}

func (d *driver) append(ctx context.Context, w write) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), appendTimeout)
	defer cancel()
	if err := d.r.Store.Append(ctx, w.Batch); err != nil {
		return fmt.Errorf("append to thread %s: %w", d.thread, err)
	}
	if w.spec {
		d.r.bundles.Store(d.program.Hash, true)
	}
	return nil
}
