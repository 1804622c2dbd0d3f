package spectest

import (
	"sync"
	"time"
)

// clock is a clock that stands still until it is moved.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	waits map[chan struct{}]time.Time
}

func newClock(start time.Time) *clock {
	return &clock{now: start, waits: map[chan struct{}]time.Time{}}
}

// Now returns the instant that the clock stands at.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Wait returns a channel that is closed once the clock was moved to the instant.
func (c *clock) Wait(until time.Time) (come <-chan struct{}, stop func()) {
	ch := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	if !until.After(c.now) {
		close(ch)
		return ch, func() {}
	}
	c.waits[ch] = until
	return ch, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waits, ch)
	}
}

// move lets time pass until an instant; never backwards.
func (c *clock) move(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to.After(c.now) {
		c.now = to
	}
	for ch, until := range c.waits {
		if !until.After(c.now) {
			close(ch)
			delete(c.waits, ch)
		}
	}
}
