package memory

import (
	"context"
	"fmt"
	"sync"

	"github.com/weft-engine/weft/engine"
)

// head is the present state of one memory: the fold of its thread, kept so that a
// read fetches only what is new.
type head struct {
	mu      sync.Mutex
	seq     engine.Seq // the last event folded
	version engine.Seq // the last event that changed the text; 0: the default
	text    string
	initial bool // the text is the default after all: every change was undone
	keys    map[string]made
}

// made is what became of a change.
type made struct {
	version engine.Seq
	status  string
}

func (h *head) value(m *engine.Memory) engine.MemoryValue {
	if h.version == 0 || h.initial {
		return engine.MemoryValue{Text: m.Default, Version: h.version}
	}
	return engine.MemoryValue{Text: h.text, Version: h.version}
}

func (h *head) add(seq engine.Seq, ev *engine.MemoryChanged) {
	h.seq = seq
	if ev.Status != Proposed {
		h.version, h.text = seq, ev.Text
		h.initial = ev.Status == Undone && ev.Base == 0
	}
	if ev.Key == "" {
		return
	}
	if h.keys == nil {
		h.keys = map[string]made{}
	}
	if _, known := h.keys[ev.Key]; !known {
		h.keys[ev.Key] = made{version: seq, status: ev.Status}
	}
}

// maxHeads bounds how many memories are kept folded.
const maxHeads = 4096

func (s *Store) head(id engine.ThreadID) *head {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.heads[id]
	if ok {
		return h
	}
	if s.heads == nil || len(s.heads) >= maxHeads {
		s.heads = map[engine.ThreadID]*head{}
	}
	h = &head{}
	s.heads[id] = h
	return h
}

// advance folds the events that are new. The caller holds h.mu.
func (s *Store) advance(ctx context.Context, p Place, h *head) error {
	return s.each(ctx, p, h.seq, func(seq engine.Seq, ev *engine.MemoryChanged) { h.add(seq, ev) })
}

func (s *Store) each(ctx context.Context, p Place, after engine.Seq, visit func(engine.Seq, *engine.MemoryChanged)) error {
	id := p.ThreadID()
	blob := func(hash engine.Hash) ([]byte, error) { return s.Store.Blob(ctx, hash) }
	for rec, err := range s.Store.Read(ctx, id, after) {
		if err != nil {
			return fmt.Errorf("read memory %q: %w", p.Memory.Name, err)
		}
		ev, err := engine.DecodeEvent(rec, blob)
		if err != nil {
			return fmt.Errorf("read memory %q: %w", p.Memory.Name, err)
		}
		changed, ok := ev.(*engine.MemoryChanged)
		if !ok {
			return fmt.Errorf("read memory %q: thread %q holds a %s event: %w", p.Memory.Name, id, ev.Kind(), engine.ErrCorrupt)
		}
		visit(rec.Seq, changed)
	}
	return nil
}
