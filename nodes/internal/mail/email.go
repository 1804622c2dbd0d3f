package mail

import (
	netmail "net/mail"
	"strings"
	"time"
)

// Email is a mail as specs see it. Headers are single lines of text, ready to show;
// who gets an answer is never read from them but from Original.
type Email struct {
	ID, ThreadID string // how the mailbox calls the mail and its conversation
	MessageID    string // <…@…>, "" when the mail has none
	From, To, Cc string
	ReplyTo      string // "" when it is not there or the same as From
	Subject      string
	Date         string // RFC 3339, "" when it is not known
	Body         string
	Attachments  []Attachment
	Labels       []string
	Shortened    bool // Body is not all of it
}

// Attachment is a file that a mail carries.
type Attachment struct {
	Name string
	Type string // media type
	Size int64  // bytes
}

// Stand-ins for headers that a mail does not have.
const (
	NoSender  = "(no sender)"
	NoSubject = "(no subject)"
)

// New reads a mail from its tree of parts. It never fails: what cannot be read is left
// out or replaced, and the body says so.
func New(root *Part) *Email {
	h := root.Header
	e := &Email{
		MessageID: messageID(h.Get("Message-ID")),
		From:      people(h.All("From")),
		To:        people(h.All("To")),
		Cc:        people(h.All("Cc")),
		Subject:   oneLine(decodeWords(h.Get("Subject"))),
		Date:      headerDate(h.Get("Date")),
	}
	if reply := people(h.All("Reply-To")); reply != e.From {
		e.ReplyTo = reply
	}
	if e.From == "" {
		e.From = NoSender
	}
	if e.Subject == "" {
		e.Subject = NoSubject
	}
	e.Attachments = attachments(root)
	e.Body, e.Shortened = body(root)
	return e
}

// Data returns the mail as plain data for specs; fields that are empty are left out.
func (e *Email) Data() map[string]any {
	out := map[string]any{"from": e.From, "to": e.To, "subject": e.Subject, "body": e.Body}
	for key, text := range map[string]string{
		"id": e.ID, "thread_id": e.ThreadID, "message_id": e.MessageID, "cc": e.Cc, "reply_to": e.ReplyTo, "date": e.Date,
	} {
		if text != "" {
			out[key] = text
		}
	}
	if len(e.Attachments) > 0 {
		list := make([]any, len(e.Attachments))
		for i, a := range e.Attachments {
			list[i] = map[string]any{"name": a.Name, "type": a.Type, "size": int(a.Size)}
		}
		out["attachments"] = list
	}
	if len(e.Labels) > 0 {
		labels := make([]any, len(e.Labels))
		for i, l := range e.Labels {
			labels[i] = l
		}
		out["labels"] = labels
	}
	if e.Shortened {
		out["shortened"] = true
	}
	return out
}

// people writes a list of addresses so that a name cannot pass for an address: names
// are decoded only after the list has been taken apart. Many programs encode names
// inside of quotes or with spaces, which the parser leaves as they are.
func people(header string) string {
	header = oneLine(toUTF8(header))
	if header == "" {
		return ""
	}
	parser := netmail.AddressParser{WordDecoder: &words}
	list, err := parser.ParseList(header)
	if err != nil {
		return oneLine(decodeWords(header))
	}
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = person(a)
	}
	return cut(strings.Join(out, ", "), maxLine*4)
}

func person(a *netmail.Address) string {
	name := strings.Trim(oneLine(decodeWords(a.Name)), `"`)
	switch {
	case name == "", strings.EqualFold(name, a.Address):
		return oneLine(a.Address)
	case strings.ContainsAny(name, `<>@,;:"\()[]`):
		name = `"` + strings.NewReplacer(`"`, "'", `\`, "").Replace(name) + `"`
	}
	return name + " <" + oneLine(a.Address) + ">"
}

// messageID returns the first <…> of a header, "" when there is none that is sound.
func messageID(header string) string {
	ids := messageIDs(header)
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}

// messageIDs returns the <…> of a header such as References.
func messageIDs(header string) []string {
	var out []string
	for len(out) < 200 {
		open := strings.IndexByte(header, '<')
		if open < 0 {
			break
		}
		end := strings.IndexByte(header[open:], '>')
		if end < 0 {
			break
		}
		id := header[open : open+end+1]
		if len(id) > 2 && len(id) < 500 && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r >= 0x7f }) && strings.Count(id, "<") == 1 {
			out = append(out, id)
		}
		header = header[open+end+1:]
	}
	return out
}

func headerDate(header string) string {
	t, err := netmail.ParseDate(strings.TrimSpace(header))
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		return ""
	}
	return t.Format(time.RFC3339)
}

// attachments lists the files of a mail.
func attachments(root *Part) []Attachment {
	var out []Attachment
	root.walk(func(p *Part) bool {
		if !p.attached() {
			return true
		}
		if len(out) < maxListed {
			name := p.fileName()
			if name == "" && p.mediaType() == "message/rfc822" {
				name = "forwarded mail"
			}
			if name == "" {
				name = "unnamed"
			}
			out = append(out, Attachment{Name: name, Type: cut(oneLine(p.mediaType()), 100), Size: max(p.Size, int64(len(p.Body)))})
		}
		return false
	})
	return out
}
