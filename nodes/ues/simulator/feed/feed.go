// Package feed carries what happens in a simulated world to those who listen: the
// WebSocket and the webhooks. Publishing never waits for a listener; one that does not
// keep up is cut off rather than fed from an unbounded queue.
package feed

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ErrSlow ends a subscription that fell behind; ErrClosed one whose hub has closed.
var (
	ErrSlow   = errors.New("listener did not keep up")
	ErrClosed = errors.New("feed is closed")
)

// backlog is the number of messages a listener may be behind.
const backlog = 1024

// Message is one thing that happened. Text is its JSON form
// {"type","data","timestamp"}; it is shared and must not be changed.
type Message struct {
	Type string
	Text []byte
}

// Filter chooses messages by exact type or by a prefix that ends in a dot. Nil chooses
// everything, an empty one nothing.
type Filter []string

// Match answers whether a type is chosen.
func (f Filter) Match(kind string) bool {
	if f == nil {
		return true
	}
	for _, word := range f {
		if word == kind || strings.HasSuffix(word, ".") && strings.HasPrefix(kind, word) {
			return true
		}
	}
	return false
}

// Hub passes messages on. Make one with New; it is safe for concurrent use.
type Hub struct {
	now    func() time.Time
	count  atomic.Int64
	mu     sync.Mutex
	subs   map[*Subscription]struct{}
	closed bool
}

// New makes a hub that stamps messages with the given wall clock.
func New(now func() time.Time) *Hub {
	return &Hub{now: now, subs: map[*Subscription]struct{}{}}
}

// Publish passes a message to everybody who listens. data appends the JSON of the
// message's data; it is not called when nobody listens.
func (h *Hub) Publish(kind string, data func(dst []byte) []byte) {
	if h.count.Load() == 0 {
		return
	}
	text := append([]byte(`{"type":"`), kind...)
	text = append(text, `","data":`...)
	text = data(text)
	text = append(text, `,"timestamp":"`...)
	text = h.now().UTC().AppendFormat(text, "2006-01-02T15:04:05.000000Z")
	text = append(text, `"}`...)
	h.pass(Message{Type: kind, Text: text})
}

func (h *Hub) pass(m Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		if !s.put(m) {
			h.drop(s, ErrSlow)
		}
	}
}

// Subscribe begins to listen. The caller must Cancel.
func (h *Hub) Subscribe(f Filter) *Subscription {
	s := &Subscription{hub: h, box: make(chan Message, backlog), over: make(chan struct{}), filter: f}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		s.end(ErrClosed)
		return s
	}
	h.subs[s] = struct{}{}
	h.count.Add(1)
	return s
}

// Listeners is the number of subscriptions.
func (h *Hub) Listeners() int { return int(h.count.Load()) }

// Close ends all subscriptions; later ones end at once.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.subs {
		h.drop(s, ErrClosed)
	}
}

func (h *Hub) drop(s *Subscription, why error) {
	if _, found := h.subs[s]; found {
		delete(h.subs, s)
		h.count.Add(-1)
		s.end(why)
	}
}

// Subscription is one listener's place.
type Subscription struct {
	hub    *Hub
	box    chan Message
	over   chan struct{}
	why    error // set before over is closed
	mu     sync.Mutex
	filter Filter
}

// Choose replaces the filter.
func (s *Subscription) Choose(f Filter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.filter = f
}

func (s *Subscription) put(m Message) bool {
	s.mu.Lock()
	chosen := s.filter.Match(m.Type)
	s.mu.Unlock()
	if !chosen {
		return true
	}
	select {
	case s.box <- m:
		return true
	default:
		return false
	}
}

func (s *Subscription) end(why error) {
	s.why = why
	close(s.over)
}

// Next waits for a message: the context's error when it ends first, ErrSlow or
// ErrClosed when the subscription is over.
func (s *Subscription) Next(ctx context.Context) (Message, error) {
	select {
	case m := <-s.box:
		return m, nil
	default:
	}
	select {
	case m := <-s.box:
		return m, nil
	case <-s.over:
		return Message{}, s.why
	case <-ctx.Done():
		return Message{}, ctx.Err()
	}
}

// Cancel ends the subscription. It may be called more than once.
func (s *Subscription) Cancel() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.drop(s, ErrClosed)
}
