package world

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
)

// clock is the simulated time and how it moves.
type clock struct {
	now    field.Time
	scale  float64
	paused bool
	auto   bool
	wall   field.Time // last_wall_time_update

	// filePaused tells that the pause came with an imported scenario and that nobody has
	// paused or resumed since. Start lifts such a pause when time is moved by hand.
	filePaused bool
}

// Clock shows the simulated time.
type Clock struct {
	Now    field.Time
	Scale  float64
	Paused bool
	Auto   bool
}

// Clock shows the simulated time.
func (w *World) Clock() Clock {
	return Clock{Now: w.clock.now, Scale: w.clock.scale, Paused: w.clock.paused, Auto: w.clock.auto}
}

// Mode is "paused", "auto" or "manual".
func (c Clock) Mode() string {
	switch {
	case c.Paused:
		return "paused"
	case c.Auto:
		return "auto"
	}
	return "manual"
}

// Advanced is what moving the clock has done.
type Advanced struct {
	Previous, Now field.Time
	By            time.Duration
	Ran           []Ran // in order of execution
	Failed        int
	Next          *field.Time // scheduled time of the first pending event, or nil
}

// Ran is an event that was executed, or failed.
type Ran struct {
	ID, Modality string
	Status       queue.Status
	Error        string
}

// Advance moves the clock forward by a number of seconds (at most about a million days)
// and executes what has become due. It needs a running simulation that is neither paused
// nor held.
func (w *World) Advance(seconds float64) (Advanced, error) {
	if !w.running {
		return Advanced{}, refuse(http.StatusBadRequest, "Cannot advance time: simulation is not running")
	}
	if err := w.held(); err != nil {
		return Advanced{}, err
	}
	if w.clock.paused {
		return Advanced{}, refuse(http.StatusBadRequest, "Cannot advance time while paused")
	}
	micros, err := microseconds(seconds)
	if err != nil {
		return Advanced{}, refuse(http.StatusInternalServerError, "Failed to advance time: %s", err)
	}
	return w.advance(micros)
}

// advance moves the clock by microseconds and runs what is due.
func (w *World) advance(micros int64) (Advanced, error) {
	target, err := w.clock.now.AddMicros(micros)
	if err != nil {
		return Advanced{}, refuse(http.StatusInternalServerError, "Failed to advance time: %s", err)
	}
	a := Advanced{Previous: w.clock.now, Now: target}
	w.clock.now = target
	w.runDue(&a)
	w.tellAdvanced(&a, micros)
	return a, nil
}

// microseconds converts like the original: rounding half to even, with its texts for
// what it cannot hold.
func microseconds(seconds float64) (int64, error) {
	const day, most = 86400, 999999999
	switch days := math.Floor(seconds / day); {
	case math.IsInf(seconds, 0):
		return 0, errors.New("cannot convert float infinity to integer")
	case math.IsNaN(seconds):
		return 0, errors.New("cannot convert float NaN to integer")
	case math.Abs(days) > math.MaxInt32:
		return 0, errors.New("Python int too large to convert to C int") //nolint:staticcheck // the original's text
	case math.Abs(days) > most:
		return 0, fmt.Errorf("days=%.0f; must have magnitude <= %d", days, most)
	case days > 3_660_000: // beyond the year 9999 from anywhere, and beyond what 64 bits hold soon after
		return 0, errors.New("date value out of range")
	}
	whole, part := math.Modf(seconds)
	return int64(whole)*1e6 + int64(math.RoundToEven(part*1e6)), nil
}

// runDue executes the pending events that are due, in queue order.
func (w *World) runDue(a *Advanced) {
	for e := w.queue.Next(); e != nil && e.Scheduled.Micros() <= w.clock.now.Micros(); e = w.queue.Next() {
		w.execute(e)
		a.Ran = append(a.Ran, Ran{ID: e.ID, Modality: e.Modality, Status: e.Status(), Error: e.Error})
		if e.Status() == queue.Failed {
			a.Failed++
		}
	}
	a.Next = w.NextTime()
}

// NextTime is the scheduled time of the first pending event, or nil.
func (w *World) NextTime() *field.Time {
	if e := w.queue.Next(); e != nil {
		return &e.Scheduled
	}
	return nil
}

