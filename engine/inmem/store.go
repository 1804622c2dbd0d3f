// Package inmem keeps threads in memory: for tests, dry runs and simulations. It is
// what a store means, without a disk; nothing survives the process.
package inmem

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/weft-engine/weft/engine"
)

// Store is an engine.Store in memory. It is safe for concurrent use.
type Store struct {
	mu      sync.RWMutex
	closed  bool
	touched uint64 // counts the appends that added records
	threads map[engine.ThreadID]*thread
	blobs   map[engine.Hash][]byte
	cache   map[string]cached
}

type thread struct {
	owner       string
	records     []engine.Record
	summary     []byte // encoded, so that nobody shares memory with a caller
	status      engine.Status
	wake        *time.Time
	asks        bool
	snapshot    []byte
	snapshotSeq engine.Seq
	touched     uint64
}

type cached struct {
	value   []byte
	expires time.Time
}

var _ engine.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	return &Store{
		threads: map[engine.ThreadID]*thread{},
		blobs:   map[engine.Hash][]byte{},
		cache:   map[string]cached{},
	}
}

// Append adds a batch, as engine.Journal says.
func (s *Store) Append(ctx context.Context, batch engine.Batch) error {
	if err := batch.Check(); err != nil {
		return err
	}
	var summary []byte
	if batch.Summary != nil {
		var err error
		if summary, err = engine.EncodeSummary(batch.Summary); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	t, err := s.writable(&batch)
	if err != nil {
		return err
	}
	s.add(t, &batch, summary)
	return nil
}

// writable returns the thread that the batch may be added to.
func (s *Store) writable(batch *engine.Batch) (*thread, error) {
	t := s.threads[batch.Thread]
	switch {
	case t == nil && batch.After != 0:
		return nil, fmt.Errorf("append to thread %q after %d: %w: it has no events", batch.Thread, batch.After, engine.ErrConflict)
	case t == nil && len(batch.Records) == 0:
		return nil, fmt.Errorf("append to thread %q: %w", batch.Thread, engine.ErrNotFound)
	case t == nil:
		t = &thread{}
		s.threads[batch.Thread] = t
	case batch.After != t.seq():
		return nil, fmt.Errorf("append to thread %q after %d: %w: it ends at %d", batch.Thread, batch.After, engine.ErrConflict, t.seq())
	case t.owner != "" && t.owner != batch.Owner:
		return nil, fmt.Errorf("append to thread %q: %w: %s", batch.Thread, engine.ErrLeased, t.owner)
	}
	return t, nil
}

func (s *Store) add(t *thread, batch *engine.Batch, summary []byte) {
	for i := range batch.Records {
		r := &batch.Records[i]
		t.records = append(t.records, engine.Record{Seq: r.Seq, Kind: r.Kind, Data: bytes.Clone(r.Data)})
		for _, b := range r.Blobs {
			if _, ok := s.blobs[b.Hash]; !ok {
				s.blobs[b.Hash] = bytes.Clone(b.Data)
			}
		}
	}
	if len(batch.Records) > 0 {
		s.touched++
		t.touched = s.touched
	}
	if batch.Summary != nil {
		t.summary = summary
		t.status, t.asks, t.wake = batch.Summary.Status, len(batch.Summary.Interrupts) > 0, batch.Summary.Wake
		if t.wake != nil {
			wake := *t.wake
			t.wake = &wake
		}
	}
	if batch.Snapshot != nil {
		t.snapshot, t.snapshotSeq = bytes.Clone(batch.Snapshot), t.seq()
	}
	t.owner = batch.Owner
	if batch.Release {
		t.owner = ""
	}
}

// Read yields the records of a thread after seq. It ends where the thread ends when it begins.
func (s *Store) Read(ctx context.Context, id engine.ThreadID, after engine.Seq) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		records, err := s.records(ctx, id, after)
		if err != nil {
			yield(engine.Record{}, fmt.Errorf("read thread %q: %w", id, err))
			return
		}
		for _, r := range records {
			r.Data = bytes.Clone(r.Data)
			if !yield(r, nil) {
				return
			}
			if err := ctx.Err(); err != nil {
				yield(engine.Record{}, fmt.Errorf("read thread %q: %w", id, err))
				return
			}
		}
	}
}

// records returns the part of the journal after seq; records are never changed, so it may be shared.
func (s *Store) records(ctx context.Context, id engine.ThreadID, after engine.Seq) ([]engine.Record, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	t := s.threads[id]
	if t == nil || after >= t.seq() {
		return nil, nil
	}
	return t.records[after:], nil
}

// Blob returns a large value, or ErrNotFound.
func (s *Store) Blob(ctx context.Context, hash engine.Hash) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	data, ok := s.blobs[hash]
	if !ok {
		return nil, fmt.Errorf("blob %x: %w", hash, engine.ErrNotFound)
	}
	return slices.Clone(data), nil
}

// Acquire makes owner the one who drives the thread.
func (s *Store) Acquire(ctx context.Context, id engine.ThreadID, owner string) (engine.Head, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return engine.Head{}, err
	}
	t := s.threads[id]
	switch {
	case owner == "":
		return engine.Head{}, fmt.Errorf("acquire thread %q: the owner's name is empty", id)
	case t == nil:
		return engine.Head{}, fmt.Errorf("acquire thread %q: %w", id, engine.ErrNotFound)
	case t.owner != "" && t.owner != owner:
		return engine.Head{}, fmt.Errorf("acquire thread %q: %w: %s", id, engine.ErrLeased, t.owner)
	}
	t.owner = owner
	head, err := t.head(id)
	head.Snapshot = bytes.Clone(t.snapshot)
	return head, err
}

// Close ends the store; what it holds is gone.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.threads, s.blobs, s.cache = true, nil, nil, nil
	return nil
}

// usable reports why a call cannot go on; the caller holds the lock.
func (s *Store) usable(ctx context.Context) error {
	if s.closed {
		return fmt.Errorf("store in memory: %w", fs.ErrClosed)
	}
	return ctx.Err()
}

func (t *thread) seq() engine.Seq { return engine.Seq(len(t.records)) }

func (t *thread) head(id engine.ThreadID) (engine.Head, error) {
	summary, err := engine.DecodeSummary(t.summary)
	return engine.Head{Thread: id, Seq: t.seq(), Owner: t.owner, Summary: summary, SnapshotSeq: t.snapshotSeq}, err
}
