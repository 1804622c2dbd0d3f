package calendar

import (
	"context"
	"net/http"
	"strings"
	"time"

	"google.golang.org/api/calendar/v3"

	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
	"github.com/weft-engine/weft/nodes/internal/mail"
)

// Bounds of a meeting.
const (
	maxMeeting   = 31 * 24 * time.Hour
	maxAttendees = 100
	maxText      = 8000
	maxTitle     = 1024
)

// meeting is what the arguments say.
type meeting struct {
	title, description, location string
	from, to                     time.Time
	zone                         *time.Location
	attendees                    []string
}

// readTimes reads when a meeting is.
func readTimes(a googlecall.Arguments) (*meeting, error) {
	z, err := zone(a.Text("timezone"))
	if err != nil {
		return nil, err
	}
	m := &meeting{zone: z}
	if m.from, err = localTime("start", a.Text("start"), z); err != nil {
		return m, err
	}
	if m.to, err = localTime("end", a.Text("end"), z); err != nil {
		return m, err
	}
	switch d := m.to.Sub(m.from); {
	case d <= 0:
		return m, googlecall.Refusef("the meeting ends at %s, which is not after its start at %s", a.Text("end"), a.Text("start"))
	case d > maxMeeting:
		return m, googlecall.Refusef("the meeting takes more than %d days", int(maxMeeting/(24*time.Hour)))
	}
	return m, nil
}

// readMeeting reads a meeting.
func readMeeting(a googlecall.Arguments) (*meeting, error) {
	m, err := readTimes(a)
	if err != nil {
		return m, err
	}
	m.title, m.description, m.location = title(a.Text("title")), a.Text("description"), a.Text("location")
	switch {
	case len(m.title) > maxTitle:
		return m, googlecall.Refusef("the title is longer than %d letters", maxTitle)
	case len(m.description) > maxText || len(m.location) > maxText:
		return m, googlecall.Refusef("the description or the place is longer than %d letters", maxText)
	}
	seen := map[string]bool{}
	for _, text := range a.List("attendees") {
		address, err := mail.Address(text)
		if err != nil {
			return m, err
		}
		if key := strings.ToLower(address); !seen[key] {
			seen[key] = true
			m.attendees = append(m.attendees, address)
		}
	}
	if len(m.attendees) > maxAttendees {
		return m, googlecall.Refusef("%d people are invited; at most %d are", len(m.attendees), maxAttendees)
	}
	return m, nil
}

// schedule puts a meeting into the calendar and has Google invite the others.
func schedule(ctx context.Context, w *work) (any, error) {
	m, err := readMeeting(w.r.Args)
	if err != nil {
		return nil, googlecall.Refusef("%s", err)
	}
	if m.to.Before(w.c.Now()) {
		return nil, googlecall.Refusef("the meeting would be over already: it ends on %s", m.to.Format("Monday, 2 January 2006 at 15:04"))
	}
	for _, a := range m.attendees {
		if !w.MayReach(a) {
			return nil, googlecall.Refusef("invitations may not go to %s: the spec lists whom they may go to under `recipients`. Nobody was invited", a)
		}
	}
	event := &calendar.Event{
		Id: w.eventID(), Summary: m.title, Description: m.description, Location: m.location, Start: w.when(m.from, m.zone), End: w.when(m.to, m.zone),
		Reminders: &calendar.EventReminders{UseDefault: true},
	}
	for _, a := range m.attendees {
		if !strings.EqualFold(a, w.c.Account) {
			event.Attendees = append(event.Attendees, &calendar.EventAttendee{Email: a})
		}
	}
	// The id makes a repeat harmless: Google knows the meeting and says so.
	var made *calendar.Event
	err = w.c.Do(ctx, google.Ask{Repeat: true}, func(ctx context.Context) (err error) {
		made, err = w.c.Calendar.Events.Insert(w.options.calendar, event).SendUpdates(w.options.notify).Context(ctx).Do()
		return err
	})
	switch {
	case google.Code(err) == http.StatusConflict:
		return scheduled(ctx, w)
	case err != nil:
		return nil, err
	}
	return told("scheduled", made), nil
}

// eventID is the id of the meeting that the call plans.
func (w *work) eventID() string { return mail.Identity(w.key) }

func (w *work) when(t time.Time, z *time.Location) *calendar.EventDateTime {
	return &calendar.EventDateTime{DateTime: t.Format(time.RFC3339), TimeZone: z.String()}
}

// scheduled finds the meeting that a call planned.
func scheduled(ctx context.Context, w *work) (any, error) {
	e, err := w.get(ctx, w.eventID())
	switch code := google.Code(err); {
	case code == http.StatusNotFound:
		return nil, errNotDone
	case err != nil:
		return nil, err
	}
	out := told("scheduled", e)
	if e.Status == "cancelled" {
		out["note"] = "It was canceled since."
	}
	return out, nil
}

func (w *work) get(ctx context.Context, id string) (e *calendar.Event, err error) {
	err = w.c.Do(ctx, google.Ask{Repeat: true}, func(ctx context.Context) (err error) {
		e, err = w.c.Calendar.Events.Get(w.options.calendar, id).Context(ctx).Do()
		return err
	})
	return e, err
}

// told is a meeting as the result of a call.
func told(status string, e *calendar.Event) map[string]any {
	people := []any{}
	for _, a := range e.Attendees {
		people = append(people, a.Email)
	}
	out := map[string]any{"status": status, "id": e.Id, "title": e.Summary, "attendees": people, "link": e.HtmlLink}
	for name, d := range map[string]*calendar.EventDateTime{"start": e.Start, "end": e.End} {
		if d != nil {
			out[name] = d.DateTime
			if d.Date != "" {
				out[name] = d.Date
			}
		}
	}
	return out
}

