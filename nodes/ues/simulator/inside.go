package simulator

import (
	"fmt"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/key"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// The way in for the same process. Nothing here asks for a key; who causes an event is
// what the caller says. Errors of the world are *world.Refusal.

// Clock is the simulated time.
func (s *Simulator) Clock() (c world.Clock) {
	s.with(func(w *world.World) { c = w.Clock() })
	return c
}

// Start begins the simulation; see world.World.Start.
func (s *Simulator) Start(auto bool, scale float64) (err error) {
	s.with(func(w *world.World) { err = w.Start(auto, scale) })
	return err
}

// Stop ends the simulation and tells whether it ran.
func (s *Simulator) Stop() (ran bool) {
	s.with(func(w *world.World) { ran = w.Stop() })
	return ran
}

// Advance moves the clock and runs what is due; see world.World.Advance.
func (s *Simulator) Advance(seconds float64) (a world.Advanced, err error) {
	s.with(func(w *world.World) { a, err = w.Advance(seconds) })
	return a, err
}

// SetTime sets the clock; see world.World.SetTime.
func (s *Simulator) SetTime(target field.Time) (j world.Jumped, err error) {
	s.with(func(w *world.World) { j, err = w.SetTime(target) })
	return j, err
}

// SkipToNext moves the clock to the next event; see world.World.SkipToNext.
func (s *Simulator) SkipToNext() (a world.Advanced, err error) {
	s.with(func(w *world.World) { a, err = w.SkipToNext() })
	return a, err
}

// Clear stops and empties everything; see world.World.Clear.
func (s *Simulator) Clear(to *field.Time) (c world.Cleared) {
	s.with(func(w *world.World) { c = w.Clear(to) })
	return c
}

// Reset undoes everything; see world.World.Reset.
func (s *Simulator) Reset() (r world.Reset) {
	s.with(func(w *world.World) { r = w.Reset() })
	return r
}

// Undo reverses the newest n executions; see world.World.Undo.
func (s *Simulator) Undo(n int) (u []world.Undone, err error) {
	s.with(func(w *world.World) { u, err = w.Undo(n) })
	return u, err
}

// Redo applies again what was reversed; see world.World.Redo.
func (s *Simulator) Redo(n int) (u []world.Undone, err error) {
	s.with(func(w *world.World) { u, err = w.Redo(n) })
	return u, err
}

// Import replaces everything by a scenario: JSON text in the form of a request body
// {"scenario": {…}}, or the scenario itself. With strict, unknown modalities are refused.
func (s *Simulator) Import(text []byte, strict bool) (l world.Loaded, err error) {
	file, err := readScenario(text)
	if err != nil {
		return l, err
	}
	s.with(func(w *world.World) { l, err = w.Load(file, strict) })
	return l, err
}

// readScenario reads a scenario in either form.
func readScenario(text []byte) (file world.Scenario, err error) {
	doc, err := ordered.ParseObject(text)
	if err != nil {
		return file, fmt.Errorf("read scenario: %w", err)
	}
	if inner, found := doc.Get("scenario"); found {
		if m, isObject := inner.(*ordered.Map); isObject {
			doc = m
		}
	}
	r := field.Read(doc)
	file = world.ReadScenario(r)
	if errs := r.Errors(); len(errs) > 0 {
		return file, fmt.Errorf("read scenario: %w", errs[0])
	}
	return file, nil
}

// Export writes the world as a scenario, in the form that Import takes.
func (s *Simulator) Export(author, description string) (text []byte) {
	s.with(func(w *world.World) { text = export(w, author, description) })
	return text
}

func export(w *world.World, author, description string) []byte {
	return append(w.AppendScenario([]byte(`{"scenario":`), author, description), '}')
}

// Left is what an export does not say of a simulator that somebody will go on with. It has
// no secrets, only their sums.
type Left struct {
	world.Left
	Keys []key.Record `json:"keys,omitempty"` // without the admin's
}

// Leave writes the world as Export does, with what an export does not say.
func (s *Simulator) Leave() (text []byte, left Left) {
	s.with(func(w *world.World) { text, left.Left = export(w, "", ""), w.Left() })
	left.Keys = s.keys.Records()
	return text, left
}

// Continue goes on, in a fresh simulator, with what another has left; see
// world.World.Continue. Undo, holds, webhooks and the access log are not part of it.
func (s *Simulator) Continue(text []byte, left Left) error {
	file, err := readScenario(text)
	if err != nil {
		return err
	}
	s.with(func(w *world.World) { err = w.Continue(file, left.Left) })
	if err != nil {
		return err
	}
	return s.keys.Restore(left.Keys)
}

// Snapshot is the answer of GET /environment/state.
func (s *Simulator) Snapshot() (text []byte) {
	s.with(func(w *world.World) { text = w.AppendSnapshot(nil) })
	return text
}

// State is the full state of one modality as JSON, nil when the environment lacks it.
func (s *Simulator) State(name string) (text []byte) {
	s.with(func(w *world.World) {
		if state := w.State(name); state != nil {
			text = state.AppendJSON(nil)
		}
	})
	return text
}

// Report is the world in a few lines for people.
func (s *Simulator) Report() (text string) {
	s.with(func(w *world.World) { text = w.Report() })
	return text
}

// Schedule puts an event into the queue and gives its id.
func (s *Simulator) Schedule(d world.Draft) (id string, err error) {
	s.with(func(w *world.World) {
		e, wrong := w.Draft(d)
		if wrong == nil {
			wrong = w.Schedule(e)
		}
		if err = wrong; err == nil {
			id = e.ID
		}
	})
	return id, err
}

// Act executes a payload of a modality at once, on behalf of an agent (a key's id). The
// data is used up. An error means that nothing happened; an event that failed is told by
// the outcome.
func (s *Simulator) Act(name string, data *ordered.Map, agent string) (out modality.Outcome, err error) {
	s.with(func(w *world.World) { out, err = w.Perform(name, data, agent) })
	return out, err
}
