package local

import (
	"time"

	"github.com/weft-engine/weft/engine"
)

// Clock is the time a runner lives in.
type Clock = engine.Clock

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
