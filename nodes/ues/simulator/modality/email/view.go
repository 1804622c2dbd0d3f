package email

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Summary is one line on the mailbox.
func (s *State) Summary(modality.Moment) string {
	if s.messages.Len() == 0 {
		return "No emails"
	}
	return fmt.Sprintf("%d unread, %d total emails", s.count(unread), s.messages.Len())
}

func unread(m *Message) bool  { return !m.IsRead }
func starred(m *Message) bool { return m.IsStarred }

func (s *State) count(is func(*Message) bool) int {
	n := 0
	for _, m := range s.messages.All() {
		if is(m) {
			n++
		}
	}
	return n
}

// appendFull writes the answer of GET /email/state.
func (s *State) appendFull(dst []byte, m modality.Moment) []byte {
	o := s.openView(dst, m)
	o.Member("emails", func(dst []byte) []byte { return appendMessages(dst, &s.messages) })
	o.Member("threads", s.appendThreads)
	o.Member("folders", func(dst []byte) []byte { return appendBags(dst, &s.folders) })
	o.Member("labels", func(dst []byte) []byte { return appendBags(dst, &s.labels) })
	o.Int("total_email_count", s.messages.Len())
	o.Int("unread_count", s.count(unread))
	o.Int("starred_count", s.count(starred))
	return o.Close()
}

func (s *State) openView(dst []byte, m modality.Moment) jsontext.Object {
	o := jsontext.Open(dst)
	o.String("modality_type", name)
	o.Member("current_time", m.Now.JSON)
	o.String("user_email_address", s.user)
	return o
}

// appendSummary writes the short answer of GET /email/state.
func (s *State) appendSummary(dst []byte, m modality.Moment) []byte {
	o := s.openView(dst, m)
	o.Member("statistics", s.appendStatistics)
	o.Member("folders", func(dst []byte) []byte {
		o := jsontext.Open(dst)
		for folder, bag := range s.folders.All() {
			o.Key(folder)
			o.Write(func(dst []byte) []byte {
				o := jsontext.Open(dst)
				o.Int("message_count", bag.Len())
				o.Int("unread_count", s.unreadIn(bag))
				return o.Close()
			})
		}
		return o.Close()
	})
	o.Member("labels", func(dst []byte) []byte {
		o := jsontext.Open(dst)
		for label, bag := range s.labels.All() {
			o.Key(label)
			o.Write(func(dst []byte) []byte { return fmt.Append(dst, bag.Len()) })
		}
		return o.Close()
	})
	o.Member("emails", func(dst []byte) []byte {
		o := jsontext.Open(dst)
		for id, msg := range s.messages.All() {
			o.Key(id)
			o.Write(msg.appendSummary)
		}
		return o.Close()
	})
	o.Member("threads", s.appendThreads)
	return o.Close()
}

func (s *State) appendStatistics(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.Int("total_emails", s.messages.Len())
	o.Int("total_threads", s.threads.Len())
	o.Int("total_unread", s.count(unread))
	o.Int("total_starred", s.count(starred))
	o.Int("total_drafts", s.drafts.Len())
	o.Int("total_labels", s.labels.Len())
	return o.Close()
}

func (s *State) unreadIn(bag *ordered.Bag) int {
	n := 0
	for id := range bag.All() {
		if m, found := s.messages.Get(id); found && !m.IsRead {
			n++
		}
	}
	return n
}

// previewLength is the number of characters of a body in summaries.
const previewLength = 100

func (m *Message) appendSummary(dst []byte) []byte {
	o := jsontext.Open(dst)
	o.String("message_id", m.ID)
	o.String("thread_id", m.ThreadID)
	o.String("from_address", m.From)
	o.Strings("to_addresses", m.To)
	o.String("subject", m.Subject)
	o.Member("sent_at", m.SentAt.JSON)
	o.Member("received_at", m.ReceivedAt.JSON)
	o.Bool("is_read", m.IsRead)
	o.Bool("is_starred", m.IsStarred)
	o.String("folder", m.Folder)
	o.Bool("has_attachments", len(m.Attachments) > 0)
	o.Int("attachment_count", len(m.Attachments))
	o.String("body_preview", preview(m.BodyText))
	return o.Close()
}

func preview(body string) string {
	short := modality.Shorten(body, previewLength)
	if len(short) == len(body) && short == body {
		return body
	}
	return strings.TrimRight(strings.TrimSuffix(short, "..."), " \t\r\n\v\f") + "..."
}

// AppendCompact writes the mailbox's part of the compact snapshot: the newest unread and
// flagged messages.
func (s *State) AppendCompact(dst []byte, m modality.Moment) []byte {
	o := jsontext.Open(dst)
	o.String("summary", s.Summary(m))
	o.Int("unread_count", s.count(unread))
	o.Int("total_count", s.messages.Len())
	o.Int("draft_count", s.drafts.Len())
	o.Int("flagged_count", s.count(starred))
	o.Member("recent_unread", func(dst []byte) []byte {
		return modality.AppendArray(dst, s.newest(unread, 5), func(dst []byte, msg *Message) []byte {
			return msg.appendCompact(dst, m, true)
		})
	})
	if flagged := s.newest(starred, 3); len(flagged) > 0 {
		o.Member("flagged_items", func(dst []byte) []byte {
			return modality.AppendArray(dst, flagged, func(dst []byte, msg *Message) []byte {
				return msg.appendCompact(dst, m, false)
			})
		})
	}
	return o.Close()
}

func (m *Message) appendCompact(dst []byte, at modality.Moment, flag bool) []byte {
	o := jsontext.Open(dst)
	o.String("subject", m.Subject)
	o.String("from", m.From)
	o.String("received_ago", modality.Ago(m.ReceivedAt, at.Now))
	if flag {
		o.Bool("flagged", m.IsStarred)
	}
	return o.Close()
}

// newest are the at most n messages of a kind that were received last, newest first.
func (s *State) newest(is func(*Message) bool, n int) []*Message {
	var list []*Message
	for _, m := range s.messages.All() {
		if !is(m) {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, m, func(a, b *Message) int {
			return cmp.Or(b.ReceivedAt.Compare(a.ReceivedAt), -1)
		})
		if at < n {
			list = slices.Insert(list, at, m)
			list = list[:min(n, len(list))]
		}
	}
	return list
}
