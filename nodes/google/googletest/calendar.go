package googletest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/calendar/v3"
)

// almanac is the calendar of one user.
type almanac struct {
	address, zone string
	events        map[string]*calendar.Event
	order         []string
	notices       []Notice
}

// Notice is a mail that Google sent to somebody about an event.
type Notice struct {
	Event, To, What string // What: invite, update or cancel
}

func newAlmanac(address, zone string) *almanac {
	return &almanac{address: address, zone: zone, events: map[string]*calendar.Event{}}
}

var (
	maySee    = []string{"calendar.events", "calendar.events.readonly", "calendar.readonly", "calendar"}
	mayPlan   = []string{"calendar.events", "calendar"}
	mayAsk    = []string{"calendar.freebusy", "calendar.readonly", "calendar"}
	maySet    = []string{"calendar.settings.readonly", "calendar.readonly", "calendar"}
	eventName = regexp.MustCompile(`^[a-v0-9]+$`)
)

func (s *Server) calendarRoutes() {
	const base = "/calendar/v3/"
	s.handle("GET "+base+"calendars/{cal}/events", maySee, s.inCalendar(s.listEvents))
	s.handle("POST "+base+"calendars/{cal}/events", mayPlan, s.inCalendar(s.insertEvent))
	s.handle("GET "+base+"calendars/{cal}/events/{id}", maySee, s.inCalendar(s.getEvent))
	s.handle("PATCH "+base+"calendars/{cal}/events/{id}", mayPlan, s.inCalendar(s.patchEvent))
	s.handle("DELETE "+base+"calendars/{cal}/events/{id}", mayPlan, s.inCalendar(s.deleteEvent))
	s.handle("POST "+base+"freeBusy", mayAsk, s.freeBusy)
	s.handle("GET "+base+"users/me/settings/{name}", maySet, s.setting)
	s.handle("GET "+base+"users/me/calendarList", mayAsk, s.calendarList)
	s.handle("GET "+base+"calendars/{cal}", maySee, s.inCalendar(s.calendarEntry))
}

// inCalendar lets only the user's own calendar through.
func (s *Server) inCalendar(do signed) signed {
	return func(a *account, w http.ResponseWriter, r *http.Request) {
		if name := r.PathValue("cal"); name != "primary" && name != a.address {
			fail(w, http.StatusNotFound, "notFound", "Not Found")
			return
		}
		do(a, w, r)
	}
}

