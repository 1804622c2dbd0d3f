package googletest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"google.golang.org/api/calendar/v3"
)

// localRoutes is what no Google has: looking in, and playing the world outside.
func (s *Server) localRoutes() {
	s.mux.HandleFunc("GET /_local/mailbox", func(w http.ResponseWriter, r *http.Request) {
		s.someone(w, r, func(address string) { s.Show(w, address) })
	})
	s.mux.HandleFunc("GET /_local/requests", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Join(s.Requests(), "\n")+"\n")
	})
	s.mux.HandleFunc("POST /_local/mail", func(w http.ResponseWriter, r *http.Request) {
		s.someone(w, r, func(address string) {
			raw, err := io.ReadAll(r.Body)
			if err != nil || len(raw) == 0 {
				http.Error(w, "the body is the mail", http.StatusBadRequest)
				return
			}
			_, _ = fmt.Fprintln(w, s.Deliver(address, raw))
		})
	})
	s.mux.HandleFunc("POST /_local/event", func(w http.ResponseWriter, r *http.Request) {
		s.someone(w, r, func(address string) {
			var e calendar.Event
			if decodeBody(w, r, &e) {
				_, _ = fmt.Fprintln(w, s.Plan(address, &e))
			}
		})
	})
	s.mux.HandleFunc("POST /_local/fault", func(w http.ResponseWriter, r *http.Request) {
		var f Fault
		if decodeBody(w, r, &f) {
			s.Fault(f)
		}
	})
	s.mux.HandleFunc("POST /_local/heal", func(http.ResponseWriter, *http.Request) { s.Heal() })
	s.mux.HandleFunc("POST /_local/withdraw", func(w http.ResponseWriter, r *http.Request) { s.someone(w, r, s.Withdraw) })
}

// someone calls do with the account that a request names, or the first.
func (s *Server) someone(w http.ResponseWriter, r *http.Request, do func(address string)) {
	s.mu.Lock()
	address := r.URL.Query().Get("account")
	if address == "" && len(s.order) > 0 {
		address = s.order[0]
	}
	known := s.accounts[address] != nil
	s.mu.Unlock()
	if !known {
		http.Error(w, "no such account", http.StatusNotFound)
		return
	}
	do(address)
}

// Show writes what is in a mailbox and a calendar, for people.
func (s *Server) Show(w io.Writer, address string) {
	s.mu.Lock()
	zone := s.accounts[address].cal.location()
	s.mu.Unlock()
	_, _ = fmt.Fprintf(w, "Mailbox of %s\n", address)
	for _, m := range s.Mails(address) {
		mark := " "
		if strings.Contains(strings.Join(m.Labels, " "), "UNREAD") {
			mark = "●"
		}
		who := "from " + m.Header("From")
		if strings.Contains(strings.Join(m.Labels, " "), "SENT") {
			who = "to " + m.Header("To")
		}
		_, _ = fmt.Fprintf(w, "  %s %-40s %-45s [%s]\n", mark, line(who, 40), line(m.Header("Subject"), 45), strings.Join(m.Labels, " "))
	}
	_, _ = fmt.Fprintln(w, "Calendar")
	for _, e := range s.Events(address) {
		from, err := time.Parse(time.RFC3339, e.Start.DateTime)
		when := e.Start.Date
		if err == nil {
			when = from.In(zone).Format("Mon 2 Jan 2006 15:04")
		}
		var people []string
		for _, p := range e.Attendees {
			people = append(people, p.Email)
		}
		_, _ = fmt.Fprintf(w, "    %-22s %-45s %s\n", when, line(e.Summary, 45), strings.Join(people, ", "))
	}
	for _, n := range s.Notices(address) {
		_, _ = fmt.Fprintf(w, "    (Google wrote to %s: %s)\n", n.To, n.What)
	}
}

// line is a text on one line that is no longer than n letters.
func line(text string, n int) string {
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > n {
		return string(letters[:n-1]) + "…"
	}
	return string(letters)
}

// Letters reads mails from JSON as testdata/email/dataset.json has them ({emails:
// [{id, author, to, subject, email_thread}]}) and returns them as they go over the wire.
func Letters(data []byte) ([][]byte, error) {
	var set struct {
		Emails []struct {
			ID      string `json:"id"`
			Author  string `json:"author"`
			To      string `json:"to"`
			Subject string `json:"subject"`
			Thread  string `json:"email_thread"`
		} `json:"emails"`
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, fmt.Errorf("read mails: %w", err)
	}
	out := make([][]byte, len(set.Emails))
	for i, m := range set.Emails {
		text := strings.ReplaceAll(m.Thread, "\n", "\r\n")
		out[i] = fmt.Appendf(nil, "From: %s\r\nTo: %s\r\nSubject: %s\r\nMessage-ID: <%s@local.example>\r\nMIME-Version: 1.0\r\n"+
			"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n%s\r\n", m.Author, m.To, m.Subject, m.ID, text)
	}
	return out, nil
}
