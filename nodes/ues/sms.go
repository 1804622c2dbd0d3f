package ues

import (
	"context"
	"encoding/json"
)

// SMSAPI is the telephone's messages.
type SMSAPI struct{ c *Client }

// SMS is one message.
type SMS struct {
	MessageID          string            `json:"message_id"`
	ThreadID           string            `json:"thread_id"`
	FromNumber         string            `json:"from_number"`
	ToNumbers          []string          `json:"to_numbers"`
	Body               string            `json:"body"`
	Attachments        []json.RawMessage `json:"attachments"`
	Reactions          []SMSReaction     `json:"reactions"`
	MessageType        string            `json:"message_type"` // sms or rcs
	Direction          string            `json:"direction"`    // incoming or outgoing
	SentAt             Time              `json:"sent_at"`
	DeliveredAt        *Time             `json:"delivered_at"`
	ReadAt             *Time             `json:"read_at"`
	IsRead             bool              `json:"is_read"`
	DeliveryStatus     string            `json:"delivery_status"`
	EditedAt           *Time             `json:"edited_at"`
	IsDeleted          bool              `json:"is_deleted"`
	RepliedToMessageID *string           `json:"replied_to_message_id"`
	IsSpam             bool              `json:"is_spam"`
}

// SMSReaction is an emoji that somebody put to a message.
type SMSReaction struct {
	ReactionID  string `json:"reaction_id"`
	MessageID   string `json:"message_id"`
	PhoneNumber string `json:"phone_number"`
	Emoji       string `json:"emoji"`
	Timestamp   Time   `json:"timestamp"`
}

// SMSConversation is the messages between the same people.
type SMSConversation struct {
	ThreadID         string           `json:"thread_id"`
	ConversationType string           `json:"conversation_type"` // one_on_one or group
	Participants     []SMSParticipant `json:"participants"`
	GroupName        *string          `json:"group_name"`
	GroupPhotoURL    *string          `json:"group_photo_url"`
	CreatedAt        Time             `json:"created_at"`
	CreatedBy        *string          `json:"created_by"`
	LastMessageAt    Time             `json:"last_message_at"`
	MessageCount     int              `json:"message_count"`
	UnreadCount      int              `json:"unread_count"`
	IsPinned         bool             `json:"is_pinned"`
	IsMuted          bool             `json:"is_muted"`
	IsArchived       bool             `json:"is_archived"`
	DraftMessage     *string          `json:"draft_message"`
}

// SMSParticipant is somebody in a conversation.
type SMSParticipant struct {
	PhoneNumber string `json:"phone_number"`
	IsAdmin     bool   `json:"is_admin"`
	JoinedAt    Time   `json:"joined_at"`
	LeftAt      *Time  `json:"left_at"`
}

// SMSState is all messages.
type SMSState struct {
	ModalityType           string                     `json:"modality_type"`
	CurrentTime            Time                       `json:"current_time"`
	UserPhoneNumber        string                     `json:"user_phone_number"`
	Messages               map[string]SMS             `json:"messages"`
	Conversations          map[string]SMSConversation `json:"conversations"`
	TotalMessageCount      int                        `json:"total_message_count"` // those deleted too
	UnreadCount            int                        `json:"unread_count"`
	TotalConversationCount int                        `json:"total_conversation_count"`
}

// State gives all messages. Permission sms:state.
func (s SMSAPI) State(ctx context.Context) (SMSState, error) {
	return get[SMSState](ctx, s.c, "/sms/state", nil)
}

// Compact gives the conversations without the messages. Permission sms:state.
func (s SMSAPI) Compact(ctx context.Context) (json.RawMessage, error) {
	return compact(ctx, s.c, "/sms/state")
}

