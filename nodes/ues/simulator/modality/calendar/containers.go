package calendar

import (
	"fmt"
	"net/http"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// containers are the endpoints for calendars themselves. As in the original they change
// the state without an event, cannot be undone, and stamp with the wall clock.
func containers() []modality.Route {
	return []modality.Route{
		{
			Method: http.MethodGet, Path: "/calendar/calendars", Permission: "calendar:calendars:list",
			Summary: "The calendars", Handle: withState("list calendars", listCalendars),
		},
		container("create", "create", "Create a calendar", withState("create calendar", createCalendar)),
		container("update", "update", "Change a calendar", withState("update calendar", updateCalendar)),
		container("delete", "delete", "Delete a calendar and its events", withState("delete calendar", deleteCalendar)),
		container("set-default", "default", "Choose the default calendar", withState("set default calendar", setDefault)),
	}
}

func container(path, permission, doc string, handle func(*modality.Request) modality.Response) modality.Route {
	return modality.Route{
		Method: http.MethodPost, Path: "/calendar/calendars/" + path, Permission: "calendar:calendars:" + permission,
		Summary: doc, Body: modality.NeedBody, Handle: handle,
	}
}

// withState is a handler for which there have to be calendars.
func withState(what string, handle func(*State, *modality.Request) modality.Response) func(*modality.Request) modality.Response {
	return func(r *modality.Request) modality.Response {
		s, ok := r.State.(*State)
		if !ok {
			return absent(r, what)
		}
		return handle(s, r)
	}
}

func listCalendars(s *State, _ *modality.Request) modality.Response {
	return modality.OK(func(dst []byte) []byte {
		list := make([]*Calendar, 0, s.calendars.Len())
		for _, c := range s.calendars.All() {
			list = append(list, c)
		}
		o := jsontext.Open(dst)
		o.Member("calendars", func(dst []byte) []byte {
			return modality.AppendArray(dst, list, func(dst []byte, c *Calendar) []byte { return c.appendInfo(dst) })
		})
		o.Int("count", len(list))
		o.String("default_calendar_id", s.fallback)
		return o.Close()
	})
}

// success answers with what happened to a calendar; nil when it is gone.
func success(message string, c *Calendar) modality.Response {
	return modality.OK(func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.String("status", "success")
		o.String("message", message)
		if c == nil {
			o.Null("calendar")
		} else {
			o.Member("calendar", c.appendInfo)
		}
		return o.Close()
	})
}

func createCalendar(s *State, r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	c := newCalendar(field.Need(b, "calendar_id", field.String), field.Need(b, "name", field.String), r.Moment)
	c.Color = field.Or(b, "color", field.String, blue)
	c.Visible = field.Or(b, "visible", field.Bool, true)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	if s.calendars.Has(c.ID) {
		return modality.Detail(http.StatusBadRequest, fmt.Sprintf("Calendar '%s' already exists", c.ID))
	}
	s.calendars.Set(c.ID, c)
	return success("Created calendar: "+c.Name, c)
}

// named finds the calendar that a body names. The answer is nil when there is one.
func (s *State) named(b *field.Reader) (*Calendar, *modality.Response) {
	id := field.Need(b, "calendar_id", field.String)
	if errs := b.Errors(); len(errs) > 0 {
		r := modality.Invalid(errs)
		return nil, &r
	}
	c, found := s.calendars.Get(id)
	if !found {
		r := modality.Detail(http.StatusNotFound, fmt.Sprintf("Calendar '%s' not found", id))
		return nil, &r
	}
	return c, nil
}

func updateCalendar(s *State, r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	title := field.Maybe(b, "name", field.String)
	color := field.Maybe(b, "color", field.String)
	visible := field.Maybe(b, "visible", field.Bool)
	c, wrong := s.named(b)
	if wrong != nil {
		return *wrong
	}
	give(&c.Name, title)
	give(&c.Color, color)
	give(&c.Visible, visible)
	c.UpdatedAt = field.At(r.Wall())
	return success("Updated calendar: "+c.Name, c)
}

func deleteCalendar(s *State, r *modality.Request) modality.Response {
	c, wrong := s.named(field.Read(r.Body, "body"))
	if wrong != nil {
		return *wrong
	}
	if c.ID == s.fallback {
		return modality.Detail(http.StatusBadRequest, "Cannot delete default calendar")
	}
	for id := range c.events {
		if e, found := s.events.Get(id); found && e.CalendarID == c.ID {
			s.events.Delete(id)
		}
	}
	s.calendars.Delete(c.ID)
	return success("Deleted calendar: "+c.Name, nil)
}

func setDefault(s *State, r *modality.Request) modality.Response {
	c, wrong := s.named(field.Read(r.Body, "body"))
	if wrong != nil {
		return *wrong
	}
	s.fallback = c.ID
	return success("Set default calendar to: "+c.Name, c)
}
