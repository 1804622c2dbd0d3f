package googletest

import (
	"net/http"
	"slices"

	"google.golang.org/api/gmail/v1"
)

// draft reads the mail of a draft. It answers itself, and returns nil, when there is none.
func (s *Server) draft(a *account, w http.ResponseWriter, r *http.Request) *letter {
	var d gmail.Draft
	if !decodeBody(w, r, &d) {
		return nil
	}
	if d.Message == nil {
		d.Message = &gmail.Message{}
	}
	l := s.outgoing(a, w, d.Message)
	if l != nil {
		l.labels = []string{"DRAFT"}
	}
	return l
}

func (s *Server) createDraft(a *account, w http.ResponseWriter, r *http.Request) {
	l := s.draft(a, w, r)
	if l == nil {
		return
	}
	a.box.add(l)
	id := s.id("r-")
	a.box.drafts[id] = l.id
	reply(w, &gmail.Draft{Id: id, Message: l.show("minimal", nil)})
}

// updateDraft puts another mail into the place of a draft.
func (s *Server) updateDraft(a *account, w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	old := a.box.mails[a.box.drafts[id]]
	if old == nil {
		fail(w, http.StatusNotFound, "notFound", "Requested entity was not found.")
		return
	}
	l := s.draft(a, w, r)
	if l == nil {
		return
	}
	a.box.remove(old.id)
	a.box.add(l)
	a.box.drafts[id] = l.id
	reply(w, &gmail.Draft{Id: id, Message: l.show("minimal", nil)})
}

func (s *Server) listDrafts(a *account, w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query().Get("q")
	var all []*gmail.Draft
	for id, mail := range a.box.drafts {
		if l := a.box.mails[mail]; l != nil && (query == "" || a.box.matches(l, query, s.Now())) {
			all = append(all, &gmail.Draft{Id: id, Message: &gmail.Message{Id: l.id, ThreadId: l.thread}})
		}
	}
	slices.SortFunc(all, func(x, y *gmail.Draft) int {
		return slices.Index(a.box.order, y.Message.Id) - slices.Index(a.box.order, x.Message.Id)
	})
	items, next := page(r, all, 100, 500)
	reply(w, &gmail.ListDraftsResponse{Drafts: items, NextPageToken: next})
}

func (s *Server) getDraft(a *account, w http.ResponseWriter, r *http.Request) {
	l := a.box.mails[a.box.drafts[r.PathValue("id")]]
	if l == nil {
		fail(w, http.StatusNotFound, "notFound", "Requested entity was not found.")
		return
	}
	reply(w, &gmail.Draft{Id: r.PathValue("id"), Message: l.show(r.URL.Query().Get("format"), nil)})
}

func (s *Server) sendDraft(a *account, w http.ResponseWriter, r *http.Request) {
	var d gmail.Draft
	if !decodeBody(w, r, &d) {
		return
	}
	l := a.box.mails[a.box.drafts[d.Id]]
	if l == nil {
		fail(w, http.StatusNotFound, "notFound", "Requested entity was not found.")
		return
	}
	sent := &letter{id: s.id(""), thread: l.thread, raw: l.raw, at: s.Now()}
	if sent.thread == l.id {
		sent.thread = sent.id
	}
	if s.post(a, w, sent) {
		delete(a.box.drafts, d.Id)
		a.box.remove(l.id)
		reply(w, &gmail.Message{Id: sent.id, ThreadId: sent.thread, LabelIds: sent.labels})
	}
}

func (s *Server) deleteDraft(a *account, w http.ResponseWriter, r *http.Request) {
	mail, ok := a.box.drafts[r.PathValue("id")]
	if !ok {
		fail(w, http.StatusNotFound, "notFound", "Requested entity was not found.")
		return
	}
	delete(a.box.drafts, r.PathValue("id"))
	a.box.remove(mail)
	w.WriteHeader(http.StatusNoContent)
}
