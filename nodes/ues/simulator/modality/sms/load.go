package sms

import (
	"fmt"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Load reads a phone of contract section 6.2.
func Load(doc *ordered.Map, m modality.Moment) (modality.State, []field.Error) {
	r := field.Read(doc)
	s := &State{Stamp: modality.ReadStamp(r, name), history: map[string][]*Message{}, members: map[string][]*Conversation{}}
	message := field.Model(func(r *field.Reader) *Message { return readMessage(r, m) })
	s.messages = *field.Or(r, "messages", field.Values(message), &ordered.Table[*Message]{})
	s.conversations = *field.Or(r, "conversations", field.Values(field.Model(readConversation)), &ordered.Table[*Conversation]{})
	s.limit = field.Or(r, "max_messages_per_conversation", field.Int, defaultHistory)
	s.user = field.Need(r, "user_phone_number", field.String)
	if errs := r.Errors(); len(errs) > 0 {
		return nil, errs
	}
	for id, msg := range s.messages.All() {
		s.places++
		msg.place = s.places
		if msg.ID == "" {
			msg.ID = id
		}
		s.remember(msg)
	}
	for id, c := range s.conversations.All() {
		s.places++
		c.place = s.places
		if c.ThreadID == "" {
			c.ThreadID = id
		}
		s.enroll(c)
	}
	return s, nil
}

func readMessage(r *field.Reader, m modality.Moment) *Message {
	return &Message{
		ID:          field.Or(r, "message_id", field.String, ""),
		ThreadID:    field.Need(r, "thread_id", field.String),
		From:        field.Need(r, "from_number", field.String),
		To:          field.Need(r, "to_numbers", field.List(field.String, 0)),
		Body:        field.Need(r, "body", field.String),
		Attachments: field.Or(r, "attachments", field.List(field.Model(func(r *field.Reader) Attachment { return readStored(r, m) }), 0), nil),
		Reactions:   field.Or(r, "reactions", field.List(field.Model(func(r *field.Reader) Reaction { return readReaction(r, m) }), 0), nil),
		Type:        field.Or(r, "message_type", messageType, plain),
		Direction:   field.Need(r, "direction", field.OneOf(incoming, outgoing)),
		SentAt:      field.Need(r, "sent_at", field.When).Aware(),
		DeliveredAt: modality.MaybeAware(r, "delivered_at"),
		ReadAt:      modality.MaybeAware(r, "read_at"),
		IsRead:      field.Or(r, "is_read", field.Bool, false),
		Status:      field.Or(r, "delivery_status", status, statusSent),
		EditedAt:    modality.MaybeAware(r, "edited_at"),
		IsDeleted:   field.Or(r, "is_deleted", field.Bool, false),
		RepliedTo:   field.Maybe(r, "replied_to_message_id", field.String),
		IsSpam:      field.Or(r, "is_spam", field.Bool, false),
	}
}

func readStored(r *field.Reader, m modality.Moment) Attachment {
	a := readPayloadAttachment(r)
	if a.AttachmentID = field.Or(r, "attachment_id", field.String, ""); a.AttachmentID == "" {
		a.AttachmentID = m.NewID()
	}
	return a
}

func readReaction(r *field.Reader, m modality.Moment) Reaction {
	x := Reaction{
		ID:          field.Or(r, "reaction_id", field.String, ""),
		MessageID:   field.Need(r, "message_id", field.String),
		PhoneNumber: field.Need(r, "phone_number", field.String),
		Emoji:       field.Need(r, "emoji", field.String),
		At:          field.Need(r, "timestamp", field.When).Aware(),
	}
	if x.ID == "" {
		x.ID = m.NewID()
	}
	return x
}

func readConversation(r *field.Reader) *Conversation {
	return &Conversation{
		ThreadID:      field.Or(r, "thread_id", field.String, ""),
		Type:          field.Need(r, "conversation_type", field.OneOf(oneOnOne, group)),
		Participants:  field.Need(r, "participants", field.List(field.Model(readParticipant), 0)),
		GroupName:     field.Maybe(r, "group_name", field.String),
		GroupPhotoURL: field.Maybe(r, "group_photo_url", field.String),
		CreatedAt:     field.Need(r, "created_at", field.When).Aware(),
		CreatedBy:     field.Maybe(r, "created_by", field.String),
		LastMessageAt: field.Need(r, "last_message_at", field.When).Aware(),
		MessageCount:  field.Or(r, "message_count", field.Int, 0),
		UnreadCount:   field.Or(r, "unread_count", field.Int, 0),
		IsPinned:      field.Or(r, "is_pinned", field.Bool, false),
		IsMuted:       field.Or(r, "is_muted", field.Bool, false),
		IsArchived:    field.Or(r, "is_archived", field.Bool, false),
		Draft:         field.Maybe(r, "draft_message", field.String),
	}
}

func readParticipant(r *field.Reader) Participant {
	return Participant{
		PhoneNumber: field.Need(r, "phone_number", field.String),
		IsAdmin:     field.Or(r, "is_admin", field.Bool, false),
		JoinedAt:    field.Need(r, "joined_at", field.When).Aware(),
		LeftAt:      modality.MaybeAware(r, "left_at"),
	}
}

// Problems are the inconsistencies that contract section 6.2 names.
func (s *State) Problems() []string {
	var found []string
	for id, m := range s.messages.All() {
		if !s.conversations.Has(m.ThreadID) {
			found = append(found, fmt.Sprintf("Message %s references non-existent conversation %s", id, m.ThreadID))
		}
	}
	for id, c := range s.conversations.All() {
		if n := len(s.history[id]); n != c.MessageCount {
			found = append(found, fmt.Sprintf("Conversation %s message_count (%d) doesn't match actual count (%d)", id, c.MessageCount, n))
		}
		if len(c.Participants) == 0 {
			found = append(found, fmt.Sprintf("Conversation %s has no participants", id))
		}
	}
	return found
}