// Jumped is what setting the clock has done.
type Jumped struct {
	Previous, Now field.Time
	Skipped       int // pending events that will never run
	RolledBack    int // executed events that were undone and are pending again
	Reset         int // skipped events that are pending again
}

// SetTime sets the clock. Forward, the pending events in between are skipped; backward,
// what was scheduled after the target is undone and pending again. It needs a running
// simulation that is not held; a pause does not matter.
func (w *World) SetTime(target field.Time) (Jumped, error) {
	if !w.running {
		return Jumped{}, refuse(http.StatusBadRequest, "Cannot set time: simulation is not running")
	}
	if err := w.held(); err != nil {
		return Jumped{}, err
	}
	if target.Naive() {
		return Jumped{}, refuse(http.StatusInternalServerError,
			"Failed to set time: can't compare offset-naive and offset-aware datetimes")
	}
	j := Jumped{Previous: w.clock.now, Now: target}
	if target.Micros() >= w.clock.now.Micros() {
		j.Skipped = w.skipUntil(target)
	} else if err := w.rewind(target, &j); err != nil {
		return Jumped{}, refuse(http.StatusInternalServerError, "Failed to set time: %s", err)
	}
	w.clock.now = target
	w.tellSet(&j)
	return j, nil
}

// skipUntil marks the pending events after the clock and up to target as skipped.
func (w *World) skipUntil(target field.Time) int {
	why := fmt.Sprintf("Time jumped from %s to %s", spaced(w.clock.now), spaced(target))
	n := 0
	for e := range w.queue.From(w.clock.now) {
		if e.Scheduled.Micros() > target.Micros() {
			break
		}
		if e.Status() == queue.Pending && e.Scheduled.Micros() > w.clock.now.Micros() {
			w.queue.Mark(e, queue.Skipped)
			e.Error = why
			n++
		}
	}
	return n
}

// spaced is an instant as Python's str writes it.
func spaced(t field.Time) string { return strings.Replace(t.String(), "T", " ", 1) }

// SkipToNext moves the clock to the first pending event, even backwards, and executes
// what is due. It needs a running simulation that is not held.
func (w *World) SkipToNext() (Advanced, error) {
	if !w.running {
		return Advanced{}, refuse(http.StatusBadRequest, "Cannot skip to next event: simulation is not running")
	}
	if err := w.held(); err != nil {
		return Advanced{}, err
	}
	e := w.queue.Next()
	if e == nil {
		return Advanced{}, refuse(http.StatusNotFound, "No pending events")
	}
	a := Advanced{Previous: w.clock.now, Now: e.Scheduled}
	w.clock.now = e.Scheduled
	w.runDue(&a)
	w.tellSkipped(&a)
	return a, nil
}

// SetScale sets how fast auto-advance runs; scale is finite and above zero.
func (w *World) SetScale(scale float64) {
	w.clock.scale = scale
	w.opts.Tell("time.scale_changed", w.tellScale)
}

// Pause stops time: advance and auto-advance.
func (w *World) Pause() {
	w.clock.paused, w.clock.filePaused = true, false
	w.opts.Tell("time.paused", w.tellNow)
}

// Resume lets time go on, from the present wall time.
func (w *World) Resume() {
	w.clock.paused, w.clock.filePaused = false, false
	w.clock.wall = w.wall()
	w.opts.Tell("time.resumed", w.tellNow)
}

// Tick moves the clock by what has passed on the wall since the last tick, times the
// scale, when the simulation runs by itself. While it is paused or held, time that
// passes on the wall is lost.
func (w *World) Tick() {
	if !w.Moving() {
		return
	}
	wall := w.wall()
	passed := wall.Micros() - w.clock.wall.Micros()
	if w.clock.paused || passed < 0 || len(w.active()) > 0 {
		w.clock.wall = wall
		return
	}
	moved := math.Floor(float64(passed) * w.clock.scale)
	if moved < 1 || moved > math.MaxInt64/2 {
		return // too little has passed yet, or more than the calendar has
	}
	micros := int64(moved)
	target, err := w.clock.now.AddMicros(micros)
	if err != nil {
		return
	}
	a := Advanced{Previous: w.clock.now, Now: target}
	w.clock.now, w.clock.wall = target, wall
	if w.runDue(&a); len(a.Ran) > 0 {
		w.tellAdvanced(&a, micros)
	}
}
