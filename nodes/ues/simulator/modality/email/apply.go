package email

import (
	"fmt"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Apply performs a payload.
func (s *State) Apply(payload modality.Input, m modality.Moment) (modality.Undo, error) {
	in, ok := payload.(*Input)
	if !ok {
		return nil, fmt.Errorf("apply to a mailbox: payload is a %T", payload)
	}
	action, undo, err := s.perform(in, m)
	if err != nil {
		return nil, err
	}
	return s.Touched(in.At, action, undo), nil
}

func (s *State) perform(in *Input, m modality.Moment) (action string, undo modality.Reversal, err error) {
	switch in.Operation {
	case opReceive, opSend, opReply, opReplyAll, opForward, opSaveDraft:
		return s.compose(in, m)
	case opSendDraft:
		return s.sendDraft(in)
	}
	action, undo = s.mark(in)
	return action, undo, nil
}

// compose makes a new message.
func (s *State) compose(in *Input, m modality.Moment) (action string, undo modality.Reversal, err error) {
	msg := message(in)
	action = "remove_email_and_thread"
	switch in.Operation {
	case opReply, opReplyAll:
		parent, found := s.messages.Get(*in.InReplyTo)
		if !found {
			return "", nil, modality.Refuse("Cannot reply to non-existent email: %s", *in.InReplyTo)
		}
		action = "remove_email_restore_thread"
		msg.ThreadID = parent.ThreadID
		msg.References = append(append(make([]string, 0, len(parent.References)+1), parent.References...), parent.ID)
	case opForward:
		parent, found := s.messages.Get(*in.InReplyTo)
		if !found {
			return "", nil, modality.Refuse("Cannot forward non-existent email: %s", *in.InReplyTo)
		}
		msg.References = []string{*in.InReplyTo}
		if len(msg.Attachments) == 0 {
			msg.Attachments = parent.Attachments
		}
	case opSaveDraft:
		action = "remove_draft"
	}
	s.name(in, msg, m)
	undo = s.insert(msg)
	if in.Operation == opSaveDraft {
		undo.Add(modality.Put(&s.drafts, msg.ID, msg))
	} else {
		undo.Add(s.extendThread(msg))
	}
	return action, undo, nil
}

// message is the message a payload describes, without ids.
func message(in *Input) *Message {
	msg := &Message{
		From: *in.From, To: in.To, CC: orEmpty(in.CC), BCC: orEmpty(in.BCC), ReplyTo: in.ReplyTo,
		Subject: *in.Subject, BodyText: *in.BodyText, BodyHTML: in.BodyHTML,
		Attachments: in.Attachments, InReplyTo: in.InReplyTo, References: orEmpty(in.References),
		SentAt: in.At, ReceivedAt: in.At, Priority: in.Priority, Labels: []string{},
	}
	switch in.Operation {
	case opReceive:
		msg.Folder = inbox
	case opSaveDraft:
		msg.Folder = drafts
	default:
		msg.Folder, msg.IsRead = sent, true
	}
	return msg
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// name gives a new message its ids and writes them back into the payload, so that a redo
// makes the same message. A reply's payload keeps its thread_id, and a draft's does.
func (s *State) name(in *Input, msg *Message, m modality.Moment) {
	if empty(in.MessageID) {
		id := m.NewID()
		in.MessageID = &id
	}
	msg.ID = *in.MessageID
	if msg.ThreadID != "" {
		return
	}
	if empty(in.ThreadID) {
		msg.ThreadID = "thread-" + msg.ID
	} else {
		msg.ThreadID = *in.ThreadID
	}
	if in.Operation != opSaveDraft {
		in.ThreadID = &msg.ThreadID
	}
}

// insert puts a message into the mailbox and its folder. One with the same id loses its
// place to it; the folder then lists the id twice, as the original does.
func (s *State) insert(msg *Message) modality.Reversal {
	undo := make(modality.Reversal, 0, 5)
	if old, found := s.messages.Get(msg.ID); found {
		msg.place = old.place
		s.part(old)
		undo.Add(func() { s.join(old) })
	} else {
		s.places++
		msg.place = s.places
	}
	undo.Add(modality.Put(&s.messages, msg.ID, msg))
	s.join(msg)
	undo.Add(func() { s.part(msg) })
	undo.Add(s.file(msg.ID, msg.Folder))
	return undo
}

// file lists an id in a folder, which is created on demand.
func (s *State) file(id, folder string) func() { return modality.Enlist(&s.folders, folder, id) }

// extendThread adds a message to its thread; a thread that is not known yet begins with
// it, even when older messages carry its id.
func (s *State) extendThread(msg *Message) func() {
	t, found := s.threads.Get(msg.ThreadID)
	if !found {
		t = &Thread{ID: msg.ThreadID, Subject: msg.Subject, CreatedAt: msg.SentAt}
		s.threads.Set(t.ID, t)
	}
	last := t.LastMessageAt
	unread := 0
	if !msg.IsRead {
		unread = 1
	}
	t.messages = append(t.messages, msg.ID)
	t.MessageCount++
	t.UnreadCount += unread
	t.LastMessageAt = msg.SentAt
	known := len(t.participants.list)
	t.meet(msg)
	return func() {
		if !found {
			s.threads.Delete(t.ID)
			return
		}
		t.messages = t.messages[:len(t.messages)-1]
		t.MessageCount--
		t.UnreadCount -= unread
		t.LastMessageAt = last
		t.participants.cut(known)
	}
}

// meet adds the people of a message to a thread. Those of blind copies are not among them.
func (t *Thread) meet(msg *Message) {
	t.participants.add(msg.From)
	for _, a := range msg.To {
		t.participants.add(a)
	}
	for _, a := range msg.CC {
		t.participants.add(a)
	}
}

// sendDraft moves a draft to the sent folder.
func (s *State) sendDraft(in *Input) (action string, undo modality.Reversal, err error) {
	id := *in.MessageID
	draft, found := s.drafts.Get(id)
	if !found {
		return "", nil, modality.Refuse("Draft not found: %s", id)
	}
	entry := s.drafts.Delete(id)
	undo.Add(func() { s.drafts.Restore(entry) })
	msg, found := s.messages.Get(id)
	if !found {
		msg = draft
		undo.Add(s.adopt(msg))
	}
	undo.Add(s.move(msg, sent))
	undo.Add(modality.Assign(&msg.IsRead, true))
	return "restore_draft", undo, nil
}

// adopt puts a draft that only the drafts knew into the mailbox.
func (s *State) adopt(msg *Message) func() {
	s.places++
	msg.place = s.places
	s.messages.Set(msg.ID, msg)
	s.join(msg)
	return func() {
		s.part(msg)
		s.messages.Delete(msg.ID)
	}
}
