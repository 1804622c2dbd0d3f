package googletest

import (
	"net/http"
	"slices"
	"time"

	"google.golang.org/api/calendar/v3"
)

func (s *Server) freeBusy(a *account, w http.ResponseWriter, r *http.Request) {
	var q calendar.FreeBusyRequest
	if !decodeBody(w, r, &q) {
		return
	}
	from, _ := time.Parse(time.RFC3339, q.TimeMin)
	to, _ := time.Parse(time.RFC3339, q.TimeMax)
	out := &calendar.FreeBusyResponse{Kind: "calendar#freeBusy", TimeMin: q.TimeMin, TimeMax: q.TimeMax, Calendars: map[string]calendar.FreeBusyCalendar{}}
	for _, item := range q.Items {
		other := s.accounts[item.Id]
		if item.Id == "primary" {
			other = a
		}
		if other == nil {
			out.Calendars[item.Id] = calendar.FreeBusyCalendar{Errors: []*calendar.Error{{Domain: "global", Reason: "notFound"}}}
			continue
		}
		busy := []*calendar.TimePeriod{}
		for _, e := range other.cal.all(true, to) {
			begin, end := other.cal.span(e)
			if e.Status != "cancelled" && e.Transparency != "transparent" && !declined(e) && end.After(from) && begin.Before(to) {
				busy = append(busy, &calendar.TimePeriod{Start: begin.UTC().Format(time.RFC3339), End: end.UTC().Format(time.RFC3339)})
			}
		}
		out.Calendars[item.Id] = calendar.FreeBusyCalendar{Busy: busy}
	}
	reply(w, out)
}

func declined(e *calendar.Event) bool {
	return slices.ContainsFunc(e.Attendees, func(p *calendar.EventAttendee) bool { return p.Self && p.ResponseStatus == "declined" })
}

func (s *Server) setting(a *account, w http.ResponseWriter, r *http.Request) {
	if r.PathValue("name") != "timezone" {
		fail(w, http.StatusNotFound, "notFound", "Not Found")
		return
	}
	reply(w, &calendar.Setting{Kind: "calendar#setting", Id: "timezone", Value: a.cal.zone})
}

func (s *Server) calendarEntry(a *account, w http.ResponseWriter, _ *http.Request) {
	reply(w, &calendar.Calendar{Id: a.address, Summary: a.address, TimeZone: a.cal.zone})
}

func (s *Server) calendarList(a *account, w http.ResponseWriter, _ *http.Request) {
	reply(w, &calendar.CalendarList{Items: []*calendar.CalendarListEntry{{Id: a.address, Primary: true, TimeZone: a.cal.zone, Summary: a.address, AccessRole: "owner"}}})
}
