package world

import (
	"fmt"
	"net/http"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
)

// Start begins the simulation when everything in it is valid. With auto the clock moves
// by itself at the given scale. Without, it does not, whatever mode the clock tells: scale
// and mode stay as they are; and a pause that came with an imported scenario is lifted,
// because nobody will.
func (w *World) Start(auto bool, scale float64) error {
	if w.running {
		return refuse(http.StatusConflict, "Simulation is already running")
	}
	if problems := w.Problems(); len(problems) > 0 {
		return refuse(http.StatusBadRequest, "Cannot start simulation with validation errors: %s", modality.List(problems))
	}
	w.running, w.manual = true, !auto
	switch {
	case auto:
		w.clock.auto, w.clock.scale = true, scale
	case w.clock.filePaused:
		w.clock.paused, w.clock.filePaused = false, false
	}
	w.tellStarted(auto)
	return nil
}

// Stop ends a running simulation; it tells whether there was one.
func (w *World) Stop() bool {
	if !w.running {
		return false
	}
	w.running = false
	w.tellStopped()
	return true
}

// Reset is what a reset has done.
type Reset struct {
	Events int      // all events, pending again
	Undone int      // executions reversed
	Errors []string // executions that could not be reversed
}

// Reset reverses all executions, makes every event pending again and stops the
// simulation. The clock stays.
func (w *World) Reset() Reset {
	r := Reset{Errors: []string{}}
	for len(w.undo) > 0 {
		if _, err := w.undoOne(); err != nil {
			r.Errors = append(r.Errors, err.Error())
			w.undo = w.undo[:len(w.undo)-1]
			continue
		}
		r.Undone++
	}
	for e := range w.queue.All() {
		if e.Status() != queue.Pending {
			w.makePending(e)
		}
	}
	w.undo, w.redo = nil, nil
	w.Stop()
	r.Events = w.queue.Len()
	w.tellReset(&r)
	return r
}

// Text is the sentence of the answer.
func (r *Reset) Text() string {
	text := fmt.Sprintf("Reset complete: %d events reset to pending status.", r.Events)
	if r.Undone > 0 {
		text = fmt.Sprintf("Reset complete: reversed %d state changes, reset %d events to pending status.", r.Undone, r.Events)
	}
	if n := len(r.Errors); n > 0 {
		text += fmt.Sprintf(" Warning: %d undo errors occurred.", n)
	}
	return text
}

// Cleared is what a clear has done.
type Cleared struct {
	Events, Modalities int
}

// Clear stops the simulation, drops all events, leases and history, empties the states
// and sets the clock when to is not nil.
func (w *World) Clear(to *field.Time) Cleared {
	w.Stop()
	c := Cleared{Events: w.queue.Len(), Modalities: len(w.names)}
	w.queue.Clear()
	w.undo, w.redo, w.holds = nil, nil, nil
	if to != nil {
		w.clock.now = *to
	}
	for _, name := range w.names {
		w.states[name].Clear(w.Moment())
	}
	w.tellCleared(&c, to)
	return c
}

// Problems lists what is wrong with the world, empty when it may start.
func (w *World) Problems() []string {
	problems := []string{}
	for _, name := range w.names {
		for _, p := range w.states[name].Problems() {
			problems = append(problems, fmt.Sprintf("Environment: modality '%s': %s", name, p))
		}
	}
	for e := range w.queue.All() {
		for _, p := range eventProblems(e) {
			problems = append(problems, fmt.Sprintf("EventQueue: Event %s: %s", e.ID, p))
		}
	}
	for e := range w.queue.All() {
		if e.Status() == queue.Pending && w.states[e.Modality] == nil {
			problems = append(problems, fmt.Sprintf("Event %s references non-existent modality '%s'", e.ID, e.Modality))
		}
	}
	return problems
}

// eventProblems lists what is wrong with one event.
func eventProblems(e *queue.Event) []string {
	var problems []string
	if e.Scheduled.Micros() < e.Created.Micros() {
		problems = append(problems, "scheduled_time cannot be before created_at")
	}
	if err := e.Input.Check(); err != nil {
		problems = append(problems, "Invalid input data: "+err.Error())
	}
	ran := e.Status() == queue.Executed || e.Status() == queue.Failed
	if ran && !e.HasRun {
		problems = append(problems, fmt.Sprintf("executed_at must be set for status %s", e.Status()))
	}
	if e.Status() == queue.Failed && e.Error == "" {
		problems = append(problems, "error_message must be set for failed events")
	}
	return problems
}
