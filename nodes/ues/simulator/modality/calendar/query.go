package calendar

import (
	"cmp"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// maxOccurrences is how many occurrences of series one query may ask for.
const maxOccurrences = 20_000

// query is the body of POST /calendar/query; nil is no filter.
type query struct {
	*modality.Query
	calendars               []string // sorted
	span                    modality.Span
	search                  modality.Part
	status                  *string
	hasAttendees, recurring *bool
	expand                  bool
}

func readQuery(body *ordered.Map) *query {
	q := &query{Query: modality.ReadQuery(body)}
	q.calendars = q.Texts("calendar_ids")
	q.span.From = q.Time("start")
	q.span.To = q.Time("end")
	q.search = q.Part("search")
	q.status = q.Word("status", status)
	q.hasAttendees = q.Flag("has_attendees")
	q.recurring = q.Flag("recurring")
	q.expand = field.Or(q.Reader, "expand_recurring", field.Bool, false)
	q.Limit = field.Maybe(q.Reader, "limit", field.Int)
	q.Offset = field.Or(q.Reader, "offset", field.Int, 0)
	q.Sort("start", field.String, "asc")
	return q
}

// errNaive and errMany are why a query cannot be answered.
var (
	errNaive = modality.Refuse("can't compare offset-naive and offset-aware datetimes")
	errMany  = modality.Refuse("more than %d occurrences; ask for a shorter range", maxOccurrences)
)

// find gives the events that a query matches, in its order. Events that are equal in it
// stay in the order of the state, occurrences of a series in that of time.
func (s *State) find(q *query) ([]*Event, error) {
	if s.events.Len() > 0 && q.span.Naive() {
		return nil, errNaive
	}
	var found []*Event
	left := maxOccurrences
	for _, e := range s.events.All() {
		if !q.wants(e) {
			continue
		}
		if !q.expands(e) {
			if q.overlaps(e) {
				found = append(found, e)
			}
			continue
		}
		from, to := field.DateOf(*q.span.From), field.DateOf(*q.span.To)
		list := e.occurrences(from, to, left+1)
		if left -= len(list); left < 0 {
			return nil, errMany
		}
		found = append(found, list...)
	}
	switch q.SortBy {
	case "start":
		modality.OrderTime(found, q.Descending, func(e *Event) field.Time { return e.Start })
	case "end":
		modality.OrderTime(found, q.Descending, func(e *Event) field.Time { return e.End })
	case "status":
		modality.Order(found, q.Descending, func(e *Event) string { return e.Status }, cmp.Compare[string])
	}
	return found, nil
}

func (q *query) expands(e *Event) bool {
	return q.expand && e.Recurrence != nil && q.span.From != nil && q.span.To != nil
}

// overlaps tells whether an event touches the query's span.
func (q *query) overlaps(e *Event) bool {
	return (q.span.From == nil || !e.End.Before(*q.span.From)) && (q.span.To == nil || !e.Start.After(*q.span.To))
}

// wants tells whether an event passes the filters but that of time.
func (q *query) wants(e *Event) bool {
	return (len(q.calendars) == 0 || q.within(e.CalendarID)) &&
		(q.status == nil || *q.status == e.Status) &&
		(q.hasAttendees == nil || *q.hasAttendees == (len(e.Attendees) > 0)) &&
		(q.recurring == nil || *q.recurring == (e.Recurrence != nil)) &&
		(q.search.In(e.Title) || q.mentioned(e.Description) || q.mentioned(e.Location))
}

func (q *query) within(calendar string) bool {
	_, found := slices.BinarySearch(q.calendars, calendar)
	return found
}

func (q *query) mentioned(s *string) bool { return s != nil && q.search.In(*s) }
