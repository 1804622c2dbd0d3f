package world

import (
	"net/http"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
)

// schedulable are the modalities that events may be scheduled for, in the order of the
// contract's message. Whether the environment has them does not matter.
const schedulable = "email, sms, chat, calendar, location, weather, time"

// Draft is an event to be scheduled. Data is used up.
type Draft struct {
	At       field.Time
	Modality string
	Data     *ordered.Map
	Priority int
	Metadata *ordered.Map // nil: none
	Agent    string       // who causes it; empty: By
	By       string       // the key that asks; empty: none
}

// Draft checks a draft and makes an event of it that is in no queue yet. Rules are not
// checked, see Check.
func (w *World) Draft(d Draft) (*queue.Event, error) {
	if d.At.Naive() {
		return nil, refuse(http.StatusInternalServerError,
			"Failed to create event: can't compare offset-naive and offset-aware datetimes")
	}
	if d.At.Micros() < w.clock.now.Micros() {
		return nil, refuse(http.StatusConflict, "Cannot schedule event in the past. Current time: %s, scheduled: %s",
			w.clock.now.String(), d.At.String())
	}
	k, found := w.kinds[d.Modality]
	if !found || k.Unscheduled {
		return nil, refuse(http.StatusNotFound, "Unknown modality: %s. Supported modalities: %s", d.Modality, schedulable)
	}
	in, err := w.decode(k, d.Data, d.At)
	if err != nil {
		return nil, err
	}
	return w.eventOf(d, in), nil
}

func (w *World) eventOf(d Draft, in modality.Input) *queue.Event {
	e := &queue.Event{
		ID: w.opts.NewID(), Modality: d.Modality, Input: in, Scheduled: d.At, Created: w.clock.now,
		Priority: d.Priority, Agent: d.Agent, By: d.By,
	}
	if e.Agent == "" {
		e.Agent = d.By
	}
	if d.Metadata != nil && d.Metadata.Len() > 0 {
		e.Metadata = d.Metadata
		if d.By != "" {
			e.Metadata.Set("created_by_key", d.By)
		}
	}
	return e
}

// Check is the rule level of an event: nil, or the contract's text for a 400.
func Check(e *queue.Event) error {
	problems := eventProblems(e)
	if len(problems) == 0 {
		return nil
	}
	return refuse(http.StatusBadRequest, "Invalid event: %s", modality.List(problems))
}

// Schedule puts an event made by Draft into the queue, after the rules were checked.
func (w *World) Schedule(e *queue.Event) error {
	if err := Check(e); err != nil {
		return err
	}
	w.queue.Add(e, queue.Pending)
	w.tellScheduled(e)
	return nil
}

// ScheduleAll puts events into the queue: all of them, or none when one breaks a rule.
func (w *World) ScheduleAll(events []*queue.Event) error {
	for _, e := range events {
		if err := Check(e); err != nil {
			text := strings.TrimPrefix(err.Error(), "Invalid event: ")
			return refuse(http.StatusBadRequest, "Invalid event %s: %s", e.ID, text)
		}
	}
	for _, e := range events {
		w.queue.Add(e, queue.Pending)
	}
	if len(events) > 0 {
		w.tellBatch(events)
	}
	return nil
}

// Cancel takes a pending event out of what is to come; it stays in the queue.
func (w *World) Cancel(id string) error {
	e := w.queue.Find(id)
	if e == nil {
		return refuse(http.StatusNotFound, "Event %s not found", id)
	}
	if e.Status() != queue.Pending {
		return refuse(http.StatusBadRequest, "Cannot cancel event with status %s. Only pending events can be cancelled.", e.Status())
	}
	w.queue.Mark(e, queue.Cancelled)
	w.tellCancelled(e)
	return nil
}
