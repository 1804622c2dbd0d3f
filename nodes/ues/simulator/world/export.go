package world

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
)

// scenarioVersion is the version of the scenario format in exports.
const scenarioVersion = "1"

// zTime writes a time member in the style with Z.
func zTime(o *jsontext.Object, name string, t field.Time) {
	o.Name(name)
	o.Write(func(dst []byte) []byte {
		return append(t.AppendZ(append(dst, '"')), '"')
	})
}

// AppendEnvironment writes an ExportedEnvironment.
func (w *World) AppendEnvironment(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.Member("time_state", members(func(o *jsontext.Object) {
		zTime(o, "current_time", w.clock.now)
		o.Float("time_scale", w.clock.scale)
		o.Bool("is_paused", w.clock.paused)
		o.Bool("auto_advance", w.clock.auto)
		zTime(o, "last_wall_time_update", w.clock.wall)
	}))
	o.Member("modality_states", w.AppendStates)
	return o.Close()
}

// AppendStates writes the full states of all modalities as one object.
func (w *World) AppendStates(dst []byte) []byte {
	o := jsontext.Open(dst)
	for _, name := range w.names {
		o.Key(name)
		o.Write(w.states[name].AppendJSON)
	}
	return o.Close()
}

// AppendEvents writes an ExportedEventQueue.
func (w *World) AppendEvents(dst []byte) []byte {
	dst = append(dst, `{"events":[`...)
	first := true
	for e := range w.queue.All() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendExported(dst, e)
	}
	return append(dst, "]}"...)
}

// appendExported writes an event as scenarios carry it.
func appendExported(dst []byte, e *queue.Event) []byte {
	o := jsontext.Open(dst)
	o.String("event_id", e.ID)
	zTime(&o, "scheduled_time", e.Scheduled)
	o.String("modality", e.Modality)
	o.Member("data", e.Input.AppendJSON)
	o.String("status", e.Status().String())
	zTime(&o, "created_at", e.Created)
	if e.HasRun {
		zTime(&o, "executed_at", e.Executed)
	} else {
		o.Null("executed_at")
	}
	o.Nullable("agent_id", e.Agent)
	o.Int("priority", e.Priority)
	o.Nullable("error_message", e.Error)
	o.Member("metadata", func(dst []byte) []byte { return appendMetadata(dst, e) })
	return o.Close()
}

func appendMetadata(dst []byte, e *queue.Event) []byte {
	if e.Metadata != nil {
		return e.Metadata.AppendJSON(dst)
	}
	o := jsontext.Open(dst)
	if e.By != "" {
		o.String("created_by_key", e.By)
	}
	return o.Close()
}

// AppendScenario writes a whole Scenario; author and description may be empty.
func (w *World) AppendScenario(dst []byte, author, description string) []byte {
	o := jsontext.Open(dst)
	o.Member("metadata", members(func(o *jsontext.Object) {
		o.String("ues_version", w.opts.Version)
		o.String("scenario_version", scenarioVersion)
		zTime(o, "created_at", w.wall())
		o.Nullable("author", author)
		o.Nullable("description", description)
	}))
	o.Member("environment", w.AppendEnvironment)
	o.Member("events", w.AppendEvents)
	return o.Close()
}
