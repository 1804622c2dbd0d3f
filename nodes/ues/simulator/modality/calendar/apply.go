package calendar

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Apply performs a payload.
func (s *State) Apply(payload modality.Input, m modality.Moment) (modality.Undo, error) {
	in, ok := payload.(*Input)
	if !ok {
		return nil, fmt.Errorf("apply to a calendar: payload is a %T", payload)
	}
	var action string
	var undo modality.Reversal
	if in.Operation == opCreate {
		action, undo = "remove_event", s.create(in, m)
		return s.Touched(in.At, action, undo), nil
	}
	e, found := s.events.Get(*in.EventID)
	if !found {
		return nil, modality.Refuse("Event %s not found", *in.EventID)
	}
	var err error
	switch in.Operation {
	case opUpdate:
		action, undo, err = s.update(in, e, m)
	case opDelete:
		if e.Recurrence != nil && in.Scope == scopeThis && modality.IsEmpty(in.RecurrenceID) {
			// The original does nothing and keeps nothing to undo, but counts it.
			s.Touch(in.At)
			return nil, nil //nolint:nilnil // nothing to undo is no error
		}
		action, undo, err = s.remove(in, e, m)
	default:
		action, undo, err = s.respond(in, e)
	}
	if err != nil {
		return nil, err
	}
	return s.Touched(in.At, action, undo), nil
}

// create makes an event. One with the same id loses its place to it. Exceptions of the
// series are dropped, as in the original.
func (s *State) create(in *Input, m modality.Moment) (undo modality.Reversal) {
	e := &Event{
		ID: *in.EventID, CalendarID: in.CalendarID, Title: *in.Title, Start: *in.Start, End: *in.End, AllDay: in.AllDay,
		Timezone: in.Timezone, Description: in.Description, Location: in.Location, Status: in.Status, Organizer: in.Organizer,
		Attendees: slices.Clone(in.Attendees), exceptions: set{}, Recurrence: in.Recurrence.clone(), Reminders: in.Reminders, Color: in.Color,
		Visibility: in.Visibility, Transparency: in.Transparency, Attachments: in.Attachments, ConferenceLink: in.ConferenceLink,
		CreatedAt: in.At, UpdatedAt: in.At,
	}
	return s.insert(e, in.At, m)
}

// clone copies a rule: splitting a series changes that of the event, not the payload's.
func (r *Recurrence) clone() *Recurrence {
	if r == nil {
		return nil
	}
	c := *r
	return &c
}

// insert adds an event to its calendar, which is made when it is not there.
func (s *State) insert(e *Event, at field.Time, m modality.Moment) (undo modality.Reversal) {
	c, found := s.calendars.Get(e.CalendarID)
	if !found {
		c = newCalendar(e.CalendarID, titled(e.CalendarID), m)
		undo.Add(modality.Put(&s.calendars, c.ID, c))
	}
	undo.Add(modality.Put(&s.events, e.ID, e))
	if !c.events.has(e.ID) {
		c.events[e.ID] = struct{}{}
		undo.Add(func() { delete(c.events, e.ID) })
	}
	undo.Add(modality.Assign(&c.UpdatedAt, at))
	return undo
}

