package ues

import (
	"context"
	"encoding/json"
)

// ChatAPI is the conversation between user and assistant.
type ChatAPI struct{ c *Client }

// ChatMessage is one message. Content is a JSON string or a list of blocks.
type ChatMessage struct {
	MessageID      string          `json:"message_id"`
	ConversationID string          `json:"conversation_id"`
	Role           string          `json:"role"` // user or assistant
	Content        json.RawMessage `json:"content"`
	Timestamp      Time            `json:"timestamp"`
	Metadata       map[string]any  `json:"metadata"`
}

// Text is the content when it is a text, "" when it is blocks.
func (m ChatMessage) Text() string {
	var text string
	if json.Unmarshal(m.Content, &text) != nil {
		return ""
	}
	return text
}

// ChatConversation is what is known of a conversation. The roles have no order.
type ChatConversation struct {
	ConversationID   string   `json:"conversation_id"`
	CreatedAt        Time     `json:"created_at"`
	LastMessageAt    Time     `json:"last_message_at"`
	MessageCount     int      `json:"message_count"`
	ParticipantRoles []string `json:"participant_roles"`
}

// ChatState is all conversations.
type ChatState struct {
	ModalityType      string                      `json:"modality_type"`
	CurrentTime       Time                        `json:"current_time"`
	Conversations     map[string]ChatConversation `json:"conversations"`
	Messages          []ChatMessage               `json:"messages"`
	TotalMessageCount int                         `json:"total_message_count"`
	ConversationCount int                         `json:"conversation_count"`
	MaxHistorySize    int                         `json:"max_history_size"`
}

// State gives all conversations. Permission chat:state.
func (c ChatAPI) State(ctx context.Context) (ChatState, error) {
	return get[ChatState](ctx, c.c, "/chat/state", nil)
}

// Compact gives the conversations without the messages. Permission chat:state.
func (c ChatAPI) Compact(ctx context.Context) (json.RawMessage, error) {
	return compact(ctx, c.c, "/chat/state")
}

// ChatQuery chooses messages; nil and empty fields choose all. Times are inclusive.
type ChatQuery struct {
	ConversationID string `json:"conversation_id,omitempty"`
	Role           string `json:"role,omitempty"`
	Since          *Time  `json:"since,omitempty"`
	Until          *Time  `json:"until,omitempty"`
	Search         string `json:"search,omitempty"`
	Limit          int    `json:"limit,omitempty"` // 1 to 1000; 0 is all
	Offset         int    `json:"offset,omitempty"`
	SortBy         string `json:"sort_by,omitempty"`
	SortOrder      string `json:"sort_order,omitempty"`
}

// ChatPage is the messages that a query chose.
type ChatPage struct {
	ModalityType  string          `json:"modality_type"`
	Messages      []ChatMessage   `json:"messages"`
	TotalCount    int             `json:"total_count"` // before paging
	ReturnedCount int             `json:"returned_count"`
	Query         json.RawMessage `json:"query"`
}

// Query gives messages. Permission chat:query.
func (c ChatAPI) Query(ctx context.Context, q ChatQuery) (ChatPage, error) {
	return post[ChatPage](ctx, c.c, "/chat/query", q)
}

// NewChatMessage is a message to send. Content is a text or a list of blocks.
type NewChatMessage struct {
	Role           string         `json:"role"`
	Content        any            `json:"content"`
	ConversationID string         `json:"conversation_id,omitempty"` // "" is default
	Metadata       map[string]any `json:"metadata,omitempty"`
}

// Send adds a message. Permission chat:send.
func (c ChatAPI) Send(ctx context.Context, m NewChatMessage) (Action, error) {
	return c.c.Act(ctx, "/chat/send", m)
}

// Delete removes a message; one that is not there is passed over. Permission chat:delete.
func (c ChatAPI) Delete(ctx context.Context, message string) (Action, error) {
	return c.c.Act(ctx, "/chat/delete", struct {
		ID string `json:"message_id"`
	}{message})
}

// Clear removes a conversation; "" is default. Permission chat:clear.
func (c ChatAPI) Clear(ctx context.Context, conversation string) (Action, error) {
	return c.c.Act(ctx, "/chat/clear", struct {
		ID string `json:"conversation_id,omitempty"`
	}{conversation})
}
