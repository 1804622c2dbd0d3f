package env

import (
	"sync"
	"time"
)

// Clock is the time of an environment, as runs live in it. It moves only when somebody
// moves it; it learns of that at once from calls made through this process, and within
// freshness when it is asked of others.
type Clock struct {
	read func() (time.Time, error)
	wall func() time.Time // nil: what was read stays true until Moved

	mu    sync.Mutex
	now   time.Time
	at    time.Time // on the wall, when it was read
	stale bool
	waits map[chan struct{}]time.Time
}

// freshness is for how long a time that was read is believed.
const freshness = time.Second

func newClock(read func() (time.Time, error), wall func() time.Time) *Clock {
	return &Clock{read: read, wall: wall, stale: true, waits: map[chan struct{}]time.Time{}}
}

// Now returns the simulated time. When the environment cannot be asked, it is the one
// last known.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	return c.now
}

// refresh reads the time unless it is known, and ends the waits that are over.
func (c *Clock) refresh() {
	if !c.stale && (c.wall == nil || c.wall().Sub(c.at) < freshness) {
		return
	}
	now, err := c.read()
	if err != nil {
		return
	}
	c.now, c.stale = now, false
	if c.wall != nil {
		c.at = c.wall()
	}
	for ch, until := range c.waits {
		if !until.After(now) {
			close(ch)
			delete(c.waits, ch)
		}
	}
}

// Moved says that the time may have changed.
func (c *Clock) Moved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
	if len(c.waits) > 0 {
		c.refresh()
	}
}

// Wait returns a channel that is closed when the simulated time has come, and a
// function that gives the wait up.
func (c *Clock) Wait(until time.Time) (come <-chan struct{}, stop func()) {
	ch := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
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

// Still says that nothing comes of waiting: a run that has nothing else to do parks.
func (c *Clock) Still() bool { return true }

// first returns the simulated time, and why it is not known.
func (c *Clock) first() (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stale {
		return c.now, nil
	}
	c.refresh()
	if !c.stale {
		return c.now, nil
	}
	return c.read()
}
