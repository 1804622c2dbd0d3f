package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"time"

	"github.com/weft-engine/weft/engine"
)

// The statements of an append.
const (
	insertThread = "INSERT INTO threads (id, seq, owner, touched, status, wake, asks, summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
	updateThread = "UPDATE threads SET seq = ?2, owner = ?3, touched = coalesce(?4, touched) WHERE no = ?1"
	updateAll    = "UPDATE threads SET seq = ?2, owner = ?3, touched = coalesce(?4, touched), status = ?5, wake = ?6, asks = ?7, summary = ?8 WHERE no = ?1"
	insertEvent  = "INSERT OR FAIL INTO events (key, kind, data) VALUES (?, ?, ?)"
	insertEvent2 = insertEvent + ", (?, ?, ?)"
	insertEvent3 = insertEvent2 + ", (?, ?, ?)"
	insertEvent4 = insertEvent3 + ", (?, ?, ?)"
	insertBlob   = "INSERT INTO blobs (hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING"
	setSnapshot  = "INSERT OR REPLACE INTO snapshots (thread, seq, data, sum) VALUES (?, ?, ?, ?)"
)

// appending is an append on its way to the writer.
type appending struct {
	batch   *engine.Batch
	self    *owner
	named   string // how the lease is stored
	bytes   int
	summary summary
}

// summary is a summary as columns.
type summary struct {
	status string
	wake   driver.Value
	asks   int64
	text   string
}

// Append adds a batch, as engine.Journal says.
func (s *Store) Append(ctx context.Context, batch engine.Batch) error {
	a := appending{batch: &batch, self: s.self}
	if err := a.prepare(); err != nil {
		return err
	}
	if err := s.submit(ctx, &a, batch.Sync); err != nil {
		return fmt.Errorf("append to thread %q after %d: %w", batch.Thread, batch.After, err)
	}
	return nil
}

// prepare does what needs no database, on the caller's time.
func (a *appending) prepare() error {
	if err := a.batch.Check(); err != nil {
		return err
	}
	if a.batch.After > maxSeq || a.last() > maxSeq {
		return fmt.Errorf("append to thread %q after %d: a thread holds %d events; start a new one", a.batch.Thread, a.batch.After, uint64(maxSeq))
	}
	if a.batch.Owner != "" {
		a.named = a.self.named(a.batch.Owner)
	}
	a.bytes = a.batch.Size() + 64*len(a.batch.Records)
	return a.encode(a.batch.Summary)
}

func (a *appending) encode(s *engine.Summary) error {
	if s == nil {
		return nil
	}
	data, err := engine.EncodeSummary(s)
	if err != nil {
		return err
	}
	if len(data) > engine.MaxBatch {
		return fmt.Errorf("append to thread %q: a summary of %d bytes, the limit is %d", a.batch.Thread, len(data), engine.MaxBatch)
	}
	a.bytes += len(data)
	a.summary = summary{status: string(s.Status), text: string(data)}
	if s.Wake != nil {
		a.summary.wake = nanos(*s.Wake)
	}
	if len(s.Interrupts) > 0 {
		a.summary.asks = 1
	}
	return nil
}

func (a *appending) size() int { return a.bytes }

func (a *appending) apply(w *writer) (refusal, err error) {
	no := int64(0)
	if a.batch.After == 0 && len(a.batch.Records) > 0 {
		no, err = a.begin(w)
	}
	if err == nil && no == 0 {
		no, refusal, err = a.update(w)
	}
	if refusal != nil || err != nil {
		return refusal, err
	}
	w.remember(string(a.batch.Thread), place{no: no, seq: a.last(), owner: text(a.lease())})
	if err := a.records(w, no); err != nil {
		return nil, err
	}
	if a.batch.Snapshot != nil {
		_, err = w.conn.exec(setSnapshot, no, a.last(), a.batch.Snapshot, checksum(no, a.last(), a.batch.Snapshot))
	}
	return nil, err
}

// begin makes the thread, and returns 0 when it is there already.
func (a *appending) begin(w *writer) (no int64, err error) {
	sum := &a.summary
	r, err := w.conn.exec(insertThread, string(a.batch.Thread), a.last(), a.lease(), w.touched+1, sum.status, sum.wake, sum.asks, sum.text)
	if err != nil {
		return 0, err
	}
	if n, err := r.RowsAffected(); n == 0 || err != nil {
		return 0, err
	}
	w.touched++
	no, err = r.LastInsertId()
	if no > maxThread {
		return 0, fmt.Errorf("the database holds %d threads, and no more fit", maxThread)
	}
	return no, err
}

// update moves a thread that exists on, or tells why the batch cannot be added.
func (a *appending) update(w *writer) (no int64, refusal, err error) {
	p, found, err := w.find(string(a.batch.Thread))
	if err != nil {
		return 0, nil, err
	}
	if refusal := a.refuse(found, p); refusal != nil {
		return 0, refusal, nil
	}
	var touched driver.Value
	if len(a.batch.Records) > 0 {
		w.touched++
		touched = w.touched
	}
	if a.batch.Summary == nil {
		_, err = w.conn.exec(updateThread, p.no, a.last(), a.lease(), touched)
		return p.no, nil, err
	}
	sum := &a.summary
	_, err = w.conn.exec(updateAll, p.no, a.last(), a.lease(), touched, sum.status, sum.wake, sum.asks, sum.text)
	return p.no, nil, err
}

func (a *appending) refuse(found bool, p place) error {
	switch {
	case !found && a.batch.After == 0:
		return engine.ErrNotFound
	case !found:
		return fmt.Errorf("%w: it has no events", engine.ErrConflict)
	case p.seq != int64(a.batch.After):
		return fmt.Errorf("%w: it ends at %d", engine.ErrConflict, p.seq)
	case !a.self.free(p.owner, a.named):
		return leased(a.self, p.owner)
	}
	return nil
}

// records adds the events, four to a statement.
func (a *appending) records(w *writer, no int64) error {
	for rest := a.batch.Records; len(rest) > 0; {
		n := min(len(rest), 4)
		args := make([]driver.Value, 0, 12)
		for i := range rest[:n] {
			key := eventKey(no, uint64(rest[i].Seq))
			args = append(args, key, sealed(key, rest[i].Kind, rest[i].Data), blob(rest[i].Data))
		}
		query := [...]string{insertEvent, insertEvent2, insertEvent3, insertEvent4}[n-1]
		if _, err := w.conn.exec(query, args...); err != nil {
			return err
		}
		rest = rest[n:]
	}
	for i := range a.batch.Records {
		for _, b := range a.batch.Records[i].Blobs {
			if _, err := w.conn.exec(insertBlob, b.Hash[:], blob(b.Data)); err != nil {
				return err
			}
		}
	}
	return nil
}

// last is where the thread ends after the append.
func (a *appending) last() int64 { return int64(a.batch.After) + int64(len(a.batch.Records)) }

// lease is the owner's column after the append.
func (a *appending) lease() driver.Value {
	if a.named == "" || a.batch.Release {
		return nil
	}
	return a.named
}

// leased is the refusal of a thread that another drives.
func leased(self *owner, stored string) error {
	_, name := self.holder(stored)
	return fmt.Errorf("%w: %s", engine.ErrLeased, name)
}

// blob is data that is never NULL.
func blob(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// nanos is an instant as a column; those beyond its range are at its ends.
func nanos(t time.Time) int64 {
	switch {
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	}
	return t.UnixNano()
}
