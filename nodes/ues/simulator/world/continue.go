package world

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Left is what an export does not say of a world that somebody will go on with.
type Left struct {
	Running    bool `json:"running"`
	Manual     bool `json:"manual,omitempty"`      // it was started without auto-advance
	FilePaused bool `json:"file_paused,omitempty"` // Start lifts the pause, see clock
}

// Left tells how the world is left.
func (w *World) Left() Left {
	return Left{Running: w.running, Manual: w.manual, FilePaused: w.clock.filePaused}
}

// Continue goes on with a world as it was left, s being its export. Unlike after an
// import, events keep their ids, and it runs as before even when by now a Start would find
// something wrong with it: an appointment that ends before it begins, say. Undo, redo and
// holds are gone. The world must not run.
func (w *World) Continue(s Scenario, left Left) error {
	if w.running {
		return running("scenario")
	}
	if _, err := w.LoadEnvironment(s.Environment, HistoricIgnore, true); err != nil {
		return err
	}
	seen := map[string]bool{"": true}
	kept := func(doc *ordered.Map) string {
		v, _ := doc.Get("event_id")
		id, _ := v.(string)
		if seen[id] {
			id = w.opts.NewID()
		}
		seen[id] = true
		return id
	}
	if _, err := w.loadEvents(s.Events, false, kept); err != nil {
		return err
	}
	w.running, w.manual, w.clock.filePaused = left.Running, left.Manual, left.FilePaused
	return nil
}
