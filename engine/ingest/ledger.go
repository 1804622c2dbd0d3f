package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weft-engine/weft/engine"
)

// What became of an item, as TriggerSettled says it.
const (
	ran     = "ran"     // a run was made of it; that it waits for a human is one way to be ran
	skipped = "skipped" // its thread was waiting, and the trigger skips then
	failed  = "failed"  // no run could be made of it, or it failed
)

// LedgerID returns the thread that keeps what a trigger has handled.
func LedgerID(spec, trigger string) engine.ThreadID {
	return engine.ThreadID("trigger:" + spec + "/" + trigger)
}

// ledger is the fold of a trigger's thread, and the only one who appends to it while a
// pass has its lease. Safe for concurrent use.
type ledger struct {
	store engine.Store
	id    engine.ThreadID
	owner string
	now   func() time.Time

	mu      sync.Mutex
	seq     engine.Seq
	cursor  string
	known   map[string]bool // keys that were accepted, ever
	open    []engine.TriggerItem
	settled map[string]bool // of the open ones
	failed  []engine.TriggerItem
	paused  *engine.TriggerPaused
	created time.Time
	snapped engine.Seq // the event after which the last snapshot was taken
}

// openLedger takes the lease and folds what stands there. engine.ErrLeased when
// another pass of the trigger is under way.
func openLedger(ctx context.Context, store engine.Store, id engine.ThreadID, owner string, now func() time.Time) (*ledger, error) {
	l := &ledger{store: store, id: id, owner: owner, now: now, known: map[string]bool{}, settled: map[string]bool{}}
	head, err := store.Acquire(ctx, id, owner)
	if errors.Is(err, engine.ErrNotFound) {
		l.created = l.time()
		if err = l.append(ctx, &engine.TriggerPolled{At: l.created}); !errors.Is(err, engine.ErrConflict) {
			return l, err
		}
		head, err = store.Acquire(ctx, id, owner) // another pass began it in between
	}
	if err != nil {
		return nil, err
	}
	l.created = head.Summary.Created
	if err := l.fold(ctx, head); err != nil {
		return nil, errors.Join(err, l.release(ctx))
	}
	return l, nil
}

func (l *ledger) time() time.Time { return l.now().UTC().Truncate(time.Millisecond) }

func (l *ledger) fold(ctx context.Context, head engine.Head) error {
	if head.Snapshot != nil && l.restore(head.Snapshot) {
		l.seq, l.snapped = head.SnapshotSeq, head.SnapshotSeq
	}
	blob := func(h engine.Hash) ([]byte, error) { return l.store.Blob(ctx, h) }
	for rec, err := range l.store.Read(ctx, l.id, l.seq) {
		if err != nil {
			return fmt.Errorf("read the trigger's ledger: %w", err)
		}
		ev, err := engine.DecodeEvent(rec, blob)
		if err != nil {
			return fmt.Errorf("read the trigger's ledger: %w", err)
		}
		if !l.add(ev) {
			return fmt.Errorf("the trigger's ledger %q holds a %s event: %w", l.id, ev.Kind(), engine.ErrCorrupt)
		}
		l.seq = rec.Seq
	}
	l.tidy()
	return nil
}

func (l *ledger) add(ev engine.Event) bool {
	switch ev := ev.(type) {
	case *engine.TriggerPolled:
		l.cursor, l.paused = ev.Cursor, nil
		for _, item := range ev.Items {
			if l.known[item.Key] {
				l.failed = slices.DeleteFunc(l.failed, func(f engine.TriggerItem) bool { return f.Key == item.Key })
			}
			l.known[item.Key] = true
		}
		l.open = append(l.open, ev.Items...)
	case *engine.TriggerSettled:
		l.settled[ev.Key] = true
		if ev.Outcome == failed {
			l.fail(ev.Key)
		}
		if len(l.settled) > 1000 {
			l.tidy()
		}
	case *engine.TriggerPaused:
		l.paused = ev
	default:
		return false
	}
	return true
}

