package sms

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Summary is one line on the phone.
func (s *State) Summary(modality.Moment) string {
	if s.conversations.Len() == 0 {
		return "No conversations"
	}
	return fmt.Sprintf("%s, %d unread", modality.Count(s.conversations.Len(), "conversation"), s.arrivals())
}

// unread is the number of messages that were not read, arrivals that of messages that
// conversations count as unread. They differ: only marking a whole conversation as read
// changes the latter.
func (s *State) unread() int {
	n := 0
	for _, m := range s.messages.All() {
		if !m.IsRead {
			n++
		}
	}
	return n
}

func (s *State) arrivals() int {
	n := 0
	for _, c := range s.conversations.All() {
		n += c.UnreadCount
	}
	return n
}

// appendFull writes the answer of GET /sms/state.
func (s *State) appendFull(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("modality_type", name)
	o.Member("current_time", m.Now.JSON)
	o.String("user_phone_number", s.user)
	o.Member("messages", s.appendMessages)
	o.Member("conversations", s.appendConversations)
	o.Int("total_message_count", s.messages.Len())
	o.Int("unread_count", s.unread())
	o.Int("total_conversation_count", s.conversations.Len())
	return o.Close()
}

// appendShort writes the compact answer of GET /sms/state.
func (s *State) appendShort(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("modality_type", name)
	o.Member("last_updated", s.LastUpdated.JSONISO)
	o.Int("update_count", s.UpdateCount)
	o.String("user_phone_number", s.user)
	o.Member("conversations", func(dst []byte) []byte {
		o := jsontext.Open(dst)
		for id, c := range s.conversations.All() {
			o.Key(id)
			o.Write(c.appendShort)
		}
		return o.Close()
	})
	o.Int("total_conversations", s.conversations.Len())
	o.Int("total_messages", s.messages.Len())
	o.Int("unread_total", s.arrivals())
	return o.Close()
}

func (c *Conversation) appendShort(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("thread_id", c.ThreadID)
	o.Strings("participants", c.numbers())
	o.Int("message_count", c.MessageCount)
	o.Int("unread_count", c.UnreadCount)
	o.Member("last_message_at", c.LastMessageAt.JSONISO)
	o.Member("created_at", c.CreatedAt.JSONISO)
	if !modality.IsEmpty(c.GroupName) {
		o.String("group_name", *c.GroupName)
	}
	return o.Close()
}

// AppendCompact writes the phone's part of the compact snapshot: the conversations with
// unread messages, newest first.
func (s *State) AppendCompact(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("summary", s.Summary(m))
	o.Int("conversation_count", s.conversations.Len())
	o.Int("total_unread", s.arrivals())
	o.Member("unread_conversations", func(dst []byte) []byte {
		return modality.AppendArray(dst, s.newest(5), func(dst []byte, c *Conversation) []byte { return s.appendCompact(dst, c, m) })
	})
	return o.Close()
}

// newest are the at most n conversations with unread messages that had the last message.
func (s *State) newest(n int) []*Conversation {
	var list []*Conversation
	for _, c := range s.conversations.All() {
		if c.UnreadCount <= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, c, func(a, b *Conversation) int {
			return cmp.Or(b.LastMessageAt.Compare(a.LastMessageAt), -1)
		})
		if at < n {
			list = slices.Insert(list, at, c)
			list = list[:min(n, len(list))]
		}
	}
	return list
}

// lastLength is the number of characters of the last message in the compact snapshot.
const lastLength = 100

func (s *State) appendCompact(dst []byte, c *Conversation, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("thread_id", c.ThreadID)
	o.Int("unread_count", c.UnreadCount)
	o.String("received_ago", modality.Ago(c.LastMessageAt, m.Now))
	if c.Type == group {
		o.Bool("is_group", true)
		if !modality.IsEmpty(c.GroupName) {
			o.String("group_name", *c.GroupName)
		}
	} else if i := slices.IndexFunc(c.Participants, func(p Participant) bool { return p.PhoneNumber != s.user }); i >= 0 {
		o.String("participant", c.Participants[i].PhoneNumber)
	}
	if list := s.history[c.ThreadID]; len(list) > 0 {
		o.String("last_message", modality.Shorten(list[len(list)-1].Body, lastLength))
	}
	return o.Close()
}
