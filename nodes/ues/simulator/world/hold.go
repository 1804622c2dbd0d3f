package world

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// DefaultHold is how long a hold lasts when nobody says.
const DefaultHold = 300.0 // seconds of wall time

// mostHolds bounds what somebody with simulation:hold can take.
const mostHolds = 10_000

// Hold is a lease that keeps the clock still until it is released or expires.
type Hold struct {
	ID       string
	Reason   string // empty: none given
	Agent    string // empty: none given
	Seconds  float64
	Acquired time.Time // wall
	Expires  time.Time // wall
}

// Hold takes a lease for a number of seconds of wall time.
func (w *World) Hold(reason string, seconds float64, agent string) (Hold, error) {
	if len(w.active()) >= mostHolds {
		return Hold{}, refuse(http.StatusConflict, "There are %d active holds: release some first.", mostHolds)
	}
	now := w.wallTime()
	h := Hold{
		ID: w.opts.NewID(), Reason: reason, Agent: agent, Seconds: seconds, Acquired: now,
		Expires: now.Add(time.Duration(seconds * float64(time.Second))).Truncate(time.Microsecond),
	}
	w.holds = append(w.holds, h)
	w.tellHold("hold.acquired", &h)
	return h, nil
}

// Release ends a lease.
func (w *World) Release(id string) error {
	w.active()
	i := slices.IndexFunc(w.holds, func(h Hold) bool { return h.ID == id })
	if i < 0 {
		return refuse(http.StatusNotFound, "Hold %s not found. It may have already expired or been released.", id)
	}
	h := w.holds[i]
	w.holds = slices.Delete(w.holds, i, i+1)
	w.tellHold("hold.released", &h)
	return nil
}

// Holds are the active leases, oldest first.
func (w *World) Holds() []Hold { return slices.Clone(w.active()) }

// active drops the leases that have expired and gives the others.
func (w *World) active() []Hold {
	if len(w.holds) == 0 {
		return nil
	}
	now := w.wallTime()
	w.holds = slices.DeleteFunc(w.holds, func(h Hold) bool { return !now.Before(h.Expires) })
	return w.holds
}

// held refuses what moves the clock while there are leases.
func (w *World) held() error {
	holds := w.active()
	if len(holds) == 0 {
		return nil
	}
	var reasons []string
	for _, h := range holds {
		if h.Reason != "" {
			reasons = append(reasons, h.Reason)
		}
	}
	text := fmt.Sprintf("Time advancement blocked by %d active hold(s)", len(holds))
	if len(reasons) > 0 {
		shown := reasons[:min(3, len(reasons))]
		text += ": " + strings.Join(shown, ", ")
		if more := len(reasons) - len(shown); more > 0 {
			text += fmt.Sprintf(" (and %d more)", more)
		}
	}
	return &Refusal{Status: http.StatusConflict, Text: text, Holds: slices.Clone(holds)}
}
