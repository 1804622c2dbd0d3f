package sms

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

const (
	defaultUser    = "+15550000000"
	defaultHistory = 10000
	oneOnOne       = "one_on_one"
	group          = "group"
)

// Message is one text message. Its recipients and attachments are shared with the payload
// it came from and are not changed.
type Message struct {
	ID, ThreadID string
	From         string
	To           []string
	Body         string
	Attachments  []Attachment
	Reactions    []Reaction
	Type         string
	Direction    string
	SentAt       field.Time
	DeliveredAt  *field.Time
	ReadAt       *field.Time
	IsRead       bool
	Status       string
	EditedAt     *field.Time
	IsDeleted    bool
	RepliedTo    *string
	IsSpam       bool

	place uint64 // its rank in State.messages
}

// Reaction is somebody's emoji on a message.
type Reaction struct {
	ID, MessageID, PhoneNumber, Emoji string
	At                                field.Time
}

// Conversation is a thread between two numbers or in a group.
type Conversation struct {
	ThreadID      string
	Type          string
	Participants  []Participant
	GroupName     *string
	GroupPhotoURL *string
	CreatedAt     field.Time
	CreatedBy     *string
	LastMessageAt field.Time
	MessageCount  int
	UnreadCount   int
	IsPinned      bool
	IsMuted       bool
	IsArchived    bool
	Draft         *string

	place uint64 // its rank in State.conversations
}

// Participant is a member of a conversation, also after leaving it.
type Participant struct {
	PhoneNumber string
	IsAdmin     bool
	JoinedAt    field.Time
	LeftAt      *field.Time
}

// State is a phone.
type State struct {
	modality.Stamp
	user          string
	limit         int // messages per conversation
	messages      ordered.Table[*Message]
	conversations ordered.Table[*Conversation]

	history map[string][]*Message      // by thread id, oldest first
	members map[string][]*Conversation // by participants (see membersKey), by place
	places  uint64
}

// New makes an empty phone.
func New(m modality.Moment) modality.State {
	s := &State{user: defaultUser, limit: defaultHistory}
	s.Clear(m)
	return s
}

// Clear empties the phone; its number stays.
func (s *State) Clear(m modality.Moment) {
	*s = State{
		Stamp: modality.Stamp{LastUpdated: m.Now}, user: s.user, limit: s.limit,
		history: map[string][]*Message{}, members: map[string][]*Conversation{},
	}
}

// compareAge orders messages of a conversation: by time, then by arrival.
func compareAge(a, b *Message) int {
	return cmp.Or(a.SentAt.Compare(b.SentAt), cmp.Compare(a.place, b.place))
}

// remember makes the history know a message, forget the reverse.
func (s *State) remember(m *Message) {
	list := s.history[m.ThreadID]
	i, _ := slices.BinarySearchFunc(list, m, compareAge)
	s.history[m.ThreadID] = slices.Insert(list, i, m)
}

func (s *State) forget(m *Message) {
	list := s.history[m.ThreadID]
	i, found := slices.BinarySearchFunc(list, m, compareAge)
	switch {
	case !found:
	case len(list) == 1:
		delete(s.history, m.ThreadID)
	case i == 0:
		list[0] = nil
		s.history[m.ThreadID] = list[1:]
	default:
		s.history[m.ThreadID] = slices.Delete(list, i, i+1)
	}
}

// membersKey is the same for conversations of the same people.
func membersKey(numbers []string) string {
	slices.Sort(numbers)
	return strings.Join(numbers, "\x00")
}

func (c *Conversation) key() string { return membersKey(c.numbers()) }

func (c *Conversation) numbers() []string {
	numbers := make([]string, len(c.Participants))
	for i, p := range c.Participants {
		numbers[i] = p.PhoneNumber
	}
	return numbers
}

// enroll makes a conversation findable by its people, expel the reverse. Both are called
// when nothing else about the people changes.
func (s *State) enroll(c *Conversation) {
	key := c.key()
	list := s.members[key]
	at, _ := slices.BinarySearchFunc(list, c, comparePlace)
	s.members[key] = slices.Insert(list, at, c)
}

