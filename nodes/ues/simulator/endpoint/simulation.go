package endpoint

import (
	"net/http"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// Simulation declares /simulation.
func Simulation(w *world.World) []modality.Route {
	s := simulation{w}
	return []modality.Route{
		{
			Method: post, Path: "/simulation/start", Permission: "simulation:start", Body: modality.NeedBody,
			Summary: "Start the simulation", Handle: s.start,
		},
		{Method: post, Path: "/simulation/stop", Permission: "simulation:stop", Summary: "Stop the simulation", Handle: s.stop},
		{Method: get, Path: "/simulation/status", Permission: "simulation:status", Summary: "How the simulation is", Handle: s.status},
		{
			Method: post, Path: "/simulation/reset", Permission: "simulation:reset",
			Summary: "Undo everything and make all events pending", Handle: s.reset,
		},
		{
			Method: post, Path: "/simulation/clear", Permission: "simulation:clear", Body: modality.OptionalBody,
			Summary: "Drop all events and empty all states", Handle: s.clear,
		},
		{
			Method: post, Path: "/simulation/undo", Permission: "simulation:undo", Body: modality.OptionalBody,
			Summary: "Reverse the newest executions", Handle: s.undo,
		},
		{
			Method: post, Path: "/simulation/redo", Permission: "simulation:redo", Body: modality.OptionalBody,
			Summary: "Apply again what was reversed", Handle: s.redo,
		},
		{
			Method: post, Path: "/simulation/hold", Permission: "simulation:hold", Body: modality.OptionalBody,
			Summary: "Keep the clock still for a while", Handle: s.hold,
		},
		{
			Method: post, Path: "/simulation/release/{hold_id}", Permission: "simulation:release",
			Summary: "Release a hold", Handle: s.release,
		},
		{Method: get, Path: "/simulation/holds", Permission: "simulation:holds", Summary: "The active holds", Handle: s.holds},
	}
}

type simulation struct{ *world.World }

func (s simulation) start(r *modality.Request) modality.Response {
	b := body(r)
	auto := field.Or(b, "auto_advance", field.Bool, false)
	scale := field.Or(b, "time_scale", field.Above(finite, 0), 1)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	if err := s.Start(auto, scale); err != nil {
		return refused(err)
	}
	t := s.Clock()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.String("simulation_id", s.ID())
		o.String("status", "running")
		isoTime(o, "current_time", &t.Now)
		o.Bool("auto_advance", auto)
		if auto {
			o.Float("time_scale", t.Scale)
		} else {
			o.Null("time_scale")
		}
	})
}

func (s simulation) stop(*modality.Request) modality.Response {
	ran := s.Stop()
	t, q := s.Clock(), s.Queue()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.String("simulation_id", s.ID())
		o.String("status", "stopped")
		if !ran {
			for _, name := range []string{"final_time", "total_events", "events_executed", "events_failed"} {
				o.Null(name)
			}
			return
		}
		isoTime(o, "final_time", &t.Now)
		o.Int("total_events", q.Len())
		o.Int("events_executed", q.Count(queue.Executed))
		o.Int("events_failed", q.Count(queue.Failed))
	})
}

func (s simulation) status(*modality.Request) modality.Response {
	t, q := s.Clock(), s.Queue()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Bool("is_running", s.Running())
		isoTime(o, "current_time", &t.Now)
		o.Bool("is_paused", t.Paused)
		o.Bool("auto_advance", t.Auto)
		o.Float("time_scale", t.Scale)
		o.Int("pending_events", q.Count(queue.Pending))
		o.Int("executed_events", q.Count(queue.Executed))
		o.Int("failed_events", q.Count(queue.Failed))
		isoTime(o, "next_event_time", s.NextTime())
	})
}

func (s simulation) reset(*modality.Request) modality.Response {
	done := s.Reset()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.String("status", "reset")
		o.String("message", done.Text())
		o.Int("cleared_events", done.Events)
		o.Int("events_undone", done.Undone)
		o.Strings("undo_errors", done.Errors)
	})
}

func (s simulation) clear(r *modality.Request) modality.Response {
	b := body(r)
	text := field.Maybe(b, "reset_time_to", field.String)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	var to *field.Time
	if text != nil {
		t, err := field.ParseTime(*text)
		if err != nil || !strings.Contains(*text, "-") {
			return modality.Detail(http.StatusBadRequest,
				"Invalid datetime format for reset_time_to: Invalid isoformat string: "+field.Repr(*text))
		}
		t = t.Aware()
		to = &t
	}
	done := s.Clear(to)
	t := s.Clock()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.String("status", "cleared")
		o.Int("events_removed", done.Events)
		o.Int("modalities_cleared", done.Modalities)
		isoTime(o, "time_reset", to)
		isoTime(o, "current_time", &t.Now)
	})
}

func (s simulation) undo(r *modality.Request) modality.Response {
	return s.travel(r, s.Undo, words{"undone_count", "undone_events", "Nothing to undo"})
}

func (s simulation) redo(r *modality.Request) modality.Response {
	return s.travel(r, s.Redo, words{"redone_count", "redone_events", "Nothing to redo"})
}

// words are the names in an answer to undo or redo.
type words struct{ count, events, nothing string }

func (s simulation) travel(r *modality.Request, move func(int) ([]world.Undone, error), names words) modality.Response {
	b := body(r)
	count := field.Or(b, "count", field.Between(field.Int, 1, 100), 1)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	done, err := move(count)
	if err != nil {
		return refused(err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Int(names.count, len(done))
		o.Member(names.events, list(done, func(o *jsontext.Object, u world.Undone) {
			o.String("event_id", u.ID)
			o.String("modality", u.Modality)
			o.Nullable("action", u.Action)
		}))
		o.Bool("can_undo", s.CanUndo())
		o.Bool("can_redo", s.CanRedo())
		if len(done) == 0 {
			o.String("message", names.nothing)
		} else {
			o.Null("message")
		}
	})
}

func (s simulation) hold(r *modality.Request) modality.Response {
	b := body(r)
	reason := field.Maybe(b, "reason", field.String)
	seconds := field.MaybeOr(b, "timeout_seconds", field.Between(field.Float, 1, 3600), world.DefaultHold)
	agent := field.Maybe(b, "agent_id", field.String)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	h, err := s.Hold(optional(reason), seconds, optional(agent))
	if err != nil {
		return refused(err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		lease(o, h)
		o.Int("active_hold_count", len(s.Holds()))
	})
}

// lease writes the members of a hold that all answers share.
func lease(o *jsontext.Object, h world.Hold) {
	acquired, expires := field.At(h.Acquired), field.At(h.Expires)
	o.String("hold_id", h.ID)
	o.Nullable("reason", h.Reason)
	o.Float("timeout_seconds", h.Seconds)
	isoTime(o, "acquired_at", &acquired)
	isoTime(o, "expires_at", &expires)
}

func (s simulation) release(r *modality.Request) modality.Response {
	id := r.Path("hold_id")
	if err := s.Release(id); err != nil {
		return refused(err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Bool("released", true)
		o.String("hold_id", id)
		o.Int("active_hold_count", len(s.Holds()))
	})
}

func (s simulation) holds(*modality.Request) modality.Response {
	active := s.Holds()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Member("holds", list(active, func(o *jsontext.Object, h world.Hold) {
			lease(o, h)
			o.Nullable("agent_id", h.Agent)
		}))
		o.Int("active_count", len(active))
	})
}
