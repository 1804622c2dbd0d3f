package calendar

import (
	"fmt"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Calendar is a container of events.
type Calendar struct {
	ID, Name, Color  string
	Visible          bool
	CreatedAt        field.Time
	UpdatedAt        field.Time
	events           set
	DefaultReminders []Reminder
}

// Event is an entry of a calendar. Its reminders and attachments are shared with the
// payload they came from and are not changed.
type Event struct {
	ID, CalendarID string
	Title          string
	Start, End     field.Time
	AllDay         bool
	Timezone       string
	Description    *string
	Location       *string
	Status         string
	Organizer      *string
	Attendees      []Attendee
	Recurrence     *Recurrence
	exceptions     set // days, as YYYY-MM-DD
	RecurrenceID   *string
	ParentEventID  *string
	Reminders      []Reminder
	Color          *string
	Visibility     string
	Transparency   string
	Attachments    []Attachment
	ConferenceLink *string
	CreatedAt      field.Time
	UpdatedAt      field.Time
	DeletedAt      *field.Time
}

// State are all calendars.
type State struct {
	modality.Stamp
	calendars ordered.Table[*Calendar]
	events    ordered.Table[*Event]
	fallback  string // default_calendar_id
	timezone  string
}

// New makes one empty calendar.
func New(m modality.Moment) modality.State {
	s := &State{fallback: primary, timezone: utc}
	s.Clear(m)
	return s
}

// Clear leaves one empty calendar; default_calendar_id and user_timezone stay.
func (s *State) Clear(m modality.Moment) {
	*s = State{Stamp: modality.Stamp{LastUpdated: m.Now}, fallback: s.fallback, timezone: s.timezone}
	s.calendars.Set(primary, newCalendar(primary, "Personal", m))
}

// newCalendar is an empty calendar, stamped with the wall clock as in the original.
func newCalendar(id, title string, m modality.Moment) *Calendar {
	now := field.At(m.Wall())
	return &Calendar{ID: id, Name: title, Color: blue, Visible: true, CreatedAt: now, UpdatedAt: now, events: set{}}
}

// timeStyle is one of the two ways of writing times: field.Time.JSON in states,
// field.Time.JSONISO in answers.
type timeStyle func(t field.Time, dst []byte) []byte

func (style timeStyle) member(o *jsontext.Object, name string, t field.Time) {
	o.Member(name, func(dst []byte) []byte { return style(t, dst) })
}

// AppendJSON writes the state of contract section 6.4.
func (s *State) AppendJSON(dst []byte) []byte {
	o := s.Open(dst, name)
	o.Member("calendars", func(dst []byte) []byte { return s.appendCalendars(dst, field.Time.JSON) })
	o.Member("events", func(dst []byte) []byte { return s.appendEvents(dst, field.Time.JSON) })
	o.String("default_calendar_id", s.fallback)
	o.String("user_timezone", s.timezone)
	return o.Close()
}

func (s *State) appendCalendars(dst []byte, style timeStyle) []byte {
	o := jsontext.Open(dst)
	for id, c := range s.calendars.All() {
		o.Key(id)
		o.Write(func(dst []byte) []byte { return c.appendJSON(dst, style) })
	}
	return o.Close()
}

func (s *State) appendEvents(dst []byte, style timeStyle) []byte {
	o := jsontext.Open(dst)
	for id, e := range s.events.All() {
		o.Key(id)
		o.Write(func(dst []byte) []byte { return e.appendJSON(dst, style) })
	}
	return o.Close()
}

func (c *Calendar) appendJSON(dst []byte, style timeStyle) []byte {
	o := jsontext.Open(dst)
	o.String("calendar_id", c.ID)
	o.String("name", c.Name)
	o.String("color", c.Color)
	o.Bool("visible", c.Visible)
	style.member(&o, "created_at", c.CreatedAt)
	style.member(&o, "updated_at", c.UpdatedAt)
	o.Member("event_ids", c.events.appendJSON)
	o.Member("default_reminders", func(dst []byte) []byte { return modality.AppendArray(dst, c.DefaultReminders, appendReminder) })
	return o.Close()
}

func (e *Event) appendJSON(dst []byte, style timeStyle) []byte {
	o := jsontext.Open(dst)
	o.String("event_id", e.ID)
	o.String("calendar_id", e.CalendarID)
	o.String("title", e.Title)
	style.member(&o, "start", e.Start)
	style.member(&o, "end", e.End)
	o.Bool("all_day", e.AllDay)
	o.String("timezone", e.Timezone)
	modality.AppendNullable(&o, "description", e.Description)
	modality.AppendNullable(&o, "location", e.Location)
	o.String("status", e.Status)
	modality.AppendNullable(&o, "organizer", e.Organizer)
	o.Member("attendees", func(dst []byte) []byte { return modality.AppendArray(dst, e.Attendees, appendAttendee) })
	o.Member("recurrence", e.Recurrence.appendJSON)
	o.Member("recurrence_exceptions", e.exceptions.appendJSON)
	modality.AppendNullable(&o, "recurrence_id", e.RecurrenceID)
	modality.AppendNullable(&o, "parent_event_id", e.ParentEventID)
	o.Member("reminders", func(dst []byte) []byte { return modality.AppendArray(dst, e.Reminders, appendReminder) })
	modality.AppendNullable(&o, "color", e.Color)
	o.String("visibility", e.Visibility)
	o.String("transparency", e.Transparency)
	o.Member("attachments", func(dst []byte) []byte { return modality.AppendArray(dst, e.Attachments, appendAttachment) })
	modality.AppendNullable(&o, "conference_link", e.ConferenceLink)
	style.member(&o, "created_at", e.CreatedAt)
	style.member(&o, "updated_at", e.UpdatedAt)
	if e.DeletedAt == nil {
		o.Null("deleted_at")
	} else {
		style.member(&o, "deleted_at", *e.DeletedAt)
	}
	return o.Close()
}

// Problems are the inconsistencies that contract section 6.4 names.
func (s *State) Problems() []string {
	var found []string
	for id, e := range s.events.All() {
		if !s.calendars.Has(e.CalendarID) {
			found = append(found, fmt.Sprintf("Event %s references missing calendar %s", id, e.CalendarID))
		}
		if !e.End.After(e.Start) {
			found = append(found, fmt.Sprintf("Event %s has invalid time range: %s to %s", id, spaced(e.Start), spaced(e.End)))
		}
		if !modality.IsEmpty(e.ParentEventID) && !s.events.Has(*e.ParentEventID) {
			found = append(found, fmt.Sprintf("Modified occurrence %s references missing parent %s", id, *e.ParentEventID))
		}
	}
	for id, c := range s.calendars.All() {
		for _, e := range c.events.sorted() {
			if !s.events.Has(e) {
				found = append(found, fmt.Sprintf("Calendar %s references missing event %s", id, e))
			}
		}
	}
	return found
}

// spaced writes a time as Python's str does.
func spaced(t field.Time) string {
	iso := t.ISO()
	return iso[:10] + " " + iso[11:]
}
