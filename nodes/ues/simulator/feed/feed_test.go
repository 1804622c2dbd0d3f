package feed_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/feed"
)

func hub() *feed.Hub {
	return feed.New(func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC) })
}

func data(dst []byte) []byte { return append(dst, `{"n":1}`...) }

func TestFilter(t *testing.T) {
	tests := []struct {
		filter feed.Filter
		kind   string
		want   bool
	}{
		{nil, "email.sent", true},
		{feed.Filter{}, "email.sent", false},
		{feed.Filter{"email.sent"}, "email.sent", true},
		{feed.Filter{"email.sent"}, "email.sentence", false},
		{feed.Filter{"email."}, "email.sent", true},
		{feed.Filter{"email"}, "email.sent", false},
		{feed.Filter{"sms.", "chat.message"}, "chat.message", true},
		{feed.Filter{""}, "chat.message", false},
	}
	for _, tt := range tests {
		if got := tt.filter.Match(tt.kind); got != tt.want {
			t.Errorf("%q chooses %q: %v", tt.filter, tt.kind, got)
		}
	}
}

func TestMessagesArriveInOrder(t *testing.T) {
	h := hub()
	h.Publish("nobody.hears", func([]byte) []byte { t.Error("data was asked for"); return nil })
	s := h.Subscribe(feed.Filter{"a."})
	defer s.Cancel()
	for _, kind := range []string{"a.1", "b.1", "a.2"} {
		h.Publish(kind, data)
	}
	for _, want := range []string{"a.1", "a.2"} {
		m, err := s.Next(t.Context())
		if err != nil || m.Type != want {
			t.Fatalf("got %q, want %q: %v", m.Type, want, err)
		}
		if text := `{"type":"` + want + `","data":{"n":1},"timestamp":"2026-01-02T03:04:05.000006Z"}`; string(m.Text) != text {
			t.Fatalf("text %s", m.Text)
		}
	}
}

func TestASlowListenerIsCutOff(t *testing.T) {
	h := hub()
	slow, quick := h.Subscribe(nil), h.Subscribe(nil)
	defer quick.Cancel()
	for range 5000 {
		h.Publish("x", data)
		if _, err := quick.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for ; ; n++ {
		if _, err := slow.Next(t.Context()); err != nil {
			if !errors.Is(err, feed.ErrSlow) {
				t.Fatal(err)
			}
			break
		}
	}
	if n == 0 || n >= 5000 || h.Listeners() != 1 {
		t.Fatalf("got %d messages, %d listeners", n, h.Listeners())
	}
}

func TestTheEnd(t *testing.T) {
	h := hub()
	s := h.Subscribe(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("canceled: %v", err)
	}
	h.Close()
	if _, err := s.Next(t.Context()); !errors.Is(err, feed.ErrClosed) {
		t.Fatalf("closed: %v", err)
	}
	s.Cancel()
	late := h.Subscribe(nil)
	if _, err := late.Next(t.Context()); !errors.Is(err, feed.ErrClosed) {
		t.Fatalf("late: %v", err)
	}
	late.Cancel()
}
