package googletest

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// mailbox is the mails of one user.
type mailbox struct {
	address  string
	mails    map[string]*letter
	order    []string // ids, oldest first
	labels   map[string]string
	drafts   map[string]string // draft id to mail id
	history  []change
	at       uint64 // history id
	forgot   uint64 // history up to here is gone
	nextUser int
}

// letter is one mail.
type letter struct {
	id, thread string
	raw        []byte
	labels     []string
	at         time.Time // when it came in or went out
	history    uint64
	tree       *node // parsed, with headers
}

// change is one entry of the history.
type change struct {
	id           uint64
	mail, thread string
	added        bool
	deleted      bool
	labels       []string // of the mail after the change
	plus, minus  []string
}

var systemLabels = []string{
	"INBOX", "SENT", "DRAFT", "SPAM", "TRASH", "UNREAD", "STARRED", "IMPORTANT", "CHAT",
	"CATEGORY_PERSONAL", "CATEGORY_SOCIAL", "CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_FORUMS",
}

func newMailbox(address string) *mailbox {
	b := &mailbox{address: address, mails: map[string]*letter{}, labels: map[string]string{}, drafts: map[string]string{}, at: 1000}
	for _, name := range systemLabels {
		b.labels[name] = name
	}
	return b
}

// add puts a mail into the box.
func (b *mailbox) add(l *letter) {
	l.tree = parse(l.raw)
	b.mails[l.id] = l
	i, _ := slices.BinarySearchFunc(b.order, l, func(id string, l *letter) int {
		if b.mails[id].at.After(l.at) {
			return 1
		}
		return -1
	})
	b.order = slices.Insert(b.order, i, l.id)
	b.record(change{mail: l.id, thread: l.thread, added: true, labels: slices.Clone(l.labels)})
	l.history = b.at
}

func (b *mailbox) record(c change) {
	b.at += 7
	c.id = b.at
	b.history = append(b.history, c)
}

// relabel adds and removes labels; those that change nothing are no history.
func (b *mailbox) relabel(l *letter, plus, minus []string) {
	var c change
	for _, name := range plus {
		if !slices.Contains(l.labels, name) {
			l.labels = append(l.labels, name)
			c.plus = append(c.plus, name)
		}
	}
	for _, name := range minus {
		if i := slices.Index(l.labels, name); i >= 0 {
			l.labels = slices.Delete(l.labels, i, i+1)
			c.minus = append(c.minus, name)
		}
	}
	if len(c.plus)+len(c.minus) == 0 {
		return
	}
	c.mail, c.thread, c.labels = l.id, l.thread, slices.Clone(l.labels)
	b.record(c)
	l.history = b.at
}

func (b *mailbox) remove(id string) {
	l := b.mails[id]
	delete(b.mails, id)
	b.order = slices.DeleteFunc(b.order, func(other string) bool { return other == id })
	b.record(change{mail: id, thread: l.thread, deleted: true, labels: l.labels})
}

// thread returns the mails of a conversation, oldest first.
func (b *mailbox) thread(id string) []*letter {
	var out []*letter
	for _, name := range b.order {
		if l := b.mails[name]; l.thread == id {
			out = append(out, l)
		}
	}
	return out
}

// conversation finds the thread of a mail by the ids it refers to, "" when there is none.
func (b *mailbox) conversation(t *node) string {
	refs := strings.Fields(t.get("References") + " " + t.get("In-Reply-To"))
	for _, name := range b.order {
		l := b.mails[name]
		id := l.tree.get("Message-ID")
		if id != "" && slices.Contains(refs, id) && plainSubject(l.tree.get("Subject")) == plainSubject(t.get("Subject")) {
			return l.thread
		}
	}
	return ""
}

func plainSubject(s string) string {
	s = strings.ToLower(strings.TrimSpace(decodeHeader(s)))
	for {
		rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "re:"), "fwd:"))
		if rest == s {
			return s
		}
		s = rest
	}
}

// Deliver puts a mail as it goes over the wire into the user's inbox, unread, and
// returns its id. It joins the conversation that it refers to.
func (s *Server) Deliver(address string, raw []byte, labels ...string) string {
	return s.DeliverAt(address, s.Now(), raw, labels...)
}

// DeliverAt is Deliver at another time.
func (s *Server) DeliverAt(address string, at time.Time, raw []byte, labels ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(labels) == 0 {
		labels = []string{"INBOX", "UNREAD"}
	}
	b := s.accounts[address].box
	l := &letter{id: s.id(""), raw: raw, labels: slices.Clone(labels), at: at}
	if l.thread = b.conversation(parse(raw)); l.thread == "" {
		l.thread = l.id
	}
	b.add(l)
	return l.id
}

// Mail is a mail in a mailbox, for looking at.
type Mail struct {
	ID, Thread string
	Labels     []string // sorted
	Raw        []byte
	At         time.Time
}

// Header returns a header of the mail, decoded.
func (m Mail) Header(name string) string { return decodeHeader(parse(m.Raw).get(name)) }

// Text returns the first text of the mail.
func (m Mail) Text() string { return parse(m.Raw).firstText() }

// Mails returns the mails of a user that have all the labels, oldest first.
func (s *Server) Mails(address string, labels ...string) []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.accounts[address].box
	var out []Mail
	for _, id := range b.order {
		l := b.mails[id]
		if !slices.ContainsFunc(labels, func(name string) bool { return !slices.Contains(l.labels, name) }) {
			names := slices.Clone(l.labels)
			for i, name := range names {
				names[i] = b.labels[name]
			}
			out = append(out, Mail{ID: l.id, Thread: l.thread, Labels: slices.Sorted(slices.Values(names)), Raw: l.raw, At: l.at})
		}
	}
	return out
}

// Mail returns one mail of a user; its ID is empty when there is none.
func (s *Server) Mail(address, id string) Mail {
	for _, m := range s.Mails(address) {
		if m.ID == id {
			return m
		}
	}
	return Mail{}
}

// Label changes the labels of a mail, as another program would.
func (s *Server) Label(address, id string, plus, minus []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.accounts[address].box
	if l := b.mails[id]; l != nil {
		b.relabel(l, plus, minus)
	}
}

// Delete removes a mail for good.
func (s *Server) Delete(address, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accounts[address].box.remove(id)
}

// ForgetHistory has the mailbox forget what happened so far, as Gmail does after a
// week or earlier.
func (s *Server) ForgetHistory(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.accounts[address].box
	b.forgot, b.history = b.at, nil
}

// labelID returns the id of a new label.
func (b *mailbox) labelID() string {
	b.nextUser++
	return "Label_" + strconv.Itoa(b.nextUser)
}
