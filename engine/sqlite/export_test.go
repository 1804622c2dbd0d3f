package sqlite

import "context"

// Synchronous is how durable a commit is, as SQLite counts: 1 is NORMAL, 2 is FULL.
func (s *Store) Synchronous(ctx context.Context, sync bool) (int64, error) {
	var level synchronous
	err := s.submit(ctx, &level, sync)
	return int64(level), err
}

type synchronous int64

func (*synchronous) size() int { return 0 }

func (l *synchronous) apply(w *writer) (refusal, err error) {
	level, err := w.conn.number("PRAGMA synchronous")
	*l = synchronous(level)
	return nil, err
}

// Pragma runs a statement on the connection that writes.
func (s *Store) Pragma(ctx context.Context, query string) error {
	return s.submit(ctx, pragma(query), false)
}

type pragma string

func (p pragma) size() int { return 0 }

func (p pragma) apply(w *writer) (refusal, err error) { return nil, w.conn.once(string(p)) }
