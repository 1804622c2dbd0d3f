package ues

import (
	"context"
	"encoding/json"
	"net/url"
)

// EmailAPI is the mailbox.
type EmailAPI struct{ c *Client }

// Email is one mail.
type Email struct {
	MessageID      string            `json:"message_id"`
	ThreadID       string            `json:"thread_id"`
	FromAddress    string            `json:"from_address"`
	ToAddresses    []string          `json:"to_addresses"`
	CCAddresses    []string          `json:"cc_addresses"`
	BCCAddresses   []string          `json:"bcc_addresses"`
	ReplyToAddress *string           `json:"reply_to_address"`
	Subject        string            `json:"subject"`
	BodyText       string            `json:"body_text"`
	BodyHTML       *string           `json:"body_html"`
	Attachments    []EmailAttachment `json:"attachments"`
	InReplyTo      *string           `json:"in_reply_to"`
	References     []string          `json:"references"`
	SentAt         Time              `json:"sent_at"`
	ReceivedAt     Time              `json:"received_at"`
	IsRead         bool              `json:"is_read"`
	IsStarred      bool              `json:"is_starred"`
	Priority       string            `json:"priority"` // high, normal or low
	Folder         string            `json:"folder"`
	Labels         []string          `json:"labels"`
}

// EmailAttachment is a file of a mail: its description, not its content.
type EmailAttachment struct {
	Filename     string  `json:"filename"`
	Size         int     `json:"size"` // bytes
	MIMEType     string  `json:"mime_type"`
	ContentID    *string `json:"content_id"`
	AttachmentID string  `json:"attachment_id,omitempty"`
}

// EmailThread is a conversation. The addresses have no order.
type EmailThread struct {
	ThreadID             string   `json:"thread_id"`
	Subject              string   `json:"subject"`
	ParticipantAddresses []string `json:"participant_addresses"`
	MessageIDs           []string `json:"message_ids"`
	CreatedAt            Time     `json:"created_at"`
	LastMessageAt        Time     `json:"last_message_at"`
	MessageCount         int      `json:"message_count"`
	UnreadCount          int      `json:"unread_count"`
}

// EmailState is the whole mailbox.
type EmailState struct {
	ModalityType     string                 `json:"modality_type"`
	CurrentTime      Time                   `json:"current_time"`
	UserEmailAddress string                 `json:"user_email_address"`
	Emails           map[string]Email       `json:"emails"`
	Threads          map[string]EmailThread `json:"threads"`
	Folders          map[string][]string    `json:"folders"` // ids by folder
	Labels           map[string][]string    `json:"labels"`  // ids by label
	TotalEmailCount  int                    `json:"total_email_count"`
	UnreadCount      int                    `json:"unread_count"`
	StarredCount     int                    `json:"starred_count"`
}

// State gives the whole mailbox. Permission email:state.
func (e EmailAPI) State(ctx context.Context) (EmailState, error) {
	return get[EmailState](ctx, e.c, "/email/state", nil)
}

// EmailSummary is the mailbox without the texts.
type EmailSummary struct {
	ModalityType     string `json:"modality_type"`
	CurrentTime      Time   `json:"current_time"`
	UserEmailAddress string `json:"user_email_address"`
	Statistics       struct {
		TotalEmails  int `json:"total_emails"`
		TotalThreads int `json:"total_threads"`
		TotalUnread  int `json:"total_unread"`
		TotalStarred int `json:"total_starred"`
		TotalDrafts  int `json:"total_drafts"`
		TotalLabels  int `json:"total_labels"`
	} `json:"statistics"`
	Folders map[string]FolderCount     `json:"folders"`
	Labels  map[string]int             `json:"labels"`
	Emails  map[string]json.RawMessage `json:"emails"`
	Threads map[string]EmailThread     `json:"threads"`
}

// FolderCount counts a folder.
type FolderCount struct {
	MessageCount int `json:"message_count"`
	UnreadCount  int `json:"unread_count"`
}

