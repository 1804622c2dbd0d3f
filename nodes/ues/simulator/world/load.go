package world

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
)

// The ways to treat pending events that lie before the clock of a new environment.
const (
	HistoricIgnore = "ignore" // they stay, and run at the next advance
	HistoricDelete = "delete"
	HistoricApply  = "apply" // they run at once, without undo
)

// Loaded is what an import of an environment has done.
type Loaded struct {
	Modalities []string // in order of the file
	Skipped    []string // names that no modality has
	Warnings   []string
	Historic   int // pending events of the queue before the new clock
}

// LoadEnvironment replaces clock and states. With strict, unknown modalities are refused
// instead of skipped. Nothing changes when a state cannot be read.
func (w *World) LoadEnvironment(env Environment, historic string, strict bool) (Loaded, error) {
	if w.running {
		return Loaded{}, running("environment")
	}
	l := Loaded{Modalities: []string{}, Skipped: []string{}, Warnings: []string{}}
	states, err := w.readStates(env, strict, &l)
	if err != nil {
		return Loaded{}, err
	}
	w.clock = clock{
		now: env.Now, scale: env.Scale, paused: env.Paused, auto: env.Auto, wall: env.Wall, filePaused: env.Paused,
	}
	w.names, w.states = l.Modalities, states
	w.undo, w.redo = nil, nil
	w.treatHistoric(historic, &l)
	return l, nil
}

// running refuses an import while the simulation runs.
func running(what string) error {
	return refuse(http.StatusConflict, "Cannot load %s while simulation is running. Call stop() first.", what)
}

// readStates makes the states of a file.
func (w *World) readStates(env Environment, strict bool, l *Loaded) (map[string]modality.State, error) {
	states := map[string]modality.State{}
	moment := w.Moment()
	moment.Now = env.Now
	for name, doc := range env.States.All() {
		k, found := w.kinds[name]
		switch {
		case !found && strict:
			return nil, refuse(http.StatusBadRequest,
				"Unknown modality type: '%s'. Use strict=False to skip unknown modalities.", name)
		case !found:
			l.Skipped = append(l.Skipped, name)
			l.Warnings = append(l.Warnings, fmt.Sprintf("Skipped unknown modality type: '%s'", name))
			continue
		}
		if inner, given := doc.Get("modality_type"); given && inner != name {
			return nil, refuse(http.StatusBadRequest, "Modality key '%s' does not match modality_type %s", name, field.Repr(inner))
		}
		s, errs := k.Load(doc, moment)
		if len(errs) > 0 {
			return nil, refuse(http.StatusBadRequest, "%s", field.Report(modality.Title(name)+"State", errs))
		}
		states[name] = s
		l.Modalities = append(l.Modalities, name)
	}
	return states, nil
}

// treatHistoric deals with the queue's pending events that lie before the clock.
func (w *World) treatHistoric(how string, l *Loaded) {
	l.Historic = w.countHistoric()
	if l.Historic == 0 {
		return
	}
	switch how {
	case HistoricDelete:
		w.queue.Keep(func(e *queue.Event) bool { return e.Status() != queue.Pending || !w.historic(e) })
	case HistoricApply:
		for e := w.queue.Next(); e != nil && w.historic(e); e = w.queue.Next() {
			w.execute(e)
		}
		w.undo = nil
	default:
		l.Warnings = append(l.Warnings, fmt.Sprintf(
			"%d events scheduled before environment time (%s) will be ignored (never execute)", l.Historic, w.clock.now))
	}
}

func (w *World) historic(e *queue.Event) bool { return e.Scheduled.Before(w.clock.now) }

func (w *World) countHistoric() int {
	n := 0
	for e := range w.queue.All() {
		if !w.historic(e) {
			break
		}
		if e.Status() == queue.Pending {
			n++
		}
	}
	return n
}

// LoadedEvents is what an import of events has done.
type LoadedEvents struct {
	Loaded, Merged, Previous int
	Historic                 int // pending events of the file before the clock
}

