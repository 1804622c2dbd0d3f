package gmail

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/gmail/v1"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/trigger"
	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
)

// usualQuery is what a trigger listens to that does not say.
const usualQuery = "in:inbox is:unread newer_than:2d"

// SourceType is the source type `gmail`: new mail of an account. An event is
// {email, thread_id, account}, its key the mail's id.
func SourceType(deps Deps) build.SourceType {
	return build.SourceType{
		Name: "gmail", Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Source {
			out := build.Source{Every: s.Duration(config.Get("every")), Event: &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
				"email": emailType, "thread_id": textType, "account": textType,
			}}}
			if m := newMailbox(s, config); m != nil {
				m.google = deps.Google
				out.Source = m
			}
			return out
		},
	}
}

func newMailbox(s *build.Scope, config *source.Value) *mailbox {
	m := &mailbox{text: usualQuery}
	pos := config.Pos
	if v := config.Get("query"); v != nil {
		m.text, pos = v.Text, v.Pos
	}
	var err error
	if m.query, err = parseQuery(m.text); err != nil {
		s.Report(BadQuery.At(pos, "the query %q of the trigger: %s", googlecall.Clip(m.text), err).
			WithHint("Use in:, is:, label:, category:, from:, to:, cc:, subject:, has:attachment, newer_than:, older_than:, words, -, OR, ( ) and { }."))
		return nil
	}
	if v := config.Get("account"); v != nil {
		m.account = strings.ToLower(strings.TrimSpace(v.Text))
	}
	ok := true
	m.endpoint = googlecall.Endpoint(config.Get("endpoint"), func(f diag.Finding) {
		ok = false
		s.Report(f)
	})
	if !ok {
		return nil
	}
	return m
}

// mailbox is a trigger.Source: it listens to new mail.
type mailbox struct {
	google            *google.Accounts
	account, endpoint string
	text              string
	query             *query
}

// Sign changes when the account logs in anew.
func (b *mailbox) Sign() string {
	if b.google == nil {
		return ""
	}
	return b.google.Sign(b.account)
}

// Bounds of a poll.
const (
	batchSize  = 100
	maxBacklog = 2000          // mails that a first poll, or one after a long time, looks at
	maxRetries = 5             // polls that try to read a mail
	overlap    = 2 * time.Hour // looked at again after the history was lost
	historyMax = 500
)

// Poll returns the mails that came in since the cursor. When there is nothing new it
// sends exactly one request.
func (b *mailbox) Poll(ctx context.Context, text string) (trigger.Batch, error) {
	c, err := b.google.Client(b.account, b.endpoint)
	if err != nil {
		return trigger.Batch{}, pause(err)
	}
	p := &poll{mailbox: b, c: c, cursor: readCursor(text)}
	if of := p.cursor.Account; of != "" && of != c.Account {
		p.cursor = cursor{} // of another mailbox, whose history is not this one's
	}
	if err := p.look(ctx); err != nil {
		return trigger.Batch{}, pause(err)
	}
	batch, err := p.batch(ctx)
	if err != nil {
		return trigger.Batch{}, pause(err)
	}
	return batch, nil
}

