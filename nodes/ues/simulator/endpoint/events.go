package endpoint

import (
	"net/http"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// nowPriority is the priority of events that are to run at the next chance.
const nowPriority = 100

// Events declares /events.
func Events(w *world.World) []modality.Route {
	e := events{w}
	return []modality.Route{
		{Method: get, Path: "/events", Permission: "events:list", Summary: "Events in queue order", Query: []modality.Param{
			{Name: "status", Type: "string", Doc: "pending, executing, executed, failed, skipped or cancelled"},
			{Name: "start_time", Type: "string", Doc: "scheduled at or after"},
			{Name: "end_time", Type: "string", Doc: "scheduled at or before"},
			{Name: "modality", Type: "string", Doc: "of this modality"},
			{Name: "limit", Type: "integer", Doc: "at most this many; 0: all"},
			{Name: "offset", Type: "integer", Doc: "leave out this many"},
		}, Handle: e.list},
		{
			Method: post, Path: "/events", Permission: "events:create", Body: modality.NeedBody,
			Summary: "Schedule an event", Handle: e.create,
		},
		{
			Method: post, Path: "/events/immediate", Permission: "events:execute", Body: modality.NeedBody,
			Summary: "Schedule an event for now", Handle: e.immediate,
		},
		{
			Method: post, Path: "/events/batch", Permission: "events:batch", Body: modality.NeedBody,
			Summary: "Schedule up to 1000 events", Handle: e.batch,
		},
		{Method: get, Path: "/events/next", Permission: "events:read", Summary: "The first pending event", Handle: e.next},
		{Method: get, Path: "/events/summary", Permission: "events:summary", Summary: "How many events there are", Handle: e.summary},
		{Method: get, Path: "/events/{event_id}", Permission: "events:read", Summary: "One event", Handle: e.show},
		{Method: remove, Path: "/events/{event_id}", Permission: "events:delete", Summary: "Cancel a pending event", Handle: e.cancel},
	}
}

type events struct{ *world.World }

// writeEvent writes an EventResponse.
func writeEvent(o *jsontext.Object, e *queue.Event, data bool) {
	o.String("event_id", e.ID)
	zTime(o, "scheduled_time", &e.Scheduled)
	o.String("modality", e.Modality)
	o.String("status", e.Status().String())
	o.Int("priority", e.Priority)
	zTime(o, "created_at", &e.Created)
	if e.HasRun {
		zTime(o, "executed_at", &e.Executed)
	} else {
		o.Null("executed_at")
	}
	o.Nullable("error_message", e.Error)
	o.Nullable("agent_id", e.Agent)
	if data {
		o.Member("data", e.Input.AppendJSON)
	} else {
		o.Null("data")
	}
}

func event(e *queue.Event, data bool) modality.Response {
	return object(http.StatusOK, func(o *jsontext.Object) { writeEvent(o, e, data) })
}

// filter chooses events.
type filter struct {
	status        *queue.Status
	start, end    *field.Time
	modality      *string
	limit, offset int
}

func (e events) list(r *modality.Request) modality.Response {
	q := query(r)
	var f filter
	word := field.Maybe(q, "status", field.String)
	f.start = field.Maybe(q, "start_time", field.When)
	f.end = field.Maybe(q, "end_time", field.When)
	f.modality = field.Maybe(q, "modality", field.String)
	f.limit = field.Or(q, "limit", field.Int, 0)
	f.offset = field.Or(q, "offset", field.Int, 0)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	if word != nil {
		s, found := queue.ParseStatus(*word)
		if !found {
			return modality.Detail(http.StatusBadRequest, "Invalid status: "+*word+
				". Must be one of: pending, executed, failed, skipped, cancelled")
		}
		f.status = &s
	}
	if f.start != nil && f.start.Naive() || f.end != nil && f.end.Naive() {
		return modality.Crash("TypeError")
	}
	found := f.find(e.Queue())
	total := len(found)
	return e.listed(page(found, f.offset, f.limit), total)
}

func (e events) listed(found []*queue.Event, total int) modality.Response {
	counts := e.Queue()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Member("events", list(found, func(o *jsontext.Object, e *queue.Event) { writeEvent(o, e, true) }))
		o.Int("total", total)
		o.Int("pending", counts.Count(queue.Pending))
		o.Int("executed", counts.Count(queue.Executed))
		o.Int("failed", counts.Count(queue.Failed))
		o.Int("skipped", counts.Count(queue.Skipped))
	})
}

