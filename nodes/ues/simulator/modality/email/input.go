// Package email is the e-mail modality of the simulator: a mailbox of messages, threads,
// folders and labels. Nothing is ever removed from it but by undoing; deleting moves a
// message to the trash.
package email

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

const name = "email"

// The operations of a payload.
const (
	opReceive      = "receive"
	opSend         = "send"
	opReply        = "reply"
	opReplyAll     = "reply_all"
	opForward      = "forward"
	opSaveDraft    = "save_draft"
	opSendDraft    = "send_draft"
	opMarkRead     = "mark_read"
	opMarkUnread   = "mark_unread"
	opStar         = "star"
	opUnstar       = "unstar"
	opArchive      = "archive"
	opDelete       = "delete"
	opMarkSpam     = "mark_spam"
	opMarkNotSpam  = "mark_not_spam"
	opMove         = "move"
	opAddLabel     = "add_label"
	opRemoveLabel  = "remove_label"
	normalPriority = "normal"
)

// Input is a payload of contract section 6.1. Nil is null.
type Input struct {
	modality.Head
	Operation   string
	MessageID   *string
	MessageIDs  []string
	From        *string
	To, CC, BCC []string
	ReplyTo     *string
	Subject     *string
	BodyText    *string
	BodyHTML    *string
	Attachments []Attachment
	ThreadID    *string
	InReplyTo   *string
	References  []string
	Priority    string
	Folder      *string
	Labels      []string
	IsDraft     bool
}

// Attachment describes a file that came with a message; there is no content.
type Attachment struct {
	Filename     string
	Size         int // bytes
	MimeType     string
	ContentID    *string
	AttachmentID string
}

// Decode reads a payload.
func Decode(data *ordered.Map, m modality.Moment) (modality.Input, []field.Error) {
	r := field.Read(data)
	texts := field.List(field.String, 0)
	in := &Input{
		Head: modality.ReadHead(r, name, m),
		Operation: field.Need(r, "operation", field.OneOf(opReceive, opSend, opReply, opReplyAll, opForward,
			opSaveDraft, opSendDraft, opMarkRead, opMarkUnread, opStar, opUnstar, opArchive, opDelete, opAddLabel,
			opRemoveLabel, opMove, opMarkSpam, opMarkNotSpam)),
		MessageID:   field.Maybe(r, "message_id", field.String),
		MessageIDs:  field.MaybeOr(r, "message_ids", texts, nil),
		From:        field.Maybe(r, "from_address", field.String),
		To:          field.MaybeOr(r, "to_addresses", texts, nil),
		CC:          field.MaybeOr(r, "cc_addresses", texts, nil),
		BCC:         field.MaybeOr(r, "bcc_addresses", texts, nil),
		ReplyTo:     field.Maybe(r, "reply_to_address", field.String),
		Subject:     field.Maybe(r, "subject", field.String),
		BodyText:    field.Maybe(r, "body_text", field.String),
		BodyHTML:    field.Maybe(r, "body_html", field.String),
		Attachments: field.MaybeOr(r, "attachments", field.List(attachment(m, field.Int), 0), nil),
		ThreadID:    field.Maybe(r, "thread_id", field.String),
		InReplyTo:   field.Maybe(r, "in_reply_to", field.String),
		References:  field.MaybeOr(r, "references", texts, nil),
		Priority:    field.Or(r, "priority", priority, normalPriority),
		Folder:      field.Maybe(r, "folder", field.String),
		Labels:      field.MaybeOr(r, "labels", texts, nil),
		IsDraft:     field.Or(r, "is_draft", field.Bool, false),
	}
	return in, r.Errors()
}

func priority(v any, at *field.Place) string {
	return field.OneOf("high", "normal", "low")(v, at)
}

// attachment reads an attachment and gives it an id when it has none.
func attachment(m modality.Moment, size field.Type[int]) field.Type[Attachment] {
	return field.Model(func(r *field.Reader) Attachment {
		a := Attachment{
			Filename:  field.Need(r, "filename", field.String),
			Size:      field.Need(r, "size", size),
			MimeType:  field.Need(r, "mime_type", field.String),
			ContentID: field.Maybe(r, "content_id", field.String),
		}
		if id := field.Maybe(r, "attachment_id", field.String); id != nil {
			a.AttachmentID = *id
		} else {
			a.AttachmentID = m.NewID()
		}
		return a
	})
}

// AppendJSON writes the payload.
func (in *Input) AppendJSON(dst []byte) []byte {
	o := in.Open(dst, name)
	o.String("operation", in.Operation)
	modality.AppendNullable(&o, "message_id", in.MessageID)
	modality.AppendNullableStrings(&o, "message_ids", in.MessageIDs)
	modality.AppendNullable(&o, "from_address", in.From)
	modality.AppendNullableStrings(&o, "to_addresses", in.To)
	modality.AppendNullableStrings(&o, "cc_addresses", in.CC)
	modality.AppendNullableStrings(&o, "bcc_addresses", in.BCC)
	modality.AppendNullable(&o, "reply_to_address", in.ReplyTo)
	modality.AppendNullable(&o, "subject", in.Subject)
	modality.AppendNullable(&o, "body_text", in.BodyText)
	modality.AppendNullable(&o, "body_html", in.BodyHTML)
	if in.Attachments == nil {
		o.Null("attachments")
	} else {
		o.Member("attachments", func(dst []byte) []byte { return appendAttachments(dst, in.Attachments) })
	}
	modality.AppendNullable(&o, "thread_id", in.ThreadID)
	modality.AppendNullable(&o, "in_reply_to", in.InReplyTo)
	modality.AppendNullableStrings(&o, "references", in.References)
	o.String("priority", in.Priority)
	modality.AppendNullable(&o, "folder", in.Folder)
	modality.AppendNullableStrings(&o, "labels", in.Labels)
	o.Bool("is_draft", in.IsDraft)
	return o.Close()
}

func appendAttachments(dst []byte, list []Attachment) []byte {
	return modality.AppendArray(dst, list, func(dst []byte, a Attachment) []byte {
		o := jsontext.Open(dst)
		o.String("filename", a.Filename)
		o.Int("size", a.Size)
		o.String("mime_type", a.MimeType)
		modality.AppendNullable(&o, "content_id", a.ContentID)
		o.String("attachment_id", a.AttachmentID)
		return o.Close()
	})
}
