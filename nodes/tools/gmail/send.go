package gmail

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	netmail "net/mail"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/gmail/v1"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
	"github.com/weft-engine/weft/nodes/internal/mail"
)

// sender is a handler whose calls may happen only once: it can find out whether one did.
type sender struct{ handler }

// Lookup looks for what a call made: a mail that was sent, or a draft.
func (s sender) Lookup(ctx context.Context, call engine.Call) (engine.Result, bool, error) {
	w, err := s.begin(call)
	if err != nil {
		return engine.Result{}, false, err
	}
	found, err := w.made(ctx)
	if err != nil {
		return engine.Result{}, false, w.Failure(err)
	}
	if found == nil {
		return engine.Result{}, false, nil
	}
	return engine.Result{Value: w.report(found, nil)}, true, nil
}

// drafts reports whether the call saves a draft instead of sending.
func (w *work) drafts() bool { return w.Action.Name == "draft" || w.options.draftOnly }

// tries is how often a mail is sent when nobody knows what became of it, each time
// after looking whether it is there.
const tries = 3

// deliver sends a mail, or saves it as a draft when that is the action or all that the
// spec allows.
func deliver(ctx context.Context, w *work) (any, error) {
	m, threadID, err := w.compose(ctx)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		made, err := w.post(ctx, m, threadID)
		if err == nil {
			return w.report(made, m), nil
		}
		if try == tries || !w.Uncertain(err) || ctx.Err() != nil {
			return nil, err
		}
		made, lookErr := w.made(ctx)
		if lookErr != nil {
			return nil, err // it stays open what became of it
		}
		if made != nil {
			return w.report(made, m), nil
		}
	}
}

// compose makes the mail. An answer to a mail that cannot be read is not written.
func (w *work) compose(ctx context.Context) (*mail.Message, string, error) {
	d := w.draftOf(w.r.Args)
	d.From = w.sender()
	d.Own = []string{w.c.Account, d.From}
	d.MessageID, d.Key, d.Date = w.messageID(), mail.Identity(w.key), w.c.Now()
	threadID := ""
	if id := w.r.Args.Text("reply_to"); id != "" {
		original, thread, err := w.original(ctx, id)
		if err != nil {
			return nil, "", err
		}
		d.Original, threadID = original, thread
	}
	m, err := d.Make()
	if err != nil {
		return nil, "", googlecall.Refusef("%s", err)
	}
	if err := w.permitted(m.Recipients()); err != nil {
		return nil, "", err
	}
	if d.Original != nil && !mail.SameSubject(m.Subject, d.Original.Subject) {
		threadID = "" // Gmail does not take it into the conversation
	}
	return m, threadID, nil
}

// draftOf is what the arguments say of a mail.
func (b *backend) draftOf(a googlecall.Arguments) *mail.Draft {
	return &mail.Draft{
		To: a.List("to"), Cc: a.List("cc"), Bcc: a.List("bcc"), Subject: a.Text("subject"), Body: a.Text("body"),
		Quote: b.options.quote, ReplyAll: a.Flag("reply_all"),
	}
}

// sender is whom the mail is from.
func (w *work) sender() string {
	if w.options.from != "" {
		return w.options.from
	}
	return w.c.Account
}

func (w *work) messageID() string { return mail.MessageID(w.key, w.sender()) }

// original reads the mail that is answered.
func (w *work) original(ctx context.Context, id string) (*mail.Original, string, error) {
	if !validID(id) {
		return nil, "", googlecall.Refusef("reply_to: %q is no id of a mail; leave it out for a new mail", googlecall.Clip(id))
	}
	m, err := get(ctx, w.c, id, false)
	if err != nil {
		if google.Code(err) == http.StatusNotFound || google.Code(err) == http.StatusBadRequest {
			return nil, "", googlecall.Refusef("the mail %s that this answers is not in the mailbox, so nothing was sent", id)
		}
		if errors.Is(err, context.Canceled) {
			return nil, "", err
		}
		// Nothing was sent yet, so this is no doubt about the mail.
		return nil, "", google.Failure("read the mail that this answers", err, true)
	}
	o, err := mail.NewOriginal(tree(m))
	if err != nil {
		return nil, "", googlecall.Refusef("the mail %s that this answers cannot be answered: %s", id, err)
	}
	return o, m.ThreadId, nil
}

// permitted refuses recipients that the spec does not list.
func (b *backend) permitted(to []*netmail.Address) error {
	for _, a := range to {
		if !b.MayReach(a.Address) {
			return googlecall.Refusef("mail may not go to %s: the spec lists whom it may go to under `recipients`. Nothing was sent", a.Address)
		}
	}
	return nil
}

// post hands the mail to Gmail.
func (w *work) post(ctx context.Context, m *mail.Message, threadID string) (made *gmail.Message, err error) {
	out := &gmail.Message{Raw: base64.URLEncoding.EncodeToString(m.Raw), ThreadId: threadID}
	if w.drafts() {
		err = w.c.Do(ctx, google.Ask{Units: unitsDraft}, func(ctx context.Context) error {
			d, err := w.c.Gmail.Users.Drafts.Create("me", &gmail.Draft{Message: out}).Context(ctx).Do()
			if err == nil {
				made = d.Message
			}
			return err
		})
		return made, err
	}
	err = w.c.Do(ctx, google.Ask{Units: unitsSend}, func(ctx context.Context) (err error) {
		made, err = w.c.Gmail.Users.Messages.Send("me", out).Context(ctx).Do()
		return err
	})
	return made, err
}

