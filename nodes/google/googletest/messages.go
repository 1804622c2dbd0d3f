package googletest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	netmail "net/mail"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/api/gmail/v1"
)

// Scopes that open the parts of Gmail.
var (
	mayRead  = []string{"gmail.modify", "gmail.readonly"}
	mayTouch = []string{"gmail.modify"}
	maySend  = []string{"gmail.modify", "gmail.send", "gmail.compose"}
	mayDraft = []string{"gmail.modify", "gmail.compose"}
)

const gmailBase = "/gmail/v1/users/{user}/"

func (s *Server) gmailRoutes() {
	s.user("GET", "profile", mayRead, s.profile)
	s.user("GET", "messages", mayRead, s.listMessages)
	s.user("GET", "messages/{id}", mayRead, s.getMessage)
	s.user("GET", "messages/{id}/attachments/{att}", mayRead, s.getAttachment)
	s.user("POST", "messages/send", maySend, s.sendMessage)
	s.user("POST", "messages/batchModify", mayTouch, s.batchModify)
	s.user("POST", "messages/import", mayTouch, s.insertMessage)
	s.user("POST", "messages", mayTouch, s.insertMessage)
	s.user("POST", "messages/{id}/modify", mayTouch, s.modifyMessage)
	s.user("POST", "messages/{id}/trash", mayTouch, s.trashMessage)
	s.user("GET", "threads", mayRead, s.listThreads)
	s.user("GET", "threads/{id}", mayRead, s.getThread)
	s.user("POST", "threads/{id}/modify", mayTouch, s.modifyThread)
	s.user("GET", "labels", mayRead, s.listLabels)
	s.user("POST", "labels", mayTouch, s.createLabel)
	s.user("GET", "history", mayRead, s.listHistory)
	s.user("GET", "drafts", mayRead, s.listDrafts)
	s.user("POST", "drafts", mayDraft, s.createDraft)
	s.user("GET", "drafts/{id}", mayRead, s.getDraft)
	s.user("POST", "drafts/send", mayDraft, s.sendDraft)
	s.user("PUT", "drafts/{id}", mayDraft, s.updateDraft)
	s.user("DELETE", "drafts/{id}", mayDraft, s.deleteDraft)
}

// user adds a path below a user, who must be the one of the token.
func (s *Server) user(method, path string, scopes []string, do signed) {
	s.handle(method+" "+gmailBase+path, scopes, func(a *account, w http.ResponseWriter, r *http.Request) {
		if u := r.PathValue("user"); u != "me" && !strings.EqualFold(u, a.address) {
			fail(w, http.StatusForbidden, "forbidden", "Delegation denied for "+a.address)
			return
		}
		do(a, w, r)
	})
}

func (s *Server) profile(a *account, w http.ResponseWriter, _ *http.Request) {
	threads := map[string]bool{}
	for _, l := range a.box.mails {
		threads[l.thread] = true
	}
	reply(w, &gmail.Profile{
		EmailAddress: a.address, HistoryId: a.box.at, MessagesTotal: int64(len(a.box.mails)), ThreadsTotal: int64(len(threads)),
	})
}

// found returns the mails that a list asks for, newest first.
func (s *Server) found(a *account, r *http.Request) []*letter {
	q := r.URL.Query()
	query := q.Get("q")
	hidden := q.Get("includeSpamTrash") != "true" && !strings.Contains(query, "in:anywhere") && !strings.Contains(query, "in:spam") && !strings.Contains(query, "in:trash")
	var out []*letter
	for _, id := range slices.Backward(a.box.order) {
		l := a.box.mails[id]
		if hidden && (slices.Contains(l.labels, "SPAM") || slices.Contains(l.labels, "TRASH")) {
			continue
		}
		if slices.ContainsFunc(q["labelIds"], func(name string) bool { return !slices.Contains(l.labels, name) }) {
			continue
		}
		if query == "" || a.box.matches(l, query, s.Now()) {
			out = append(out, l)
		}
	}
	return out
}

// page cuts a list to what pageToken and maxResults ask for.
func page[T any](r *http.Request, all []T, usual, most int) (items []T, next string) {
	from, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("pageToken"), "p"))
	from = min(max(from, 0), len(all))
	to := min(from+number(r, "maxResults", usual, most), len(all))
	if to < len(all) {
		next = "p" + strconv.Itoa(to)
	}
	return all[from:to], next
}

func (s *Server) listMessages(a *account, w http.ResponseWriter, r *http.Request) {
	all := s.found(a, r)
	items, next := page(r, all, 100, 500)
	out := &gmail.ListMessagesResponse{NextPageToken: next, ResultSizeEstimate: int64(len(all))}
	for _, l := range items {
		out.Messages = append(out.Messages, &gmail.Message{Id: l.id, ThreadId: l.thread})
	}
	reply(w, out)
}

// mail finds the mail that a path names; a missing one is answered.
func (s *Server) mail(a *account, w http.ResponseWriter, r *http.Request) *letter {
	id := r.PathValue("id")
	l := a.box.mails[id]
	switch {
	case strings.Trim(id, "0123456789abcdef") != "":
		fail(w, http.StatusBadRequest, "invalidArgument", "Invalid id value")
	case l == nil:
		fail(w, http.StatusNotFound, "notFound", "Requested entity was not found.")
	}
	return l
}

func (s *Server) getMessage(a *account, w http.ResponseWriter, r *http.Request) {
	if l := s.mail(a, w, r); l != nil {
		reply(w, l.show(r.URL.Query().Get("format"), r.URL.Query()["metadataHeaders"]))
	}
}

