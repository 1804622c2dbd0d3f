package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weft-engine/weft/nodes/ues"
)

// maxDays bounds an agenda.
const maxDays = 366

// agenda tells what is on some days, in the user's time: {dates: [2026-03-09, …],
// timezone}. The result is {timezone, days: [{date, weekday, events: [{id, title, start,
// end, all_day, location, attendees, status}]}]}, with times such as 14:00.
func agenda(ctx context.Context, c *ues.Client, body fields) (any, error) {
	state, err := c.Calendar().State(ctx)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(text(body, "timezone"), state.UserTimezone, "UTC")
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%.60q is no time zone: use one such as Europe/Berlin", name)
	}
	listed(body, "dates")
	dates, _ := body["dates"].([]any)
	if len(dates) == 0 || len(dates) > maxDays {
		return nil, errors.New("an agenda needs 1 to 366 dates such as 2026-03-09")
	}
	days := make([]any, len(dates))
	for i, d := range dates {
		day, err := time.ParseInLocation(time.DateOnly, fmt.Sprint(d), zone)
		if err != nil {
			return nil, fmt.Errorf("%.60q is no date such as 2026-03-09", fmt.Sprint(d))
		}
		if days[i], err = oneDay(ctx, c, day); err != nil {
			return nil, err
		}
	}
	return fields{"timezone": name, "days": days}, nil
}

// oneDay tells what is on a day that begins at an instant.
func oneDay(ctx context.Context, c *ues.Client, day time.Time) (any, error) {
	end := day.AddDate(0, 0, 1)
	page, err := c.Calendar().Query(ctx, ues.CalendarQuery{Start: ues.Ptr(day), End: ues.Ptr(end), ExpandRecurring: true})
	if err != nil {
		return nil, err
	}
	events := []any{}
	slices.SortStableFunc(page.Events, func(a, b ues.CalendarEvent) int { return a.Start.Compare(b.Start.Time) })
	for i := range page.Events {
		e := &page.Events[i]
		if e.Status == "cancelled" || !e.Start.Before(end) || !e.End.After(day) {
			continue
		}
		events = append(events, entry(e, day, end))
	}
	return fields{"date": day.Format(time.DateOnly), "weekday": day.Weekday().String(), "events": events}, nil
}

// entry is an event as it lies on a day: what begins before or ends after has no time.
func entry(e *ues.CalendarEvent, day, end time.Time) any {
	out := fields{"id": e.EventID, "title": e.Title, "start": "00:00", "end": "24:00", "all_day": e.AllDay, "status": e.Status}
	if e.Start.After(day) {
		out["start"] = e.Start.In(day.Location()).Format("15:04")
	}
	if e.End.Before(end) {
		out["end"] = e.End.In(day.Location()).Format("15:04")
	}
	if e.Location != nil {
		out["location"] = *e.Location
	}
	if len(e.Attendees) > 0 {
		var who []any
		for _, a := range e.Attendees {
			who = append(who, a.Email)
		}
		out["attendees"] = who
	}
	return out
}