// maxFailed bounds the failed items that can be tried again.
const maxFailed = 1000

// fail keeps an item that may be tried again.
func (l *ledger) fail(key string) {
	at := slices.IndexFunc(l.open, func(i engine.TriggerItem) bool { return i.Key == key })
	if at < 0 {
		return
	}
	if len(l.failed) >= maxFailed {
		l.failed = slices.Delete(l.failed, 0, 1)
	}
	l.failed = append(l.failed, l.open[at])
}

// retry opens the failed items again, each as another run.
func (l *ledger) retry(ctx context.Context, run func(engine.TriggerItem) string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.failed) == 0 {
		return nil
	}
	l.tidy()
	again := slices.Clone(l.failed)
	for i := range again {
		again[i].Run = run(again[i])
	}
	return l.append(ctx, &engine.TriggerPolled{At: l.time(), Cursor: l.cursor, Items: again})
}

// tidy drops the items that are settled.
func (l *ledger) tidy() {
	l.open = slices.DeleteFunc(l.open, func(i engine.TriggerItem) bool { return l.settled[i.Key] })
	clear(l.settled)
}

// pending returns the items that are not settled, in the order they came.
func (l *ledger) pending() []engine.TriggerItem {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tidy()
	return slices.Clone(l.open)
}

// accept writes what a poll brought. Items that are known are left out; it returns those
// that were new. Nothing is written when nothing changes.
func (l *ledger) accept(ctx context.Context, cursor string, items []engine.TriggerItem) ([]engine.TriggerItem, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var fresh []engine.TriggerItem
	here := map[string]bool{}
	for _, item := range items {
		if !l.known[item.Key] && !here[item.Key] {
			here[item.Key] = true
			fresh = append(fresh, item)
		}
	}
	if len(fresh) == 0 && cursor == l.cursor && l.paused == nil {
		return nil, nil
	}
	return fresh, l.append(ctx, &engine.TriggerPolled{At: l.time(), Cursor: cursor, Items: fresh})
}

func (l *ledger) settle(ctx context.Context, key, outcome, reason string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(ctx, &engine.TriggerSettled{At: l.time(), Key: key, Outcome: outcome, Reason: reason})
}

func (l *ledger) pause(ctx context.Context, ev *engine.TriggerPaused) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ev.At = l.time()
	return l.append(ctx, ev)
}

// append writes an event. What a poll brought is forced to the disk: runs begin because
// of it. That a run was made is found again from its thread.
func (l *ledger) append(ctx context.Context, ev engine.Event) error {
	rec, err := engine.EncodeEvent(ev)
	if err != nil {
		return fmt.Errorf("write the trigger's ledger: %w", err)
	}
	rec.Seq = l.seq + 1
	_, settled := ev.(*engine.TriggerSettled)
	err = l.store.Append(context.WithoutCancel(ctx), engine.Batch{
		Thread: l.id, After: l.seq, Records: []engine.Record{rec}, Owner: l.owner, Sync: !settled, Summary: l.summary(),
	})
	if err != nil {
		return fmt.Errorf("write the trigger's ledger: %w", err)
	}
	l.seq = rec.Seq
	l.add(ev)
	return nil
}

func (l *ledger) summary() *engine.Summary {
	return &engine.Summary{Status: engine.Done, Created: l.created, Updated: l.time()}
}

// release gives the lease up, and leaves a snapshot when much has come since the last.
func (l *ledger) release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := engine.Batch{Thread: l.id, After: l.seq, Owner: l.owner, Release: true}
	if due := max(minSnapshot, len(l.known)/4); int(l.seq-l.snapped) >= due {
		var err error
		if b.Snapshot, err = l.snapshot(); err != nil {
			return err
		}
	}
	return l.store.Append(context.WithoutCancel(ctx), b)
}
