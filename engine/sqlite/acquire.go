package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/weft-engine/weft/engine"
)

// The statements of an acquisition.
const (
	selectHead     = "SELECT no, seq, owner, summary FROM threads WHERE id = ?"
	selectSnapshot = "SELECT seq, data, sum FROM snapshots WHERE thread = ?"
	setOwner       = "UPDATE threads SET owner = ?2 WHERE no = ?1"
)

// acquiring is an acquisition on its way to the writer, and what came of it.
type acquiring struct {
	self     *owner
	thread   engine.ThreadID
	named    string
	head     [4]driver.Value
	snapshot [3]driver.Value
}

// Acquire makes owner the one who drives the thread, as engine.Store says.
func (s *Store) Acquire(ctx context.Context, thread engine.ThreadID, owner string) (engine.Head, error) {
	if owner == "" {
		return engine.Head{}, fmt.Errorf("acquire thread %q: the owner's name is empty", thread)
	}
	a := acquiring{self: s.self, thread: thread, named: s.self.named(owner)}
	err := s.submit(ctx, &a, false)
	if err != nil {
		return engine.Head{}, fmt.Errorf("acquire thread %q: %w", thread, err)
	}
	head := engine.Head{Thread: thread, Seq: engine.Seq(integer(a.head[1])), Owner: owner}
	seq := integer(a.snapshot[0])
	// A snapshot that is not what was written is no loss: the events are all there.
	if data, ok := a.snapshot[1].([]byte); ok && integer(a.snapshot[2]) == checksum(integer(a.head[0]), seq, data) {
		head.Snapshot, head.SnapshotSeq = data, engine.Seq(seq)
	}
	if head.Summary, err = engine.DecodeSummary([]byte(text(a.head[3]))); err != nil {
		return engine.Head{}, fmt.Errorf("acquire thread %q: %w", thread, err)
	}
	return head, nil
}

func (a *acquiring) size() int { return 0 }

func (a *acquiring) apply(w *writer) (refusal, err error) {
	found, err := w.conn.row(selectHead, a.head[:], string(a.thread))
	if err != nil {
		return nil, err
	}
	stored := text(a.head[2])
	if !found {
		return engine.ErrNotFound, nil
	}
	if !a.self.free(stored, a.named) {
		return leased(a.self, stored), nil
	}
	w.remember(string(a.thread), place{no: integer(a.head[0]), seq: integer(a.head[1]), owner: a.named})
	if stored != a.named {
		if _, err := w.conn.exec(setOwner, a.head[0], a.named); err != nil {
			return nil, err
		}
	}
	_, err = w.conn.row(selectSnapshot, a.snapshot[:], a.head[0])
	return nil, err
}