// pause makes an error that a person has to mend one that stops the trigger.
func pause(err error) error {
	if login, ok := errors.AsType[*google.LoginError](err); ok {
		return &trigger.Pause{Reason: login.Reason, Mend: google.Mend}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return google.Failure("look for new mail", err, true)
}

// poll is one look at a mailbox.
type poll struct {
	*mailbox
	c      *google.Client
	cursor cursor
	named  map[string]string // labels of the mailbox, when the query goes by them
}

// look fills the cursor with the ids of what is new.
func (p *poll) look(ctx context.Context) error {
	if len(p.cursor.Todo) > 0 {
		return nil // the rest of an earlier look
	}
	if p.cursor.History == 0 {
		return p.start(ctx, p.text)
	}
	err := p.history(ctx)
	if google.Code(err) == http.StatusNotFound {
		// Gmail has forgotten what happened since: look at what is there.
		since := time.Unix(p.cursor.Seen, 0).Add(-overlap)
		return p.start(ctx, fmt.Sprintf("(%s) after:%d", p.text, since.Unix()))
	}
	return err
}

// start notes where the history is now and lists what is there.
func (p *poll) start(ctx context.Context, query string) error {
	var profile *gmail.Profile
	err := p.c.Do(ctx, reading(unitsProfile), func(ctx context.Context) (err error) {
		profile, err = p.c.Gmail.Users.GetProfile("me").Context(ctx).Do()
		return err
	})
	if err != nil {
		return err
	}
	var ids []string
	for page := ""; ; {
		var list *gmail.ListMessagesResponse
		err := p.c.Do(ctx, reading(unitsList), func(ctx context.Context) (err error) {
			list, err = p.c.Gmail.Users.Messages.List("me").Q(query).MaxResults(500).PageToken(page).Context(ctx).Do()
			return err
		})
		if err != nil {
			return err
		}
		for _, m := range list.Messages {
			ids = append(ids, m.Id)
		}
		if page = list.NextPageToken; page == "" || len(ids) >= maxBacklog {
			break
		}
	}
	ids = ids[:min(len(ids), maxBacklog)]
	slices.Reverse(ids) // oldest first
	p.cursor = cursor{History: profile.HistoryId, Seen: p.c.Now().Unix(), Todo: ids, Listed: true, Again: p.cursor.Again}
	return nil
}

// history asks what came in since the last look. When there is more than a page, the
// rest is asked for next time.
func (p *poll) history(ctx context.Context) error {
	var list *gmail.ListHistoryResponse
	err := p.c.Do(ctx, reading(unitsHistory), func(ctx context.Context) (err error) {
		list, err = p.c.Gmail.Users.History.List("me").StartHistoryId(p.cursor.History).HistoryTypes("messageAdded").MaxResults(historyMax).Context(ctx).Do()
		return err
	})
	if err != nil {
		return err
	}
	next := cursor{History: list.HistoryId, Seen: p.c.Now().Unix(), Again: p.cursor.Again}
	for _, h := range list.History {
		for _, added := range h.MessagesAdded {
			if m := added.Message; m != nil && incoming(m) && !slices.Contains(next.Todo, m.Id) {
				next.Todo = append(next.Todo, m.Id)
			}
		}
	}
	if list.NextPageToken != "" && len(list.History) > 0 {
		next.History, next.Rest = list.History[len(list.History)-1].Id, true
	}
	for id := range next.Again {
		if !slices.Contains(next.Todo, id) {
			next.Todo = append(next.Todo, id)
		}
	}
	p.cursor = next
	return nil
}

// incoming reports a mail that came from outside: not one's own, not a draft. Without
// this an answer would be answered.
func incoming(m *gmail.Message) bool {
	return !hasLabel(m, "SENT") && !hasLabel(m, "DRAFT") && !hasLabel(m, "CHAT")
}

// batch reads the next mails that were found.
func (p *poll) batch(ctx context.Context) (trigger.Batch, error) {
	ids := p.cursor.Todo[:min(len(p.cursor.Todo), batchSize)]
	if err := p.labels(ctx, len(ids)); err != nil {
		return trigger.Batch{}, err
	}
	events, errs := make([]*trigger.Event, len(ids)), make([]error, len(ids))
	p.c.Each(ctx, len(ids), func(ctx context.Context, i int) { events[i], errs[i] = p.event(ctx, ids[i]) })
	if ctx.Err() != nil {
		return trigger.Batch{}, ctx.Err()
	}
	p.cursor.Todo = p.cursor.Todo[len(ids):]
	batch := trigger.Batch{}
	for i, id := range ids {
		switch err := errs[i]; {
		case err == nil:
			delete(p.cursor.Again, id)
			if events[i] != nil {
				batch.Events = append(batch.Events, *events[i])
			}
		case !ofMail(err):
			return trigger.Batch{}, err
		default:
			batch.Problems = append(batch.Problems, p.problem(id, err))
		}
	}
	batch.More = len(p.cursor.Todo) > 0 || p.cursor.Rest
	p.cursor.Account = p.c.Account
	batch.Cursor = p.cursor.text()
	return batch, nil
}

// ofMail reports an error that is about one mail: Gmail answers, but not with it.
func ofMail(err error) bool {
	switch code := google.Code(err); code {
	case 0, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return errors.Is(err, google.ErrTooLarge)
	}
	return true
}

// event reads a mail; nil when it is gone or does not fit.
func (p *poll) event(ctx context.Context, id string) (*trigger.Event, error) {
	m, err := get(ctx, p.c, id, true)
	switch {
	case google.Code(err) == http.StatusNotFound:
		return nil, nil
	case err != nil:
		return nil, err
	case !incoming(m):
		return nil, nil
	}
	e := email(m)
	fits := &candidate{email: e, labels: m.LabelIds, named: p.named, account: p.c.Account, now: p.c.Now()}
	if !p.cursor.Listed && !p.query.test(fits) {
		return nil, nil
	}
	data := map[string]any{"email": e.Data(), "thread_id": m.ThreadId, "account": p.c.Account}
	return &trigger.Event{Key: m.Id, Data: data}, nil
}

// labels reads the mailbox's labels when the query goes by them.
func (p *poll) labels(ctx context.Context, mails int) error {
	if !p.query.named || mails == 0 || p.cursor.Listed {
		return nil
	}
	list, err := (&work{c: p.c}).labels(ctx)
	p.named = map[string]string{}
	for name, id := range list {
		p.named[strings.NewReplacer(" ", "-", "/", "-").Replace(name)] = id
		p.named[strings.ReplaceAll(name, " ", "-")] = id
	}
	return err
}

// problem notes a mail that could not be read; it is tried again some times.
func (p *poll) problem(id string, err error) trigger.Problem {
	tried := p.cursor.Again[id] + 1
	out := trigger.Problem{Key: id, Message: pause(err).Error(), Again: tried < maxRetries}
	if !out.Again {
		delete(p.cursor.Again, id)
		return out
	}
	if p.cursor.Again == nil {
		p.cursor.Again = map[string]int{}
	}
	p.cursor.Again[id] = tried
	return out
}