func (s *Server) getAttachment(a *account, w http.ResponseWriter, r *http.Request) {
	l := s.mail(a, w, r)
	if l == nil {
		return
	}
	n := l.tree
	for step := range strings.SplitSeq(strings.TrimPrefix(r.PathValue("att"), "att-"), ".") {
		if i, err := strconv.Atoi(step); err == nil && i < len(n.parts) {
			n = n.parts[i]
		}
	}
	reply(w, &gmail.MessagePartBody{Size: int64(len(n.body)), Data: base64.URLEncoding.EncodeToString(n.body)})
}

// outgoing reads a mail that is to be sent or kept as a draft.
func (s *Server) outgoing(a *account, w http.ResponseWriter, m *gmail.Message) *letter {
	raw, err := base64.URLEncoding.DecodeString(m.Raw)
	if err != nil {
		raw, err = base64.RawURLEncoding.DecodeString(m.Raw)
	}
	if err != nil || len(raw) == 0 {
		fail(w, http.StatusBadRequest, "invalidArgument", "'raw' RFC822 payload message string or uploading message via /upload/* URL required")
		return nil
	}
	if len(raw) > 36_700_160 {
		fail(w, http.StatusRequestEntityTooLarge, "uploadTooLarge", "Message too large")
		return nil
	}
	l := &letter{id: s.id(""), raw: raw, at: s.Now()}
	l.thread = l.id
	tree := parse(raw)
	if m.ThreadId != "" {
		if a.box.thread(m.ThreadId) == nil {
			fail(w, http.StatusNotFound, "notFound", "Requested entity was not found.")
			return nil
		}
		// A mail joins a thread only if it refers to it and has its subject.
		if a.box.conversation(tree) == m.ThreadId {
			l.thread = m.ThreadId
		}
	}
	return l
}

func (s *Server) sendMessage(a *account, w http.ResponseWriter, r *http.Request) {
	var m gmail.Message
	if !decodeBody(w, r, &m) {
		return
	}
	if l := s.outgoing(a, w, &m); l != nil && s.post(a, w, l) {
		reply(w, &gmail.Message{Id: l.id, ThreadId: l.thread, LabelIds: l.labels})
	}
}

// post sends a mail: to the sent mails, and into the inboxes of users of this server.
func (s *Server) post(a *account, w http.ResponseWriter, l *letter) bool {
	tree := parse(l.raw)
	var to []string
	for _, name := range []string{"To", "Cc", "Bcc"} {
		if tree.get(name) == "" {
			continue
		}
		list, err := netmail.ParseAddressList(tree.get(name))
		if err != nil {
			fail(w, http.StatusBadRequest, "invalidArgument", "Invalid "+name+" header")
			return false
		}
		for _, one := range list {
			to = append(to, strings.ToLower(one.Address))
		}
	}
	if len(to) == 0 {
		fail(w, http.StatusBadRequest, "invalidArgument", "Recipient address required")
		return false
	}
	if s.NewMessageIDs {
		l.raw = renamed(l.raw, tree.get("Message-ID"), fmt.Sprintf("<CA%s@mail.gmail.com>", l.id))
	}
	if tree.get("Message-ID") == "" && !s.NewMessageIDs {
		l.raw = renamed(l.raw, "", fmt.Sprintf("<CA%s@mail.gmail.com>", l.id))
	}
	l.labels = []string{"SENT"}
	if slices.Contains(to, a.address) {
		l.labels = append(l.labels, "INBOX", "UNREAD")
	}
	a.box.add(l)
	for _, address := range to {
		if other := s.accounts[address]; other != nil && other != a {
			got := &letter{id: s.id(""), raw: withoutBcc(l.raw), labels: []string{"INBOX", "UNREAD"}, at: l.at}
			if got.thread = other.box.conversation(tree); got.thread == "" {
				got.thread = got.id
			}
			other.box.add(got)
		}
	}
	return true
}

// renamed gives a mail another Message-ID.
func renamed(raw []byte, old, id string) []byte {
	text := string(raw)
	if old != "" {
		text = strings.Replace(text, old, id, 1)
		return []byte("X-Google-Original-Message-ID: " + old + "\r\n" + text)
	}
	return []byte("Message-ID: " + id + "\r\n" + text)
}

// withoutBcc is a mail as others get it.
func withoutBcc(raw []byte) []byte {
	head, body, ok := bytes.Cut(raw, []byte("\r\n\r\n"))
	if !ok {
		return raw
	}
	var out bytes.Buffer
	hidden := false
	for line := range bytes.Lines(head) {
		if line[0] != ' ' && line[0] != '\t' {
			name, _, _ := strings.Cut(string(line), ":")
			hidden = strings.EqualFold(name, "Bcc")
		}
		if !hidden {
			out.Write(bytes.TrimRight(line, "\r\n"))
			out.WriteString("\r\n")
		}
	}
	out.WriteString("\r\n")
	out.Write(body)
	return out.Bytes()
}

// insertMessage puts a mail into the box, as import and insert do.
func (s *Server) insertMessage(a *account, w http.ResponseWriter, r *http.Request) {
	var m gmail.Message
	if !decodeBody(w, r, &m) {
		return
	}
	l := s.outgoing(a, w, &m)
	if l == nil {
		return
	}
	if l.labels = m.LabelIds; len(l.labels) == 0 {
		l.labels = []string{"INBOX", "UNREAD"}
	}
	if thread := a.box.conversation(parse(l.raw)); thread != "" {
		l.thread = thread
	}
	a.box.add(l)
	reply(w, l.show("minimal", nil))
}

func (s *Server) trashMessage(a *account, w http.ResponseWriter, r *http.Request) {
	if l := s.mail(a, w, r); l != nil {
		a.box.relabel(l, []string{"TRASH"}, []string{"INBOX"})
		reply(w, l.show("minimal", nil))
	}
}
