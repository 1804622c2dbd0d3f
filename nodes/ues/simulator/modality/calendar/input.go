// Package calendar is the calendar modality of the simulator: calendars, events,
// attendees and recurrence.
package calendar

import (
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

const (
	name    = "calendar"
	primary = "primary"

	opCreate  = "create"
	opUpdate  = "update"
	opDelete  = "delete"
	opRespond = "respond"

	scopeThis   = "this"
	scopeFuture = "this_and_future"
	scopeAll    = "all"

	confirmed    = "confirmed"
	defaultWord  = "default" // visibility
	opaque       = "opaque"
	notification = "notification"
	needsAction  = "needs-action"
	utc          = "UTC"
	blue         = "#4285f4"
)

// Input is a payload of contract section 6.4. Nil is null.
type Input struct {
	modality.Head
	Operation       string
	EventID         *string
	CalendarID      string
	Scope           string
	Title           *string
	Description     *string
	Start, End      *field.Time
	AllDay          bool
	Timezone        string
	Location        *string
	Status          string
	Organizer       *string
	Attendees       []Attendee
	Recurrence      *Recurrence
	Exceptions      []string
	RecurrenceID    *string
	Reminders       []Reminder
	Color           *string
	Visibility      string
	Transparency    string
	Attachments     []Attachment
	ConferenceLink  *string
	AttendeeEmail   *string
	Response        *string
	ResponseComment *string

	// split is the id of the event that splitting a series made. It is no part of the
	// payload, but a redo makes the same one.
	split string
}

// Attendee is somebody who is invited.
type Attendee struct {
	Email       string // lower case
	DisplayName *string
	Optional    bool
	Response    string
	Comment     *string
}

// Recurrence is the rule of a series.
type Recurrence struct {
	Frequency   string
	Interval    int
	DaysOfWeek  []string
	DayOfMonth  *int
	MonthOfYear *int
	EndType     string
	EndDate     *field.Date
	Count       *int
}

// Reminder is a time before an event at which to remind of it.
type Reminder struct {
	MinutesBefore int
	Type          string
}

// Attachment is a file of an event.
type Attachment struct {
	Filename     string
	Size         int // bytes
	MimeType     string
	URL, Data    *string
	AttachmentID string
}

// Decode reads a payload. An event to be created gets its id here.
func Decode(data *ordered.Map, m modality.Moment) (modality.Input, []field.Error) {
	r := field.Read(data)
	in := &Input{
		Head:      modality.ReadHead(r, name, m),
		Operation: field.Need(r, "operation", field.OneOf(opCreate, opUpdate, opDelete, opRespond)),
		EventID:   field.Maybe(r, "event_id", field.String),
	}
	in.readTitle(r)
	in.readRest(r, m)
	in.AttendeeEmail = field.Maybe(r, "attendee_email", field.String)
	in.Response = field.Maybe(r, "response", response)
	in.ResponseComment = field.Maybe(r, "response_comment", field.String)
	in.name(m)
	return in, r.Errors()
}

// name gives an event to be created its id.
func (in *Input) name(m modality.Moment) {
	if in.Operation == opCreate && in.EventID == nil {
		id := m.NewID()
		in.EventID = &id
	}
}

// readTitle reads title and times, none of which need be there.
func (in *Input) readTitle(r *field.Reader) {
	in.Title = field.Maybe(r, "title", field.String)
	in.Start = field.Maybe(r, "start", field.When)
	in.End = field.Maybe(r, "end", field.When)
}

// readRest reads the other fields that payloads share with the bodies of endpoints.
func (in *Input) readRest(r *field.Reader, m modality.Moment) {
	in.CalendarID = field.Or(r, "calendar_id", field.String, primary)
	in.Scope = field.Or(r, "recurrence_scope", scope, scopeThis)
	in.Description = field.Maybe(r, "description", field.String)
	in.AllDay = field.MaybeOr(r, "all_day", field.Bool, false)
	in.Timezone = field.MaybeOr(r, "timezone", field.String, utc)
	in.Location = field.Maybe(r, "location", field.String)
	in.Status = field.MaybeOr(r, "status", status, confirmed)
	in.Organizer = field.Maybe(r, "organizer", field.String)
	in.Attendees = field.MaybeOr(r, "attendees", field.List(field.Model(readAttendee), 0), nil)
	in.Recurrence = field.MaybeOr(r, "recurrence", field.Model(readRecurrence), nil)
	in.Exceptions = field.MaybeOr(r, "recurrence_exceptions", field.List(field.String, 0), nil)
	in.RecurrenceID = field.Maybe(r, "recurrence_id", field.String)
	in.Reminders = field.MaybeOr(r, "reminders", field.List(field.Model(readReminder), 0), nil)
	in.Color = field.Maybe(r, "color", field.String)
	in.Visibility = field.MaybeOr(r, "visibility", visibility, defaultWord)
	in.Transparency = field.MaybeOr(r, "transparency", transparency, opaque)
	attachment := field.Model(func(r *field.Reader) Attachment { return readAttachment(r, m) })
	in.Attachments = field.MaybeOr(r, "attachments", field.List(attachment, 0), nil)
	in.ConferenceLink = field.Maybe(r, "conference_link", field.String)
}

func scope(v any, at *field.Place) string {
	return field.OneOf(scopeThis, scopeFuture, scopeAll)(v, at)
}

func status(v any, at *field.Place) string {
	return field.OneOf(confirmed, "tentative", "cancelled")(v, at)
}

func visibility(v any, at *field.Place) string {
	return field.OneOf("public", "private", defaultWord)(v, at)
}

func transparency(v any, at *field.Place) string { return field.OneOf(opaque, "transparent")(v, at) }

func response(v any, at *field.Place) string {
	return field.OneOf("accepted", "declined", "tentative", needsAction)(v, at)
}

func attendeeAddress(v any, at *field.Place) string {
	s := field.String(v, at)
	if _, ok := v.(string); ok && !looksLikeAddress(s) {
		at.Refuse("Invalid email format: "+s, v)
	}
	return s
}

// looksLikeAddress tells whether a text has an @ and a dot somewhere after it.
func looksLikeAddress(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at >= 0 && strings.IndexByte(s[at:], '.') > 0
}

func readAttendee(r *field.Reader) Attendee {
	return Attendee{
		Email:       strings.ToLower(field.Need(r, "email", attendeeAddress)),
		DisplayName: field.Maybe(r, "display_name", field.String),
		Optional:    field.Or(r, "optional", field.Bool, false),
		Response:    field.Or(r, "response", response, needsAction),
		Comment:     field.Maybe(r, "comment", field.String),
	}
}

func readReminder(r *field.Reader) Reminder {
	return Reminder{
		MinutesBefore: field.Need(r, "minutes_before", field.AtLeast(field.Int, 0)),
		Type:          field.Or(r, "type", field.OneOf(notification, "email", "both"), notification),
	}
}

func readAttachment(r *field.Reader, m modality.Moment) Attachment {
	a := Attachment{
		Filename:     field.Need(r, "filename", field.String),
		Size:         field.Need(r, "size", field.AtLeast(field.Int, 0)),
		MimeType:     field.Need(r, "mime_type", field.String),
		URL:          field.Maybe(r, "url", field.String),
		Data:         field.Maybe(r, "data", field.String),
		AttachmentID: field.MaybeOr(r, "attachment_id", field.String, ""),
	}
	if a.AttachmentID == "" {
		a.AttachmentID = m.NewID()
	}
	return a
}

// AppendJSON writes the payload.
func (in *Input) AppendJSON(dst []byte) []byte {
	o := in.Open(dst, name)
	o.String("operation", in.Operation)
	modality.AppendNullable(&o, "event_id", in.EventID)
	o.String("calendar_id", in.CalendarID)
	o.String("recurrence_scope", in.Scope)
	modality.AppendNullable(&o, "title", in.Title)
	modality.AppendNullable(&o, "description", in.Description)
	modality.AppendNullableTime(&o, "start", in.Start)
	modality.AppendNullableTime(&o, "end", in.End)
	o.Bool("all_day", in.AllDay)
	o.String("timezone", in.Timezone)
	modality.AppendNullable(&o, "location", in.Location)
	o.String("status", in.Status)
	modality.AppendNullable(&o, "organizer", in.Organizer)
	appendNullableArray(&o, "attendees", in.Attendees, appendAttendee)
	o.Member("recurrence", in.Recurrence.appendJSON)
	modality.AppendNullableStrings(&o, "recurrence_exceptions", in.Exceptions)
	modality.AppendNullable(&o, "recurrence_id", in.RecurrenceID)
	appendNullableArray(&o, "reminders", in.Reminders, appendReminder)
	modality.AppendNullable(&o, "color", in.Color)
	o.String("visibility", in.Visibility)
	o.String("transparency", in.Transparency)
	appendNullableArray(&o, "attachments", in.Attachments, appendAttachment)
	modality.AppendNullable(&o, "conference_link", in.ConferenceLink)
	modality.AppendNullable(&o, "attendee_email", in.AttendeeEmail)
	modality.AppendNullable(&o, "response", in.Response)
	modality.AppendNullable(&o, "response_comment", in.ResponseComment)
	return o.Close()
}

func appendNullableArray[T any](o *jsontext.Object, name string, items []T, write func([]byte, T) []byte) {
	if items == nil {
		o.Null(name)
		return
	}
	o.Member(name, func(dst []byte) []byte { return modality.AppendArray(dst, items, write) })
}

func appendAttendee(dst []byte, a Attendee) []byte {
	o := jsontext.Open(dst)
	o.String("email", a.Email)
	modality.AppendNullable(&o, "display_name", a.DisplayName)
	o.Bool("optional", a.Optional)
	o.String("response", a.Response)
	modality.AppendNullable(&o, "comment", a.Comment)
	return o.Close()
}

func appendReminder(dst []byte, r Reminder) []byte {
	o := jsontext.Open(dst)
	o.Int("minutes_before", r.MinutesBefore)
	o.String("type", r.Type)
	return o.Close()
}

func appendAttachment(dst []byte, a Attachment) []byte {
	o := jsontext.Open(dst)
	o.String("filename", a.Filename)
	o.Int("size", a.Size)
	o.String("mime_type", a.MimeType)
	modality.AppendNullable(&o, "url", a.URL)
	modality.AppendNullable(&o, "data", a.Data)
	o.String("attachment_id", a.AttachmentID)
	return o.Close()
}
