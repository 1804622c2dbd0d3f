package calendar

import (
	"context"
	"slices"
	"time"

	"github.com/weft-engine/weft/nodes/internal/googlecall"
)

// maxDays is how many days one call looks at.
const maxDays = 62

// availability tells what is on the calendar on some days, and when there is time
// within the working hours.
func availability(ctx context.Context, w *work) (any, error) {
	days, err := readDays(w.r.Args.List("dates"))
	if err != nil {
		return nil, googlecall.Refusef("%s", err)
	}
	z, err := w.ownZone(ctx)
	if err != nil {
		return nil, err
	}
	if name := w.r.Args.Text("timezone"); name != "" {
		if z, err = zone(name); err != nil {
			return nil, googlecall.Refusef("%s", err)
		}
	}
	events, err := w.on(ctx, days, z)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(days))
	for i, d := range days {
		out[i] = w.options.day(midnight(d, z), events, w.c.Now())
	}
	return map[string]any{"zone": z.String(), "days": out}, nil
}

func readDays(texts []string) ([]time.Time, error) {
	var out []time.Time
	for _, text := range texts {
		d, err := readDate(text)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	slices.SortFunc(out, time.Time.Compare)
	out = slices.CompactFunc(out, time.Time.Equal)
	switch {
	case len(out) == 0:
		return nil, googlecall.Refusef("no days are named")
	case len(out) > maxDays:
		return nil, googlecall.Refusef("%d days at once; at most %d are looked at", len(out), maxDays)
	}
	return out, nil
}

// midnight is when a day begins in a zone: at one, where clocks skip the hour before.
func midnight(d time.Time, z *time.Location) time.Time { return wall(d, 0, z) }

// wall is when clocks in a zone show so many minutes after midnight of a day for the
// first time. A time that they skip is when they go on.
func wall(d time.Time, minutes int, z *time.Location) time.Time {
	want := time.Date(d.Year(), d.Month(), d.Day(), 0, minutes, 0, 0, time.UTC)
	t := time.Date(d.Year(), d.Month(), d.Day(), 0, minutes, 0, 0, z)
	begin, end := t.ZoneBounds()
	_, offset := t.Zone()
	switch shown := t.Add(time.Duration(offset) * time.Second); {
	case shown.Before(want):
		return end // the zone's rules change then
	case shown.After(want):
		return begin
	}
	if !begin.IsZero() { // they may have shown it before the last change, too
		_, offset = begin.Add(-time.Second).Zone()
		if early := want.Add(-time.Duration(offset) * time.Second); early.Before(begin) {
			return early.In(z)
		}
	}
	return t
}

// on returns what takes time on some days. Days that are near each other are asked for
// at once.
func (w *work) on(ctx context.Context, days []time.Time, z *time.Location) ([]busy, error) {
	var out []busy
	for len(days) > 0 {
		n := 1
		for n < len(days) && days[n].Sub(days[n-1]) <= 7*24*time.Hour {
			n++
		}
		from, to := midnight(days[0], z), midnight(days[n-1].AddDate(0, 0, 1), z)
		// A meeting before midnight, with time to spare after it, takes from the day.
		some, err := w.between(ctx, from.Add(-w.options.buffer), to.Add(w.options.buffer), z)
		if err != nil {
			return nil, err
		}
		out, days = append(out, some...), days[n:]
	}
	return out, nil
}

// span is a stretch of time.
type span struct{ from, to time.Time }

// day tells of one day.
func (o *options) day(from time.Time, events []busy, now time.Time) map[string]any {
	to := wall(from, 24*60, from.Location())
	shown, free := []any{}, o.working(from)
	hours := []any{}
	for _, h := range o.hours[from.Weekday()] {
		hours = append(hours, h.String())
	}
	for _, b := range events {
		if b.to.After(from) && b.from.Before(to) {
			shown = append(shown, o.show(b, from, to))
		}
		free = without(free, span{b.from.Add(-o.buffer), b.to.Add(o.buffer)})
	}
	past := len(free) > 0 && !to.After(now)
	free = without(free, span{time.Time{}, quarter(now, from.Location())})
	slots := []any{}
	for _, s := range free {
		if s.to.Sub(s.from) >= max(o.slot, time.Minute) {
			slots = append(slots, s.from.Format("15:04")+"-"+until(s.to, to))
		}
	}
	out := map[string]any{"date": from.Format("2006-01-02"), "weekday": from.Weekday().String(), "hours": hours, "busy": shown, "free": slots}
	switch {
	case past:
		out["note"] = "This day is over."
	case len(hours) == 0:
		out["note"] = "No working hours."
	case len(slots) == 0:
		out["note"] = "No time is free."
	}
	return out
}

// quarter is the next quarter of an hour: nobody meets at 10:07.
func quarter(now time.Time, z *time.Location) time.Time {
	now = now.In(z)
	t := now.Truncate(15 * time.Minute)
	if t.Before(now) {
		t = t.Add(15 * time.Minute)
	}
	return t
}

func until(t, endOfDay time.Time) string {
	if t.Equal(endOfDay) {
		return "24:00"
	}
	return t.Format("15:04")
}

// working is the working hours of a day.
func (o *options) working(day time.Time) []span {
	var out []span
	for _, h := range o.hours[day.Weekday()] {
		s := span{wall(day, h.from, day.Location()), wall(day, h.to, day.Location())}
		if s.to.After(s.from) {
			out = append(out, s)
		}
	}
	return out
}

// show writes an event as it is seen on a day.
func (o *options) show(b busy, from, to time.Time) string {
	text := "all day"
	if !b.allDay {
		begin, end := b.from.In(from.Location()), b.to.In(from.Location())
		first, last := begin.Format("15:04"), until(end, to)
		if begin.Before(from) {
			first = "00:00"
		}
		if end.After(to) {
			last = "24:00"
		}
		text = first + "-" + last
	}
	if o.titles {
		text += " " + b.title
	} else {
		text += " busy"
	}
	if b.tentative {
		text += " (not confirmed)"
	}
	return text
}

// without takes a stretch out of others.
func without(list []span, taken span) []span {
	var out []span
	for _, s := range list {
		if !taken.to.After(s.from) || !taken.from.Before(s.to) {
			out = append(out, s)
			continue
		}
		if taken.from.After(s.from) {
			out = append(out, span{s.from, taken.from})
		}
		if taken.to.Before(s.to) {
			out = append(out, span{taken.to, s.to})
		}
	}
	return out
}
