package gmail

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/api/gmail/v1"

	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
	"github.com/weft-engine/weft/nodes/internal/mail"
)

// Bounds of what is read at once.
const (
	usualFound  = 10
	maxFound    = 50
	maxItems    = 100
	maxInThread = 100
)

// metadata is the headers that are read of mails whose text is not needed.
var metadata = []string{"From", "To", "Cc", "Reply-To", "Subject", "Date", "Message-ID", "Content-Type"}

// get reads a mail. One that is too large is read without its text.
func get(ctx context.Context, c *google.Client, id string, bulk bool) (*gmail.Message, error) {
	m, err := message(ctx, c, id, "full", bulk)
	if !errors.Is(err, google.ErrTooLarge) {
		return m, err
	}
	if m, err = message(ctx, c, id, "metadata", bulk); err != nil {
		return nil, err
	}
	if m.Payload != nil {
		m.Payload.MimeType = "text/plain"
		m.Payload.Body = &gmail.MessagePartBody{Size: m.SizeEstimate}
	}
	return m, nil
}

func message(ctx context.Context, c *google.Client, id, format string, bulk bool) (m *gmail.Message, err error) {
	ask := reading(unitsGet)
	ask.Bulk = bulk
	err = c.Do(ctx, ask, func(ctx context.Context) error {
		call := c.Gmail.Users.Messages.Get("me", id).Format(format).Context(ctx)
		if format == "metadata" {
			call = call.MetadataHeaders(metadata...)
		}
		m, err = call.Do()
		return err
	})
	return m, err
}

// read reads a mail as specs see it.
func read(ctx context.Context, c *google.Client, id string, bulk bool) (*mail.Email, error) {
	if !validID(id) {
		return nil, googlecall.Refusef("%q is no id of a mail", googlecall.Clip(id))
	}
	m, err := get(ctx, c, id, bulk)
	if err != nil {
		if google.Code(err) == http.StatusNotFound || google.Code(err) == http.StatusBadRequest {
			return nil, googlecall.Refusef("there is no mail %s in this mailbox", id)
		}
		return nil, err
	}
	return email(m), nil
}

// fetch reads a mail, or each of a list.
func fetch(ctx context.Context, w *work) (any, error) {
	ids := w.r.Args.List("id")
	if !w.r.Args.Many("id") {
		e, err := read(ctx, w.c, ids[0], false)
		if err != nil {
			return nil, err
		}
		return e.Data(), nil
	}
	return w.each(ctx, ids, func(ctx context.Context, id string) (any, error) {
		e, err := read(ctx, w.c, id, true)
		if err != nil {
			return nil, err
		}
		return e.Data(), nil
	})
}

// each does something with every item of a list. What failed is told item by item; the
// whole fails only when everything did.
func (w *work) each(ctx context.Context, ids []string, do func(ctx context.Context, id string) (any, error)) (any, error) {
	if len(ids) == 0 {
		return map[string]any{"done": []any{}, "failed": []any{}}, nil
	}
	if len(ids) > maxItems {
		return nil, googlecall.Refusef("%d mails at once; at most %d are taken", len(ids), maxItems)
	}
	results, errs := make([]any, len(ids)), make([]error, len(ids))
	w.c.Each(ctx, len(ids), func(ctx context.Context, i int) { results[i], errs[i] = do(ctx, ids[i]) })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	done, failed := []any{}, []any{}
	for i, err := range errs {
		if err != nil {
			failed = append(failed, map[string]any{"id": ids[i], "problem": w.problem(err)})
			continue
		}
		done = append(done, results[i])
	}
	if len(done) == 0 {
		return nil, errs[0]
	}
	return map[string]any{"done": done, "failed": failed}, nil
}

// search finds mails, newest first, without their text.
func search(ctx context.Context, w *work) (any, error) {
	limit := usualFound
	if w.options.limit > 0 {
		limit = w.options.limit
	}
	if n := w.r.Args.Number("limit"); n > 0 {
		limit = n
	}
	limit = min(limit, maxFound)
	var found *gmail.ListMessagesResponse
	err := w.c.Do(ctx, reading(unitsList), func(ctx context.Context) (err error) {
		found, err = w.c.Gmail.Users.Messages.List("me").Q(w.r.Args.Text("query")).MaxResults(int64(limit)).Context(ctx).Do()
		return err
	})
	if err != nil {
		return nil, err
	}
	mails, errs := make([]any, len(found.Messages)), make([]error, len(found.Messages))
	w.c.Each(ctx, len(mails), func(ctx context.Context, i int) {
		m, err := message(ctx, w.c, found.Messages[i].Id, "metadata", false)
		if err != nil {
			errs[i] = err
			return
		}
		e := email(m)
		e.Body = strings.Join(strings.Fields(m.Snippet), " ")
		mails[i] = e.Data()
	})
	out := []any{}
	for i, err := range errs {
		switch {
		case err == nil:
			out = append(out, mails[i])
		case google.Code(err) == http.StatusNotFound: // deleted since
		default:
			return nil, err
		}
	}
	return out, ctx.Err()
}

// thread reads a conversation, oldest mail first.
func thread(ctx context.Context, w *work) (any, error) {
	id := w.r.Args.List("id")[0]
	if !validID(id) {
		return nil, googlecall.Refusef("%q is no id of a conversation", googlecall.Clip(id))
	}
	var t *gmail.Thread
	err := w.c.Do(ctx, reading(unitsThread), func(ctx context.Context) (err error) {
		t, err = w.c.Gmail.Users.Threads.Get("me", id).Format("minimal").Context(ctx).Do()
		return err
	})
	switch {
	case google.Code(err) == http.StatusNotFound, google.Code(err) == http.StatusBadRequest:
		return nil, googlecall.Refusef("there is no conversation %s in this mailbox", id)
	case err != nil:
		return nil, err
	}
	var ids []string
	answered := false
	for _, m := range t.Messages {
		if hasLabel(m, "DRAFT") || hasLabel(m, "TRASH") {
			continue
		}
		ids = append(ids, m.Id)
		answered = hasLabel(m, "SENT")
	}
	left := max(0, len(ids)-maxInThread)
	ids = ids[left:]
	mails, errs := make([]any, len(ids)), make([]error, len(ids))
	w.c.Each(ctx, len(ids), func(ctx context.Context, i int) {
		e, err := read(ctx, w.c, ids[i], false)
		if err != nil {
			errs[i] = err
			return
		}
		mails[i] = e.Data()
	})
	if err := errors.Join(errs...); err != nil {
		return nil, firstOf(errs)
	}
	return map[string]any{"id": id, "answered": answered, "mails": mails, "left_out": left}, ctx.Err()
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func hasLabel(m *gmail.Message, name string) bool { return slices.Contains(m.LabelIds, name) }
