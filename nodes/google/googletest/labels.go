package googletest

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/api/gmail/v1"
)

// known answers with 400 when a label is none of the box, and when there is nothing to
// change or too much.
func (b *mailbox) known(w http.ResponseWriter, plus, minus []string) bool {
	switch {
	case len(plus)+len(minus) == 0:
		fail(w, http.StatusBadRequest, "invalidArgument", "No label add or removes specified")
		return false
	case len(plus) > 100 || len(minus) > 100:
		fail(w, http.StatusBadRequest, "invalidArgument", "Too many labels")
		return false
	}
	for _, name := range append(slices.Clone(plus), minus...) {
		if b.labels[name] == "" {
			fail(w, http.StatusBadRequest, "invalidArgument", "Invalid label: "+name)
			return false
		}
	}
	return true
}

func (s *Server) modifyMessage(a *account, w http.ResponseWriter, r *http.Request) {
	var m gmail.ModifyMessageRequest
	if !decodeBody(w, r, &m) {
		return
	}
	l := s.mail(a, w, r)
	if l == nil || !a.box.known(w, m.AddLabelIds, m.RemoveLabelIds) {
		return
	}
	a.box.relabel(l, m.AddLabelIds, m.RemoveLabelIds)
	reply(w, l.show("minimal", nil))
}

func (s *Server) batchModify(a *account, w http.ResponseWriter, r *http.Request) {
	var m gmail.BatchModifyMessagesRequest
	if !decodeBody(w, r, &m) || !a.box.known(w, m.AddLabelIds, m.RemoveLabelIds) {
		return
	}
	if len(m.Ids) > 1000 {
		fail(w, http.StatusBadRequest, "invalidArgument", "Too many message ids")
		return
	}
	for _, id := range m.Ids {
		if l := a.box.mails[id]; l != nil {
			a.box.relabel(l, m.AddLabelIds, m.RemoveLabelIds)
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) listLabels(a *account, w http.ResponseWriter, _ *http.Request) {
	out := &gmail.ListLabelsResponse{}
	for _, id := range slices.Sorted(maps.Keys(a.box.labels)) {
		kind := "user"
		if slices.Contains(systemLabels, id) {
			kind = "system"
		}
		out.Labels = append(out.Labels, &gmail.Label{Id: id, Name: a.box.labels[id], Type: kind})
	}
	reply(w, out)
}

func (s *Server) createLabel(a *account, w http.ResponseWriter, r *http.Request) {
	var m gmail.Label
	if !decodeBody(w, r, &m) {
		return
	}
	for _, name := range a.box.labels {
		if strings.EqualFold(name, m.Name) {
			fail(w, http.StatusConflict, "aborted", "Label name exists or conflicts")
			return
		}
	}
	if strings.TrimSpace(m.Name) == "" {
		fail(w, http.StatusBadRequest, "invalidArgument", "Invalid label name")
		return
	}
	id := a.box.labelID()
	a.box.labels[id] = m.Name
	reply(w, &gmail.Label{Id: id, Name: m.Name, Type: "user"})
}

func (s *Server) listThreads(a *account, w http.ResponseWriter, r *http.Request) {
	var ids []string
	for _, l := range s.found(a, r) {
		if !slices.Contains(ids, l.thread) {
			ids = append(ids, l.thread)
		}
	}
	items, next := page(r, ids, 100, 500)
	out := &gmail.ListThreadsResponse{NextPageToken: next}
	for _, id := range items {
		out.Threads = append(out.Threads, &gmail.Thread{Id: id})
	}
	reply(w, out)
}

func (s *Server) getThread(a *account, w http.ResponseWriter, r *http.Request) {
	mails := a.box.thread(r.PathValue("id"))
	if mails == nil {
		fail(w, http.StatusNotFound, "notFound", "Requested entity was not found.")
		return
	}
	out := &gmail.Thread{Id: r.PathValue("id")}
	for _, l := range mails {
		out.Messages = append(out.Messages, l.show(r.URL.Query().Get("format"), r.URL.Query()["metadataHeaders"]))
		out.HistoryId = max(out.HistoryId, l.history)
	}
	reply(w, out)
}

func (s *Server) modifyThread(a *account, w http.ResponseWriter, r *http.Request) {
	var m gmail.ModifyThreadRequest
	if !decodeBody(w, r, &m) || !a.box.known(w, m.AddLabelIds, m.RemoveLabelIds) {
		return
	}
	for _, l := range a.box.thread(r.PathValue("id")) {
		a.box.relabel(l, m.AddLabelIds, m.RemoveLabelIds)
	}
	reply(w, &gmail.Thread{Id: r.PathValue("id")})
}

func (s *Server) listHistory(a *account, w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	start, err := strconv.ParseUint(q.Get("startHistoryId"), 10, 64)
	switch {
	case err != nil:
		fail(w, http.StatusBadRequest, "invalidArgument", "Missing startHistoryId")
		return
	case start < a.box.forgot || start > a.box.at:
		fail(w, http.StatusNotFound, "notFound", "Requested entity was not found.")
		return
	}
	var all []*gmail.History
	for _, c := range a.box.history {
		if h := c.show(q["historyTypes"], q.Get("labelId")); c.id > start && h != nil {
			all = append(all, h)
		}
	}
	items, next := page(r, all, 100, 500)
	reply(w, &gmail.ListHistoryResponse{History: items, HistoryId: a.box.at, NextPageToken: next})
}

// show is a change as the history has it, nil when it is not asked for.
func (c *change) show(types []string, label string) *gmail.History {
	if label != "" && !slices.Contains(c.labels, label) && !slices.Contains(c.minus, label) {
		return nil
	}
	m := &gmail.Message{Id: c.mail, ThreadId: c.thread, LabelIds: c.labels}
	h := &gmail.History{Id: c.id, Messages: []*gmail.Message{{Id: c.mail, ThreadId: c.thread}}}
	want := func(name string) bool { return len(types) == 0 || slices.Contains(types, name) }
	some := false
	if c.added && want("messageAdded") {
		h.MessagesAdded, some = []*gmail.HistoryMessageAdded{{Message: m}}, true
	}
	if c.deleted && want("messageDeleted") {
		h.MessagesDeleted, some = []*gmail.HistoryMessageDeleted{{Message: m}}, true
	}
	if len(c.plus) > 0 && want("labelAdded") {
		h.LabelsAdded, some = []*gmail.HistoryLabelAdded{{Message: m, LabelIds: c.plus}}, true
	}
	if len(c.minus) > 0 && want("labelRemoved") {
		h.LabelsRemoved, some = []*gmail.HistoryLabelRemoved{{Message: m, LabelIds: c.minus}}, true
	}
	if !some {
		return nil
	}
	return h
}
