package inmem

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/weft-engine/weft/engine"
)

// Threads yields the heads that match, the one touched last first.
func (s *Store) Threads(ctx context.Context, filter engine.Filter) iter.Seq2[engine.Head, error] {
	return func(yield func(engine.Head, error) bool) {
		heads, err := s.heads(ctx, &filter)
		if err != nil {
			yield(engine.Head{}, fmt.Errorf("list threads: %w", err))
			return
		}
		for _, h := range heads {
			if !yield(h, nil) {
				return
			}
			if err := ctx.Err(); err != nil {
				yield(engine.Head{}, fmt.Errorf("list threads: %w", err))
				return
			}
		}
	}
}

func (s *Store) heads(ctx context.Context, filter *engine.Filter) ([]engine.Head, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	ids := make([]engine.ThreadID, 0, len(s.threads))
	for id, t := range s.threads {
		if t.matches(id, filter) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b engine.ThreadID) int {
		return cmp.Compare(s.threads[b].touched, s.threads[a].touched)
	})
	if filter.Limit > 0 {
		ids = ids[:min(len(ids), filter.Limit)]
	}
	heads := make([]engine.Head, len(ids))
	for i, id := range ids {
		head, err := s.threads[id].head(id)
		if err != nil {
			return nil, err
		}
		heads[i] = head
	}
	return heads, nil
}

func (t *thread) matches(id engine.ThreadID, f *engine.Filter) bool {
	switch {
	case f.Thread != "" && f.Thread != id,
		f.Status != "" && f.Status != t.status,
		f.Interrupt && !t.asks,
		!f.WakeBy.IsZero() && (t.wake == nil || t.wake.After(f.WakeBy)):
		return false
	}
	return true
}

// Cached returns a value kept by Cache, or ErrNotFound when there is none or it expired at or before now.
func (s *Store) Cached(ctx context.Context, key string, now time.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	c, ok := s.cache[key]
	if ok && !c.expires.After(now) {
		delete(s.cache, key)
		ok = false
	}
	if !ok {
		return nil, fmt.Errorf("cached value %q: %w", key, engine.ErrNotFound)
	}
	return bytes.Clone(c.value), nil
}

// Cache keeps a value until expires.
func (s *Store) Cache(ctx context.Context, key string, value []byte, expires time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.cache[key] = cached{value: bytes.Clone(value), expires: expires}
	return nil
}
