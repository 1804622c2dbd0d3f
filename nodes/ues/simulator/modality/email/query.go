package email

import (
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// query is the body of POST /email/query; nil is no filter.
type query struct {
	*modality.Query
	folder, thread                    *string
	from, to, subject, body           modality.Part
	isRead, isStarred, hasAttachments *bool
	labels                            []string
	received                          modality.Span
}

// readQuery reads a query. priority, sent_after and sent_before are read but filter
// nothing, as in the original.
func readQuery(body *ordered.Map) *query {
	q := &query{Query: modality.ReadQuery(body)}
	q.folder = q.Text("folder")
	q.isRead = q.Flag("is_read")
	q.isStarred = q.Flag("is_starred")
	q.hasAttachments = q.Flag("has_attachments")
	q.from = q.Part("from_address")
	q.to = q.Part("to_address")
	q.subject = q.Part("subject_contains")
	q.body = q.Part("body_contains")
	q.labels = q.Texts("labels")
	q.Word("priority", priority)
	q.thread = q.Text("thread_id")
	q.received.From = q.Time("received_after")
	q.received.To = q.Time("received_before")
	q.Time("sent_after")
	q.Time("sent_before")
	q.Page(field.Between(field.Int, 1, 1000))
	q.Sort("", field.String, "desc")
	return q
}

// find gives the messages that a query matches, in the order that it wants: that of the
// mailbox unless it sorts. ok is false when a time without offset would have to be
// compared.
func (s *State) find(q *query) (found []*Message, ok bool) {
	found = s.candidates(q)
	found = slices.DeleteFunc(found, func(m *Message) bool { return !q.wants(m) || !s.labelled(m, q.labels) })
	if len(found) > 0 && q.received.Naive() {
		return nil, false
	}
	found = slices.DeleteFunc(found, func(m *Message) bool { return !q.received.Holds(m.ReceivedAt) })
	switch q.SortBy {
	case "date":
		modality.OrderTime(found, q.Descending, func(m *Message) field.Time { return m.ReceivedAt })
	case "from":
		modality.OrderText(found, q.Descending, func(m *Message) string { return m.From })
	case "subject":
		modality.OrderText(found, q.Descending, func(m *Message) string { return m.Subject })
	}
	return found, true
}

// candidates are the messages of the query's thread or folder, or all, in the order of
// the mailbox.
func (s *State) candidates(q *query) []*Message {
	var found []*Message
	if q.thread == nil && q.folder == nil {
		found = make([]*Message, 0, s.messages.Len())
		for _, m := range s.messages.All() {
			found = append(found, m)
		}
		return found
	}
	folder := (*ordered.Bag)(nil)
	if q.folder != nil {
		if folder, _ = s.folders.Get(*q.folder); folder == nil {
			return nil
		}
	}
	if q.thread != nil {
		return slices.DeleteFunc(slices.Clone(s.byThread[*q.thread]), func(m *Message) bool { return folder != nil && !folder.Has(m.ID) })
	}
	for id := range folder.All() {
		if m, known := s.messages.Get(id); known {
			found = append(found, m)
		}
	}
	if !slices.IsSortedFunc(found, comparePlace) {
		slices.SortFunc(found, comparePlace)
	}
	return slices.Compact(found)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// wants tells whether a message passes the filters that look at it alone.
func (q *query) wants(m *Message) bool {
	return same(q.isRead, m.IsRead) && same(q.isStarred, m.IsStarred) &&
		same(q.hasAttachments, len(m.Attachments) > 0) &&
		q.from.In(m.From) && q.subject.In(m.Subject) && q.body.In(m.BodyText) &&
		(!q.to.Given || slices.ContainsFunc(m.To, q.to.In))
}

func same(want *bool, is bool) bool { return want == nil || *want == is }

func (s *State) labelled(m *Message, labels []string) bool {
	for _, l := range labels {
		if bag, known := s.labels.Get(l); !known || !bag.Has(m.ID) {
			return false
		}
	}
	return true
}
