package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"runtime"
	"sync/atomic"
)

// The bounds of what waits, of what shares a transaction, and of what is remembered.
const (
	maxQueue = 256
	maxGroup = 256
	maxBytes = 8 << 20
	maxHeads = 4096
)

// op is something that is done in a transaction.
type op interface {
	// apply does it. A refusal must leave the transaction as it was; an error ends it.
	apply(w *writer) (refusal, err error)
	// size is about how many bytes it writes.
	size() int
}

// request is an op and who waits for it.
type request struct {
	op    op
	sync  bool
	state atomic.Int32 // waiting, then taken or withdrawn
	err   error        // why it was refused
	done  chan error
}

// The states of a request.
const (
	waiting = iota
	taken
	withdrawn
)

// writer owns the connection that writes. It has no goroutine: of those who wait
// for a request, one at a time leads, and does the requests of the others with its
// own. So one who is alone does its own work at once, without waiting for anybody.
type writer struct {
	queue chan *request
	lead  chan struct{} // holds a token while somebody leads; what follows is the leader's

	conn    *conn
	full    bool             // whether a commit waits for the disk
	group   []*request       // those whose turn it is
	crowd   bool             // whether the last group had several
	heads   map[string]place // where some threads end; nil when it is not known
	version int64            // of the data that heads and touched were read from
	touched int64            // the last number given
}

// place is a thread's row, as far as appends look at it.
type place struct {
	no    int64
	seq   int64
	owner string
}

func newWriter(c *conn) *writer {
	return &writer{conn: c, queue: make(chan *request, maxQueue), lead: make(chan struct{}, 1)}
}

// do has the op done, and waits for it. An error from ctx means that nothing was done.
func (w *writer) do(ctx context.Context, op op, sync bool) error {
	r := &request{op: op, sync: sync, done: make(chan error, 1)}
	queue := w.queue
	select {
	case queue <- r:
		queue = nil // once is enough
	default:
	}
	for {
		select {
		case queue <- r:
			queue = nil
		case err := <-r.done:
			return err
		case w.lead <- struct{}{}:
			w.write()
			<-w.lead
		case <-ctx.Done():
			if r.state.CompareAndSwap(waiting, withdrawn) {
				return ctx.Err()
			}
			return <-r.done
		}
	}
}

// write does a group of those who wait.
func (w *writer) write() {
	if w.crowd {
		runtime.Gosched() // those of the last group may be about to ask again
	}
	for bytes := 0; len(w.group) < maxGroup && bytes < maxBytes; {
		select {
		case r := <-w.queue:
			if r.state.CompareAndSwap(waiting, taken) {
				w.group = append(w.group, r)
				bytes += r.op.size()
			}
			continue
		default:
		}
		break
	}
	if len(w.group) == 0 {
		return
	}
	w.commit(w.group)
	w.crowd = len(w.group) > 1
	clear(w.group) // batches may be large
	w.group = w.group[:0]
}

// commit does a group and replies. When the group fails as a whole, each request
// gets a transaction of its own, so that one cannot spoil the others.
func (w *writer) commit(group []*request) {
	err := w.transact(group)
	if err != nil && len(group) > 1 && !isBusy(err) {
		for i := range group {
			w.commit(group[i : i+1])
		}
		return
	}
	for _, r := range group {
		if err != nil {
			r.err = explain(err)
		}
		r.done <- r.err
	}
}

// transact does a group in one transaction. Refused requests have err set.
func (w *writer) transact(group []*request) error {
	if err := w.synchronize(group); err != nil {
		return err
	}
	if _, err := w.conn.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := w.apply(group)
	if err == nil {
		_, err = w.conn.exec("COMMIT")
	}
	if err != nil {
		w.heads = nil
		// The transaction may be over already; then this fails, and nothing is lost.
		_, _ = w.conn.exec("ROLLBACK")
	}
	return err
}

func (w *writer) apply(group []*request) error {
	if err := w.refresh(); err != nil {
		return err
	}
	for _, r := range group {
		var err error
		if r.err, err = r.op.apply(w); err != nil {
			return err
		}
	}
	return nil
}

// refresh forgets what another connection may have changed. In a transaction, no other can.
func (w *writer) refresh() error {
	version, err := w.conn.number("PRAGMA data_version")
	if err != nil || version == w.version && w.heads != nil {
		return err
	}
	if w.touched, err = w.conn.number("SELECT max(touched) FROM threads"); err != nil {
		return err
	}
	w.version, w.heads = version, map[string]place{}
	return nil
}

// find looks a thread up.
func (w *writer) find(thread string) (p place, found bool, err error) {
	if p, found = w.heads[thread]; found {
		return p, true, nil
	}
	var row [3]driver.Value
	found, err = w.conn.row("SELECT no, seq, owner FROM threads WHERE id = ?", row[:], thread)
	if !found || err != nil {
		return place{}, false, err
	}
	return place{no: integer(row[0]), seq: integer(row[1]), owner: text(row[2])}, true, nil
}

// remember notes where a thread ends that somebody drives; others are not likely to grow.
func (w *writer) remember(thread string, p place) {
	if p.owner == "" {
		delete(w.heads, thread)
		return
	}
	if len(w.heads) >= maxHeads {
		clear(w.heads)
	}
	w.heads[thread] = p
}

// synchronize has the next commit forced to disk when a request wants it. The
// setting takes effect outside of transactions only.
func (w *writer) synchronize(group []*request) error {
	full := false
	for _, r := range group {
		full = full || r.sync
	}
	if full == w.full {
		return nil
	}
	mode := "NORMAL"
	if full {
		mode = "FULL"
	}
	if err := w.conn.once("PRAGMA synchronous = " + mode); err != nil {
		return fmt.Errorf("set the durability: %w", err)
	}
	w.full = full
	return nil
}

// text is a column that may be NULL.
func text(v driver.Value) string {
	s, _ := v.(string)
	return s
}

// integer is a column that may be NULL.
func integer(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}
