package chat

import (
	"fmt"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Apply performs a payload.
func (s *State) Apply(payload modality.Input, _ modality.Moment) (modality.Undo, error) {
	in, ok := payload.(*Input)
	if !ok {
		return nil, fmt.Errorf("apply to a chat: payload is a %T", payload)
	}
	var action string
	var undo modality.Reversal
	switch in.Operation {
	case opSend:
		action, undo = "remove_message", s.send(in)
	case opDelete:
		action, undo = s.remove(*in.MessageID)
	default:
		action, undo = s.clear(in.ConversationID)
	}
	return s.Touched(in.At, action, undo), nil
}

func (s *State) send(in *Input) (undo modality.Reversal) {
	shown := s.shown
	s.shown = nil
	undo.Add(func() { s.shown = shown })
	s.places++
	m := &Message{
		ID: *in.MessageID, ConversationID: in.ConversationID, Role: *in.Role, Content: in.Content, At: in.At,
		Metadata: in.Metadata, place: s.places,
	}
	c, found := s.conversations.Get(m.ConversationID)
	if !found {
		c = &Conversation{ID: m.ConversationID, CreatedAt: in.At, roles: map[string]struct{}{}}
		undo.Add(modality.Put(&s.conversations, c.ID, c))
	}
	s.put(m)
	undo.Add(func() { s.drop(m) })
	undo.Add(modality.Assign(&c.MessageCount, c.MessageCount+1))
	undo.Add(modality.Assign(&c.LastMessageAt, in.At))
	if _, met := c.roles[m.Role]; !met {
		c.roles[m.Role] = struct{}{}
		undo.Add(func() { delete(c.roles, m.Role) })
	}
	for len(s.history[c.ID]) > max(s.limit, 1) {
		oldest := s.history[c.ID][0]
		s.drop(oldest)
		undo.Add(func() { s.put(oldest) })
	}
	return undo
}

// remove takes the first message with an id out. The roles of its conversation stay.
func (s *State) remove(id string) (action string, undo modality.Reversal) {
	if len(s.byID[id]) == 0 {
		return "noop", nil
	}
	m := s.byID[id][0]
	undo.Add(s.take([]*Message{m}))
	c, found := s.conversations.Get(m.ConversationID)
	if !found {
		return "restore_message", undo
	}
	undo.Add(modality.Assign(&c.MessageCount, c.MessageCount-1))
	if list := s.history[c.ID]; len(list) > 0 {
		undo.Add(modality.Assign(&c.LastMessageAt, list[len(list)-1].At))
	}
	return "restore_message", undo
}

// take drops messages and gives what takes that back.
func (s *State) take(list []*Message) func() {
	shown := s.shown
	s.shown = slices.Clone(shown)
	for _, m := range list {
		s.drop(m)
	}
	return func() {
		for _, m := range list {
			s.put(m)
		}
		s.shown = shown
	}
}

// clear removes a conversation and its messages.
func (s *State) clear(id string) (action string, undo modality.Reversal) {
	list := slices.Clone(s.history[id])
	if !s.conversations.Has(id) && len(list) == 0 {
		return "noop", nil
	}
	undo.Add(s.take(list))
	undo.Add(modality.Remove(&s.conversations, id))
	return "restore_conversation", undo
}
