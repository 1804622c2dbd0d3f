package chat

import (
	"net/http"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Kind describes the modality.
func Kind() modality.Kind {
	return modality.Kind{Name: name, New: New, Load: Load, Decode: Decode, Routes: []modality.Route{
		{
			Method: http.MethodGet, Path: "/chat/state", Permission: "chat:state", Handle: getState,
			Summary: "The chat: messages and conversations",
			Query:   []modality.Param{{Name: "compact", Type: "boolean", Doc: "without messages"}},
		},
		post("query", "Find messages", postQuery),
		post("send", "Send a message", send),
		post("delete", "Delete a message", deleteMessage),
		post("clear", "Delete a conversation", clearConversation),
	}}
}

func post(path, doc string, handle func(*modality.Request) modality.Response) modality.Route {
	return modality.Route{
		Method: http.MethodPost, Path: "/chat/" + path, Permission: "chat:" + path, Summary: doc,
		Body: modality.NeedBody, Handle: handle,
	}
}

func getState(r *modality.Request) modality.Response {
	q := field.ReadQuery(r.Query)
	short := field.Or(q, "compact", field.Bool, false)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return modality.Absent()
	}
	return modality.OK(func(dst []byte) []byte {
		if short {
			return s.appendShort(dst)
		}
		return s.appendFull(dst, r.Moment)
	})
}

// query is the body of POST /chat/query; nil is no filter.
type query struct {
	*modality.Query
	conversation, role *string
	search             modality.Part
	span               modality.Span
}

func readQuery(body *ordered.Map) *query {
	q := &query{Query: modality.ReadQuery(body)}
	q.conversation = q.Text("conversation_id")
	q.role = q.Word("role", role)
	q.span.From = q.Time("since")
	q.span.To = q.Time("until")
	q.search = q.Part("search")
	q.Page(field.Between(field.Int, 1, 1000))
	q.Sort("timestamp", field.String, "asc")
	return q
}

// open tells that the query has no filter.
func (q *query) open() bool {
	return q.conversation == nil && q.role == nil && !q.search.Given && q.span.From == nil && q.span.To == nil
}

func postQuery(r *modality.Request) modality.Response {
	q := readQuery(r.Body)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return modality.Absent()
	}
	found, ok := s.find(q)
	if !ok {
		return modality.Crash("TypeError")
	}
	return modality.Answer(q.Query, name, "messages", found, func(dst []byte, m *Message) []byte { return m.appendJSON(dst) })
}

// find gives the messages that a query matches, in its order. A query without a filter
// changes the order in which the state shows its messages, as it does in the original. ok
// is false when a time without offset would have to be compared.
func (s *State) find(q *query) (found []*Message, ok bool) {
	found = slices.DeleteFunc(s.messages(), func(m *Message) bool {
		return q.conversation != nil && *q.conversation != m.ConversationID || q.role != nil && *q.role != m.Role
	})
	if len(found) > 0 && q.span.Naive() {
		return nil, false
	}
	found = slices.DeleteFunc(found, func(m *Message) bool {
		return !q.span.Holds(m.At) || q.search.Given && !q.search.In(text(m.Content))
	})
	switch q.SortBy {
	case "timestamp":
		modality.OrderTime(found, q.Descending, func(m *Message) field.Time { return m.At })
	case "role":
		modality.OrderText(found, q.Descending, func(m *Message) string { return m.Role })
	case "conversation_id":
		modality.OrderText(found, q.Descending, func(m *Message) string { return m.ConversationID })
	}
	if q.open() {
		s.show(found)
	}
	return found, true
}

// show keeps an order of all messages when it is not that of time.
func (s *State) show(list []*Message) {
	s.shown = nil
	if !slices.IsSortedFunc(list, compareTime) {
		s.shown = slices.Clone(list)
	}
}

// send handles /chat/send. What is wrong with the content is told with 500, as in the
// original.
func send(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	speaker := field.Need(b, "role", role)
	in := &Input{
		Head: modality.NewHead(r.Moment), Operation: opSend, Role: &speaker,
		Content:        field.Need(b, "content", content),
		ConversationID: field.Or(b, "conversation_id", field.String, defaultConversation),
		Metadata:       field.Or(b, "metadata", field.Object, &ordered.Map{}),
	}
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	if errs := in.problems(); len(errs) > 0 {
		return modality.Detail(http.StatusInternalServerError, "Failed to send chat message: "+field.Report("ChatInput", errs))
	}
	in.name(r.Moment)
	return r.Act(modality.Deed{
		Modality: name, Input: in, Failed: "Failed to send chat message", Notice: "chat.message", Data: in.appendNotice,
		Done: func() string { return "Chat message sent from " + speaker },
	})
}

// problems are the errors of a payload whose fields are of the right types.
func (in *Input) problems() []field.Error {
	c := field.Read(ordered.NewMap(
		ordered.Member{Name: "content", Value: in.Content}, ordered.Member{Name: "conversation_id", Value: in.ConversationID}))
	field.Maybe(c, "content", checkedContent)
	field.Need(c, "conversation_id", checkedConversation)
	return c.Errors()
}

// previewLength is the number of characters of a message in notices.
const previewLength = 50

func (in *Input) appendNotice(dst []byte, _ string) []byte {
	o := jsontext.Open(dst)
	o.String("conversation_id", in.ConversationID)
	o.String("role", *in.Role)
	o.String("preview", modality.Shorten(text(in.Content), previewLength))
	return o.Close()
}

func deleteMessage(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	id := field.Need(b, "message_id", field.String)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	return r.Act(modality.Deed{
		Modality: name, Failed: "Failed to delete message",
		Input: &Input{
			Head: modality.NewHead(r.Moment), Operation: opDelete, MessageID: &id,
			ConversationID: defaultConversation, Metadata: &ordered.Map{},
		},
		Done: func() string { return "Deleted message " + id },
	})
}

func clearConversation(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	id := field.Or(b, "conversation_id", field.String, defaultConversation)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	in := &Input{Head: modality.NewHead(r.Moment), Operation: opClear, ConversationID: id, Metadata: &ordered.Map{}}
	if errs := in.problems(); len(errs) > 0 {
		return modality.Detail(http.StatusInternalServerError, "Failed to clear conversation: "+field.Report("ChatInput", errs))
	}
	return r.Act(modality.Deed{
		Modality: name, Input: in, Failed: "Failed to clear conversation",
		Done: func() string { return "Cleared conversation " + id },
	})
}
