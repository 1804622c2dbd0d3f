package calendar

import (
	"slices"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

const (
	daily   = "daily"
	weekly  = "weekly"
	monthly = "monthly"
	yearly  = "yearly"

	endNever = "never"
	endUntil = "until"
	endCount = "count"
)

func readRecurrence(r *field.Reader) *Recurrence {
	return &Recurrence{
		Frequency:   field.Need(r, "frequency", field.OneOf(daily, weekly, monthly, yearly)),
		Interval:    field.Or(r, "interval", field.AtLeast(field.Int, 1), 1),
		DaysOfWeek:  field.MaybeOr(r, "days_of_week", daysOfWeek, nil),
		DayOfMonth:  field.Maybe(r, "day_of_month", field.Between(field.Int, 1, 31)),
		MonthOfYear: field.Maybe(r, "month_of_year", field.Between(field.Int, 1, 12)),
		EndType:     field.Or(r, "end_type", field.OneOf(endNever, endUntil, endCount), endNever),
		EndDate:     field.Maybe(r, "end_date", field.Day),
		Count:       field.Maybe(r, "count", field.AtLeast(field.Int, 1)),
	}
}

func daysOfWeek(v any, at *field.Place) []string {
	day := field.OneOf("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
	days := field.List(day, 0)(v, at)
	if sorted := slices.Sorted(slices.Values(days)); len(slices.Compact(sorted)) < len(days) {
		at.Refuse(duplicateDays, v)
	}
	return days
}

const duplicateDays = "days_of_week cannot contain duplicates"

// appendJSON writes the rule, or null.
func (r *Recurrence) appendJSON(dst []byte) []byte {
	if r == nil {
		return append(dst, "null"...)
	}
	o := jsontext.Open(dst)
	o.String("frequency", r.Frequency)
	o.Int("interval", r.Interval)
	modality.AppendNullableStrings(&o, "days_of_week", r.DaysOfWeek)
	modality.AppendNullableInt(&o, "day_of_month", r.DayOfMonth)
	modality.AppendNullableInt(&o, "month_of_year", r.MonthOfYear)
	o.String("end_type", r.EndType)
	if r.EndDate == nil {
		o.Null("end_date")
	} else {
		o.String("end_date", r.EndDate.String())
	}
	modality.AppendNullableInt(&o, "count", r.Count)
	return o.Close()
}

// check is the consistency of a rule; start is that of the event, if known.
func (r *Recurrence) check(start *field.Time) error {
	switch {
	case r.EndType == endUntil && r.EndDate == nil:
		return modality.Refuse("end_date required when end_type is 'until'")
	case r.EndDate != nil && start != nil && r.EndDate.Compare(field.DateOf(*start)) <= 0:
		return modality.Refuse("recurrence end_date must be after start date")
	case r.EndType == endCount && r.Count == nil:
		return modality.Refuse("count required when end_type is 'count'")
	case r.Frequency == weekly && len(r.DaysOfWeek) == 0:
		return modality.Refuse("days_of_week required for weekly recurrence")
	case r.Frequency == monthly && r.DayOfMonth == nil:
		return modality.Refuse("day_of_month required for monthly recurrence")
	case r.Frequency == yearly && r.MonthOfYear == nil:
		return modality.Refuse("month_of_year required for yearly recurrence")
	case r.Frequency == yearly && r.DayOfMonth == nil:
		return modality.Refuse("day_of_month required for yearly recurrence")
	}
	return nil
}

// occurrences are the copies of a recurring event that lie between two days, at most
// limit of them. As in the original (contract section 6.4) they step on from the first day
// of the range or of the series, whichever is later; the days of the week do not matter;
// a month's day is at most the 28th; a count begins with the range. Unlike there they keep
// the offset of the event's times.
func (e *Event) occurrences(from, to field.Date, limit int) []*Event {
	day := field.DateOf(e.Start)
	if from.Compare(day) > 0 {
		day = from
	}
	rule := e.Recurrence
	last := to
	if rule.EndType == endUntil && rule.EndDate != nil && rule.EndDate.Compare(last) < 0 {
		last = *rule.EndDate
	}
	var list []*Event
	made := 0
	for ; day.Compare(last) <= 0 && len(list) < limit; day = rule.step(day) {
		if rule.EndType == endCount && rule.Count != nil && made >= *rule.Count {
			break
		}
		made++
		if !e.exceptions.has(day.String()) {
			list = append(list, e.on(day))
		}
		if rule.Interval > 400_000 {
			break // further than the calendar goes
		}
	}
	return list
}

// step is the day after one, by the rule.
func (r *Recurrence) step(d field.Date) field.Date {
	at := d.Midnight().Local()
	switch r.Frequency {
	case daily:
		at = at.AddDate(0, 0, r.Interval)
	case weekly:
		at = at.AddDate(0, 0, 7*r.Interval)
	case monthly:
		at = time.Date(at.Year(), at.Month()+time.Month(r.Interval), min(at.Day(), 28), 0, 0, 0, 0, time.UTC)
	default:
		day := at.Day()
		if at.Month() == time.February {
			day = min(day, 28)
		}
		at = time.Date(at.Year()+r.Interval, at.Month(), day, 0, 0, 0, 0, time.UTC)
	}
	return dayOf(at)
}

func dayOf(t time.Time) field.Date {
	year, month, day := t.Date()
	return field.Date{Year: year, Month: month, Day: day}
}

// on is a copy of the event that begins on a day, at the same time of day.
func (e *Event) on(day field.Date) *Event {
	c := *e
	local := e.Start.Local()
	c.Start = e.Start.WithLocal(day.Midnight().Local().Add(local.Sub(field.DateOf(e.Start).Midnight().Local())))
	c.End = e.End.WithLocal(e.End.Local().Add(c.Start.Local().Sub(local)))
	return &c
}

// set is a set of texts.
type set map[string]struct{}

func (s set) has(x string) bool { _, found := s[x]; return found }

// appendJSON writes the texts in their order.
func (s set) appendJSON(dst []byte) []byte { return jsontext.AppendStrings(dst, s.sorted()) }

func (s set) sorted() []string {
	list := make([]string, 0, len(s))
	for x := range s {
		list = append(list, x)
	}
	slices.Sort(list)
	return list
}

func readSet(r *field.Reader, name string) set {
	s := set{}
	for _, x := range field.Or(r, name, field.List(field.String, 0), nil) {
		s[x] = struct{}{}
	}
	return s
}
