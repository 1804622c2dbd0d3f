package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Summary is one line on the conversations.
func (s *State) Summary(modality.Moment) string {
	n := s.count()
	if n == 0 {
		return "No messages"
	}
	return fmt.Sprintf("%s in %s", modality.Count(n, "message"), modality.Count(s.conversations.Len(), "conversation"))
}

// appendFull writes the answer of GET /chat/state.
func (s *State) appendFull(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("modality_type", name)
	o.Member("current_time", m.Now.JSON)
	o.Member("conversations", s.appendConversations)
	o.Member("messages", s.appendMessages)
	o.Int("total_message_count", s.count())
	o.Int("conversation_count", s.conversations.Len())
	o.Int("max_history_size", s.limit)
	return o.Close()
}

// appendShort writes the compact answer of GET /chat/state.
func (s *State) appendShort(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("modality_type", name)
	o.Member("last_updated", s.LastUpdated.JSONISO)
	o.Int("update_count", s.UpdateCount)
	o.Member("conversations", s.appendConversations)
	o.Int("total_message_count", s.count())
	o.Int("conversation_count", s.conversations.Len())
	return o.Close()
}

// lastLength is the number of characters of a message in the compact snapshot.
const lastLength = 150

// AppendCompact writes the chat's part of the compact snapshot: the last message of each
// side.
func (s *State) AppendCompact(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("summary", s.Summary(m))
	o.Int("message_count", s.count())
	o.Int("conversation_count", s.conversations.Len())
	modality.AppendNullable(&o, "last_user_message", s.last(user))
	modality.AppendNullable(&o, "last_assistant_message", s.last(assistant))
	return o.Close()
}

// last is the shortened text of the newest message of a role.
func (s *State) last(role string) *string {
	var newest *Message
	for _, list := range s.history {
		for _, m := range slices.Backward(list) {
			if m.Role != role {
				continue
			}
			if newest == nil || compareTime(newest, m) < 0 {
				newest = m
			}
			break
		}
	}
	if newest == nil {
		return nil
	}
	text := modality.Shorten(text(newest.Content), lastLength)
	return &text
}

// text is the text of a content: of a list of blocks that of its text blocks.
func text(content any) string {
	blocks, ok := content.([]any)
	if !ok {
		s, _ := content.(string)
		return s
	}
	var parts []string
	for _, x := range blocks {
		block, _ := x.(*ordered.Map)
		if kind, _ := block.Get("type"); kind != "text" {
			continue
		}
		if v, _ := block.Get("text"); v != nil {
			s, _ := v.(string)
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}