// titled writes every word with a capital, as Python's title does.
func titled(s string) string {
	inside := false
	return strings.Map(func(r rune) rune {
		wasInside := inside
		inside = unicode.IsLetter(r)
		if wasInside {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

// update changes an event, or splits its series.
func (s *State) update(in *Input, e *Event, m modality.Moment) (action string, undo modality.Reversal, err error) {
	if e.Recurrence == nil || in.Scope != scopeFuture {
		undo.Add(s.replace(e, in.changed(e)))
		undo.Add(e.exceptions.add(in.Exceptions...))
		return "restore_event", undo, nil
	}
	if modality.IsEmpty(in.RecurrenceID) {
		return "noop", nil, nil
	}
	return s.split(in, e, m)
}

// replace puts a changed copy of an event in its place.
func (s *State) replace(e *Event, changed Event) func() {
	before := *e
	*e = changed
	return func() { *e = before }
}

// changed is a copy of an event with what a payload gives. Status, visibility and
// transparency are always given: by default they are reset, as in the original. all_day,
// timezone and recurrence cannot be changed.
func (in *Input) changed(e *Event) Event {
	c := *e
	c.Status, c.Visibility, c.Transparency, c.UpdatedAt = in.Status, in.Visibility, in.Transparency, in.At
	give(&c.Title, in.Title)
	give(&c.Start, in.Start)
	give(&c.End, in.End)
	for _, x := range []struct{ to, from **string }{
		{&c.Description, &in.Description},
		{&c.Location, &in.Location},
		{&c.Organizer, &in.Organizer},
		{&c.Color, &in.Color},
		{&c.ConferenceLink, &in.ConferenceLink},
	} {
		if *x.from != nil {
			*x.to = *x.from
		}
	}
	if in.Attendees != nil {
		c.Attendees = slices.Clone(in.Attendees)
	}
	if in.Reminders != nil {
		c.Reminders = in.Reminders
	}
	if in.Attachments != nil {
		c.Attachments = in.Attachments
	}
	return c
}

func give[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// add puts texts into the set and gives what takes that back.
func (s set) add(texts ...string) func() {
	var met []string
	for _, x := range texts {
		if !s.has(x) {
			s[x] = struct{}{}
			met = append(met, x)
		}
	}
	return func() {
		for _, x := range met {
			delete(s, x)
		}
	}
}

// split ends a series before an occurrence, in so far as the original does that (an
// exception, and an earlier end when the rule has one), and makes a new event with the
// changes and the same rule.
func (s *State) split(in *Input, e *Event, m modality.Moment) (action string, undo modality.Reversal, err error) {
	day, err := field.ParseDate(*in.RecurrenceID)
	if err != nil {
		return "", nil, modality.Refuse("Invalid isoformat string: '%s'", *in.RecurrenceID)
	}
	if e.Recurrence.EndType == endUntil {
		before := dayOf(day.Midnight().Local().AddDate(0, 0, -1))
		undo.Add(modality.Assign(&e.Recurrence.EndDate, &before))
	}
	next := in.changed(e)
	if in.split == "" || s.events.Has(in.split) {
		in.split = m.NewID()
	}
	next.ID, next.exceptions, next.CreatedAt = in.split, set{}, in.At
	next.Attendees = slices.Clone(next.Attendees)
	undo.Add(modality.Assign(&e.UpdatedAt, in.At))
	undo.Add(e.exceptions.add(*in.RecurrenceID))
	undo.Add(s.insert(&next, in.At, m).Run)
	return "restore_event_remove_split", undo, nil
}

// remove takes an event out, or an occurrence of its series.
func (s *State) remove(in *Input, e *Event, m modality.Moment) (action string, undo modality.Reversal, err error) {
	switch {
	case e.Recurrence == nil || in.Scope == scopeAll:
		return "restore_deleted_event", s.drop(*in.EventID, e, in.At), nil
	case modality.IsEmpty(in.RecurrenceID):
		return "noop", nil, nil
	case in.Scope == scopeFuture:
		return s.split(in, e, m)
	}
	undo.Add(modality.Assign(&e.UpdatedAt, in.At))
	undo.Add(e.exceptions.add(*in.RecurrenceID))
	return "remove_exception", undo, nil
}

func (s *State) drop(id string, e *Event, at field.Time) (undo modality.Reversal) {
	undo.Add(modality.Remove(&s.events, id))
	c, found := s.calendars.Get(e.CalendarID)
	if !found {
		return undo
	}
	undo.Add(modality.Assign(&c.UpdatedAt, at))
	if c.events.has(id) {
		delete(c.events, id)
		undo.Add(func() { c.events[id] = struct{}{} })
	}
	return undo
}

// respond notes what an attendee answers to an invitation.
func (s *State) respond(in *Input, e *Event) (action string, undo modality.Reversal, err error) {
	i := slices.IndexFunc(e.Attendees, func(a Attendee) bool { return strings.EqualFold(a.Email, *in.AttendeeEmail) })
	if i < 0 {
		return "", nil, modality.Refuse("Attendee %s not found in event %s", *in.AttendeeEmail, e.ID)
	}
	undo.Add(modality.Assign(&e.UpdatedAt, in.At))
	undo.Add(modality.Assign(&e.Attendees[i].Response, *in.Response))
	if !modality.IsEmpty(in.ResponseComment) {
		undo.Add(modality.Assign(&e.Attendees[i].Comment, in.ResponseComment))
	}
	return "restore_attendee_response", undo, nil
}
