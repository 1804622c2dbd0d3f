package email

import (
	"iter"
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Load reads a mailbox of contract section 6.1.
func Load(doc *ordered.Map, m modality.Moment) (modality.State, []field.Error) {
	r := field.Read(doc)
	s := &State{Stamp: modality.ReadStamp(r, name), byThread: map[string][]*Message{}}
	texts := field.List(field.String, 0)
	mail := field.Values(field.Model(func(r *field.Reader) *Message { return readMessage(r, m) }))
	s.messages = table(r, "emails", mail)
	s.threads = table(r, "threads", field.Values(field.Model(readThread)))
	s.folders = bags(r, "folders", texts)
	s.labels = bags(r, "labels", texts)
	s.drafts = table(r, "drafts", mail)
	s.user = field.Or(r, "user_email_address", field.String, defaultUser)
	if errs := r.Errors(); len(errs) > 0 {
		return nil, errs
	}
	s.ensureFolders()
	for _, msg := range s.messages.All() {
		s.places++
		msg.place = s.places
		s.join(msg)
	}
	return s, nil
}

func table[V any](r *field.Reader, name string, t field.Type[*ordered.Table[V]]) ordered.Table[V] {
	return *field.Or(r, name, t, &ordered.Table[V]{})
}

func bags(r *field.Reader, name string, texts field.Type[[]string]) ordered.Table[*ordered.Bag] {
	return table(r, name, field.Values(func(v any, at *field.Place) *ordered.Bag {
		bag := &ordered.Bag{}
		for _, id := range texts(v, at) {
			bag.Add(id)
		}
		return bag
	}))
}

func readMessage(r *field.Reader, m modality.Moment) *Message {
	texts := field.List(field.String, 0)
	return &Message{
		ID:          field.Need(r, "message_id", field.String),
		ThreadID:    field.Need(r, "thread_id", field.String),
		From:        field.Need(r, "from_address", field.String),
		To:          field.Need(r, "to_addresses", texts),
		CC:          field.Or(r, "cc_addresses", texts, nil),
		BCC:         field.Or(r, "bcc_addresses", texts, nil),
		ReplyTo:     field.Maybe(r, "reply_to_address", field.String),
		Subject:     field.Need(r, "subject", field.String),
		BodyText:    field.Need(r, "body_text", field.String),
		BodyHTML:    field.Maybe(r, "body_html", field.String),
		Attachments: field.Or(r, "attachments", field.List(attachment(m, field.Int), 0), nil),
		InReplyTo:   field.Maybe(r, "in_reply_to", field.String),
		References:  field.Or(r, "references", texts, nil),
		SentAt:      field.Need(r, "sent_at", field.When).Aware(),
		ReceivedAt:  field.Need(r, "received_at", field.When).Aware(),
		IsRead:      field.Or(r, "is_read", field.Bool, false),
		IsStarred:   field.Or(r, "is_starred", field.Bool, false),
		Priority:    field.Or(r, "priority", priority, normalPriority),
		Folder:      field.Or(r, "folder", field.String, inbox),
		Labels:      field.Or(r, "labels", texts, nil),
	}
}

func readThread(r *field.Reader) *Thread {
	texts := field.List(field.String, 0)
	t := &Thread{
		ID:            field.Need(r, "thread_id", field.String),
		Subject:       field.Need(r, "subject", field.String),
		messages:      field.Or(r, "message_ids", texts, nil),
		CreatedAt:     field.Need(r, "created_at", field.When).Aware(),
		LastMessageAt: field.Need(r, "last_message_at", field.When).Aware(),
		MessageCount:  field.Or(r, "message_count", field.Int, 0),
		UnreadCount:   field.Or(r, "unread_count", field.Int, 0),
	}
	for _, a := range field.Or(r, "participant_addresses", texts, nil) {
		t.participants.add(a)
	}
	return t
}

// Problems are the inconsistencies that contract section 6.1 names.
func (s *State) Problems() []string {
	var found []string
	missing := func(kind, key string, ids iter.Seq[string]) {
		for id := range ids {
			if !s.messages.Has(id) {
				found = append(found, kind+" '"+key+"' references non-existent email: "+id)
			}
		}
	}
	for key, bag := range s.folders.All() {
		missing("Folder", key, bag.All())
	}
	for key, bag := range s.labels.All() {
		missing("Label", key, bag.All())
	}
	for key, t := range s.threads.All() {
		missing("Thread", key, slices.Values(t.messages))
	}
	places := s.folderCounts()
	for id := range s.messages.All() {
		switch n := places[id]; {
		case n == 0:
			found = append(found, "Email '"+id+"' not in any folder")
		case n > 1:
			found = append(found, "Email '"+id+"' in multiple folders")
		}
	}
	return found
}

// folderCounts tells in how many folders an id is listed; several times in one counts once.
func (s *State) folderCounts() map[string]int {
	counts := map[string]int{}
	last := map[string]*ordered.Bag{}
	for _, bag := range s.folders.All() {
		for id := range bag.All() {
			if last[id] != bag {
				last[id] = bag
				counts[id]++
			}
		}
	}
	return counts
}