func (s *State) expel(c *Conversation) {
	key := c.key()
	list := s.members[key]
	at, found := slices.BinarySearchFunc(list, c, comparePlace)
	switch {
	case !found:
	case len(list) == 1:
		delete(s.members, key)
	default:
		s.members[key] = slices.Delete(list, at, at+1)
	}
}

func comparePlace(a, b *Conversation) int { return cmp.Compare(a.place, b.place) }

// between finds the first conversation of exactly these people, or nil.
func (s *State) between(numbers []string) *Conversation {
	list := s.members[membersKey(numbers)]
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// AppendJSON writes the state of contract section 6.2.
func (s *State) AppendJSON(dst []byte) []byte {
	o := s.Open(dst, name)
	o.Member("messages", s.appendMessages)
	o.Member("conversations", s.appendConversations)
	o.Int("max_messages_per_conversation", s.limit)
	o.String("user_phone_number", s.user)
	return o.Close()
}

func (s *State) appendMessages(dst []byte) []byte {
	o := jsontext.Open(dst)
	for id, m := range s.messages.All() {
		o.Key(id)
		o.Write(m.appendJSON)
	}
	return o.Close()
}

func (s *State) appendConversations(dst []byte) []byte {
	o := jsontext.Open(dst)
	for id, c := range s.conversations.All() {
		o.Key(id)
		o.Write(c.appendJSON)
	}
	return o.Close()
}

func (m *Message) appendJSON(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("message_id", m.ID)
	o.String("thread_id", m.ThreadID)
	o.String("from_number", m.From)
	o.Strings("to_numbers", m.To)
	o.String("body", m.Body)
	o.Member("attachments", func(dst []byte) []byte {
		return modality.AppendArray(dst, m.Attachments, func(dst []byte, a Attachment) []byte { return a.appendJSON(dst, true) })
	})
	o.Member("reactions", func(dst []byte) []byte { return modality.AppendArray(dst, m.Reactions, appendReaction) })
	o.String("message_type", m.Type)
	o.String("direction", m.Direction)
	o.Member("sent_at", m.SentAt.JSON)
	modality.AppendNullableTime(&o, "delivered_at", m.DeliveredAt)
	modality.AppendNullableTime(&o, "read_at", m.ReadAt)
	o.Bool("is_read", m.IsRead)
	o.String("delivery_status", m.Status)
	modality.AppendNullableTime(&o, "edited_at", m.EditedAt)
	o.Bool("is_deleted", m.IsDeleted)
	modality.AppendNullable(&o, "replied_to_message_id", m.RepliedTo)
	o.Bool("is_spam", m.IsSpam)
	return o.Close()
}

func appendReaction(dst []byte, r Reaction) []byte {
	o := jsontext.Open(dst)
	o.String("reaction_id", r.ID)
	o.String("message_id", r.MessageID)
	o.String("phone_number", r.PhoneNumber)
	o.String("emoji", r.Emoji)
	o.Member("timestamp", r.At.JSON)
	return o.Close()
}

func (c *Conversation) appendJSON(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("thread_id", c.ThreadID)
	o.String("conversation_type", c.Type)
	o.Member("participants", func(dst []byte) []byte { return modality.AppendArray(dst, c.Participants, appendParticipant) })
	modality.AppendNullable(&o, "group_name", c.GroupName)
	modality.AppendNullable(&o, "group_photo_url", c.GroupPhotoURL)
	o.Member("created_at", c.CreatedAt.JSON)
	modality.AppendNullable(&o, "created_by", c.CreatedBy)
	o.Member("last_message_at", c.LastMessageAt.JSON)
	o.Int("message_count", c.MessageCount)
	o.Int("unread_count", c.UnreadCount)
	o.Bool("is_pinned", c.IsPinned)
	o.Bool("is_muted", c.IsMuted)
	o.Bool("is_archived", c.IsArchived)
	modality.AppendNullable(&o, "draft_message", c.Draft)
	return o.Close()
}

func appendParticipant(dst []byte, p Participant) []byte {
	o := jsontext.Open(dst)
	o.String("phone_number", p.PhoneNumber)
	o.Bool("is_admin", p.IsAdmin)
	o.Member("joined_at", p.JoinedAt.JSON)
	modality.AppendNullableTime(&o, "left_at", p.LeftAt)
	return o.Close()
}
