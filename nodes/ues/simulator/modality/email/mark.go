package email

import (
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// mark performs an operation on messages that are there already; ids that are unknown, or
// were named before, are passed over.
func (s *State) mark(in *Input) (action string, undo modality.Reversal) {
	ids := in.MessageIDs
	if len(ids) == 0 {
		ids = []string{*in.MessageID}
	}
	var step func(*Message) func()
	action, step = s.marking(in)
	done := map[*Message]bool{}
	for _, id := range ids {
		if msg, found := s.messages.Get(id); found && !done[msg] {
			done[msg] = true
			undo.Add(step(msg))
		}
	}
	if len(undo) == 0 {
		action = "noop"
	}
	return action, undo
}

// marking is what an operation does to one message, and the name of its undoing.
func (s *State) marking(in *Input) (action string, step func(*Message) func()) {
	to := func(folder string) func(*Message) func() {
		return func(m *Message) func() { return s.move(m, folder) }
	}
	switch in.Operation {
	case opMarkRead, opMarkUnread:
		return "restore_read_states", func(m *Message) func() { return s.markRead(m, in.Operation == opMarkRead) }
	case opStar, opUnstar:
		return "restore_starred_states", func(m *Message) func() { return modality.Assign(&m.IsStarred, in.Operation == opStar) }
	case opArchive:
		return "restore_folders", to(stored)
	case opDelete:
		return "restore_folders", to(trash)
	case opMarkSpam:
		return "restore_folders", to(spam)
	case opMarkNotSpam:
		return "restore_folders", to(inbox)
	case opMove:
		return "restore_folders", to(*in.Folder)
	case opAddLabel:
		return "restore_labels_after_add", func(m *Message) func() { return s.addLabels(m, in.Labels) }
	default:
		return "restore_labels_after_remove", func(m *Message) func() { return s.removeLabels(m, in.Labels) }
	}
}

// markRead changes the read flag and, when it did change, the thread's count.
func (s *State) markRead(m *Message, read bool) func() {
	if m.IsRead == read {
		return func() {}
	}
	m.IsRead = read
	t, found := s.threads.Get(m.ThreadID)
	if !found {
		return func() { m.IsRead = !read }
	}
	before := t.UnreadCount
	if read {
		t.UnreadCount = max(0, before-1)
	} else {
		t.UnreadCount = before + 1
	}
	return func() { m.IsRead, t.UnreadCount = !read, before }
}

// move takes a message out of its folder's list and adds it to another's.
func (s *State) move(m *Message, folder string) func() {
	var undo modality.Reversal
	if bag, found := s.folders.Get(m.Folder); found {
		place := bag.Remove(m.ID)
		undo.Add(func() { bag.Restore(place) })
	}
	undo.Add(s.file(m.ID, folder))
	undo.Add(modality.Assign(&m.Folder, folder))
	return undo.Run
}

// addLabels gives a message the labels that it does not have.
func (s *State) addLabels(m *Message, labels []string) func() {
	var undo modality.Reversal
	before := len(m.Labels)
	undo.Add(func() { m.Labels = m.Labels[:before] })
	known := set(m.Labels)
	for _, l := range labels {
		if !known[l] {
			known[l] = true
			m.Labels = append(m.Labels, l)
		}
		if bag, found := s.labels.Get(l); !found || !bag.Has(m.ID) {
			undo.Add(modality.Enlist(&s.labels, l, m.ID))
		}
	}
	return undo.Run
}

// removeLabels takes labels off a message; a label that nobody has any more stays known.
func (s *State) removeLabels(m *Message, labels []string) func() {
	var undo modality.Reversal
	undo.Add(m.dropLabels(set(labels)))
	for _, l := range labels {
		if bag, found := s.labels.Get(l); found {
			if place := bag.Remove(m.ID); place != nil {
				undo.Add(func() { bag.Restore(place) })
			}
		}
	}
	return undo.Run
}

// dropLabels removes labels from a message's own list.
func (m *Message) dropLabels(gone map[string]bool) func() {
	type dropped struct {
		at    int
		label string
	}
	var list []dropped
	kept := m.Labels[:0]
	for i, l := range m.Labels {
		if gone[l] {
			list = append(list, dropped{i, l})
		} else {
			kept = append(kept, l)
		}
	}
	m.Labels = kept
	return func() {
		whole := make([]string, 0, len(m.Labels)+len(list))
		left := m.Labels
		for _, d := range list {
			n := d.at - len(whole)
			whole = append(append(whole, left[:n]...), d.label)
			left = left[n:]
		}
		m.Labels = append(whole, left...)
	}
}

func set(list []string) map[string]bool {
	s := make(map[string]bool, len(list))
	for _, x := range list {
		s[x] = true
	}
	return s
}