// meetingID reads the id of a meeting.
func (w *work) meetingID() (string, error) {
	id := w.r.Args.Text("id")
	if len(id) > 1024 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return "", googlecall.Refusef("%q is no id of a meeting", googlecall.Clip(id))
	}
	return id, nil
}

// existing reads a meeting that is to be changed.
func (w *work) existing(ctx context.Context) (*calendar.Event, error) {
	id, err := w.meetingID()
	if err != nil {
		return nil, err
	}
	e, err := w.get(ctx, id)
	if google.Code(err) == http.StatusNotFound || google.Code(err) == http.StatusBadRequest {
		return nil, googlecall.Refusef("there is no meeting %s in this calendar", id)
	}
	return e, err
}

// reschedule moves a meeting.
func reschedule(ctx context.Context, w *work) (any, error) {
	m, err := readTimes(w.r.Args)
	if err != nil {
		return nil, googlecall.Refusef("%s", err)
	}
	e, err := w.existing(ctx)
	if err != nil {
		return nil, readOnly(err)
	}
	switch {
	case e.Status == "cancelled":
		return nil, googlecall.Refusef("the meeting was canceled")
	case w.moved(e, m):
		return told("rescheduled", e), nil
	case m.to.Before(w.c.Now()):
		return nil, googlecall.Refusef("the meeting would be over already: it ends on %s", m.to.Format("Monday, 2 January 2006 at 15:04"))
	}
	change := &calendar.Event{Start: w.when(m.from, m.zone), End: w.when(m.to, m.zone)}
	change.Start.NullFields, change.End.NullFields = []string{"Date"}, []string{"Date"} // it may have been an all-day event
	for try := 1; ; try++ {
		err = w.c.Do(ctx, google.Ask{}, func(ctx context.Context) (err error) {
			e, err = w.c.Calendar.Events.Patch(w.options.calendar, w.r.Args.Text("id"), change).SendUpdates(w.options.notify).Context(ctx).Do()
			return err
		})
		if err == nil {
			return told("rescheduled", e), nil
		}
		if again, out := w.settled(ctx, try, err, rescheduled); !again {
			return out, failed(out, err)
		}
	}
}

// tries is how often a change is asked for when nobody knows what became of it.
const tries = 3

// settled finds out what became of a change that got no answer. again says that it was
// not made and may be tried once more; out is the result when it was.
func (w *work) settled(ctx context.Context, try int, err error, look func(context.Context, *work) (any, error)) (again bool, out any) {
	if !w.Uncertain(err) || ctx.Err() != nil || try == tries {
		return false, nil
	}
	found, lookErr := look(ctx, w)
	if lookErr == nil {
		return false, found
	}
	return lookErr == errNotDone, nil //nolint:errorlint // it is never wrapped
}

// failed is err, unless there is a result.
func failed(out any, err error) error {
	if out != nil {
		return nil
	}
	return err
}

// readOnly makes an error of a read one after which nothing is in doubt.
func readOnly(err error) error {
	if _, ok := err.(*googlecall.Refusal); ok { //nolint:errorlint // ours is never wrapped
		return err
	}
	return google.Failure("read the meeting", err, true)
}

// moved reports whether a meeting is when it should be.
func (w *work) moved(e *calendar.Event, m *meeting) bool {
	from, _, okFrom := instant(e.Start, m.zone)
	to, _, okTo := instant(e.End, m.zone)
	return okFrom && okTo && from.Equal(m.from) && to.Equal(m.to)
}

// rescheduled finds out whether a meeting was moved.
func rescheduled(ctx context.Context, w *work) (any, error) {
	m, err := readTimes(w.r.Args)
	if err != nil {
		return nil, errNotDone
	}
	e, err := w.existing(ctx)
	if _, gone := err.(*googlecall.Refusal); gone { //nolint:errorlint // ours is never wrapped
		return nil, errNotDone
	}
	if err != nil {
		return nil, err
	}
	if !w.moved(e, m) {
		return nil, errNotDone
	}
	return told("rescheduled", e), nil
}

// cancel takes a meeting off the calendar and has Google tell the others.
func cancel(ctx context.Context, w *work) (any, error) {
	e, err := w.existing(ctx)
	if err != nil {
		return nil, readOnly(err)
	}
	if e.Status == "cancelled" {
		return told("canceled", e), nil
	}
	for try := 1; ; try++ {
		err = w.c.Do(ctx, google.Ask{}, func(ctx context.Context) error {
			return w.c.Calendar.Events.Delete(w.options.calendar, w.r.Args.Text("id")).SendUpdates(w.options.notify).Context(ctx).Do()
		})
		if code := google.Code(err); err == nil || code == http.StatusGone {
			return told("canceled", e), nil
		}
		if again, out := w.settled(ctx, try, err, canceled); !again {
			return out, failed(out, err)
		}
	}
}

// canceled finds out whether a meeting was canceled.
func canceled(ctx context.Context, w *work) (any, error) {
	id, err := w.meetingID()
	if err != nil {
		return nil, err
	}
	e, err := w.get(ctx, id)
	switch code := google.Code(err); {
	case code == http.StatusNotFound || code == http.StatusGone:
		return map[string]any{"status": "canceled", "id": id}, nil
	case err != nil:
		return nil, err
	case e.Status == "cancelled":
		return told("canceled", e), nil
	}
	return nil, errNotDone
}
