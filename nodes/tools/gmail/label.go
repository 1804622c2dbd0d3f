package gmail

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/api/gmail/v1"

	"github.com/weft-engine/weft/nodes/google"
	"github.com/weft-engine/weft/nodes/internal/googlecall"
)

// markRead takes UNREAD off a mail, or off each of a list: the mail, not its conversation.
func markRead(ctx context.Context, w *work) (any, error) {
	return w.relabel(ctx, nil, []string{"UNREAD"})
}

// archive takes a mail, or each of a list, out of the inbox.
func archive(ctx context.Context, w *work) (any, error) {
	return w.relabel(ctx, nil, []string{"INBOX"})
}

// maxLabels is how many labels Gmail changes at once.
const maxLabels = 100

// label puts labels on a mail, or on each of a list, and takes some off.
func label(ctx context.Context, w *work) (any, error) {
	plus, minus := w.r.Args.List("add"), w.r.Args.List("remove")
	switch {
	case len(plus)+len(minus) == 0:
		return nil, googlecall.Refusef("there is nothing to add and nothing to remove")
	case len(plus) > maxLabels || len(minus) > maxLabels:
		return nil, googlecall.Refusef("%d labels at once; at most %d are taken", max(len(plus), len(minus)), maxLabels)
	}
	for _, name := range append(slices.Clone(plus), minus...) {
		if slices.Contains(readOnly, strings.ToUpper(name)) {
			return nil, googlecall.Refusef("the label %s cannot be put on or taken off", strings.ToUpper(name))
		}
	}
	known, err := w.labels(ctx)
	if err != nil {
		return nil, err
	}
	if plus, err = w.labelIDs(ctx, known, plus, w.options.create); err != nil {
		return nil, err
	}
	if minus, err = w.labelIDs(ctx, known, minus, false); err != nil {
		return nil, err
	}
	return w.relabel(ctx, plus, minus)
}

// readOnly is labels that Gmail sets itself, and those that move a mail to where people
// do not look.
var readOnly = []string{"SENT", "DRAFT", "DRAFTS", "CHAT", "TRASH", "SPAM"}

// labels returns the ids of the mailbox's labels by their names in lower case.
func (w *work) labels(ctx context.Context) (map[string]string, error) {
	var found *gmail.ListLabelsResponse
	err := w.c.Do(ctx, reading(unitsLabels), func(ctx context.Context) (err error) {
		found, err = w.c.Gmail.Users.Labels.List("me").Context(ctx).Do()
		return err
	})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, l := range found.Labels {
		out[strings.ToLower(l.Name)] = l.Id
		out[strings.ToLower(l.Id)] = l.Id
	}
	return out, nil
}

func (w *work) labelIDs(ctx context.Context, known map[string]string, names []string, create bool) ([]string, error) {
	out := make([]string, len(names))
	for i, name := range names {
		id, ok := known[strings.ToLower(strings.TrimSpace(name))]
		switch {
		case ok:
		case !create:
			return nil, googlecall.Refusef("the mailbox has no label %q: make it in Gmail, or set create_labels", googlecall.Clip(name))
		default:
			var err error
			if id, err = w.makeLabel(ctx, strings.TrimSpace(name)); err != nil {
				return nil, err
			}
		}
		out[i] = id
	}
	return out, nil
}

// makeLabel makes a label. That it exists is no mistake: another call was faster.
func (w *work) makeLabel(ctx context.Context, name string) (id string, err error) {
	if name == "" || len(name) > 200 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return "", googlecall.Refusef("%q cannot be the name of a label", googlecall.Clip(name))
	}
	err = w.c.Do(ctx, google.Ask{Units: unitsModify, Repeat: true}, func(ctx context.Context) error {
		made, err := w.c.Gmail.Users.Labels.Create("me", &gmail.Label{Name: name}).Context(ctx).Do()
		if err == nil {
			id = made.Id
		}
		return err
	})
	if google.Code(err) != http.StatusConflict {
		return id, err
	}
	known, err := w.labels(ctx)
	if err != nil {
		return "", err
	}
	if id = known[strings.ToLower(name)]; id == "" {
		return "", googlecall.Refusef("Gmail does not take %q as the name of a label", googlecall.Clip(name))
	}
	return id, nil
}

// relabel changes the labels of the mails that the call names.
func (w *work) relabel(ctx context.Context, plus, minus []string) (any, error) {
	change := func(ctx context.Context, id string) (any, error) {
		if !validID(id) {
			return nil, googlecall.Refusef("%q is no id of a mail", googlecall.Clip(id))
		}
		err := w.c.Do(ctx, google.Ask{Units: unitsModify, Repeat: true}, func(ctx context.Context) error {
			_, err := w.c.Gmail.Users.Messages.Modify("me", id, &gmail.ModifyMessageRequest{AddLabelIds: plus, RemoveLabelIds: minus}).Context(ctx).Do()
			return err
		})
		if google.Code(err) == http.StatusNotFound {
			return nil, googlecall.Refusef("there is no mail %s in this mailbox", id)
		}
		return id, err
	}
	ids := w.r.Args.List("id")
	if w.r.Args.Many("id") {
		return w.each(ctx, ids, change)
	}
	if _, err := change(ctx, ids[0]); err != nil {
		return nil, err
	}
	return map[string]any{"done": []any{ids[0]}, "failed": []any{}}, nil
}
