package email

import (
	"fmt"
	"net/http"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Kind describes the modality.
func Kind() modality.Kind {
	return modality.Kind{Name: name, New: New, Load: Load, Decode: Decode, Routes: routes()}
}

func routes() []modality.Route {
	list := []modality.Route{
		{
			Method: http.MethodGet, Path: "/email/state", Permission: "email:state", Handle: getState,
			Summary: "The mailbox: messages, threads, folders and labels",
			Query: []modality.Param{
				{Name: "summary", Type: "boolean", Doc: "short forms and statistics instead of whole messages"},
				{Name: "compact", Type: "boolean", Doc: "the same as summary"},
			},
		},
		post("query", "Find messages", postQuery),
		post("send", "Send a message from the user", func(r *modality.Request) modality.Response {
			return compose(r, opSend, "Email sent successfully", "Failed to send email")
		}),
		post("receive", "Let a message arrive now", func(r *modality.Request) modality.Response {
			return compose(r, opReceive, "Email received successfully", "Failed to receive email")
		}),
	}
	for _, a := range marks() {
		list = append(list, post(a.path, a.doc, a.handle))
	}
	return list
}

func post(path, doc string, handle func(*modality.Request) modality.Response) modality.Route {
	return modality.Route{
		Method: http.MethodPost, Path: "/email/" + path, Permission: "email:" + path, Summary: doc,
		Body: modality.NeedBody, Handle: handle,
	}
}

func getState(r *modality.Request) modality.Response {
	q := field.ReadQuery(r.Query)
	short := field.Or(q, "summary", field.Bool, false)
	short = field.Or(q, "compact", field.Bool, false) || short
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	s, ok := r.State.(*State)
	if !ok {
		return modality.Absent()
	}
	return modality.OK(func(dst []byte) []byte {
		if short {
			return s.appendSummary(dst, r.Moment)
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
	return modality.Answer(q.Query, name, "emails", found, func(dst []byte, m *Message) []byte { return m.appendJSON(dst) })
}

// compose handles /email/send and /email/receive.
func compose(r *modality.Request, operation, done, failed string) modality.Response {
	b := field.Read(r.Body, "body")
	in := readCompose(b, operation, r.Moment)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	d := modality.Deed{
		Modality: name, Input: in, Failed: failed, Done: func() string { return done },
		Notice: "email.received", Data: in.appendReceived,
	}
	if operation == opSend {
		d.Notice, d.Data = "email.sent", in.appendSent
	}
	return r.Act(d)
}

// readCompose reads the body of a new message. sent_at is read and ignored, as in the
// original: the message is of now.
func readCompose(b *field.Reader, operation string, m modality.Moment) *Input {
	texts := field.List(field.String, 0)
	text := func(name string) *string {
		s := field.Need(b, name, field.String)
		return &s
	}
	in := &Input{
		Operation: operation, Head: modality.NewHead(m),
		From: text("from_address"),
		To:   field.Need(b, "to_addresses", field.List(field.String, 1)),
		CC:   field.Or(b, "cc_addresses", texts, []string{}),
		BCC:  field.Or(b, "bcc_addresses", texts, []string{}),

		ReplyTo:     field.Maybe(b, "reply_to_address", field.String),
		Subject:     text("subject"),
		BodyText:    text("body_text"),
		BodyHTML:    field.Maybe(b, "body_html", field.String),
		Attachments: field.Or(b, "attachments", field.List(attachment(m, field.Above(field.Int, 0)), 0), []Attachment{}),
		ThreadID:    field.Maybe(b, "thread_id", field.String),
		InReplyTo:   field.Maybe(b, "in_reply_to", field.String),
		References:  field.Or(b, "references", texts, []string{}),
		Priority:    field.Or(b, "priority", priority, normalPriority),
	}
	if operation == opReceive {
		field.Maybe(b, "sent_at", field.When)
	}
	return in
}

func (in *Input) appendSent(dst []byte, event string) []byte {
	o := jsontext.Open(dst)
	o.String("email_id", event)
	o.Strings("to", in.To)
	o.String("subject", deref(in.Subject))
	return o.Close()
}

func (in *Input) appendReceived(dst []byte, event string) []byte {
	o := jsontext.Open(dst)
	o.String("email_id", event)
	o.String("from", deref(in.From))
	o.String("subject", deref(in.Subject))
	return o.Close()
}

// marking is an endpoint that changes messages which are there.
type marking struct {
	path, doc, operation string
	failed               string
	done                 func(in *Input) string
}

func marks() []marking {
	count := func(format string) func(*Input) string {
		return func(in *Input) string { return fmt.Sprintf(format, len(in.MessageIDs)) }
	}
	return []marking{
		{"read", "Mark messages as read", opMarkRead, "mark email(s) as read", count("Marked %d email(s) as read")},
		{"unread", "Mark messages as unread", opMarkUnread, "mark email(s) as unread", count("Marked %d email(s) as unread")},
		{"star", "Star messages", opStar, "star email(s)", count("Starred %d email(s)")},
		{"unstar", "Take stars off messages", opUnstar, "unstar email(s)", count("Unstarred %d email(s)")},
		{"archive", "Move messages to the archive", opArchive, "archive email(s)", count("Archived %d email(s)")},
		{"delete", "Move messages to the trash", opDelete, "delete email(s)", count("Deleted %d email(s)")},
		{"label", "Add labels to messages", opAddLabel, "add label(s)", func(in *Input) string {
			return fmt.Sprintf("Added %d label(s) to %d email(s)", len(in.Labels), len(in.MessageIDs))
		}},
		{"unlabel", "Take labels off messages", opRemoveLabel, "remove label(s)", func(in *Input) string {
			return fmt.Sprintf("Removed %d label(s) from %d email(s)", len(in.Labels), len(in.MessageIDs))
		}},
		{"move", "Move messages to a folder", opMove, "move email(s)", func(in *Input) string {
			return fmt.Sprintf("Moved %d email(s) to %s", len(in.MessageIDs), *in.Folder)
		}},
	}
}

func (a marking) handle(r *modality.Request) modality.Response {
	b := field.Read(r.Body, "body")
	in := &Input{
		Head: modality.NewHead(r.Moment), Operation: a.operation, Priority: normalPriority,
		MessageIDs: field.Need(b, "message_ids", field.List(field.String, 1)),
	}
	switch a.operation {
	case opAddLabel, opRemoveLabel:
		in.Labels = field.Need(b, "labels", field.List(field.String, 1))
	case opMove:
		folder := field.Need(b, "folder", field.String)
		in.Folder = &folder
	}
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	return r.Act(modality.Deed{
		Modality: name, Input: in, Failed: "Failed to " + a.failed,
		Done: func() string { return a.done(in) },
	})
}
