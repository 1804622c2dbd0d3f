package calendar

import (
	"fmt"
	"net/http"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Kind describes the modality.
func Kind() modality.Kind {
	return modality.Kind{Name: name, New: New, Load: Load, Decode: Decode, Routes: append([]modality.Route{
		{
			Method: http.MethodGet, Path: "/calendar/state", Permission: "calendar:state", Handle: getState,
			Summary: "The calendars and their events",
			Query:   []modality.Param{{Name: "compact", Type: "boolean", Doc: "without events"}},
		},
		post("query", "Find events", postQuery),
		post("create", "Create an event", create),
		post("update", "Change an event", update),
		post("delete", "Delete an event", remove),
		post("respond", "Answer an invitation", respond),
	}, containers()...)}
}

func post(path, doc string, handle func(*modality.Request) modality.Response) modality.Route {
	return modality.Route{
		Method: http.MethodPost, Path: "/calendar/" + path, Permission: "calendar:" + path, Summary: doc,
		Body: modality.NeedBody, Handle: handle,
	}
}

// absent answers for an environment without calendars.
func absent(r *modality.Request, what string) modality.Response {
	return modality.Detail(http.StatusInternalServerError, fmt.Sprintf(
		`Failed to %s: "Modality 'calendar' not found in environment. Available modalities: %s"`, what, modality.List(r.World.Modalities())))
}

func getState(r *modality.Request) modality.Response {
	q := field.ReadQuery(r.Query)
	short := field.Or(q, "compact", field.Bool, false)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return absent(r, "get calendar state")
	}
	if short {
		return modality.OK(s.appendShort)
	}
	return modality.OK(s.appendFull)
}

func postQuery(r *modality.Request) modality.Response {
	q := readQuery(r.Body)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return absent(r, "query calendar events")
	}
	found, err := s.find(q)
	switch {
	case err == errNaive: //nolint:errorlint // never wrapped
		return modality.Detail(http.StatusInternalServerError, "Failed to query calendar events: "+err.Error())
	case err != nil:
		return modality.Detail(http.StatusBadRequest, err.Error())
	}
	page := modality.Page(found, q.Offset, q.Limit)
	return modality.OK(func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.String("modality_type", name)
		o.Member("events", func(dst []byte) []byte {
			return modality.AppendArray(dst, page, func(dst []byte, e *Event) []byte { return e.appendJSON(dst, field.Time.JSONISO) })
		})
		o.Int("count", len(page))
		o.Int("total_count", len(found))
		return o.Close()
	})
}

// invalid answers a body with errors. Attendees' bad addresses and repeated days of the
// week crash the original, so that is what they do here.
func invalid(errs []field.Error) modality.Response {
	for _, e := range errs {
		if e.Type == "value_error" {
			return modality.Crash("TypeError")
		}
	}
	return modality.Invalid(errs)
}

func create(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	title := field.Need(b, "title", field.String)
	start := field.Need(b, "start", field.When)
	end := field.Need(b, "end", field.When)
	in := &Input{Head: modality.NewHead(r.Moment), Operation: opCreate, Title: &title, Start: &start, End: &end}
	in.readRest(b, r.Moment)
	if errs := b.Errors(); len(errs) > 0 {
		return invalid(errs)
	}
	in.name(r.Moment)
	return act(r, in, modality.Deed{
		Failed: "Failed to create calendar event", Notice: "calendar.event_created",
		Done: func() string { return "Created calendar event: " + title + " (calendar_event_id: " + *in.EventID + ")" },
	})
}

func update(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	id := field.Need(b, "event_id", field.String)
	in := &Input{Head: modality.NewHead(r.Moment), Operation: opUpdate, EventID: &id}
	in.readTitle(b)
	in.readRest(b, r.Moment)
	if errs := b.Errors(); len(errs) > 0 {
		return invalid(errs)
	}
	return act(r, in, modality.Deed{
		Failed: "Failed to update calendar event", Notice: "calendar.event_updated", Blind: true,
		Done: func() string { return "Updated calendar event: " + id },
	})
}

func remove(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	id := field.Need(b, "event_id", field.String)
	in := &Input{Head: modality.NewHead(r.Moment), Operation: opDelete, EventID: &id}
	in.readRest(field.Read(ordered.NewMap()), r.Moment)
	in.CalendarID = field.Or(b, "calendar_id", field.String, primary)
	in.Scope = field.Or(b, "recurrence_scope", scope, scopeThis)
	in.RecurrenceID = field.Maybe(b, "recurrence_id", field.String)
	if errs := b.Errors(); len(errs) > 0 {
		return invalid(errs)
	}
	return act(r, in, modality.Deed{
		Failed: "Failed to delete calendar event", Notice: "calendar.event_deleted", Blind: true,
		Done: func() string { return "Deleted calendar event: " + id },
	})
}

func respond(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	id := field.Need(b, "event_id", field.String)
	email := field.Need(b, "attendee_email", field.String)
	answer := field.Need(b, "response", response)
	comment := field.Maybe(b, "comment", field.String)
	if errs := b.Errors(); len(errs) > 0 {
		return invalid(errs)
	}
	in := &Input{
		Head: modality.NewHead(r.Moment), Operation: opRespond, EventID: &id, AttendeeEmail: &email, Response: &answer,
		ResponseComment: comment,
	}
	in.readRest(field.Read(ordered.NewMap()), r.Moment)
	return act(r, in, modality.Deed{
		Failed: "Failed to respond to event", Notice: "calendar.event_updated",
		Done: func() string { return "Responded to event " + id + ": " + email + " -> " + answer },
	})
}

// act performs an action; a broken rule answers 400 with its text.
func act(r *modality.Request, in *Input, d modality.Deed) modality.Response {
	if in.Start != nil && in.End != nil && in.Start.Naive() != in.End.Naive() {
		return modality.Detail(http.StatusInternalServerError, d.Failed+": "+errNaive.Error())
	}
	if err := in.Check(); err != nil {
		return modality.Detail(http.StatusBadRequest, err.Error())
	}
	d.Modality, d.Input, d.Data = name, in, in.appendNotice
	d.Blind = d.Blind && r.State != nil
	return r.Act(d)
}

func (in *Input) appendNotice(dst []byte, _ string) []byte {
	o := jsontext.Open(dst)
	o.String("event_id", *in.EventID)
	if in.Title != nil {
		o.String("title", *in.Title)
	}
	if in.Start != nil {
		o.Member("start_time", in.Start.JSONISO)
	}
	return o.Close()
}
