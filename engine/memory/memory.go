// Package memory keeps the memories of a spec in a store: every memory of every owner
// is a thread of its own whose events are the changes, so that who changed what, when
// and why can be told, compared and undone. It decides nothing about what is worth
// remembering; that is the memory node's and the tool node's.
package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine"
)

// The statuses of a change.
const (
	Applied   = "applied"   // it is the memory's text since
	Proposed  = "proposed"  // kept, but a guard held it back: Apply makes it the text
	Undone    = "undone"    // an earlier text was restored
	Unchanged = "unchanged" // the new text was the old one: nothing was written
)

// MaxBytes is the size above which a text is refused: a memory is part of prompts.
const MaxBytes = 256 << 10

// Store reads and changes memories. Both exported fields are required. It is safe
// for concurrent use, also by several processes over one store.
type Store struct {
	Store engine.Store
	Now   func() time.Time

	mu    sync.Mutex
	heads map[engine.ThreadID]*head
}

var _ engine.MemoryReader = (*Store)(nil)

// Place is one owner's memory.
type Place struct {
	Memory *engine.Memory
	User   string          // owns memories of scope user; "" is the user "default"
	Thread engine.ThreadID // owns memories of scope thread
}

// Owner returns whose memory it is, by the memory's scope.
func (p Place) Owner() string {
	switch p.Memory.Scope {
	case "thread":
		return string(p.Thread)
	case "global":
		return "all"
	}
	if p.User == "" {
		return "default"
	}
	return p.User
}

// threadPrefix begins the ids of the threads that hold memories.
const threadPrefix = "memory:"

// ThreadID returns the thread that holds the memory. An owner whose name cannot be
// part of a thread's gets one made of its hash.
func (p Place) ThreadID() engine.ThreadID {
	scope := p.Memory.Scope
	if scope == "" {
		scope = "user"
	}
	id := engine.ThreadID(fmt.Sprintf("%s%s/%s/%s", threadPrefix, scope, p.Memory.Name, p.Owner()))
	if id.Check() != nil {
		sum := sha256.Sum256([]byte(id))
		id = engine.ThreadID(threadPrefix + hex.EncodeToString(sum[:]))
	}
	return id
}

// IsThread reports whether a thread holds a memory rather than runs.
func IsThread(id engine.ThreadID) bool { return strings.HasPrefix(string(id), threadPrefix) }

// Change is a new text for a memory.
type Change struct {
	Key  string     // names the decision it follows from: a second change of one key is not made
	Base engine.Seq // the version that Text was made from
	Text string     // complete
	Why  string
	By   string
	Run  string
}

// Version is one change as it was made.
type Version struct {
	Version engine.Seq
	Before  string // the memory's text until then
	engine.MemoryChanged
}

// ReadMemory returns the current text and its version; the default text is version 0.
func (s *Store) ReadMemory(ctx context.Context, m *engine.Memory, user string, thread engine.ThreadID) (engine.MemoryValue, error) {
	p := Place{Memory: m, User: user, Thread: thread}
	h := s.head(p.ThreadID())
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := s.advance(ctx, p, h); err != nil {
		return engine.MemoryValue{}, err
	}
	return h.value(m), nil
}

// Write makes a change and returns what became of it. A text that the memory's guard
// holds back is kept as a proposal. engine.ErrConflict means that the memory is not at
// Base any more: read it again. A Key that was written before changes nothing; the
// version that it made then is returned.
func (s *Store) Write(ctx context.Context, p Place, c Change) (engine.Seq, string, error) {
	if err := check(p.Memory, c.Text); err != nil {
		return 0, "", err
	}
	ev := engine.MemoryChanged{Key: c.Key, Base: c.Base, Text: c.Text, Why: c.Why, By: c.By, Run: c.Run}
	return s.change(ctx, p, func(h *head) (*engine.MemoryChanged, error) {
		now := h.value(p.Memory)
		if now.Version != c.Base {
			return nil, fmt.Errorf("memory %q is at version %d, not at %d: %w", p.Memory.Name, now.Version, c.Base, engine.ErrConflict)
		}
		if now.Text == c.Text {
			return nil, nil
		}
		ev.Status = Applied
		if Guarded(p.Memory, now.Text, c.Text) != "" {
			ev.Status = Proposed
		}
		return &ev, nil
	}, c.Key)
}

// Guarded returns why the memory's guard holds a change back, "" when it does not.
func Guarded(m *engine.Memory, before, after string) string {
	was, is := utf8.RuneCountInString(strings.TrimSpace(before)), utf8.RuneCountInString(strings.TrimSpace(after))
	if m.MaxChars > 0 && is > m.MaxChars {
		return fmt.Sprintf("the new text has %d characters; guard.max_chars is %d", is, m.MaxChars)
	}
	if m.MaxShrink > 0 && float64(was-is) > m.MaxShrink*float64(was) {
		return fmt.Sprintf("the text would shrink from %d to %d characters; guard.max_shrink is %g", was, is, m.MaxShrink)
	}
	return ""
}

func check(m *engine.Memory, text string) error {
	switch {
	case len(text) > MaxBytes:
		return fmt.Errorf("the text for memory %q has %d bytes; %d are allowed", m.Name, len(text), MaxBytes)
	case !utf8.ValidString(text):
		return fmt.Errorf("the text for memory %q is not UTF-8", m.Name)
	}
	return nil
}

// maxTries bounds how often a change is tried while others change the same memory.
const maxTries = 20

// change appends the event that make returns for the memory's present state; none
// when it returns nil. It is asked again when someone else was faster.
func (s *Store) change(ctx context.Context, p Place, make func(h *head) (*engine.MemoryChanged, error), key string) (engine.Seq, string, error) {
	h := s.head(p.ThreadID())
	h.mu.Lock()
	defer h.mu.Unlock()
	for range maxTries {
		if err := s.advance(ctx, p, h); err != nil {
			return 0, "", err
		}
		if done, ok := h.keys[key]; ok && key != "" {
			return done.version, done.status, nil
		}
		ev, err := make(h)
		if err != nil {
			return 0, "", err
		}
		if ev == nil {
			return h.version, Unchanged, nil
		}
		err = s.append(ctx, p, h, ev)
		if err == nil {
			return h.seq, ev.Status, nil
		}
		if !errors.Is(err, engine.ErrConflict) {
			return 0, "", fmt.Errorf("write memory %q: %w", p.Memory.Name, err)
		}
	}
	return 0, "", fmt.Errorf("write memory %q: others keep changing it: %w", p.Memory.Name, engine.ErrConflict)
}

func (s *Store) append(ctx context.Context, p Place, h *head, ev *engine.MemoryChanged) error {
	ev.At = s.Now().UTC().Truncate(time.Millisecond)
	rec, err := engine.EncodeEvent(ev)
	if err != nil {
		return err
	}
	rec.Seq = h.seq + 1
	err = s.Store.Append(ctx, engine.Batch{
		Thread: p.ThreadID(), After: h.seq, Records: []engine.Record{rec}, Release: true, Sync: true,
	})
	if err != nil {
		return err
	}
	h.add(rec.Seq, ev)
	return nil
}
