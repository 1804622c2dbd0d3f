package calendar

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Summary is one line on the calendars. It counts from the simulated day on, where the
// original takes the host's.
func (s *State) Summary(m modality.Moment) string {
	if s.events.Len() == 0 {
		return "No events"
	}
	today := m.Now.Local().Truncate(24 * time.Hour)
	return fmt.Sprintf("%s today, %d this week", modality.Count(s.starting(today, 1), "event"), s.starting(today, 7))
}

// starting counts the events that begin on one of the days from a midnight on.
func (s *State) starting(midnight time.Time, days int) int {
	n := 0
	for _, e := range s.events.All() {
		if at := e.Start.Local(); !at.Before(midnight) && at.Before(midnight.AddDate(0, 0, days)) {
			n++
		}
	}
	return n
}

// appendFull writes the answer of GET /calendar/state.
func (s *State) appendFull(dst []byte) []byte {
	o := s.Open(dst, name)
	o.String("default_calendar_id", s.fallback)
	o.String("user_timezone", s.timezone)
	o.Member("calendars", func(dst []byte) []byte { return s.appendCalendars(dst, field.Time.JSONISO) })
	o.Member("events", func(dst []byte) []byte { return s.appendEvents(dst, field.Time.JSONISO) })
	o.Int("calendar_count", s.calendars.Len())
	o.Int("event_count", s.events.Len())
	return o.Close()
}

// appendShort writes the compact answer of GET /calendar/state.
func (s *State) appendShort(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("modality_type", name)
	o.Member("last_updated", s.LastUpdated.JSONISO)
	o.Int("update_count", s.UpdateCount)
	o.String("default_calendar_id", s.fallback)
	o.String("user_timezone", s.timezone)
	o.Member("calendars", func(dst []byte) []byte {
		o := jsontext.Open(dst)
		for id, c := range s.calendars.All() {
			o.Key(id)
			o.Write(c.appendShort)
		}
		return o.Close()
	})
	o.Int("calendar_count", s.calendars.Len())
	o.Int("event_count", s.events.Len())
	return o.Close()
}

func (c *Calendar) appendShort(dst []byte) []byte {
	o := c.open(dst)
	return o.Close()
}

func (c *Calendar) open(dst []byte) jsontext.Object {
	o := jsontext.Open(dst)
	o.String("calendar_id", c.ID)
	o.String("name", c.Name)
	o.String("color", c.Color)
	o.Bool("visible", c.Visible)
	o.Int("event_count", len(c.events))
	return o
}

// appendInfo writes a CalendarInfo.
func (c *Calendar) appendInfo(dst []byte) []byte {
	o := c.open(dst)
	o.Member("created_at", c.CreatedAt.JSONISO)
	o.Member("updated_at", c.UpdatedAt.JSONISO)
	return o.Close()
}

// AppendCompact writes the calendars' part of the compact snapshot: what is on now, what
// is next, what comes today.
func (s *State) AppendCompact(dst []byte, m modality.Moment) []byte {
	now, today := m.Now, m.Now.Local().Truncate(24*time.Hour)
	o := jsontext.Open(dst)
	o.String("summary", s.Summary(m))
	o.Int("total_events", s.events.Len())
	o.Int("calendar_count", s.calendars.Len())
	o.Int("today_count", s.starting(today, 1))
	appendOne(&o, "current_event", s.first(1, func(e *Event) bool { return !e.Start.After(now) && e.End.After(now) }),
		func(o *jsontext.Object, e *Event) { o.String("ends_in", modality.Until(e.End, now)) })
	coming := func(e *Event) bool { return e.Start.After(now) }
	appendOne(&o, "next_event", s.first(1, coming), func(o *jsontext.Object, e *Event) {
		o.String("starts_in", modality.Until(e.Start, now))
		o.Member("start_time", e.Start.JSONISO)
	})
	upcoming := s.first(5, func(e *Event) bool { return coming(e) && e.Start.Local().Before(today.AddDate(0, 0, 1)) })
	if len(upcoming) > 0 {
		o.Member("upcoming_today", func(dst []byte) []byte {
			return modality.AppendArray(dst, upcoming, func(dst []byte, e *Event) []byte {
				o := jsontext.Open(dst)
				o.String("title", e.Title)
				o.String("start_time", e.Start.Local().Format("15:04"))
				o.String("starts_in", modality.Until(e.Start, now))
				return o.Close()
			})
		})
	}
	return o.Close()
}

// appendOne writes the first of a list, or null.
func appendOne(o *jsontext.Object, name string, list []*Event, more func(*jsontext.Object, *Event)) {
	if len(list) == 0 {
		o.Null(name)
		return
	}
	o.Member(name, func(dst []byte) []byte {
		e := list[0]
		o := jsontext.Open(dst)
		o.String("title", e.Title)
		more(&o, e)
		if !modality.IsEmpty(e.Location) {
			o.String("location", *e.Location)
		}
		return o.Close()
	})
}

// first are the at most n events of a kind that begin first.
func (s *State) first(n int, is func(*Event) bool) []*Event {
	var list []*Event
	for _, e := range s.events.All() {
		if !is(e) {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, e, func(a, b *Event) int { return cmp.Or(a.Start.Compare(b.Start), -1) })
		if at < n {
			list = slices.Insert(list, at, e)
			list = list[:min(n, len(list))]
		}
	}
	return list
}