// Summary gives the mailbox without the texts. Permission email:state.
func (e EmailAPI) Summary(ctx context.Context) (EmailSummary, error) {
	return get[EmailSummary](ctx, e.c, "/email/state", url.Values{"summary": {"true"}})
}

// EmailQuery chooses mails; nil and empty fields choose all. Times are inclusive.
type EmailQuery struct {
	Folder          string   `json:"folder,omitempty"`
	IsRead          *bool    `json:"is_read,omitempty"`
	IsStarred       *bool    `json:"is_starred,omitempty"`
	HasAttachments  *bool    `json:"has_attachments,omitempty"`
	FromAddress     string   `json:"from_address,omitempty"` // a part of it
	ToAddress       string   `json:"to_address,omitempty"`   // a part of one of them
	SubjectContains string   `json:"subject_contains,omitempty"`
	BodyContains    string   `json:"body_contains,omitempty"`
	Labels          []string `json:"labels,omitempty"` // all of them
	ThreadID        string   `json:"thread_id,omitempty"`
	ReceivedAfter   *Time    `json:"received_after,omitempty"`
	ReceivedBefore  *Time    `json:"received_before,omitempty"`
	Limit           int      `json:"limit,omitempty"` // 1 to 1000; 0 is all
	Offset          int      `json:"offset,omitempty"`
	SortBy          string   `json:"sort_by,omitempty"`    // date, from or subject; "" is the order of arrival
	SortOrder       string   `json:"sort_order,omitempty"` // asc or desc
}

// EmailPage is the mails that a query chose.
type EmailPage struct {
	ModalityType  string          `json:"modality_type"`
	Emails        []Email         `json:"emails"`
	TotalCount    int             `json:"total_count"` // before paging
	ReturnedCount int             `json:"returned_count"`
	Query         json.RawMessage `json:"query"`
}

// Query gives mails. Permission email:query.
func (e EmailAPI) Query(ctx context.Context, q EmailQuery) (EmailPage, error) {
	return post[EmailPage](ctx, e.c, "/email/query", q)
}

// NewEmail is a mail to send or to have arrive. From, at least one To, Subject and
// BodyText are required.
type NewEmail struct {
	FromAddress    string            `json:"from_address"`
	ToAddresses    []string          `json:"to_addresses"`
	CCAddresses    []string          `json:"cc_addresses,omitempty"`
	BCCAddresses   []string          `json:"bcc_addresses,omitempty"`
	ReplyToAddress *string           `json:"reply_to_address,omitempty"`
	Subject        string            `json:"subject"`
	BodyText       string            `json:"body_text"`
	BodyHTML       *string           `json:"body_html,omitempty"`
	Attachments    []EmailAttachment `json:"attachments,omitempty"`
	ThreadID       *string           `json:"thread_id,omitempty"` // nil: a new thread
	InReplyTo      *string           `json:"in_reply_to,omitempty"`
	References     []string          `json:"references,omitempty"`
	Priority       string            `json:"priority,omitempty"` // "" is normal
	SentAt         *Time             `json:"sent_at,omitempty"`  // for Receive; the server ignores it
}

// Send sends a mail: it is in the folder sent at once. Permission email:send.
func (e EmailAPI) Send(ctx context.Context, m NewEmail) (Action, error) {
	return e.c.Act(ctx, "/email/send", m)
}

// Receive has a mail arrive now. Permission email:receive.
func (e EmailAPI) Receive(ctx context.Context, m NewEmail) (Action, error) {
	return e.c.Act(ctx, "/email/receive", m)
}

// EmailMark says which mails are marked and how: one of read, unread, star, unstar,
// archive, delete; label and unlabel with Labels, move with Folder. Ids that do not
// exist are passed over.
type EmailMark struct {
	Verb       string   `json:"-"`
	MessageIDs []string `json:"message_ids"`
	Labels     []string `json:"labels,omitempty"`
	Folder     string   `json:"folder,omitempty"`
}

// Mark changes mails. Permission email:VERB.
func (e EmailAPI) Mark(ctx context.Context, m EmailMark) (Action, error) {
	return e.c.Act(ctx, "/email/"+segment(m.Verb), m)
}
