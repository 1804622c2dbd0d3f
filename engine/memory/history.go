package memory

import (
	"context"
	"fmt"

	"github.com/weft-engine/weft/engine"
)

// History returns all changes of a memory, the oldest first.
func (s *Store) History(ctx context.Context, p Place) ([]Version, error) {
	var out []Version
	now := &head{}
	err := s.each(ctx, p, 0, func(seq engine.Seq, ev *engine.MemoryChanged) {
		out = append(out, Version{Version: seq, Before: now.value(p.Memory).Text, MemoryChanged: *ev})
		now.add(seq, ev)
	})
	return out, err
}

// By says who asks for an undo or for a proposal to be applied, and why.
type By struct {
	Key string // as in Change; may be empty
	By  string
	Why string
	Run string
}

// Undo restores the text as it was before a version was applied, and so takes back
// every change since too. Version 0 means the last change that is still in effect:
// called again, it takes back the one before. engine.ErrNotFound when there is none.
func (s *Store) Undo(ctx context.Context, p Place, version engine.Seq, by By) (engine.Seq, error) {
	seq, _, err := s.change(ctx, p, func(h *head) (*engine.MemoryChanged, error) {
		past, err := s.History(ctx, p)
		if err != nil {
			return nil, err
		}
		base, text, err := before(p.Memory, past, version)
		if err != nil {
			return nil, err
		}
		return &engine.MemoryChanged{Key: by.Key, Base: base, Status: Undone, Text: text, Why: by.Why, By: by.By, Run: by.Run}, nil
	}, by.Key)
	return seq, err
}

// before returns the version and text that were in effect before a version was.
func before(m *engine.Memory, past []Version, version engine.Seq) (engine.Seq, string, error) {
	effective := inEffect(past)
	if len(effective) == 0 {
		return 0, "", fmt.Errorf("memory %q has no change to undo: %w", m.Name, engine.ErrNotFound)
	}
	at := len(effective) - 1
	if version != 0 {
		for at >= 0 && effective[at].Version != version {
			at--
		}
	}
	switch {
	case at < 0:
		return 0, "", fmt.Errorf("memory %q has no version %d in effect: %w", m.Name, version, engine.ErrNotFound)
	case at == 0:
		return 0, m.Default, nil
	}
	return effective[at-1].Version, effective[at-1].Text, nil
}

// inEffect returns the applied versions that no undo took back.
func inEffect(past []Version) []Version {
	var out []Version
	for _, v := range past {
		switch v.Status {
		case Applied:
			out = append(out, v)
		case Undone:
			for len(out) > 0 && out[len(out)-1].Version > v.Base {
				out = out[:len(out)-1]
			}
		}
	}
	return out
}

// Apply makes a proposal the memory's text. engine.ErrConflict when the memory has
// changed since the proposal was made: applying it would lose that change.
func (s *Store) Apply(ctx context.Context, p Place, version engine.Seq, by By) (engine.Seq, error) {
	key := fmt.Sprintf("apply/%d", version)
	seq, _, err := s.change(ctx, p, func(h *head) (*engine.MemoryChanged, error) {
		past, err := s.History(ctx, p)
		if err != nil {
			return nil, err
		}
		proposal, err := proposed(p.Memory, past, version)
		if err != nil {
			return nil, err
		}
		if now := h.value(p.Memory); now.Version != proposal.Base {
			return nil, fmt.Errorf("proposal %d was made from version %d of memory %q, which is at version %d: %w",
				version, proposal.Base, p.Memory.Name, now.Version, engine.ErrConflict)
		}
		why := by.Why
		if why == "" {
			why = proposal.Why
		}
		return &engine.MemoryChanged{Key: key, Base: proposal.Base, Status: Applied, Text: proposal.Text, Why: why, By: by.By, Run: by.Run}, nil
	}, key)
	return seq, err
}

func proposed(m *engine.Memory, past []Version, version engine.Seq) (Version, error) {
	for _, v := range past {
		if v.Version == version && v.Status == Proposed {
			return v, nil
		}
	}
	return Version{}, fmt.Errorf("memory %q has no proposal %d: %w", m.Name, version, engine.ErrNotFound)
}
