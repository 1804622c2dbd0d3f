package sms

import (
	"cmp"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// query is the body of POST /sms/query; nil is no filter.
type query struct {
	*modality.Query
	thread, from, to, kind, direction, status *string
	body                                      modality.Part
	isRead, hasAttachments, isDeleted         *bool
	sent                                      modality.Span
}

// readQuery reads a query. is_spam is read but filters nothing, as in the original.
func readQuery(body *ordered.Map) *query {
	q := &query{Query: modality.ReadQuery(body)}
	q.thread = q.Text("thread_id")
	q.from = q.number("from_number")
	q.to = q.number("to_number")
	q.body = q.Part("body_contains")
	q.kind = q.Word("message_type", messageType)
	q.direction = q.Word("direction", field.OneOf(incoming, outgoing))
	q.isRead = q.Flag("is_read")
	q.hasAttachments = q.Flag("has_attachments")
	q.status = q.Word("delivery_status", status)
	q.isDeleted = q.Flag("is_deleted")
	q.Flag("is_spam")
	q.sent.From = q.Time("sent_after")
	q.sent.To = q.Time("sent_before")
	q.Page(field.Between(field.Int, 1, 1000))
	q.Sort("", field.String, "desc")
	return q
}

func (q *query) number(name string) *string {
	return q.Word(name, func(v any, at *field.Place) string { return modality.Phone(field.String(v, at)) })
}

// find gives the messages that a query matches, in the order that it wants: that of
// arrival unless it sorts. ok is false when a time without offset would have to be
// compared.
func (s *State) find(q *query) (found []*Message, ok bool) {
	if q.thread != nil {
		found = slices.Clone(s.history[*q.thread])
		slices.SortFunc(found, func(a, b *Message) int { return cmp.Compare(a.place, b.place) })
	} else {
		for _, m := range s.messages.All() {
			found = append(found, m)
		}
	}
	found = slices.DeleteFunc(found, func(m *Message) bool { return !q.wants(m) })
	if len(found) > 0 && q.sent.Naive() {
		return nil, false
	}
	found = slices.DeleteFunc(found, func(m *Message) bool { return !q.sent.Holds(m.SentAt) })
	switch q.SortBy {
	case "sent_at":
		modality.OrderTime(found, q.Descending, func(m *Message) field.Time { return m.SentAt })
	case "from_number":
		modality.OrderText(found, q.Descending, func(m *Message) string { return m.From })
	case "direction":
		modality.OrderText(found, q.Descending, func(m *Message) string { return m.Direction })
	}
	return found, true
}

// wants tells whether a message passes the filters but that of time. has_attachments
// filters only when it is true.
func (q *query) wants(m *Message) bool {
	attachments := q.hasAttachments == nil || !*q.hasAttachments || len(m.Attachments) > 0
	return attachments && is(q.from, m.From) && is(q.kind, m.Type) && is(q.direction, m.Direction) && is(q.status, m.Status) &&
		(q.to == nil || slices.Contains(m.To, *q.to)) &&
		q.body.In(m.Body) && is(q.isRead, m.IsRead) && is(q.isDeleted, m.IsDeleted)
}

func is[T comparable](want *T, x T) bool { return want == nil || *want == x }
