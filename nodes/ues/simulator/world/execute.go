package world

import (
	"errors"
	"net/http"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
)

// actPriority is the priority of events that run at once.
const actPriority = 100

// execute runs one event: its status tells how that went, and what reverses it is pushed
// on the undo stack. A new execution makes an earlier undo final.
func (w *World) execute(e *queue.Event) {
	undo, err := w.apply(e)
	e.Executed, e.HasRun = w.clock.now, true
	if err != nil {
		e.Error = exception(err)
		w.queue.Mark(e, queue.Failed)
		return
	}
	e.Error = ""
	w.queue.Mark(e, queue.Executed)
	w.redo = nil
	if undo != nil {
		w.undo = append(w.undo, applied{event: e, undo: undo})
	}
}

// apply changes the state as the event says.
func (w *World) apply(e *queue.Event) (modality.Undo, error) {
	if err := e.Input.Check(); err != nil {
		return nil, err //nolint:wrapcheck // the contract's text
	}
	s, found := w.states[e.Modality]
	if !found {
		return nil, w.missing(e.Modality)
	}
	return s.Apply(e.Input, w.Moment()) //nolint:wrapcheck // the contract's text
}

// exception is the text of an error with its class in front.
func exception(err error) string {
	if f := (*modality.Fault)(nil); errors.As(err, &f) {
		return f.Class + ": " + f.Text
	}
	return "ValueError: " + err.Error()
}

// Act makes an event at the present time, executes it at once and tells how it went.
// agent is who caused it. The input must have passed its Check.
func (w *World) Act(name string, in modality.Input, agent string) modality.Outcome {
	e := &queue.Event{
		ID: w.opts.NewID(), Modality: name, Input: in,
		Scheduled: w.clock.now, Created: w.clock.now, Priority: actPriority, Agent: agent,
	}
	w.queue.Add(e, queue.Pending)
	w.execute(e)
	return modality.Outcome{EventID: e.ID, At: e.Scheduled, Error: e.Error}
}

// Undone is one event whose effect was reversed, or applied again.
type Undone struct {
	ID, Modality string
	Action       string // what the undo did; empty: nothing to tell
}

// Undo reverses the newest n executions. It stops at one that cannot be reversed.
func (w *World) Undo(n int) ([]Undone, error) {
	if !w.running {
		return nil, refuse(http.StatusConflict, "Simulation is not running. Start simulation first.")
	}
	done := []Undone{}
	for range n {
		u, err := w.undoOne()
		if err != nil {
			return done, refuse(http.StatusInternalServerError, "Undo failed: %s", err)
		}
		if u == nil {
			break
		}
		done = append(done, *u)
	}
	if len(done) > 0 {
		w.tellUndone("undo.performed", "undone_count", done)
	}
	return done, nil
}

// undoOne reverses the newest execution; nil when there is none.
func (w *World) undoOne() (*Undone, error) {
	last := len(w.undo) - 1
	if last < 0 {
		return nil, nil //nolint:nilnil // nothing to undo is no error
	}
	top := w.undo[last]
	action, err := top.undo()
	if err != nil {
		return nil, refuse(http.StatusInternalServerError, "Undo failed for event %s: %s", top.event.ID, err)
	}
	w.undo[last] = applied{}
	w.undo = w.undo[:last]
	w.redo = append(w.redo, top.event)
	return &Undone{ID: top.event.ID, Modality: top.event.Modality, Action: action}, nil
}

// Redo applies again what the newest n undos reversed.
func (w *World) Redo(n int) ([]Undone, error) {
	if !w.running {
		return nil, refuse(http.StatusConflict, "Simulation is not running. Start simulation first.")
	}
	done := []Undone{}
	for range n {
		last := len(w.redo) - 1
		if last < 0 {
			break
		}
		e := w.redo[last]
		undo, err := w.apply(e)
		if err != nil {
			return done, refuse(http.StatusInternalServerError, "Redo failed: Redo failed for event %s: %s", e.ID, err)
		}
		w.redo = w.redo[:last]
		if undo != nil {
			w.undo = append(w.undo, applied{event: e, undo: undo})
		}
		done = append(done, Undone{ID: e.ID, Modality: e.Modality})
	}
	if len(done) > 0 {
		w.tellUndone("redo.performed", "redone_count", done)
	}
	return done, nil
}

// CanUndo and CanRedo answer whether there is anything to reverse, or to apply again.
func (w *World) CanUndo() bool { return len(w.undo) > 0 }

// CanRedo is beside CanUndo.
func (w *World) CanRedo() bool { return len(w.redo) > 0 }

// rewind reverses the executions of events scheduled after target and makes them pending
// again. Executions are reversed strictly newest first; what has to stay is applied again.
func (w *World) rewind(target field.Time, j *Jumped) error {
	deepest := slices.IndexFunc(w.undo, func(a applied) bool { return a.event.Scheduled.Micros() > target.Micros() })
	var keep []*queue.Event
	for deepest >= 0 && len(w.undo) > deepest {
		e := w.undo[len(w.undo)-1].event
		if _, err := w.undoOne(); err != nil {
			return err
		}
		if e.Scheduled.Micros() <= target.Micros() {
			keep = append(keep, e)
		}
	}
	w.redo = nil
	for _, e := range slices.Backward(keep) {
		undo, err := w.apply(e)
		if err != nil {
			return err
		}
		if undo != nil {
			w.undo = append(w.undo, applied{event: e, undo: undo})
		}
	}
	for e := range w.queue.From(target) {
		w.reopen(e, target, j)
	}
	return nil
}

// reopen makes an executed or skipped event after target pending again.
func (w *World) reopen(e *queue.Event, target field.Time, j *Jumped) {
	if e.Scheduled.Micros() <= target.Micros() {
		return
	}
	switch e.Status() {
	case queue.Executed:
		j.RolledBack++
	case queue.Skipped:
		j.Reset++
	default:
		return
	}
	w.makePending(e)
}

// makePending forgets how an event went.
func (w *World) makePending(e *queue.Event) {
	e.Executed, e.HasRun, e.Error = field.Time{}, false, ""
	w.queue.Mark(e, queue.Pending)
}

// Perform is Act for a payload that is still data, of any modality. It gives a *Refusal
// when the payload is wrong.
func (w *World) Perform(name string, data *ordered.Map, agent string) (modality.Outcome, error) {
	k, found := w.kinds[name]
	if !found {
		return modality.Outcome{}, refuse(http.StatusNotFound, "Unknown modality: %s", name)
	}
	in, err := w.decode(k, data, w.clock.now)
	if err != nil {
		return modality.Outcome{}, err
	}
	if err := in.Check(); err != nil {
		return modality.Outcome{}, refuse(http.StatusBadRequest, "Invalid event: %s", modality.List([]string{"Invalid input data: " + err.Error()}))
	}
	return w.Act(name, in, agent), nil
}

// decode reads a payload that is to happen at a time.
func (w *World) decode(k *modality.Kind, data *ordered.Map, at field.Time) (modality.Input, error) {
	data.Set("modality_type", k.Name)
	data.Set("timestamp", at.ISO())
	in, errs := k.Decode(data, w.Moment())
	if len(errs) > 0 {
		return nil, refuse(http.StatusUnprocessableEntity, "Invalid data for %s modality: %s",
			k.Name, field.Report(modality.Title(k.Name)+"Input", errs))
	}
	return in, nil
}
