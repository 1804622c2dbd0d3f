package gmail

import (
	"strings"
	"time"

	"github.com/weft-engine/weft/nodes/internal/googlecall"
	"github.com/weft-engine/weft/nodes/internal/mail"
)

// review shows a draft as the mail that it would be, with what a human should look at
// before they agree. It is computed from its arguments alone: `email` is the mail that
// is handled, as specs have it, `user` whose mail it is ({name, address}), and `call_id`
// comes back as `id`, to know the review by.
func review(b *backend, r *googlecall.Request) any {
	d := b.draftOf(r.Args)
	d.From = b.reviewFrom(r)
	d.Own = own(r, d.From)
	e := emailOf(r.Args.Data("email"))
	answers := e != nil && r.Args.Text("reply_to") != "" && (e.ID == "" || e.ID == r.Args.Text("reply_to"))
	if answers {
		d.Original = originalOf(e)
	}
	out := map[string]any{
		"id": r.Args.Text("call_id"), "kind": "new", "from": d.From, "to": plain(d.To), "cc": plain(d.Cc), "bcc": plain(d.Bcc), "subject": d.Subject,
		"body": strings.TrimRight(strings.ReplaceAll(d.Body, "\r\n", "\n"), "\n"), "draft_only": b.options.draftOnly,
		"quoted": "", "note": "", "problem": "", "flags": []any{},
	}
	if r.Args.Text("reply_to") != "" {
		out["kind"] = "answer"
	}
	m, err := d.Make()
	if err != nil {
		out["problem"] = googlecall.Upper(err.Error())
		return out
	}
	out["to"], out["cc"], out["bcc"], out["subject"] = texts(m.To), texts(m.Cc), texts(m.Bcc), m.Subject
	if m.Note != "" {
		out["note"] = googlecall.Upper(m.Note)
	}
	if d.Original != nil && b.options.quote {
		out["quoted"] = d.Original.Quoted()
	}
	var everybody []string
	for _, a := range m.Recipients() {
		everybody = append(everybody, a.Address)
	}
	out["flags"] = b.flags(everybody, d, e)
	return out
}

func (b *backend) flags(everybody []string, d *mail.Draft, e *mail.Email) []any {
	out := []any{}
	for _, a := range everybody {
		if !b.MayReach(a) {
			out = append(out, flag("not_allowed", a, "Mail may not go to "+a+": the spec does not list it under recipients. It will be refused."))
		}
	}
	for _, f := range mail.Flags(everybody, d.Body, mail.Context{Mail: e, Own: d.Own, Known: b.options.known}) {
		out = append(out, flag(f.Kind, f.Value, f.Text))
	}
	return out
}

func flag(kind, value, text string) map[string]any {
	return map[string]any{"kind": kind, "value": value, "text": text}
}

// reviewFrom is whom the mail would be from, as far as it can be known without asking.
func (b *backend) reviewFrom(r *googlecall.Request) string {
	if b.options.from != "" {
		return b.options.from
	}
	user, _ := r.Args.Data("user").(map[string]any)
	address, _ := user["address"].(string)
	if address == "" {
		address = r.Account
	}
	name, _ := user["name"].(string)
	if name == "" || address == "" || strings.ContainsAny(name, "\r\n\"<>") {
		return address
	}
	return name + " <" + address + ">"
}

func own(r *googlecall.Request, from string) []string {
	var out []string
	for _, text := range []string{from, r.Account} {
		if a, err := mail.Address(text); err == nil {
			out = append(out, a)
		}
	}
	return out
}

// emailOf reads a mail as specs have it, nil when there is none.
func emailOf(v any) *mail.Email {
	data, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	text := func(name string) string {
		s, _ := data[name].(string)
		return s
	}
	e := &mail.Email{
		ID: text("id"), ThreadID: text("thread_id"), MessageID: text("message_id"), From: text("from"), To: text("to"), Cc: text("cc"),
		ReplyTo: text("reply_to"), Subject: text("subject"), Date: text("date"), Body: text("body"),
	}
	files, _ := data["attachments"].([]any)
	for _, item := range files {
		f, _ := item.(map[string]any)
		name, _ := f["name"].(string)
		kind, _ := f["type"].(string)
		size, _ := f["size"].(int)
		e.Attachments = append(e.Attachments, mail.Attachment{Name: name, Type: kind, Size: int64(size)})
	}
	return e
}

// originalOf is what an answer to the mail would go by, as far as specs know it.
func originalOf(e *mail.Email) *mail.Original {
	id := e.MessageID
	if id == "" {
		id = "<not-known@weft.invalid>" // a mail that a spec made up has one only when it is sent
	}
	root := &mail.Part{Type: "text/plain", Body: []byte(e.Body), Header: mail.Header{
		{Name: "From", Value: e.From},
		{Name: "Reply-To", Value: e.ReplyTo},
		{Name: "To", Value: e.To},
		{Name: "Cc", Value: e.Cc},
		{Name: "Subject", Value: e.Subject},
		{Name: "Message-ID", Value: id},
		{Name: "Date", Value: mailDate(e.Date)},
	}}
	o, err := mail.NewOriginal(root)
	if err != nil {
		return &mail.Original{Subject: e.Subject, Body: e.Body, MessageID: id}
	}
	return o
}

// mailDate writes a date of a spec as mails do.
func mailDate(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return t.Format(time.RFC1123Z)
}

func plain(list []string) []any {
	out := make([]any, len(list))
	for i, text := range list {
		out[i] = text
	}
	return out
}
