package ues

import (
	"context"
	"encoding/json"
)

// CalendarAPI is the calendar.
type CalendarAPI struct{ c *Client }

// CalendarEvent is one entry of a calendar.
type CalendarEvent struct {
	EventID              string            `json:"event_id"`
	CalendarID           string            `json:"calendar_id"`
	Title                string            `json:"title"`
	Start                Time              `json:"start"`
	End                  Time              `json:"end"`
	AllDay               bool              `json:"all_day"`
	Timezone             string            `json:"timezone"` // a label: Start and End are instants
	Description          *string           `json:"description"`
	Location             *string           `json:"location"`
	Status               string            `json:"status"` // confirmed, tentative or cancelled
	Organizer            *string           `json:"organizer"`
	Attendees            []Attendee        `json:"attendees"`
	Recurrence           *Recurrence       `json:"recurrence"`
	RecurrenceExceptions []string          `json:"recurrence_exceptions"`
	RecurrenceID         *string           `json:"recurrence_id"`
	ParentEventID        *string           `json:"parent_event_id"`
	Reminders            []json.RawMessage `json:"reminders"`
	Color                *string           `json:"color"`
	Visibility           string            `json:"visibility"`
	Transparency         string            `json:"transparency"`
	Attachments          []json.RawMessage `json:"attachments"`
	ConferenceLink       *string           `json:"conference_link"`
	CreatedAt            Time              `json:"created_at"`
	UpdatedAt            Time              `json:"updated_at"`
	DeletedAt            *Time             `json:"deleted_at"`
}

// Attendee is somebody who is invited.
type Attendee struct {
	Email       string  `json:"email"`
	DisplayName *string `json:"display_name"`
	Optional    bool    `json:"optional"`
	Response    string  `json:"response,omitempty"` // accepted, declined, tentative or needs-action
	Comment     *string `json:"comment"`
}

// Recurrence says how an entry repeats.
type Recurrence struct {
	Frequency   string   `json:"frequency"` // daily, weekly, monthly or yearly
	Interval    int      `json:"interval,omitempty"`
	DaysOfWeek  []string `json:"days_of_week"`
	DayOfMonth  *int     `json:"day_of_month"`
	MonthOfYear *int     `json:"month_of_year"`
	EndType     string   `json:"end_type,omitempty"` // never, until or count
	EndDate     *string  `json:"end_date"`           // 2026-12-31
	Count       *int     `json:"count"`
}

// CalendarInfo is one calendar. The ids have no order.
type CalendarInfo struct {
	CalendarID       string            `json:"calendar_id"`
	Name             string            `json:"name"`
	Color            string            `json:"color"`
	Visible          bool              `json:"visible"`
	CreatedAt        Time              `json:"created_at"`
	UpdatedAt        Time              `json:"updated_at"`
	EventIDs         []string          `json:"event_ids,omitempty"`
	EventCount       int               `json:"event_count,omitempty"`
	DefaultReminders []json.RawMessage `json:"default_reminders,omitempty"`
}

// CalendarState is all calendars.
type CalendarState struct {
	ModalityType      string                   `json:"modality_type"`
	LastUpdated       Time                     `json:"last_updated"`
	UpdateCount       int                      `json:"update_count"`
	DefaultCalendarID string                   `json:"default_calendar_id"`
	UserTimezone      string                   `json:"user_timezone"`
	Calendars         map[string]CalendarInfo  `json:"calendars"`
	Events            map[string]CalendarEvent `json:"events"`
	CalendarCount     int                      `json:"calendar_count"`
	EventCount        int                      `json:"event_count"`
}

// State gives all calendars. Permission calendar:state.
func (c CalendarAPI) State(ctx context.Context) (CalendarState, error) {
	return get[CalendarState](ctx, c.c, "/calendar/state", nil)
}

// Compact gives the calendars without the entries. Permission calendar:state.
func (c CalendarAPI) Compact(ctx context.Context) (json.RawMessage, error) {
	return compact(ctx, c.c, "/calendar/state")
}

// CalendarQuery chooses entries; nil and empty fields choose all. Start and End choose
// what lies between them, in part at least.
type CalendarQuery struct {
	CalendarIDs     []string `json:"calendar_ids,omitempty"`
	Start           *Time    `json:"start,omitempty"`
	End             *Time    `json:"end,omitempty"`
	Search          string   `json:"search,omitempty"`
	Status          string   `json:"status,omitempty"`
	HasAttendees    *bool    `json:"has_attendees,omitempty"`
	Recurring       *bool    `json:"recurring,omitempty"`
	ExpandRecurring bool     `json:"expand_recurring,omitempty"` // needs Start and End
	Limit           int      `json:"limit,omitempty"`
	Offset          int      `json:"offset,omitempty"`
	SortBy          string   `json:"sort_by,omitempty"` // start, end or status
	SortOrder       string   `json:"sort_order,omitempty"`
}

// CalendarPage is the entries that a query chose.
type CalendarPage struct {
	ModalityType string          `json:"modality_type"`
	Events       []CalendarEvent `json:"events"`
	Count        int             `json:"count"`
	TotalCount   int             `json:"total_count"` // before paging
}

