package googletest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/calendar/v3"
)

// rule is how an event comes again. It knows FREQ, INTERVAL, COUNT, UNTIL and, of weeks,
// BYDAY with days of the week.
type rule struct {
	freq     string
	interval int
	count    int       // 0: without end
	until    time.Time // zero: without end
	days     []string  // MO, TU, …
	except   []string  // EXDATE, as 20060102T150405Z or 20060102
}

var weekdays = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// ruleOf reads the recurrence of an event that begins at an instant.
func ruleOf(lines []string, first time.Time) rule {
	r := rule{interval: 1}
	for _, line := range lines {
		head, value, _ := strings.Cut(line, ":")
		switch name, _, _ := strings.Cut(head, ";"); strings.ToUpper(name) {
		case "RRULE":
			r.read(value, first.Location())
		case "EXDATE":
			zone := first.Location()
			if _, name, ok := strings.Cut(head, "TZID="); ok {
				if z, err := time.LoadLocation(name); err == nil {
					zone = z
				}
			}
			for text := range strings.SplitSeq(value, ",") {
				r.except = append(r.except, instanceName(stamp(text, zone), len(text) == 8))
			}
		}
	}
	if len(r.days) == 0 {
		r.days = []string{weekdays[first.Weekday()]}
	}
	return r
}

func (r *rule) read(text string, zone *time.Location) {
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(part, "=")
		switch strings.ToUpper(name) {
		case "FREQ":
			r.freq = strings.ToUpper(value)
		case "INTERVAL":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				r.interval = n
			}
		case "COUNT":
			r.count, _ = strconv.Atoi(value)
		case "UNTIL":
			r.until = stamp(value, zone)
			if len(value) == 8 {
				r.until = r.until.AddDate(0, 0, 1).Add(-time.Second)
			}
		case "BYDAY":
			r.days = strings.Split(strings.ToUpper(value), ",")
		}
	}
}

// stamp reads 20060102, 20060102T150405 and 20060102T150405Z.
func stamp(text string, zone *time.Location) time.Time {
	if utc, ok := strings.CutSuffix(text, "Z"); ok {
		t, _ := time.Parse("20060102T150405", utc)
		return t
	}
	t, err := time.ParseInLocation("20060102T150405", text, zone)
	if err != nil {
		t, _ = time.ParseInLocation("20060102", text, zone)
	}
	return t
}

// on reports whether an event that began on a day comes again on another one.
func (r *rule) on(first, day time.Time) bool {
	switch r.freq {
	case "DAILY":
		return daysBetween(first, day)%r.interval == 0
	case "WEEKLY":
		monday := first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
		return daysBetween(monday, day)/7%r.interval == 0 && slices.Contains(r.days, weekdays[day.Weekday()])
	case "MONTHLY":
		months := (day.Year()-first.Year())*12 + int(day.Month()-first.Month())
		return day.Day() == first.Day() && months%r.interval == 0
	case "YEARLY":
		return day.Day() == first.Day() && day.Month() == first.Month() && (day.Year()-first.Year())%r.interval == 0
	}
	return daysBetween(first, day) == 0
}

func daysBetween(a, b time.Time) int {
	utc := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(utc(b).Sub(utc(a)) / (24 * time.Hour))
}

func instanceName(at time.Time, allDay bool) string {
	if allDay {
		return at.Format("20060102")
	}
	return at.UTC().Format("20060102T150405Z")
}

// instances returns the events that a recurring one stands for, up to an instant, at its
// own time of day in its own zone. Those that were changed or deleted are events of their
// own and not among them.
func (c *almanac) instances(e *calendar.Event, to time.Time) []*calendar.Event {
	begin, end := c.span(e)
	zone := c.location()
	if z, err := time.LoadLocation(e.Start.TimeZone); err == nil && e.Start.TimeZone != "" {
		zone = z
	}
	first := begin.In(zone)
	r := ruleOf(e.Recurrence, first)
	var out []*calendar.Event
	for n, day := 0, 0; day < 3660 && (r.count == 0 || n < r.count); day++ {
		at := time.Date(first.Year(), first.Month(), first.Day()+day, first.Hour(), first.Minute(), first.Second(), 0, zone)
		if !at.Before(to) || !r.until.IsZero() && at.After(r.until) {
			break
		}
		if !r.on(first, at) {
			continue
		}
		n++
		name := instanceName(at, e.Start.Date != "")
		if id := e.Id + "_" + name; c.events[id] == nil && !slices.Contains(r.except, name) {
			out = append(out, instance(e, id, at, end.Sub(begin)))
		}
	}
	return out
}

func instance(e *calendar.Event, id string, at time.Time, lasts time.Duration) *calendar.Event {
	out := copied(e)
	out.Id, out.RecurringEventId, out.Recurrence = id, e.Id, nil
	if e.Start.Date != "" {
		days := int((lasts + 12*time.Hour) / (24 * time.Hour))
		out.Start = &calendar.EventDateTime{Date: at.Format("2006-01-02")}
		out.End = &calendar.EventDateTime{Date: at.AddDate(0, 0, days).Format("2006-01-02")}
	} else {
		out.Start = &calendar.EventDateTime{DateTime: at.Format(time.RFC3339), TimeZone: e.Start.TimeZone}
		out.End = &calendar.EventDateTime{DateTime: at.Add(lasts).Format(time.RFC3339), TimeZone: e.End.TimeZone}
	}
	out.OriginalStartTime = out.Start
	return out
}

// find returns an event, or the instance of a recurring one, nil when there is none.
func (c *almanac) find(id string) *calendar.Event {
	if e := c.events[id]; e != nil {
		return e
	}
	base, name, ok := strings.Cut(id, "_")
	if master := c.events[base]; ok && master != nil && len(master.Recurrence) > 0 && master.Status != "cancelled" {
		for _, e := range c.instances(master, stamp(name, time.UTC).AddDate(0, 0, 2)) {
			if e.Id == id {
				return e
			}
		}
	}
	return nil
}
