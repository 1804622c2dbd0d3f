package calendar

import (
	"context"
	"strings"
	"time"

	"google.golang.org/api/calendar/v3"

	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
)

// busy is an event that takes time.
type busy struct {
	from, to  time.Time
	allDay    bool
	tentative bool
	title     string
	id        string
}

// looked is how much of a calendar is read at once.
const (
	maxEvents = 5000
	maxPages  = 20
	maxSpan   = 400 * 24 * time.Hour
)

// between returns what is on the calendar between two instants and takes time, by when
// it begins. z is where all-day events are meant.
func (w *work) between(ctx context.Context, from, to time.Time, z *time.Location) ([]busy, error) {
	var out []busy
	page := ""
	for range maxPages {
		var list *calendar.Events
		err := w.c.Do(ctx, google.Ask{Repeat: true}, func(ctx context.Context) (err error) {
			list, err = w.c.Calendar.Events.List(w.options.calendar).TimeMin(from.Format(time.RFC3339)).TimeMax(to.Format(time.RFC3339)).
				SingleEvents(true).OrderBy("startTime").MaxResults(1000).PageToken(page).Context(ctx).Do()
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, e := range list.Items {
			if b, ok := taken(e, z); ok {
				out = append(out, b)
			}
		}
		if page = list.NextPageToken; page == "" {
			return out, nil
		}
	}
	return nil, googlecall.Refusef("there are more events than can be looked at (%d): ask for fewer days", maxEvents)
}

// taken reads an event. It reports false for one that takes no time: free, canceled,
// declined by the user, or only a note of where they work or whose birthday it is.
func taken(e *calendar.Event, z *time.Location) (busy, bool) {
	if e == nil || e.Status == "cancelled" || e.Transparency == "transparent" || e.EventType == "workingLocation" || e.EventType == "birthday" {
		return busy{}, false
	}
	b := busy{tentative: e.Status == "tentative", title: brief(e.Summary), id: e.Id}
	for _, a := range e.Attendees {
		if a.Self {
			switch a.ResponseStatus {
			case "declined":
				return busy{}, false
			case "tentative", "needsAction":
				b.tentative = true
			}
		}
	}
	var okFrom, okTo bool
	b.from, b.allDay, okFrom = instant(e.Start, z)
	b.to, _, okTo = instant(e.End, z)
	return b, okFrom && okTo && b.to.After(b.from)
}

// instant reads when an event begins or ends.
func instant(d *calendar.EventDateTime, z *time.Location) (at time.Time, allDay, ok bool) {
	if d == nil {
		return time.Time{}, false, false
	}
	if d.Date != "" {
		t, err := time.Parse("2006-01-02", d.Date)
		return midnight(t, z), true, err == nil
	}
	if t, err := time.Parse(time.RFC3339, d.DateTime); err == nil {
		return t, false, true
	}
	own, err := zone(d.TimeZone)
	if err != nil {
		own = z
	}
	t, err := time.ParseInLocation("2006-01-02T15:04:05", d.DateTime, own)
	return t, false, err == nil
}

// title is the title of an event on one line. Others may have written it.
func title(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r <= 0x9f || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "(no title)"
	}
	return text
}

// brief is a title that is not too long to be told beside others.
func brief(text string) string {
	if text = title(text); len(text) > 120 {
		return strings.ToValidUTF8(text[:120], "") + "…"
	}
	return text
}

// ownZone is the zone of the user: the option's, or the one set in their calendar.
func (w *work) ownZone(ctx context.Context) (*time.Location, error) {
	if w.options.zone != "" {
		return zone(w.options.zone)
	}
	var setting *calendar.Setting
	err := w.c.Do(ctx, google.Ask{Repeat: true}, func(ctx context.Context) (err error) {
		setting, err = w.c.Calendar.Settings.Get("timezone").Context(ctx).Do()
		return err
	})
	if err != nil {
		return nil, err
	}
	z, err := zone(setting.Value)
	if err != nil {
		return nil, googlecall.Refusef("the calendar's own time zone: %s; set `zone` in the spec", err)
	}
	return z, nil
}
