package sms

import (
	"fmt"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Apply performs a payload.
func (s *State) Apply(payload modality.Input, m modality.Moment) (modality.Undo, error) {
	in, ok := payload.(*Input)
	if !ok {
		return nil, fmt.Errorf("apply to a phone: payload is a %T", payload)
	}
	action, undo, err := s.perform(in, m)
	if err != nil {
		return nil, err
	}
	return s.Touched(in.At, action, undo), nil
}

func (s *State) perform(in *Input, m modality.Moment) (action string, undo modality.Reversal, err error) {
	switch in.Operation {
	case opSend, opReceive:
		return s.deliver(in, m)
	case opCreateGroup:
		return "remove_group", s.createGroup(in, m), nil
	case opUpdateDelivery, opAddReaction, opRemoveReaction, opEdit, opDelete:
		msg, found := s.messages.Get(*in.MessageID)
		if !found {
			return "", nil, modality.Refuse("Message %s not found", *in.MessageID)
		}
		return s.change(in, msg, m)
	}
	c, err := s.conversation(*in.ThreadID)
	if err != nil {
		return "", nil, err
	}
	action, undo = s.update(in, c)
	return action, undo, nil
}

func (s *State) conversation(id string) (*Conversation, error) {
	c, found := s.conversations.Get(id)
	if !found {
		return nil, modality.Refuse("Conversation %s not found", id)
	}
	return c, nil
}

// deliver makes a new message. Sending and receiving are the same: who wrote it decides
// on its direction.
func (s *State) deliver(in *Input, m modality.Moment) (action string, undo modality.Reversal, err error) {
	var c *Conversation
	if modality.IsEmpty(in.ThreadID) {
		people := slices.Compact(slices.Sorted(slices.Values(append([]string{*in.From}, in.To...))))
		if c = s.between(people); c == nil {
			c = s.open(in, people, m)
			undo.Add(s.add(c))
		}
	} else if c, err = s.conversation(*in.ThreadID); err != nil {
		return "", nil, err
	}
	msg := s.message(in, m)
	msg.ThreadID = c.ThreadID
	undo.Add(s.put(msg))
	undo.Add(modality.Assign(&c.MessageCount, c.MessageCount+1))
	undo.Add(modality.Assign(&c.LastMessageAt, in.At))
	if msg.Direction == incoming {
		undo.Add(modality.Assign(&c.UnreadCount, c.UnreadCount+1))
	}
	for len(s.history[c.ThreadID]) > max(s.limit, 1) {
		undo.Add(s.drop(s.history[c.ThreadID][0]))
	}
	return "remove_message", undo, nil
}

// message is the message a payload describes, without a thread.
func (s *State) message(in *Input, m modality.Moment) *Message {
	msg := &Message{
		ID: fresh(&in.made.message, s.messages.Has, m), From: *in.From, To: in.To, Body: *in.Body, Type: in.MessageType,
		Direction: incoming, SentAt: in.At, Status: statusSent, RepliedTo: in.RepliedTo,
	}
	if msg.From == s.user {
		msg.Direction, msg.IsRead = outgoing, true
	}
	if len(in.Attachments) > 0 && in.made.attachments == nil {
		for range in.Attachments {
			in.made.attachments = append(in.made.attachments, m.NewID())
		}
	}
	for i, a := range in.Attachments {
		a.AttachmentID = in.made.attachments[i]
		msg.Attachments = append(msg.Attachments, a)
	}
	return msg
}

// fresh is an identifier that is not in use: the one made before, for a redo, or a new
// one, which is remembered.
func fresh(made *string, used func(string) bool, m modality.Moment) string {
	if *made == "" || used(*made) {
		*made = m.NewID()
	}
	return *made
}

// put and drop add a message to the phone and take one out of it.
func (s *State) put(msg *Message) func() {
	s.places++
	msg.place = s.places
	s.messages.Set(msg.ID, msg)
	s.remember(msg)
	return func() {
		s.forget(msg)
		s.messages.Delete(msg.ID)
	}
}

func (s *State) drop(msg *Message) func() {
	s.forget(msg)
	entry := s.messages.Delete(msg.ID)
	return func() {
		s.messages.Restore(entry)
		s.remember(msg)
	}
}

// open is a new conversation of the given people.
func (s *State) open(in *Input, people []string, m modality.Moment) *Conversation {
	c := &Conversation{
		ThreadID: fresh(&in.made.thread, s.conversations.Has, m), Type: oneOnOne, GroupName: in.GroupName,
		CreatedAt: in.At, LastMessageAt: in.At,
	}
	if len(people) > 2 {
		c.Type = group
	}
	for _, p := range people {
		c.Participants = append(c.Participants, Participant{PhoneNumber: p, JoinedAt: in.At})
	}
	return c
}

// add puts a conversation on the phone.
func (s *State) add(c *Conversation) func() {
	s.places++
	c.place = s.places
	s.conversations.Set(c.ThreadID, c)
	s.enroll(c)
	return func() {
		s.expel(c)
		s.conversations.Delete(c.ThreadID)
	}
}

func (s *State) createGroup(in *Input, m modality.Moment) modality.Reversal {
	c := s.open(in, in.ParticipantNumbers, m)
	c.Type, c.CreatedBy = group, in.CreatorNumber
	for i := range c.Participants {
		c.Participants[i].IsAdmin = c.Participants[i].PhoneNumber == *in.CreatorNumber
	}
	return modality.Reversal{s.add(c)}
}

// change performs an operation on one message.
func (s *State) change(in *Input, msg *Message, m modality.Moment) (action string, undo modality.Reversal, err error) {
	undo.Add(s.changeAll(in.also))
	switch in.Operation {
	case opUpdateDelivery:
		undo.Add(setStatus(msg, *in.NewStatus, in.At))
		return "restore_delivery_status", undo, nil
	case opAddReaction:
		id := fresh(&in.made.reaction, func(string) bool { return false }, m)
		reaction := Reaction{ID: id, MessageID: msg.ID, PhoneNumber: *in.PhoneNumber, Emoji: *in.Emoji, At: in.At}
		msg.Reactions = append(msg.Reactions, reaction)
		undo.Add(func() { msg.Reactions = msg.Reactions[:len(msg.Reactions)-1] })
		return "remove_added_reaction", undo, nil
	case opRemoveReaction:
		i := slices.IndexFunc(msg.Reactions, func(r Reaction) bool { return r.ID == *in.ReactionID })
		if i < 0 {
			return "noop", undo, nil
		}
		gone := msg.Reactions[i]
		msg.Reactions = slices.Delete(msg.Reactions, i, i+1)
		undo.Add(func() { msg.Reactions = slices.Insert(msg.Reactions, i, gone) })
		return "restore_reaction", undo, nil
	case opEdit:
		if msg.Type != rich {
			return "", nil, modality.Refuse("Can only edit RCS messages")
		}
		undo.Add(modality.Assign(&msg.Body, *in.NewBody))
		undo.Add(modality.Assign(&msg.EditedAt, &in.At))
		return "restore_message_body", undo, nil
	default:
		undo.Add(modality.Assign(&msg.IsDeleted, true))
		return "restore_message_deleted", undo, nil
	}
}

func setStatus(msg *Message, status string, at field.Time) func() {
	before := *msg
	switch status {
	case statusDelivered:
		msg.Status, msg.DeliveredAt = statusDelivered, &at
	case statusRead:
		msg.IsRead, msg.ReadAt = true, &at
		if msg.Direction == outgoing {
			msg.Status = statusRead
		}
	default:
		msg.Status = status
	}
	return func() {
		msg.IsRead, msg.ReadAt, msg.DeliveredAt, msg.Status = before.IsRead, before.ReadAt, before.DeliveredAt, before.Status
	}
}

// update performs an operation on one conversation.
func (s *State) update(in *Input, c *Conversation) (action string, undo modality.Reversal) {
	switch in.Operation {
	case opUpdateGroup:
		if in.GroupName != nil {
			undo.Add(modality.Assign(&c.GroupName, in.GroupName))
		}
		if in.GroupPhotoURL != nil {
			undo.Add(modality.Assign(&c.GroupPhotoURL, in.GroupPhotoURL))
		}
		return "restore_group_settings", undo
	case opAddParticipant:
		p := Participant{PhoneNumber: *in.PhoneNumber, IsAdmin: in.IsAdmin, JoinedAt: in.At}
		s.seat(c, append(c.Participants, p))
		undo.Add(func() { s.seat(c, c.Participants[:len(c.Participants)-1]) })
		return "remove_added_participant", undo
	case opRemoveParticipant, opLeaveGroup:
		number := s.user
		if !modality.IsEmpty(in.PhoneNumber) {
			number = *in.PhoneNumber
		}
		i := slices.IndexFunc(c.Participants, func(p Participant) bool { return p.PhoneNumber == number })
		if i < 0 {
			return "noop", undo
		}
		before := c.Participants[i].LeftAt
		c.Participants[i].LeftAt = &in.At
		undo.Add(func() { c.Participants[i].LeftAt = before }) // the list may have moved by then
		return "restore_participant", undo
	default:
		return "restore_conversation_settings", s.settings(in, c)
	}
}

// seat changes the people of a conversation.
func (s *State) seat(c *Conversation, people []Participant) {
	s.expel(c)
	c.Participants = people
	s.enroll(c)
}

func (s *State) settings(in *Input, c *Conversation) (undo modality.Reversal) {
	for _, x := range []struct {
		to   *bool
		flag *bool
	}{{in.Pin, &c.IsPinned}, {in.Mute, &c.IsMuted}, {in.Archive, &c.IsArchived}} {
		if x.to != nil {
			undo.Add(modality.Assign(x.flag, *x.to))
		}
	}
	if in.MarkAllRead != nil && *in.MarkAllRead {
		undo.Add(modality.Assign(&c.UnreadCount, 0))
		for _, msg := range s.history[c.ThreadID] {
			if !msg.IsRead {
				undo.Add(setStatus(msg, statusRead, in.At))
			}
		}
	}
	if in.DraftMessage != nil {
		draft := in.DraftMessage
		if *draft == "" {
			draft = nil
		}
		undo.Add(modality.Assign(&c.Draft, draft))
	}
	return undo
}
