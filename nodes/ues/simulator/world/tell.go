package world

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
)

// What listeners are told, contract section 5.16. Times are in the style of isoformat.

// members writes an object through a function.
func members(write func(o *jsontext.Object)) func(dst []byte) []byte {
	return func(dst []byte) []byte {
		o := jsontext.Open(dst)
		write(&o)
		return o.Close()
	}
}

func isoTime(o *jsontext.Object, name string, t *field.Time) {
	if t == nil {
		o.Null(name)
		return
	}
	o.String(name, t.String())
}

func (w *World) tellNow(dst []byte) []byte {
	return members(func(o *jsontext.Object) { isoTime(o, "current_time", &w.clock.now) })(dst)
}

func (w *World) tellScale(dst []byte) []byte {
	return members(func(o *jsontext.Object) { o.Float("time_scale", w.clock.scale) })(dst)
}

func (w *World) tellAdvanced(a *Advanced, micros int64) {
	w.opts.Tell("time.advanced", members(func(o *jsontext.Object) {
		isoTime(o, "current_time", &a.Now)
		isoTime(o, "previous_time", &a.Previous)
		o.Float("delta_seconds", float64(micros)/1e6)
		o.Int("events_executed", len(a.Ran))
		o.Int("events_failed", a.Failed)
	}))
}

func (w *World) tellSet(j *Jumped) {
	w.opts.Tell("time.set", members(func(o *jsontext.Object) {
		isoTime(o, "current_time", &j.Now)
		isoTime(o, "previous_time", &j.Previous)
		o.Int("skipped_events", j.Skipped)
		o.Int("rolled_back_events", j.RolledBack)
	}))
}

func (w *World) tellSkipped(a *Advanced) {
	w.opts.Tell("time.skipped", members(func(o *jsontext.Object) {
		isoTime(o, "current_time", &a.Now)
		isoTime(o, "previous_time", &a.Previous)
		o.Int("events_executed", len(a.Ran))
		isoTime(o, "next_event_time", a.Next)
	}))
}

func (w *World) tellStarted(auto bool) {
	w.opts.Tell("simulation.started", members(func(o *jsontext.Object) {
		o.String("simulation_id", w.id)
		mode := "manual"
		if auto {
			mode = "auto"
		}
		o.String("mode", mode)
		isoTime(o, "current_time", &w.clock.now)
		o.Float("time_scale", w.clock.scale)
	}))
}

func (w *World) tellStopped() {
	w.opts.Tell("simulation.stopped", members(func(o *jsontext.Object) {
		o.String("simulation_id", w.id)
		isoTime(o, "final_time", &w.clock.now)
		o.Int("events_executed", w.queue.Count(queue.Executed))
		o.Int("events_failed", w.queue.Count(queue.Failed))
	}))
}

func (w *World) tellReset(r *Reset) {
	w.opts.Tell("simulation.reset", members(func(o *jsontext.Object) {
		o.Int("events_undone", r.Undone)
		o.Int("events_reset", r.Events)
		o.Int("undo_errors_count", len(r.Errors))
	}))
}

func (w *World) tellCleared(c *Cleared, to *field.Time) {
	w.opts.Tell("simulation.cleared", members(func(o *jsontext.Object) {
		o.Int("events_removed", c.Events)
		o.Int("modalities_cleared", c.Modalities)
		isoTime(o, "time_reset", to)
		isoTime(o, "current_time", &w.clock.now)
	}))
}

func (w *World) tellHold(kind string, h *Hold) {
	w.opts.Tell(kind, members(func(o *jsontext.Object) {
		o.String("hold_id", h.ID)
		o.Nullable("reason", h.Reason)
		o.Nullable("agent_id", h.Agent)
		o.Int("active_hold_count", len(w.holds))
	}))
}

func (w *World) tellUndone(kind, count string, done []Undone) {
	w.opts.Tell(kind, members(func(o *jsontext.Object) {
		o.Int(count, len(done))
		o.Member("events", func(dst []byte) []byte { return appendUndone(dst, done) })
	}))
}

func appendUndone(dst []byte, done []Undone) []byte {
	dst = append(dst, '[')
	for i, u := range done {
		if i > 0 {
			dst = append(dst, ',')
		}
		o := jsontext.Open(dst)
		o.String("event_id", u.ID)
		o.String("modality", u.Modality)
		o.Nullable("action", u.Action)
		dst = o.Close()
	}
	return append(dst, ']')
}

func (w *World) tellScheduled(e *queue.Event) {
	w.opts.Tell("event.scheduled", members(func(o *jsontext.Object) {
		o.String("event_id", e.ID)
		o.String("modality", e.Modality)
		isoTime(o, "scheduled_time", &e.Scheduled)
	}))
}

func (w *World) tellCancelled(e *queue.Event) {
	w.opts.Tell("event.cancelled", members(func(o *jsontext.Object) { o.String("event_id", e.ID) }))
}

func (w *World) tellBatch(events []*queue.Event) {
	ids, names := make([]string, 0, len(events)), []string{}
	seen := map[string]bool{}
	for _, e := range events {
		ids = append(ids, e.ID)
		if !seen[e.Modality] {
			seen[e.Modality] = true
			names = append(names, e.Modality)
		}
	}
	w.opts.Tell("event.batch_scheduled", members(func(o *jsontext.Object) {
		o.Int("count", len(events))
		o.Strings("event_ids", ids)
		o.Strings("modalities", names)
	}))
}
