package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine"
)

// Threads yields the heads that match, the one touched last first. Which threads
// match is decided when it begins; it holds no connection while the caller looks at one.
func (s *Store) Threads(ctx context.Context, filter engine.Filter) iter.Seq2[engine.Head, error] {
	return func(yield func(engine.Head, error) bool) {
		l := listing{store: s, alive: map[string]bool{}}
		l.where(&filter)
		numbers, err := l.numbers(ctx, filter.Limit)
		if err != nil {
			yield(engine.Head{}, fmt.Errorf("list threads: %w", explain(err)))
			return
		}
		for _, no := range numbers {
			head, found, err := l.head(ctx, no)
			switch {
			case err != nil:
				yield(engine.Head{}, fmt.Errorf("list threads: %w", explain(err)))
				return
			case found && !yield(head, nil):
				return
			}
		}
	}
}

// listing is a walk over the threads that match.
type listing struct {
	store *Store
	cond  string
	args  []any
	alive map[string]bool // owners asked already
}

// where turns the filter into a condition.
func (l *listing) where(f *engine.Filter) {
	conds := []string{"1"}
	if f.Thread != "" {
		conds, l.args = append(conds, "id = ?"), append(l.args, string(f.Thread))
	}
	if f.Status != "" {
		conds, l.args = append(conds, "status = ?"), append(l.args, string(f.Status))
	}
	if f.Interrupt {
		conds = append(conds, "asks = 1")
	}
	if !f.WakeBy.IsZero() {
		conds, l.args = append(conds, "wake <= ?"), append(l.args, nanos(f.WakeBy))
	}
	l.cond = strings.Join(conds, " AND ")
}

// with returns the condition's arguments and one more.
func (l *listing) with(arg any) []any { return append(slices.Clip(l.args), arg) }

// numbers returns the threads that match, in order.
func (l *listing) numbers(ctx context.Context, limit int) (numbers []int64, err error) {
	l.store.mu.RLock()
	defer l.store.mu.RUnlock()
	if err := l.store.usable(ctx); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = -1
	}
	query := "SELECT no FROM threads WHERE " + l.cond + " ORDER BY touched DESC LIMIT ?"
	rows, err := l.store.reader.QueryContext(ctx, query, l.with(limit)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var no int64
		if err := rows.Scan(&no); err != nil {
			return nil, err
		}
		numbers = append(numbers, no)
	}
	return numbers, rows.Err()
}

// head returns a thread unless it does not match any more.
func (l *listing) head(ctx context.Context, no int64) (head engine.Head, found bool, err error) {
	l.store.mu.RLock()
	defer l.store.mu.RUnlock()
	if err := l.store.usable(ctx); err != nil {
		return head, false, err
	}
	var stored, encoded sql.NullString
	query := "SELECT id, threads.seq, owner, summary, coalesce(snapshots.seq, 0) FROM threads LEFT JOIN snapshots ON thread = no WHERE " + l.cond + " AND no = ?"
	err = l.store.reader.QueryRowContext(ctx, query, l.with(no)...).Scan(&head.Thread, &head.Seq, &stored, &encoded, &head.SnapshotSeq)
	if errors.Is(err, sql.ErrNoRows) {
		return head, false, nil
	}
	if err != nil {
		return head, false, err
	}
	head.Owner = l.owner(stored.String)
	head.Summary, err = engine.DecodeSummary([]byte(encoded.String))
	return head, err == nil, err
}

// owner is who drives a thread, of those that live.
func (l *listing) owner(stored string) string {
	id, name, _ := strings.Cut(stored, "/")
	alive, known := l.alive[id]
	if !known {
		alive = l.store.self.alive(id)
		l.alive[id] = alive
	}
	if !alive {
		return ""
	}
	return name
}