// LoadEvents replaces the queue, or adds to it with merge. Every event gets a new id.
// Nothing changes when an event cannot be read.
func (w *World) LoadEvents(docs []*ordered.Map, merge bool) (LoadedEvents, error) {
	if w.running {
		return LoadedEvents{}, running("event queue")
	}
	return w.loadEvents(docs, merge, func(*ordered.Map) string { return w.opts.NewID() })
}

// loadEvents is LoadEvents with the ids that name gives.
func (w *World) loadEvents(docs []*ordered.Map, merge bool, name func(doc *ordered.Map) string) (LoadedEvents, error) {
	l := LoadedEvents{Loaded: len(docs), Previous: w.queue.Len()}
	events := make([]readEvent, len(docs))
	for i, doc := range docs {
		var err error
		if events[i], err = w.readEvent(doc); err != nil {
			return LoadedEvents{}, err
		}
		events[i].event.ID = name(doc)
	}
	if merge {
		l.Merged = len(docs)
	} else {
		w.queue.Clear()
	}
	w.undo, w.redo = nil, nil
	for _, r := range events {
		w.queue.Add(r.event, r.status)
		if r.status == queue.Pending && w.historic(r.event) {
			l.Historic++
		}
	}
	return l, nil
}

// Load imports a whole scenario: the environment, then the events in place of the queue.
// When an event cannot be read the new environment is there with the old queue.
func (w *World) Load(s Scenario, strict bool) (Loaded, error) {
	if w.running {
		return Loaded{}, running("scenario")
	}
	l, err := w.LoadEnvironment(s.Environment, HistoricIgnore, strict)
	if err != nil {
		return Loaded{}, err
	}
	if major(s.Metadata.UESVersion) != major(w.opts.Version) {
		l.Warnings = append(l.Warnings, fmt.Sprintf(
			"Scenario was created with UES version %s, which may not be fully compatible with current version", s.Metadata.UESVersion))
	}
	e, err := w.LoadEvents(s.Events, false)
	if err != nil {
		return Loaded{}, err
	}
	if e.Historic > 0 {
		l.Warnings = append(l.Warnings, fmt.Sprintf(
			"%d events in scenario are scheduled before environment time (%s) and will not execute", e.Historic, w.clock.now))
	}
	return l, nil
}

func major(version string) string {
	head, _, _ := strings.Cut(version, ".")
	return head
}

// readEvent is an event of a file, ready for the queue.
type readEvent struct {
	event  *queue.Event
	status queue.Status
}

// readEvent reads one event of a file; it has no id yet.
func (w *World) readEvent(doc *ordered.Map) (readEvent, error) {
	r := field.Read(doc)
	e := &queue.Event{
		Scheduled: field.Need(r, "scheduled_time", aware),
		Modality:  field.Need(r, "modality", field.String),
		Created:   field.Need(r, "created_at", aware),
		Priority:  field.Or(r, "priority", field.Int, 0),
		Agent:     field.MaybeOr(r, "agent_id", field.String, ""),
		Error:     field.MaybeOr(r, "error_message", field.String, ""),
		Metadata:  field.Or(r, "metadata", field.Object, nil),
	}
	data := field.Need(r, "data", field.Object)
	if t := field.Maybe(r, "executed_at", aware); t != nil {
		e.Executed, e.HasRun = *t, true
	}
	word := field.Or(r, "status", field.OneOf("pending", "executing", "executed", "failed", "skipped", "cancelled"), "pending")
	if errs := r.Errors(); len(errs) > 0 {
		return readEvent{}, refuse(http.StatusBadRequest, "%s", field.Report("SimulatorEvent", errs))
	}
	k, found := w.kinds[e.Modality]
	if !found {
		return readEvent{}, refuse(http.StatusBadRequest, "Unknown modality type: '%s'", e.Modality)
	}
	in, errs := k.Decode(data, w.Moment())
	if len(errs) > 0 {
		return readEvent{}, refuse(http.StatusBadRequest, "%s", field.Report(modality.Title(e.Modality)+"Input", errs))
	}
	e.Input = in
	status, _ := queue.ParseStatus(word)
	return readEvent{event: e, status: status}, nil
}
