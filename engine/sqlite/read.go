package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"github.com/weft-engine/weft/engine"
)

// The bounds of what Read holds in memory: a page of records.
const (
	pageRecords = 256
	pageBytes   = 1 << 20
)

// Read yields the records of a thread after seq. It holds no connection while the
// caller looks at a record. It ends where the thread ends when it begins.
func (s *Store) Read(ctx context.Context, thread engine.ThreadID, after engine.Seq) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if err := s.read(ctx, thread, after, yield); err != nil {
			yield(engine.Record{}, fmt.Errorf("read thread %q: %w", thread, explain(err)))
		}
	}
}

// read yields records until an error, which it returns, or until yield has enough.
func (s *Store) read(ctx context.Context, thread engine.ThreadID, after engine.Seq, yield func(engine.Record, error) bool) error {
	no, end, err := s.find(ctx, thread)
	for err == nil && after < end {
		var page []engine.Record
		page, err = s.page(ctx, no, after, end)
		for _, r := range page {
			if !yield(r, nil) {
				return nil
			}
			after = r.Seq
		}
	}
	return err
}

// find returns the number of a thread and where it ends, zeros when there is none.
func (s *Store) find(ctx context.Context, thread engine.ThreadID) (no int64, end engine.Seq, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return 0, 0, err
	}
	err = s.reader.QueryRowContext(ctx, "SELECT no, seq FROM threads WHERE id = ?", string(thread)).Scan(&no, &end)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, nil
	}
	return no, end, err
}

const selectEvents = "SELECT key, kind, data FROM events WHERE key > ? AND key <= ? ORDER BY key LIMIT ?"

// page returns some records after a number that is not the last; there must be some.
func (s *Store) page(ctx context.Context, no int64, after, end engine.Seq) (page []engine.Record, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	rows, err := s.reader.QueryContext(ctx, selectEvents, eventKey(no, uint64(after)), eventKey(no, uint64(end)), pageRecords)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for bytes := 0; bytes < pageBytes && rows.Next(); {
		var key, seal int64
		var r engine.Record
		if err := rows.Scan(&key, &seal, &r.Data); err != nil {
			return nil, err
		}
		r.Kind = engine.Kind(seal)
		if r.Seq = after + 1; key != eventKey(no, uint64(r.Seq)) {
			break
		}
		if seal != sealed(key, r.Kind, r.Data) {
			return page, fmt.Errorf("%w: event %d is not what was written", engine.ErrCorrupt, r.Seq)
		}
		after = r.Seq
		page = append(page, r)
		bytes += len(r.Data)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(page) == 0 {
		return nil, fmt.Errorf("%w: event %d is missing", engine.ErrCorrupt, after+1)
	}
	return page, nil
}

// Blob returns a large value, or ErrNotFound.
func (s *Store) Blob(ctx context.Context, hash engine.Hash) ([]byte, error) {
	data, err := s.value(ctx, "SELECT data FROM blobs WHERE hash = ?", hash[:])
	if err == nil && sha256.Sum256(data) != hash {
		err = fmt.Errorf("%w: its data has another hash", engine.ErrCorrupt)
	}
	if err != nil {
		return nil, fmt.Errorf("blob %x: %w", hash, err)
	}
	return data, nil
}

// value is the one column of the one row of a query, or ErrNotFound.
func (s *Store) value(ctx context.Context, query string, args ...any) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var data []byte
	err := s.reader.QueryRowContext(ctx, query, args...).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, engine.ErrNotFound
	}
	return data, explain(err)
}