func (c *almanac) location() *time.Location {
	zone, err := time.LoadLocation(c.zone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// span is when an event begins and ends.
func (c *almanac) span(e *calendar.Event) (from, to time.Time) {
	return c.instant(e.Start), c.instant(e.End)
}

func (c *almanac) instant(d *calendar.EventDateTime) time.Time {
	if d == nil {
		return time.Time{}
	}
	zone := c.location()
	if z, err := time.LoadLocation(d.TimeZone); err == nil && d.TimeZone != "" {
		zone = z
	}
	if d.Date != "" {
		t, _ := time.ParseInLocation("2006-01-02", d.Date, c.location())
		return t
	}
	if t, err := time.Parse(time.RFC3339, d.DateTime); err == nil {
		return t
	}
	t, _ := time.ParseInLocation("2006-01-02T15:04:05", d.DateTime, zone)
	return t
}

func (s *Server) listEvents(a *account, w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, errFrom := time.Parse(time.RFC3339, q.Get("timeMin"))
	to, errTo := time.Parse(time.RFC3339, q.Get("timeMax"))
	switch {
	case q.Get("timeMin") != "" && errFrom != nil || q.Get("timeMax") != "" && errTo != nil || q.Get("orderBy") == "startTime" && q.Get("singleEvents") != "true":
		fail(w, http.StatusBadRequest, "badRequest", "Bad Request")
		return
	case errFrom == nil && errTo == nil && !to.After(from):
		fail(w, http.StatusBadRequest, "timeRangeEmpty", "The specified time range is empty.")
		return
	}
	if errTo != nil {
		to = s.Now().AddDate(2, 0, 0) // what comes again without end has to end somewhere
	}
	var all []*calendar.Event
	for _, e := range a.cal.all(q.Get("singleEvents") == "true", to) {
		begin, end := a.cal.span(e)
		switch {
		case e.Status == "cancelled" && q.Get("showDeleted") != "true",
			errFrom == nil && !end.After(from), errTo == nil && !begin.Before(to),
			len(q["eventTypes"]) > 0 && !slices.Contains(q["eventTypes"], kindOf(e)):
			continue
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(x, y *calendar.Event) int {
		bx, _ := a.cal.span(x)
		by, _ := a.cal.span(y)
		return bx.Compare(by)
	})
	items, next := page(r, all, 250, 2500)
	reply(w, &calendar.Events{Kind: "calendar#events", Items: items, NextPageToken: next, TimeZone: a.cal.zone, Summary: a.address})
}

// all returns the events of a calendar, those that come again as what they stand for
// when single is set.
func (c *almanac) all(single bool, to time.Time) []*calendar.Event {
	var out []*calendar.Event
	for _, id := range c.order {
		if e := c.events[id]; single && len(e.Recurrence) > 0 && e.Status != "cancelled" {
			out = append(out, c.instances(e, to)...)
		} else {
			out = append(out, e)
		}
	}
	return out
}

func kindOf(e *calendar.Event) string {
	if e.EventType == "" {
		return "default"
	}
	return e.EventType
}

func (s *Server) insertEvent(a *account, w http.ResponseWriter, r *http.Request) {
	var e calendar.Event
	if !decodeBody(w, r, &e) {
		return
	}
	from, to := a.cal.span(&e)
	problem := vague("start", e.Start)
	if problem == "" {
		problem = vague("end", e.End)
	}
	switch {
	case !notifies(w, r):
		return
	case e.Id != "" && (!eventName.MatchString(e.Id) || len(e.Id) < 5 || len(e.Id) > 1024):
		fail(w, http.StatusBadRequest, "invalid", "Invalid resource id value.")
		return
	case from.IsZero() || to.IsZero():
		fail(w, http.StatusBadRequest, "required", "Missing end time.")
		return
	case problem != "":
		fail(w, http.StatusBadRequest, "required", problem)
		return
	case !to.After(from):
		fail(w, http.StatusBadRequest, "timeRangeEmpty", "The specified time range is empty.")
		return
	case e.Id != "" && a.cal.events[e.Id] != nil:
		fail(w, http.StatusConflict, "duplicate", "The requested identifier already exists.")
		return
	}
	if e.Id == "" {
		e.Id = strings.ReplaceAll(s.id("event"), "x", "0")
	}
	e.Organizer = &calendar.EventOrganizer{Email: a.address, Self: true}
	a.cal.put(&e, s.Now())
	s.tell(a, &e, r, "invite")
	reply(w, &e)
}

// vague says what is wrong with a time that does not say where it is meant.
func vague(name string, d *calendar.EventDateTime) string {
	if d == nil || d.Date != "" {
		return ""
	}
	_, err := time.LoadLocation(d.TimeZone)
	switch _, plain := time.Parse(time.RFC3339, d.DateTime); {
	case err != nil:
		return "Invalid time zone definition for " + name + " time."
	case plain != nil && d.TimeZone == "":
		return "Missing time zone definition for " + name + " time."
	}
	return ""
}

// notifies answers a sendUpdates that is none.
func notifies(w http.ResponseWriter, r *http.Request) bool {
	mode := r.URL.Query().Get("sendUpdates")
	if slices.Contains([]string{"", "all", "externalOnly", "none"}, mode) {
		return true
	}
	fail(w, http.StatusBadRequest, "invalidParameter", "Invalid value for: sendUpdates")
	return false
}

func (c *almanac) put(e *calendar.Event, now time.Time) {
	if e.Status == "" {
		e.Status = "confirmed"
	}
	for _, p := range e.Attendees {
		if p.ResponseStatus == "" {
			p.ResponseStatus = "needsAction"
		}
		p.Self = strings.EqualFold(p.Email, c.address)
	}
	e.Kind, e.Updated = "calendar#event", now.UTC().Format(time.RFC3339)
	e.HtmlLink = "https://calendar.google.com/event?eid=" + e.Id
	if c.events[e.Id] == nil {
		c.order = append(c.order, e.Id)
	}
	c.events[e.Id] = e
}

// tell notes whom Google writes to about an event: nobody, unless the query says so, and
// with externalOnly only those who have no calendar here.
func (s *Server) tell(a *account, e *calendar.Event, r *http.Request, what string) {
	mode := r.URL.Query().Get("sendUpdates")
	for _, p := range e.Attendees {
		here := s.accounts[strings.ToLower(p.Email)] != nil
		if !p.Self && (mode == "all" || mode == "externalOnly" && !here) {
			a.cal.notices = append(a.cal.notices, Notice{Event: e.Id, To: p.Email, What: what})
		}
	}
}

// event finds the event that a path names; a missing one is answered.
func (s *Server) event(a *account, w http.ResponseWriter, r *http.Request) *calendar.Event {
	e := a.cal.find(r.PathValue("id"))
	if e == nil {
		fail(w, http.StatusNotFound, "notFound", "Not Found")
	}
	return e
}

func (s *Server) getEvent(a *account, w http.ResponseWriter, r *http.Request) {
	if e := s.event(a, w, r); e != nil {
		reply(w, e)
	}
}

func (s *Server) patchEvent(a *account, w http.ResponseWriter, r *http.Request) {
	e := s.event(a, w, r)
	if e == nil || !notifies(w, r) {
		return
	}
	var patch map[string]any
	if !decodeBody(w, r, &patch) {
		return
	}
	changed := patched(e, patch)
	if from, to := a.cal.span(changed); !to.After(from) {
		fail(w, http.StatusBadRequest, "timeRangeEmpty", "The specified time range is empty.")
		return
	}
	changed.Id = e.Id
	a.cal.put(changed, s.Now())
	s.tell(a, changed, r, "update")
	reply(w, changed)
}

// patched is an event with some fields changed; those that are null are removed.
func patched(e *calendar.Event, patch map[string]any) *calendar.Event {
	data, _ := json.Marshal(e) //nolint:errchkjson // it came from JSON
	fields := map[string]any{}
	_ = json.Unmarshal(data, &fields)
	merge(fields, patch)
	data, _ = json.Marshal(fields) //nolint:errchkjson // it came from JSON
	out := &calendar.Event{}
	_ = json.Unmarshal(data, out)
	return out
}

func merge(to, from map[string]any) {
	for name, v := range from {
		inner, ok := v.(map[string]any)
		old, both := to[name].(map[string]any)
		switch {
		case v == nil:
			delete(to, name)
		case ok && both:
			merge(old, inner)
		default:
			to[name] = v
		}
	}
}

func (s *Server) deleteEvent(a *account, w http.ResponseWriter, r *http.Request) {
	e := s.event(a, w, r)
	switch {
	case e == nil || !notifies(w, r):
	case e.Status == "cancelled":
		fail(w, http.StatusGone, "deleted", "Resource has been deleted")
	default:
		for _, other := range a.cal.events { // those that were changed go with the others
			if other.RecurringEventId == e.Id {
				other.Status = "cancelled"
			}
		}
		e.Status = "cancelled"
		a.cal.put(e, s.Now()) // an instance is an event of its own from now on
		s.tell(a, e, r, "cancel")
		w.WriteHeader(http.StatusNoContent)
	}
}

// Plan puts an event into the calendar of a user, as another program would. An event
// without id gets one, which is returned.
func (s *Server) Plan(address string, e *calendar.Event) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Id == "" {
		e.Id = strings.ReplaceAll(s.id("event"), "x", "0")
	}
	s.accounts[address].cal.put(e, s.Now())
	return e.Id
}

// Events returns the events of a user that were not cancelled, in the order in which
// they were made. They are copies.
func (s *Server) Events(address string) []*calendar.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.accounts[address].cal
	var out []*calendar.Event
	for _, id := range c.order {
		if e := c.events[id]; e.Status != "cancelled" {
			out = append(out, copied(e))
		}
	}
	return out
}

func copied(e *calendar.Event) *calendar.Event {
	data, _ := json.Marshal(e) //nolint:errchkjson // it came from JSON
	out := &calendar.Event{}
	_ = json.Unmarshal(data, out)
	return out
}

// Notices returns the mails that Google sent about a user's events.
func (s *Server) Notices(address string) []Notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.accounts[address].cal.notices)
}
