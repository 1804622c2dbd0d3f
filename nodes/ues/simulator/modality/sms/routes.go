package sms

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Kind describes the modality.
func Kind() modality.Kind {
	return modality.Kind{Name: name, New: New, Load: Load, Decode: Decode, Routes: []modality.Route{
		{
			Method: http.MethodGet, Path: "/sms/state", Permission: "sms:state", Handle: getState,
			Summary: "The phone: messages and conversations",
			Query:   []modality.Param{{Name: "compact", Type: "boolean", Doc: "conversations only"}},
		},
		post("query", "Find messages", postQuery),
		post("send", "Send a message", func(r *modality.Request) modality.Response { return deliver(r, opSend) }),
		post("receive", "Let a message arrive now", func(r *modality.Request) modality.Response { return deliver(r, opReceive) }),
		post("read", "Mark messages as read", func(r *modality.Request) modality.Response { return changeMessages(r, "read") }),
		post("unread", "Mark messages as unread", func(r *modality.Request) modality.Response { return changeMessages(r, "unread") }),
		post("delete", "Mark messages as deleted", func(r *modality.Request) modality.Response { return changeMessages(r, "delete") }),
		post("react", "React to a message", react),
		post("conversation", "Change a conversation's settings", updateConversation),
	}}
}

func post(path, doc string, handle func(*modality.Request) modality.Response) modality.Route {
	return modality.Route{
		Method: http.MethodPost, Path: "/sms/" + path, Permission: "sms:" + path, Summary: doc,
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

// phone reads a phone number and normalises it.
func phone(v any, at *field.Place) string { return modality.Phone(field.String(v, at)) }

// deliver handles /sms/send and /sms/receive. sent_at is read and ignored, as in the
// original: the message is of now.
func deliver(r *modality.Request, operation string) modality.Response {
	b := field.Read(r.Body, "body")
	from := field.Need(b, "from_number", phone)
	in := &Input{Head: modality.NewHead(r.Moment), Operation: operation, From: &from}
	in.To = field.Need(b, "to_numbers", field.List(phone, 1))
	body := field.Need(b, "body", field.String)
	in.Body = &body
	in.MessageType = field.Or(b, "message_type", messageType, plain)
	in.Attachments = field.MaybeOr(b, "attachments", field.List(field.Model(readSentAttachment), 0), nil)
	in.RepliedTo = field.Maybe(b, "replied_to_message_id", field.String)
	if operation == opReceive {
		field.Maybe(b, "sent_at", field.When)
	}
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	d := modality.Deed{
		Modality: name, Input: in, Failed: "Failed to receive SMS", Notice: "sms.received", Data: in.appendReceived,
		Done: func() string { return "SMS message received successfully" },
	}
	if operation == opSend {
		d.Failed, d.Notice, d.Data = "Failed to send SMS", "sms.sent", in.appendSent
		d.Done = func() string { return "SMS message sent successfully" }
	}
	return r.Act(d)
}

func readSentAttachment(r *field.Reader) Attachment {
	return readAttachment(r, field.Above(field.Int, 0), field.AtLeast(field.Int, 0))
}

// previewLength is the number of characters of a message in notices.
const previewLength = 50

func (in *Input) appendSent(dst []byte, event string) []byte {
	o := jsontext.Open(dst)
	o.String("message_id", event)
	o.Strings("to", in.To)
	o.String("preview", modality.Shorten(*in.Body, previewLength))
	return o.Close()
}

func (in *Input) appendReceived(dst []byte, event string) []byte {
	o := jsontext.Open(dst)
	o.String("message_id", event)
	o.String("from", *in.From)
	o.String("preview", modality.Shorten(*in.Body, previewLength))
	return o.Close()
}

// changeMessages handles /sms/read, /unread and /delete. As in the original all known
// messages change, the event tells of the first id only, and the call fails when that one
// is unknown. Unlike there, undoing the event takes back the change of all of them.
func changeMessages(r *modality.Request, what string) modality.Response {
	b := field.Read(r.Body, "body")
	ids := field.Need(b, "message_ids", field.List(field.String, 1))
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return modality.Absent()
	}
	in := &Input{Head: modality.NewHead(r.Moment), Operation: opUpdateDelivery, MessageType: plain, MessageID: &ids[0]}
	d := modality.Deed{Modality: name, Input: in}
	known := s.count(ids)
	done := func(format string) func() string { return func() string { return fmt.Sprintf(format, known) } }
	status := statusRead
	switch what {
	case "read":
		d.Done, d.Failed = done("Marked %d message(s) as read"), "Failed to mark messages as read"
	case "unread":
		status = statusDelivered
		d.Done, d.Failed = done("Marked %d message(s) as unread"), "Failed to mark messages as unread"
	default:
		in.Operation = opDelete
		d.Done, d.Failed = done("Deleted %d message(s)"), "Failed to delete messages"
	}
	if in.Operation == opUpdateDelivery {
		in.NewStatus = &status
	}
	all := &together{ids: ids, what: what, at: r.Now}
	if s.messages.Has(ids[0]) {
		in.also = all
	} else {
		s.changeAll(all)
	}
	return r.Act(d)
}

func react(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	id := field.Need(b, "message_id", field.String)
	number := field.Need(b, "phone_number", phone)
	emoji := field.Need(b, "emoji", field.String)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	return r.Act(modality.Deed{
		Modality: name, Failed: "Failed to add reaction",
		Input: &Input{
			Head: modality.NewHead(r.Moment), Operation: opAddReaction, MessageType: plain,
			MessageID: &id, PhoneNumber: &number, Emoji: &emoji,
		},
		Done: func() string { return "Added reaction '" + emoji + "' to message" },
	})
}

func updateConversation(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	thread := field.Need(b, "thread_id", field.String)
	in := &Input{
		Head: modality.NewHead(r.Moment), Operation: opUpdateConversation, MessageType: plain, ThreadID: &thread,
		Pin: field.Maybe(b, "pin", field.Bool), Mute: field.Maybe(b, "mute", field.Bool), Archive: field.Maybe(b, "archive", field.Bool),
		MarkAllRead: field.Maybe(b, "mark_all_read", field.Bool), DraftMessage: field.Maybe(b, "draft_message", field.String),
	}
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	if in.Pin == nil && in.Mute == nil && in.Archive == nil && in.MarkAllRead == nil && in.DraftMessage == nil {
		return modality.Detail(http.StatusBadRequest,
			"At least one update field (pin, mute, archive, mark_all_read, draft_message) must be specified")
	}
	return r.Act(modality.Deed{
		Modality: name, Input: in, Failed: "Failed to update conversation",
		Done: func() string { return "Conversation " + strings.Join(in.changes(), ", ") },
	})
}

// changes are the words for what an update does to a conversation.
func (in *Input) changes() []string {
	var words []string
	for _, c := range []struct {
		flag    *bool
		yes, no string
	}{
		{in.Pin, "pinned", "unpinned"},
		{in.Mute, "muted", "unmuted"},
		{in.Archive, "archived", "unarchived"},
		{in.MarkAllRead, "marked all read", ""},
	} {
		switch {
		case c.flag == nil:
		case *c.flag:
			words = append(words, c.yes)
		case c.no != "":
			words = append(words, c.no)
		}
	}
	switch {
	case in.DraftMessage == nil:
	case *in.DraftMessage == "":
		words = append(words, "draft cleared")
	default:
		words = append(words, "draft saved")
	}
	return words
}
