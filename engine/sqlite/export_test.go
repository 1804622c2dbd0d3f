package sqlite

import "context"

// Pragma runs a statement on the connection that writes.
func (s *Store) Pragma(ctx context.Context, query string) error {
	return s.submit(ctx, pragma(query), false)
}

type pragma string

func (p pragma) size() int { return 0 }

func (p pragma) apply(w *writer) (refusal, err error) { return nil, w.conn.once(string(p)) }