// Query gives entries, by their start. Permission calendar:query.
func (c CalendarAPI) Query(ctx context.Context, q CalendarQuery) (CalendarPage, error) {
	return post[CalendarPage](ctx, c.c, "/calendar/query", q)
}

// EventChange makes or changes an entry; nil fields stay as they are, or are the
// server's defaults. A change without Status, Visibility and Transparency sets these
// three to their defaults.
type EventChange struct {
	EventID         string            `json:"event_id,omitempty"` // of the entry to change
	CalendarID      string            `json:"calendar_id,omitempty"`
	RecurrenceScope string            `json:"recurrence_scope,omitempty"` // this, this_and_future or all
	RecurrenceID    string            `json:"recurrence_id,omitempty"`
	Title           *string           `json:"title,omitempty"`
	Start           *Time             `json:"start,omitempty"`
	End             *Time             `json:"end,omitempty"`
	AllDay          *bool             `json:"all_day,omitempty"`
	Timezone        *string           `json:"timezone,omitempty"`
	Description     *string           `json:"description,omitempty"`
	Location        *string           `json:"location,omitempty"`
	Status          *string           `json:"status,omitempty"`
	Organizer       *string           `json:"organizer,omitempty"`
	Attendees       []Attendee        `json:"attendees,omitempty"`
	Recurrence      *Recurrence       `json:"recurrence,omitempty"`
	Reminders       []json.RawMessage `json:"reminders,omitempty"`
	Color           *string           `json:"color,omitempty"`
	Visibility      *string           `json:"visibility,omitempty"`
	Transparency    *string           `json:"transparency,omitempty"`
	ConferenceLink  *string           `json:"conference_link,omitempty"`
}

// Create makes an entry: Title, Start and End are required. Its id is in the message of
// the answer and in the event's data. Permission calendar:create.
func (c CalendarAPI) Create(ctx context.Context, e EventChange) (Action, error) {
	return c.c.Act(ctx, "/calendar/create", e)
}

// Update changes an entry. Permission calendar:update.
func (c CalendarAPI) Update(ctx context.Context, e EventChange) (Action, error) {
	return c.c.Act(ctx, "/calendar/update", e)
}

// Delete removes an entry, or with a scope occurrences of it. Permission calendar:delete.
func (c CalendarAPI) Delete(ctx context.Context, e EventChange) (Action, error) {
	return c.c.Act(ctx, "/calendar/delete", e)
}

// RSVP is somebody's answer to an invitation.
type RSVP struct {
	EventID       string  `json:"event_id"`
	AttendeeEmail string  `json:"attendee_email"`
	Response      string  `json:"response"` // accepted, declined, tentative or needs-action
	Comment       *string `json:"comment,omitempty"`
}

// Respond answers an invitation. Permission calendar:respond.
func (c CalendarAPI) Respond(ctx context.Context, r RSVP) (Action, error) {
	return c.c.Act(ctx, "/calendar/respond", r)
}

// CalendarList is the calendars.
type CalendarList struct {
	Calendars         []CalendarInfo `json:"calendars"`
	Count             int            `json:"count"`
	DefaultCalendarID string         `json:"default_calendar_id"`
}

// Calendars lists the calendars. Permission calendar:calendars:list.
func (c CalendarAPI) Calendars(ctx context.Context) (CalendarList, error) {
	return get[CalendarList](ctx, c.c, "/calendar/calendars", nil)
}

// CalendarChange makes or changes a calendar; nil fields stay.
type CalendarChange struct {
	CalendarID string  `json:"calendar_id"`
	Name       *string `json:"name,omitempty"`
	Color      *string `json:"color,omitempty"`
	Visible    *bool   `json:"visible,omitempty"`
}

// CalendarChanged is what became of a change to a calendar.
type CalendarChanged struct {
	Status   string        `json:"status"`
	Message  string        `json:"message"`
	Calendar *CalendarInfo `json:"calendar"`
}

// CreateCalendar makes a calendar: Name is required. Permission calendar:calendars:create.
func (c CalendarAPI) CreateCalendar(ctx context.Context, r CalendarChange) (CalendarChanged, error) {
	return post[CalendarChanged](ctx, c.c, "/calendar/calendars/create", r)
}

// UpdateCalendar changes a calendar. Permission calendar:calendars:update.
func (c CalendarAPI) UpdateCalendar(ctx context.Context, r CalendarChange) (CalendarChanged, error) {
	return post[CalendarChanged](ctx, c.c, "/calendar/calendars/update", r)
}

// DeleteCalendar removes a calendar with its entries. Permission calendar:calendars:delete.
func (c CalendarAPI) DeleteCalendar(ctx context.Context, id string) (CalendarChanged, error) {
	return post[CalendarChanged](ctx, c.c, "/calendar/calendars/delete", CalendarChange{CalendarID: id})
}

// SetDefaultCalendar chooses the calendar of new entries. Permission calendar:calendars:default.
func (c CalendarAPI) SetDefaultCalendar(ctx context.Context, id string) (CalendarChanged, error) {
	return post[CalendarChanged](ctx, c.c, "/calendar/calendars/set-default", CalendarChange{CalendarID: id})
}
