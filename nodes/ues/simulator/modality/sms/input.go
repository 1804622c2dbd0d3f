// Package sms is the text message modality of the simulator: messages, conversations
// between two numbers and groups, reactions and delivery.
package sms

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

const name = "sms"

// The operations of a payload.
const (
	opSend               = "send_message"
	opReceive            = "receive_message"
	opUpdateDelivery     = "update_delivery_status"
	opAddReaction        = "add_reaction"
	opRemoveReaction     = "remove_reaction"
	opEdit               = "edit_message"
	opDelete             = "delete_message"
	opCreateGroup        = "create_group"
	opUpdateGroup        = "update_group"
	opAddParticipant     = "add_participant"
	opRemoveParticipant  = "remove_participant"
	opLeaveGroup         = "leave_group"
	opUpdateConversation = "update_conversation"
)

const (
	plain    = "sms"
	rich     = "rcs"
	incoming = "incoming"
	outgoing = "outgoing"

	statusSent      = "sent"
	statusDelivered = "delivered"
	statusFailed    = "failed"
	statusRead      = "read"
)

// Input is a payload of contract section 6.2. Nil is null.
type Input struct {
	modality.Head
	Operation          string
	From               *string
	To                 []string
	Body               *string
	MessageType        string
	Attachments        []Attachment
	ThreadID           *string
	RepliedTo          *string
	MessageID          *string
	NewStatus          *string
	DeliveredAt        *field.Time
	ReadAt             *field.Time
	PhoneNumber        *string
	Emoji              *string
	ReactionID         *string
	NewBody            *string
	DeleteForEveryone  bool
	GroupName          *string
	CreatorNumber      *string
	ParticipantNumbers []string
	GroupPhotoURL      *string
	AddedBy            *string
	RemovedBy          *string
	IsAdmin            bool
	Pin                *bool
	Mute               *bool
	Archive            *bool
	MarkAllRead        *bool
	DraftMessage       *string
	MuteUntil          *field.Time

	// nested is the older form the payload came in, nil for the flat one.
	nested *ordered.Map

	// also are further messages that an endpoint changes together with MessageID; the
	// payload does not show them.
	also *together

	// made are the ids that applying generated. They are no part of the payload, but a
	// redo makes the same ones.
	made ids
}

type ids struct {
	message, thread, reaction string
	attachments               []string
}

// Attachment describes a file that came with a message; there is no content.
type Attachment struct {
	Filename     string
	Size         int // bytes
	MimeType     string
	AttachmentID string // in states only
	ThumbnailURL *string
	Duration     *int // seconds
}

// Decode reads a payload, in the flat form or in the older one with "action" and nested
// objects.
func Decode(data *ordered.Map, m modality.Moment) (modality.Input, []field.Error) {
	flat, nested := unnest(data)
	r := field.Read(flat)
	operation := "operation"
	if nested != nil {
		operation = "action"
	}
	in := readInput(r, operation, m)
	in.nested = nested
	return in, r.Errors()
}

// nests are the objects of the older form, in its order.
func nests() []string {
	return []string{
		"message_data", "delivery_update_data", "reaction_data", "edit_data", "delete_data", "group_data", "participant_data",
		"conversation_update_data",
	}
}

// unnest gives the flat form of a payload in the older form, and what the payload has to
// look like when it is written. A flat payload is given as it is, with nil.
func unnest(data *ordered.Map) (flat, nested *ordered.Map) {
	action, old := data.Get("action")
	if _, both := data.Get("operation"); !old || both {
		return data, nil
	}
	flat, nested = &ordered.Map{}, ordered.NewMap(ordered.Member{Name: "action", Value: action})
	for member, v := range data.All() {
		flat.Set(member, v)
	}
	for _, n := range nests() {
		v, _ := data.Get(n)
		nested.Set(n, v)
		if inner, ok := v.(*ordered.Map); ok {
			for member, x := range inner.All() {
				flat.Set(member, x)
			}
		}
	}
	return flat, nested
}

func readInput(r *field.Reader, operation string, m modality.Moment) *Input {
	texts := field.List(field.String, 0)
	return &Input{
		Head: modality.ReadHead(r, name, m),
		Operation: field.Need(r, operation, field.OneOf(opSend, opReceive, opUpdateDelivery, opAddReaction, opRemoveReaction,
			opEdit, opDelete, opCreateGroup, opUpdateGroup, opAddParticipant, opRemoveParticipant, opLeaveGroup, opUpdateConversation)),
		From:               field.Maybe(r, "from_number", field.String),
		To:                 field.MaybeOr(r, "to_numbers", texts, nil),
		Body:               field.Maybe(r, "body", field.String),
		MessageType:        field.Or(r, "message_type", messageType, plain),
		Attachments:        field.MaybeOr(r, "attachments", field.List(field.Model(readPayloadAttachment), 0), nil),
		ThreadID:           field.Maybe(r, "thread_id", field.String),
		RepliedTo:          field.Maybe(r, "replied_to_message_id", field.String),
		MessageID:          field.Maybe(r, "message_id", field.String),
		NewStatus:          field.Maybe(r, "new_status", status),
		DeliveredAt:        modality.MaybeAware(r, "delivered_at"),
		ReadAt:             modality.MaybeAware(r, "read_at"),
		PhoneNumber:        field.Maybe(r, "phone_number", field.String),
		Emoji:              field.Maybe(r, "emoji", field.String),
		ReactionID:         field.Maybe(r, "reaction_id", field.String),
		NewBody:            field.Maybe(r, "new_body", field.String),
		DeleteForEveryone:  field.Or(r, "delete_for_everyone", field.Bool, false),
		GroupName:          field.Maybe(r, "group_name", field.String),
		CreatorNumber:      field.Maybe(r, "creator_number", field.String),
		ParticipantNumbers: field.MaybeOr(r, "participant_numbers", texts, nil),
		GroupPhotoURL:      field.Maybe(r, "group_photo_url", field.String),
		AddedBy:            field.Maybe(r, "added_by", field.String),
		RemovedBy:          field.Maybe(r, "removed_by", field.String),
		IsAdmin:            field.Or(r, "is_admin", field.Bool, false),
		Pin:                field.Maybe(r, "pin", field.Bool),
		Mute:               field.Maybe(r, "mute", field.Bool),
		Archive:            field.Maybe(r, "archive", field.Bool),
		MarkAllRead:        field.Maybe(r, "mark_all_read", field.Bool),
		DraftMessage:       field.Maybe(r, "draft_message", field.String),
		MuteUntil:          modality.MaybeAware(r, "mute_until"),
	}
}

