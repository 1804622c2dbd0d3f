package sqlite

import (
	"context"
	"fmt"
	"time"
)

// The statements of the cache. A put removes a few values that have expired, so
// that the table does not grow for ever.
const (
	putCache   = "INSERT OR REPLACE INTO cache (key, value, expires) VALUES (?, ?, ?)"
	trimCache  = "DELETE FROM cache WHERE key IN (SELECT key FROM cache WHERE expires <= ? ORDER BY expires LIMIT 8)"
	queryCache = "SELECT value FROM cache WHERE key = ? AND expires > ?"
)

// caching is a put on its way to the writer.
type caching struct {
	key     []byte
	value   []byte
	expires int64
	now     int64 // the latest instant heard of
}

// Cached returns a value kept by Cache, or ErrNotFound when there is none or it expired at or before now.
func (s *Store) Cached(ctx context.Context, key string, now time.Time) ([]byte, error) {
	at := nanos(now)
	for seen := s.seen.Load(); at > seen && !s.seen.CompareAndSwap(seen, at); seen = s.seen.Load() {
	}
	value, err := s.value(ctx, queryCache, []byte(key), at)
	if err != nil {
		return nil, fmt.Errorf("cached value %q: %w", key, err)
	}
	return value, nil
}

// Cache keeps a value until expires.
func (s *Store) Cache(ctx context.Context, key string, value []byte, expires time.Time) error {
	c := &caching{key: []byte(key), value: value, expires: nanos(expires), now: s.seen.Load()}
	if err := s.submit(ctx, c, false); err != nil {
		return fmt.Errorf("cache value %q: %w", key, err)
	}
	return nil
}

func (c *caching) size() int { return len(c.key) + len(c.value) }

func (c *caching) apply(w *writer) (refusal, err error) {
	if _, err := w.conn.exec(trimCache, c.now); err != nil {
		return nil, err
	}
	_, err = w.conn.exec(putCache, c.key, blob(c.value), c.expires)
	return nil, err
}