// report tells what was made. m is nil when it was found later.
func (w *work) report(made *gmail.Message, m *mail.Message) map[string]any {
	out := map[string]any{"status": "sent", "id": made.Id, "thread_id": made.ThreadId, "message_id": w.messageID()}
	if w.drafts() {
		out["status"] = "draft"
		out["note"] = "It was saved as a draft in the mailbox and not sent."
	}
	if m == nil {
		return out
	}
	out["to"] = texts(m.To)
	if len(m.Cc) > 0 {
		out["cc"] = texts(m.Cc)
	}
	if len(m.Bcc) > 0 {
		out["bcc"] = texts(m.Bcc)
	}
	if m.Note != "" {
		note := googlecall.Upper(m.Note)
		if before, ok := out["note"].(string); ok {
			note = before + " " + note
		}
		out["note"] = note
	}
	return out
}

func texts(list []*netmail.Address) []any {
	out := make([]any, len(list))
	for i, a := range list {
		out[i] = a.Address
	}
	return out
}

// Looking for a mail that may have been sent.
const (
	settle   = 2 * time.Second // a mail that is on its way shows up within
	scanPage = 100
	scanMost = 500             // mails are looked through at most
	slack    = 5 * time.Minute // that clocks may differ
)

// made finds what the call made, nil when there is certainly nothing. It searches by
// the Message-ID. As a search knows new mail only after a while, and as Gmail may have
// given the mail another Message-ID, it then looks at the newest mails themselves; and
// as a request may still be on its way, it does all that twice.
func (w *work) made(ctx context.Context) (*gmail.Message, error) {
	for again := range 2 {
		if again > 0 {
			if err := w.c.Wait(ctx, settle); err != nil {
				return nil, err
			}
		}
		found, err := w.search(ctx)
		if found != nil || err != nil {
			return found, err
		}
		if found, err = w.scan(ctx); found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

func (w *work) place() string {
	if w.drafts() {
		return "DRAFT"
	}
	return "SENT"
}

func (w *work) search(ctx context.Context) (*gmail.Message, error) {
	list, err := w.list(ctx, "rfc822msgid:"+strings.Trim(w.messageID(), "<>"), "", 10)
	if err != nil || len(list.Messages) == 0 {
		return nil, err
	}
	return list.Messages[0], nil
}

func (w *work) list(ctx context.Context, query, page string, size int64) (list *gmail.ListMessagesResponse, err error) {
	err = w.c.Do(ctx, reading(unitsList), func(ctx context.Context) (err error) {
		call := w.c.Gmail.Users.Messages.List("me").LabelIds(w.place()).MaxResults(size).PageToken(page).Context(ctx)
		if query != "" {
			call = call.Q(query)
		}
		list, err = call.Do()
		return err
	})
	return list, err
}

// scan looks at the newest mails until they are older than the run.
func (w *work) scan(ctx context.Context) (*gmail.Message, error) {
	page := ""
	for seen := 0; seen < scanMost; {
		list, err := w.list(ctx, "", page, scanPage)
		if err != nil {
			return nil, err
		}
		// A few first: what is looked for is nearly always among the newest.
		for _, chunk := range chunks(list.Messages, 10) {
			found, older, err := w.among(ctx, chunk)
			if found != nil || older || err != nil {
				return found, err
			}
		}
		if seen += len(list.Messages); list.NextPageToken == "" {
			return nil, nil
		}
		page = list.NextPageToken
	}
	return nil, googlecall.Refusef("the last %d mails do not tell whether it was sent", scanMost)
}

func chunks(list []*gmail.Message, size int) [][]*gmail.Message {
	return slices.Collect(slices.Chunk(list, size))
}

// among looks for the call's mail in some. older says that all after them are older
// than the run.
func (w *work) among(ctx context.Context, some []*gmail.Message) (found *gmail.Message, older bool, err error) {
	mails, errs := make([]*gmail.Message, len(some)), make([]error, len(some))
	w.c.Each(ctx, len(some), func(ctx context.Context, i int) {
		errs[i] = w.c.Do(ctx, reading(unitsGet), func(ctx context.Context) (err error) {
			mails[i], err = w.c.Gmail.Users.Messages.Get("me", some[i].Id).Format("metadata").
				MetadataHeaders("Message-ID", "X-Google-Original-Message-ID", mail.KeyHeader).Context(ctx).Do()
			return err
		})
	})
	for i, m := range mails {
		switch {
		case errs[i] != nil && google.Code(errs[i]) == http.StatusNotFound:
		case errs[i] != nil:
			return nil, false, errs[i]
		case m == nil:
			return nil, false, ctx.Err()
		case w.mine(m):
			return m, false, nil
		case !w.r.Since.IsZero() && time.UnixMilli(m.InternalDate).Before(w.r.Since.Add(-slack)):
			older = true
		}
	}
	return nil, older, nil
}

// mine reports whether a mail is the one that the call sends.
func (w *work) mine(m *gmail.Message) bool {
	if m.Payload == nil {
		return false
	}
	for _, h := range m.Payload.Headers {
		switch value := strings.TrimSpace(h.Value); strings.ToLower(h.Name) {
		case "message-id", "x-google-original-message-id":
			if value == w.messageID() {
				return true
			}
		case "x-weft-key":
			if value == mail.Identity(w.key) {
				return true
			}
		}
	}
	return false
}