// SMSQuery chooses messages; nil and empty fields choose all. Times are inclusive.
type SMSQuery struct {
	ThreadID       string `json:"thread_id,omitempty"`
	FromNumber     string `json:"from_number,omitempty"`
	ToNumber       string `json:"to_number,omitempty"`
	BodyContains   string `json:"body_contains,omitempty"`
	MessageType    string `json:"message_type,omitempty"`
	Direction      string `json:"direction,omitempty"`
	IsRead         *bool  `json:"is_read,omitempty"`
	HasAttachments bool   `json:"has_attachments,omitempty"` // true chooses; false does not
	DeliveryStatus string `json:"delivery_status,omitempty"`
	IsDeleted      *bool  `json:"is_deleted,omitempty"`
	SentAfter      *Time  `json:"sent_after,omitempty"`
	SentBefore     *Time  `json:"sent_before,omitempty"`
	Limit          int    `json:"limit,omitempty"` // 1 to 1000; 0 is all
	Offset         int    `json:"offset,omitempty"`
	SortBy         string `json:"sort_by,omitempty"` // sent_at, from_number or direction; "" is the order of arrival
	SortOrder      string `json:"sort_order,omitempty"`
}

// SMSPage is the messages that a query chose.
type SMSPage struct {
	ModalityType  string          `json:"modality_type"`
	Messages      []SMS           `json:"messages"`
	TotalCount    int             `json:"total_count"` // before paging
	ReturnedCount int             `json:"returned_count"`
	Query         json.RawMessage `json:"query"`
}

// Query gives messages. Permission sms:query.
func (s SMSAPI) Query(ctx context.Context, q SMSQuery) (SMSPage, error) {
	return post[SMSPage](ctx, s.c, "/sms/query", q)
}

// NewSMS is a message to send or to have arrive. From and at least one To are required.
type NewSMS struct {
	FromNumber         string          `json:"from_number"`
	ToNumbers          []string        `json:"to_numbers"`
	Body               string          `json:"body"`
	MessageType        string          `json:"message_type,omitempty"` // "" is sms
	Attachments        []SMSAttachment `json:"attachments,omitempty"`
	RepliedToMessageID *string         `json:"replied_to_message_id,omitempty"`
	SentAt             *Time           `json:"sent_at,omitempty"` // for Receive; the server ignores it
}

// SMSAttachment is a file of a message: its description, not its content.
type SMSAttachment struct {
	Filename     string   `json:"filename"`
	Size         int      `json:"size"` // bytes
	MIMEType     string   `json:"mime_type"`
	ThumbnailURL *string  `json:"thumbnail_url,omitempty"`
	Duration     *float64 `json:"duration,omitempty"` // seconds
}

// Send sends a message. Its id is told nowhere. Permission sms:send.
func (s SMSAPI) Send(ctx context.Context, m NewSMS) (Action, error) {
	return s.c.Act(ctx, "/sms/send", m)
}

// Receive has a message arrive now. Permission sms:receive.
func (s SMSAPI) Receive(ctx context.Context, m NewSMS) (Action, error) {
	return s.c.Act(ctx, "/sms/receive", m)
}

// Mark changes messages: read, unread or delete. Permission sms:VERB.
func (s SMSAPI) Mark(ctx context.Context, verb string, ids []string) (Action, error) {
	return s.c.Act(ctx, "/sms/"+segment(verb), struct {
		IDs []string `json:"message_ids"`
	}{ids})
}

// React puts an emoji to a message. Permission sms:react.
func (s SMSAPI) React(ctx context.Context, message, number, emoji string) (Action, error) {
	return s.c.Act(ctx, "/sms/react", struct {
		Message string `json:"message_id"`
		Number  string `json:"phone_number"`
		Emoji   string `json:"emoji"`
	}{message, number, emoji})
}

// ConversationChange changes how a conversation is shown; nil fields stay.
type ConversationChange struct {
	ThreadID     string  `json:"thread_id"`
	Pin          *bool   `json:"pin,omitempty"`
	Mute         *bool   `json:"mute,omitempty"`
	Archive      *bool   `json:"archive,omitempty"`
	MarkAllRead  *bool   `json:"mark_all_read,omitempty"`
	DraftMessage *string `json:"draft_message,omitempty"` // "" clears it
}

// Conversation changes how a conversation is shown. Permission sms:conversation.
func (s SMSAPI) Conversation(ctx context.Context, c ConversationChange) (Action, error) {
	return s.c.Act(ctx, "/sms/conversation", c)
}
