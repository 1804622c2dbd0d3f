// Package sqlite keeps threads in one SQLite file, for one machine: a laptop, a
// daemon, several processes side by side. It is an engine.Store.
//
// One connection writes. Requests that arrive while it is busy share the next
// transaction, and so one forced write to disk. Readers and the writer do not wait
// for each other, because the writer writes to a log beside the file:
//
//	Append, Acquire, Cache ──▶ queue ──▶ leader: BEGIN … COMMIT ──▶ replies
//	Read, Threads, Blob, Cached ───────▶ pool of connections that read
//
// Other processes may use the same file at the same time. A lease belongs to the
// Store that took it and ends with its process: every Store holds a lock on a file
// of its own beside the database, and who does not hold it any more is gone.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-engine/weft/engine"
)

// Options say which file to use.
type Options struct {
	Path string        // the database file; it and its directory are made when missing
	Wait time.Duration // how long to wait for another process that writes; 0 is 5 seconds
}

// Store is an engine.Store in a SQLite file. It is safe for concurrent use.
type Store struct {
	path   string
	self   *owner
	reader *sql.DB
	writer *writer
	seen   atomic.Int64 // the latest instant that Cached was asked about, in nanoseconds

	mu     sync.RWMutex // held for reading by whoever uses reader or writer
	closed bool
}

var _ engine.Store = (*Store)(nil)

// Open opens the database, and makes one when there is none. The errors to expect
// are engine.ErrNewer, engine.ErrCorrupt, and a file that is no database of Weft's;
// such a file is not changed.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Path == "" {
		return nil, errors.New("open the store: the path is empty")
	}
	if o.Wait <= 0 {
		o.Wait = 5 * time.Second
	}
	s, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open the store %s: %w", o.Path, explain(err))
	}
	return s, nil
}

func open(ctx context.Context, o Options) (*Store, error) {
	path, exists, err := locate(o.Path)
	if err != nil {
		return nil, err
	}
	f := file{path: path, wait: o.Wait}
	if exists {
		if err := f.check(ctx); err != nil {
			return nil, err
		}
	}
	removeDead(path)
	self, err := newOwner(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, self: self}
	if err := s.connect(ctx, f, exists); err != nil {
		return nil, errors.Join(err, self.release())
	}
	return s, nil
}

func (s *Store) connect(ctx context.Context, f file, exists bool) error {
	if !exists {
		if err := f.create(ctx, s.self); err != nil {
			return err
		}
		// Another process may have been faster: what is there now decides.
		if err := f.check(ctx); err != nil {
			return err
		}
	}
	c, err := f.connectWriter(ctx)
	if err != nil {
		return err
	}
	if s.reader, err = f.connectReaders(); err != nil {
		return errors.Join(err, c.close())
	}
	s.writer = newWriter(c)
	return nil
}

// Close waits for appends under way, gives every lease up and folds the write-ahead
// log into the file. Calls after it fail with fs.ErrClosed.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	// The writer's connection goes last, because the last one folds the log.
	err := errors.Join(s.reader.Close(), s.writer.conn.close(), s.self.release())
	if err != nil {
		return fmt.Errorf("close the store %s: %w", s.path, explain(err))
	}
	return nil
}

// submit has an op done, and waits for it. An error from ctx means that nothing was done.
func (s *Store) submit(ctx context.Context, op op, sync bool) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	return s.writer.do(ctx, op, sync)
}

// usable reports why a call cannot go on; the caller holds mu.
func (s *Store) usable(ctx context.Context) error {
	if s.closed {
		return fmt.Errorf("store %s: %w", s.path, fs.ErrClosed)
	}
	return ctx.Err()
}
