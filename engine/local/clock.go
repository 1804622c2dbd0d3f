package local

import "time"

// Clock is the time a runner lives in. A simulated clock makes three days of waiting
// a matter of a call.
type Clock interface {
	// Now returns the present instant.
	Now() time.Time
	// Wait returns a channel that is closed when the instant has come, and a function
	// that gives the wait up.
	Wait(until time.Time) (come <-chan struct{}, stop func())
}

// Still is a Clock that says of itself whether it moves only when somebody moves it. A
// run does not wait for such a time to come, unless it makes calls meanwhile: it parks.
type Still interface {
	Still() bool
}

// Wall is the machine's clock.
type Wall struct{}

// Now returns the machine's time.
func (Wall) Now() time.Time { return time.Now() } //nolint:forbidigo // the one place that asks the machine

// Wait waits on the machine's clock.
func (w Wall) Wait(until time.Time) (<-chan struct{}, func()) {
	come := make(chan struct{})
	t := time.AfterFunc(until.Sub(w.Now()), func() { close(come) }) //nolint:forbidigo // the one place that waits
	return come, func() { t.Stop() }
}
