package calendar

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Load reads calendars of contract section 6.4. Without any there is one, as in New.
func Load(doc *ordered.Map, m modality.Moment) (modality.State, []field.Error) {
	r := field.Read(doc)
	field.Or(r, "modality_type", field.OneOf(name), name)
	s := &State{
		Stamp: modality.Stamp{
			LastUpdated: field.Or(r, "last_updated", field.When, m.Now).Aware(),
			UpdateCount: field.Or(r, "update_count", field.Int, 0),
		},
		fallback: field.Or(r, "default_calendar_id", field.String, primary),
		timezone: field.Or(r, "user_timezone", field.String, utc),
	}
	calendars := field.Values(field.Model(func(r *field.Reader) *Calendar { return readCalendar(r, m) }))
	events := field.Values(field.Model(func(r *field.Reader) *Event { return readEvent(r, m) }))
	s.calendars = *field.Or(r, "calendars", calendars, &ordered.Table[*Calendar]{})
	s.events = *field.Or(r, "events", events, &ordered.Table[*Event]{})
	if errs := r.Errors(); len(errs) > 0 {
		return nil, errs
	}
	if s.calendars.Len() == 0 {
		s.calendars.Set(primary, newCalendar(primary, "Personal", m))
	}
	return s, nil
}

func readCalendar(r *field.Reader, m modality.Moment) *Calendar {
	now := field.At(m.Wall())
	return &Calendar{
		ID:               field.Need(r, "calendar_id", field.String),
		Name:             field.Need(r, "name", field.String),
		Color:            field.Or(r, "color", field.String, blue),
		Visible:          field.Or(r, "visible", field.Bool, true),
		CreatedAt:        field.Or(r, "created_at", field.When, now).Aware(),
		UpdatedAt:        field.Or(r, "updated_at", field.When, now).Aware(),
		events:           readSet(r, "event_ids"),
		DefaultReminders: field.Or(r, "default_reminders", field.List(field.Model(readReminder), 0), nil),
	}
}

func readEvent(r *field.Reader, m modality.Moment) *Event {
	now := field.At(m.Wall())
	attachment := field.Model(func(r *field.Reader) Attachment { return readAttachment(r, m) })
	return &Event{
		ID:             field.Need(r, "event_id", field.String),
		CalendarID:     field.Need(r, "calendar_id", field.String),
		Title:          field.Need(r, "title", field.String),
		Start:          field.Need(r, "start", field.When).Aware(),
		End:            field.Need(r, "end", field.When).Aware(),
		AllDay:         field.Or(r, "all_day", field.Bool, false),
		Timezone:       field.Or(r, "timezone", field.String, utc),
		Description:    field.Maybe(r, "description", field.String),
		Location:       field.Maybe(r, "location", field.String),
		Status:         field.Or(r, "status", status, confirmed),
		Organizer:      field.Maybe(r, "organizer", field.String),
		Attendees:      field.Or(r, "attendees", field.List(field.Model(readAttendee), 0), nil),
		Recurrence:     field.MaybeOr(r, "recurrence", field.Model(readRecurrence), nil),
		exceptions:     readSet(r, "recurrence_exceptions"),
		RecurrenceID:   field.Maybe(r, "recurrence_id", field.String),
		ParentEventID:  field.Maybe(r, "parent_event_id", field.String),
		Reminders:      field.Or(r, "reminders", field.List(field.Model(readReminder), 0), nil),
		Color:          field.Maybe(r, "color", field.String),
		Visibility:     field.Or(r, "visibility", visibility, defaultWord),
		Transparency:   field.Or(r, "transparency", transparency, opaque),
		Attachments:    field.Or(r, "attachments", field.List(attachment, 0), nil),
		ConferenceLink: field.Maybe(r, "conference_link", field.String),
		CreatedAt:      field.Or(r, "created_at", field.When, now).Aware(),
		UpdatedAt:      field.Or(r, "updated_at", field.When, now).Aware(),
		DeletedAt:      modality.MaybeAware(r, "deleted_at"),
	}
}