// find gives the events that the filter chooses, in queue order.
func (f *filter) find(q *queue.Queue) []*queue.Event {
	var found []*queue.Event
	all := q.All()
	if f.start != nil {
		all = q.From(*f.start)
	}
	for e := range all {
		if f.end != nil && e.Scheduled.After(*f.end) {
			break
		}
		if (f.status == nil || e.Status() == *f.status) && (f.modality == nil || e.Modality == *f.modality) {
			found = append(found, e)
		}
	}
	return found
}

// page is a slice as Python makes it: [offset:][:limit], negative numbers counting from
// the end; a limit of zero is none.
func page[T any](items []T, offset, limit int) []T {
	items = items[index(offset, len(items)):]
	if limit != 0 {
		items = items[:index(limit, len(items))]
	}
	return items
}

func index(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

// readDraft reads the fields of POST /events.
func readDraft(r *field.Reader) world.Draft {
	return world.Draft{
		At:       field.Need(r, "scheduled_time", field.When),
		Modality: field.Need(r, "modality", field.String),
		Data:     field.Need(r, "data", field.Object),
		Priority: field.Or(r, "priority", field.Between(field.Int, 0, 100), 50),
		Metadata: field.Or(r, "metadata", field.Object, (*ordered.Map)(nil)),
		Agent:    field.MaybeOr(r, "agent_id", field.String, ""),
	}
}

func (e events) create(r *modality.Request) modality.Response {
	b := body(r)
	d := readDraft(b)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	d.By = r.Key
	return e.schedule(d)
}

func (e events) immediate(r *modality.Request) modality.Response {
	b := body(r)
	d := world.Draft{
		At: e.Clock().Now, Priority: nowPriority, By: r.Key,
		Modality: field.Need(b, "modality", field.String),
		Data:     field.Need(b, "data", field.Object),
	}
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	return e.schedule(d)
}

func (e events) schedule(d world.Draft) modality.Response {
	made, err := e.Draft(d)
	if err == nil {
		err = e.Schedule(made)
	}
	if err != nil {
		return refused(err)
	}
	return event(made, false)
}

func (e events) next(*modality.Request) modality.Response {
	first := e.Queue().Next()
	if first == nil {
		return modality.Detail(http.StatusNotFound, "No pending events")
	}
	return event(first, false)
}

func (e events) show(r *modality.Request) modality.Response {
	id := r.Path("event_id")
	found := e.Queue().Find(id)
	if found == nil {
		return modality.Detail(http.StatusNotFound, "Event "+id+" not found")
	}
	return event(found, true)
}

func (e events) cancel(r *modality.Request) modality.Response {
	id := r.Path("event_id")
	if err := e.Cancel(id); err != nil {
		return refused(err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Bool("cancelled", true)
		o.String("event_id", id)
	})
}

func (e events) summary(*modality.Request) modality.Response {
	q := e.Queue()
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Int("total", q.Len())
		o.Int("pending", q.Count(queue.Pending))
		o.Int("executed", q.Count(queue.Executed))
		o.Int("failed", q.Count(queue.Failed))
		o.Int("skipped", q.Count(queue.Skipped))
		o.Member("by_modality", func(dst []byte) []byte {
			by := jsontext.Open(dst)
			for _, c := range q.Modalities() {
				by.Int(c.Modality, c.Events)
			}
			return by.Close()
		})
		zTime(o, "next_event_time", e.NextTime())
	})
}

// reason is the text of an item's error in a batch.
func reason(err error) string {
	return strings.TrimPrefix(err.Error(), "Failed to create event: ")
}