func messageType(v any, at *field.Place) string { return field.OneOf(plain, rich)(v, at) }

func status(v any, at *field.Place) string {
	return field.OneOf("sending", statusSent, statusDelivered, statusFailed, statusRead)(v, at)
}

func readPayloadAttachment(r *field.Reader) Attachment {
	return readAttachment(r, field.Int, field.Int)
}

func readAttachment(r *field.Reader, size, duration field.Type[int]) Attachment {
	return Attachment{
		Filename:     field.Need(r, "filename", field.String),
		Size:         field.Need(r, "size", size),
		MimeType:     field.Need(r, "mime_type", field.String),
		ThumbnailURL: field.Maybe(r, "thumbnail_url", field.String),
		Duration:     field.Maybe(r, "duration", duration),
	}
}

// AppendJSON writes the payload in the form it came in.
func (in *Input) AppendJSON(dst []byte) []byte {
	o := in.Open(dst, name)
	if in.nested != nil {
		for member, v := range in.nested.All() {
			o.Member(member, func(dst []byte) []byte { return ordered.Append(dst, v) })
		}
		return o.Close()
	}
	o.String("operation", in.Operation)
	in.appendMessage(&o)
	in.appendUpdates(&o)
	return o.Close()
}

func (in *Input) appendMessage(o *jsontext.Object) {
	modality.AppendNullable(o, "from_number", in.From)
	modality.AppendNullableStrings(o, "to_numbers", in.To)
	modality.AppendNullable(o, "body", in.Body)
	o.String("message_type", in.MessageType)
	if in.Attachments == nil {
		o.Null("attachments")
	} else {
		o.Member("attachments", func(dst []byte) []byte {
			return modality.AppendArray(dst, in.Attachments, func(dst []byte, a Attachment) []byte { return a.appendJSON(dst, false) })
		})
	}
	modality.AppendNullable(o, "thread_id", in.ThreadID)
	modality.AppendNullable(o, "replied_to_message_id", in.RepliedTo)
	modality.AppendNullable(o, "message_id", in.MessageID)
}

func (in *Input) appendUpdates(o *jsontext.Object) {
	modality.AppendNullable(o, "new_status", in.NewStatus)
	modality.AppendNullableTime(o, "delivered_at", in.DeliveredAt)
	modality.AppendNullableTime(o, "read_at", in.ReadAt)
	modality.AppendNullable(o, "phone_number", in.PhoneNumber)
	modality.AppendNullable(o, "emoji", in.Emoji)
	modality.AppendNullable(o, "reaction_id", in.ReactionID)
	modality.AppendNullable(o, "new_body", in.NewBody)
	o.Bool("delete_for_everyone", in.DeleteForEveryone)
	modality.AppendNullable(o, "group_name", in.GroupName)
	modality.AppendNullable(o, "creator_number", in.CreatorNumber)
	modality.AppendNullableStrings(o, "participant_numbers", in.ParticipantNumbers)
	modality.AppendNullable(o, "group_photo_url", in.GroupPhotoURL)
	modality.AppendNullable(o, "added_by", in.AddedBy)
	modality.AppendNullable(o, "removed_by", in.RemovedBy)
	o.Bool("is_admin", in.IsAdmin)
	modality.AppendNullableBool(o, "pin", in.Pin)
	modality.AppendNullableBool(o, "mute", in.Mute)
	modality.AppendNullableBool(o, "archive", in.Archive)
	modality.AppendNullableBool(o, "mark_all_read", in.MarkAllRead)
	modality.AppendNullable(o, "draft_message", in.DraftMessage)
	modality.AppendNullableTime(o, "mute_until", in.MuteUntil)
}

// appendJSON writes an attachment; in states it has an id.
func (a Attachment) appendJSON(dst []byte, inState bool) []byte {
	o := jsontext.Open(dst)
	o.String("filename", a.Filename)
	o.Int("size", a.Size)
	o.String("mime_type", a.MimeType)
	if inState {
		o.String("attachment_id", a.AttachmentID)
	}
	modality.AppendNullable(&o, "thumbnail_url", a.ThumbnailURL)
	modality.AppendNullableInt(&o, "duration", a.Duration)
	return o.Close()
}
