package modality

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Query reads the body of a query endpoint and remembers what was given, because some
// answers repeat it.
type Query struct {
	*field.Reader
	Given      ordered.Map // what was not null, and the defaults of paging and sorting
	Limit      *int        // nil: no limit
	Offset     int
	SortBy     string // empty: not given
	Descending bool
}

// ReadQuery begins to read a query.
func ReadQuery(body *ordered.Map) *Query { return &Query{Reader: field.Read(body, "body")} }

// Take reads an optional field of any type; given is its value in the repeated query.
func Take[T any](q *Query, name string, t field.Type[T], given func(T) any) *T {
	x := field.Maybe(q.Reader, name, t)
	if x != nil {
		q.Given.Set(name, given(*x))
	}
	return x
}

// Text reads an optional text.
func (q *Query) Text(name string) *string { return q.Word(name, field.String) }

// Word reads an optional text of a narrower type.
func (q *Query) Word(name string, t field.Type[string]) *string {
	return Take(q, name, t, func(s string) any { return s })
}

// Part is a filter for texts that contain another one, whatever the case of letters. The
// zero Part lets all texts pass.
type Part struct {
	lower string
	Given bool
}

// Part reads an optional text to look for.
func (q *Query) Part(name string) Part {
	s := q.Text(name)
	if s == nil {
		return Part{}
	}
	return Part{lower: strings.ToLower(*s), Given: true}
}

// In tells whether a text passes.
func (p Part) In(s string) bool { return !p.Given || strings.Contains(strings.ToLower(s), p.lower) }

// Flag reads an optional truth value.
func (q *Query) Flag(name string) *bool {
	return Take(q, name, field.Bool, func(b bool) any { return b })
}

// Time reads an optional point in time.
func (q *Query) Time(name string) *field.Time {
	return Take(q, name, field.When, func(t field.Time) any { return t.Z() })
}

// Texts reads an optional list of texts; nil when it is not given. What is repeated counts
// once, in order of the texts.
func (q *Query) Texts(name string) []string {
	list := Take(q, name, field.List(field.String, 0), func(list []string) any {
		items := make([]any, len(list))
		for i, s := range list {
			items[i] = s
		}
		return items
	})
	if list == nil {
		return nil
	}
	return slices.Compact(slices.Sorted(slices.Values(*list)))
}

// Page reads limit and offset.
func (q *Query) Page(limit field.Type[int]) {
	q.Limit = Take(q, "limit", limit, func(n int) any { return ordered.Int(n) })
	q.Offset = field.Or(q.Reader, "offset", field.AtLeast(field.Int, 0), 0)
	q.Given.Set("offset", ordered.Int(q.Offset))
}

// Sort reads sort_by and sort_order. An empty by means that there is no default.
func (q *Query) Sort(by string, words field.Type[string], order string) {
	if by != "" {
		q.SortBy = field.Or(q.Reader, "sort_by", words, by)
		q.Given.Set("sort_by", q.SortBy)
	} else if s := q.Word("sort_by", words); s != nil {
		q.SortBy = *s
	}
	given := field.Or(q.Reader, "sort_order", field.Nullable(field.OneOf("asc", "desc")), &order)
	if given == nil {
		return
	}
	q.Descending = *given == "desc"
	q.Given.Set("sort_order", *given)
}

// Span is a span of time, both ends included; nil is open.
type Span struct{ From, To *field.Time }

// Naive tells whether an end has no offset, so that the original could not compare it.
func (s Span) Naive() bool {
	return s.From != nil && s.From.Naive() || s.To != nil && s.To.Naive()
}

// Holds tells whether a time lies in the span.
func (s Span) Holds(t field.Time) bool {
	return (s.From == nil || !t.Before(*s.From)) && (s.To == nil || !t.After(*s.To))
}

// Order sorts by a key and keeps the order of equals, also when descending.
func Order[T any, K any](items []T, descending bool, key func(T) K, compare func(a, b K) int) {
	slices.SortStableFunc(items, func(a, b T) int {
		c := compare(key(a), key(b))
		if descending {
			return -c
		}
		return c
	})
}

// OrderText is Order by a text.
func OrderText[T any](items []T, descending bool, key func(T) string) {
	Order(items, descending, key, cmp.Compare[string])
}

// OrderTime is Order by a time.
func OrderTime[T any](items []T, descending bool, key func(T) field.Time) {
	Order(items, descending, key, field.Time.Compare)
}

// Answer makes the answer of a query that repeats the query: items are what was found,
// before the page is cut out of them.
func Answer[T any](q *Query, modality, member string, found []T, write func(dst []byte, item T) []byte) Response {
	page := Page(found, q.Offset, q.Limit)
	return OK(func(dst []byte) []byte {
		o := jsontext.Open(dst)
		o.String("modality_type", modality)
		o.Member(member, func(dst []byte) []byte { return AppendArray(dst, page, write) })
		o.Int("total_count", len(found))
		o.Int("returned_count", len(page))
		o.Member("query", q.Given.AppendJSON)
		return o.Close()
	})
}
