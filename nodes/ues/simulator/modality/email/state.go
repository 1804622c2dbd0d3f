package email

import (
	"cmp"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// defaultUser is the address of the mailbox's owner unless a scenario says otherwise.
const defaultUser = "user@example.com"

const (
	inbox  = "inbox"
	sent   = "sent"
	drafts = "drafts"
	trash  = "trash"
	spam   = "spam"
	stored = "archive"
)

// Message is one e-mail. Its texts and lists are shared with the payload it came from and
// are not changed.
type Message struct {
	ID, ThreadID string
	From         string
	To, CC, BCC  []string
	ReplyTo      *string
	Subject      string
	BodyText     string
	BodyHTML     *string
	Attachments  []Attachment
	InReplyTo    *string
	References   []string
	SentAt       field.Time
	ReceivedAt   field.Time
	IsRead       bool
	IsStarred    bool
	Priority     string
	Folder       string
	Labels       []string

	place uint64 // its rank in State.messages
}

// Thread is what is known of a conversation. It need not know all messages that carry its
// id: scenarios may leave threads out.
type Thread struct {
	ID, Subject   string
	participants  people
	messages      []string
	CreatedAt     field.Time
	LastMessageAt field.Time
	MessageCount  int
	UnreadCount   int
}

// State is a mailbox.
type State struct {
	modality.Stamp
	user     string
	messages ordered.Table[*Message]
	threads  ordered.Table[*Thread]
	folders  ordered.Table[*ordered.Bag]
	labels   ordered.Table[*ordered.Bag]
	drafts   ordered.Table[*Message] // each is also in messages; after Load a copy

	byThread map[string][]*Message // the messages that carry a thread id, by place
	places   uint64
}

// New makes an empty mailbox.
func New(m modality.Moment) modality.State {
	s := &State{user: defaultUser}
	s.Clear(m)
	return s
}

// Clear empties the mailbox; its owner's address stays.
func (s *State) Clear(m modality.Moment) {
	*s = State{Stamp: modality.Stamp{LastUpdated: m.Now}, user: s.user, byThread: map[string][]*Message{}}
	s.ensureFolders()
}

func (s *State) ensureFolders() {
	for _, f := range [...]string{inbox, sent, drafts, trash, spam, stored} {
		if !s.folders.Has(f) {
			s.folders.Set(f, &ordered.Bag{})
		}
	}
}

// join makes the thread index know a message, part makes it forget.
func (s *State) join(m *Message) {
	list := s.byThread[m.ThreadID]
	at, _ := slices.BinarySearchFunc(list, m, comparePlace)
	s.byThread[m.ThreadID] = slices.Insert(list, at, m)
}

func (s *State) part(m *Message) {
	list := s.byThread[m.ThreadID]
	at, found := slices.BinarySearchFunc(list, m, comparePlace)
	switch {
	case !found:
	case len(list) == 1:
		delete(s.byThread, m.ThreadID)
	default:
		s.byThread[m.ThreadID] = slices.Delete(list, at, at+1)
	}
}

func comparePlace(a, b *Message) int { return cmp.Compare(a.place, b.place) }

// people are the addresses of a thread, each once, in order of first appearance.
type people struct {
	list  []string
	index map[string]struct{} // nil while there are few
}

// manyPeople is the number of people from which an index pays.
const manyPeople = 16

func (p *people) has(a string) bool {
	if p.index == nil {
		return slices.Contains(p.list, a)
	}
	_, found := p.index[a]
	return found
}

func (p *people) add(a string) {
	if p.has(a) {
		return
	}
	p.list = append(p.list, a)
	switch {
	case p.index != nil:
		p.index[a] = struct{}{}
	case len(p.list) >= manyPeople:
		p.index = make(map[string]struct{}, 2*manyPeople)
		for _, known := range p.list {
			p.index[known] = struct{}{}
		}
	}
}

// cut forgets those who came after the first n.
func (p *people) cut(n int) {
	if p.index != nil {
		for _, a := range p.list[n:] {
			delete(p.index, a)
		}
	}
	p.list = p.list[:n]
}

// AppendJSON writes the state of contract section 6.1.
func (s *State) AppendJSON(dst []byte) []byte {
	o := s.Open(dst, name)
	o.Member("emails", func(dst []byte) []byte { return appendMessages(dst, &s.messages) })
	o.Member("threads", s.appendThreads)
	o.Member("folders", func(dst []byte) []byte { return appendBags(dst, &s.folders) })
	o.Member("labels", func(dst []byte) []byte { return appendBags(dst, &s.labels) })
	o.Member("drafts", func(dst []byte) []byte { return appendMessages(dst, &s.drafts) })
	o.String("user_email_address", s.user)
	return o.Close()
}

func appendMessages(dst []byte, t *ordered.Table[*Message]) []byte {
	o := jsontext.Open(dst)
	for id, m := range t.All() {
		o.Key(id)
		o.Write(m.appendJSON)
	}
	return o.Close()
}

func (s *State) appendThreads(dst []byte) []byte {
	o := jsontext.Open(dst)
	for id, t := range s.threads.All() {
		o.Key(id)
		o.Write(t.appendJSON)
	}
	return o.Close()
}

func appendBags(dst []byte, t *ordered.Table[*ordered.Bag]) []byte {
	o := jsontext.Open(dst)
	for id, bag := range t.All() {
		o.Key(id)
		o.Write(bag.AppendJSON)
	}
	return o.Close()
}

func (m *Message) appendJSON(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("message_id", m.ID)
	o.String("thread_id", m.ThreadID)
	o.String("from_address", m.From)
	o.Strings("to_addresses", m.To)
	o.Strings("cc_addresses", m.CC)
	o.Strings("bcc_addresses", m.BCC)
	modality.AppendNullable(&o, "reply_to_address", m.ReplyTo)
	o.String("subject", m.Subject)
	o.String("body_text", m.BodyText)
	modality.AppendNullable(&o, "body_html", m.BodyHTML)
	o.Member("attachments", func(dst []byte) []byte { return appendAttachments(dst, m.Attachments) })
	modality.AppendNullable(&o, "in_reply_to", m.InReplyTo)
	o.Strings("references", m.References)
	o.Member("sent_at", m.SentAt.JSON)
	o.Member("received_at", m.ReceivedAt.JSON)
	o.Bool("is_read", m.IsRead)
	o.Bool("is_starred", m.IsStarred)
	o.String("priority", m.Priority)
	o.String("folder", m.Folder)
	o.Strings("labels", m.Labels)
	return o.Close()
}

func (t *Thread) appendJSON(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("thread_id", t.ID)
	o.String("subject", t.Subject)
	o.Strings("participant_addresses", slices.Sorted(slices.Values(t.participants.list)))
	o.Strings("message_ids", t.messages)
	o.Member("created_at", t.CreatedAt.JSON)
	o.Member("last_message_at", t.LastMessageAt.JSON)
	o.Int("message_count", t.MessageCount)
	o.Int("unread_count", t.UnreadCount)
	return o.Close()
}
