package act

import (
	"context"
	"fmt"
	"net/mail"
	"strings"

	"github.com/weft-engine/weft/nodes/ues"
)

// composeEmail completes a mail of the user: who sends it, and, for an answer, the
// conversation that it belongs to.
func composeEmail(ctx context.Context, c *ues.Client, body fields) (fields, error) {
	addresses(body)
	if text(body, "from_address") != "" && text(body, "in_reply_to") == "" {
		return body, nil
	}
	box, err := c.Email().State(ctx)
	if err != nil {
		return nil, err
	}
	if text(body, "from_address") == "" {
		body["from_address"] = box.UserEmailAddress
	}
	return body, follow(body, &box)
}

// receiveEmail completes a mail of somebody else.
func receiveEmail(ctx context.Context, c *ues.Client, body fields) (fields, error) {
	addresses(body)
	if text(body, "in_reply_to") == "" {
		return body, nil
	}
	box, err := c.Email().State(ctx)
	if err != nil {
		return nil, err
	}
	return body, follow(body, &box)
}

// follow puts an answer into the conversation of the mail that it answers, unless it
// says where it belongs.
func follow(body fields, box *ues.EmailState) error {
	id := text(body, "in_reply_to")
	if id == "" {
		return nil
	}
	parent, found := box.Emails[id]
	if !found {
		return noEmail(id)
	}
	if text(body, "thread_id") == "" {
		body["thread_id"] = parent.ThreadID
	}
	if body["references"] == nil {
		var all []any
		for _, r := range parent.References {
			all = append(all, r)
		}
		body["references"] = append(all, id)
	}
	return nil
}

func noEmail(id string) error {
	return fmt.Errorf("there is no mail %.100q in the mailbox: use the message_id of a mail, or none", id)
}

// replyEmail makes an answer: {message_id, body_text, all} and what else a mail may have.
func replyEmail(ctx context.Context, c *ues.Client, body fields) (fields, error) {
	id := text(body, "message_id")
	box, err := c.Email().State(ctx)
	if err != nil {
		return nil, err
	}
	parent, found := box.Emails[id]
	if !found {
		return nil, noEmail(id)
	}
	all, _ := body["all"].(bool)
	delete(body, "all")
	delete(body, "message_id")
	body["in_reply_to"] = id
	own := box.UserEmailAddress
	set(body, "from_address", own)
	if text(body, "subject") == "" {
		body["subject"] = Re(parent.Subject)
	}
	to := parent.FromAddress
	if parent.ReplyToAddress != nil && *parent.ReplyToAddress != "" {
		to = *parent.ReplyToAddress
	}
	if body["to_addresses"] == nil {
		body["to_addresses"] = []any{to}
	}
	if all && body["cc_addresses"] == nil {
		body["cc_addresses"] = others(append(append([]string{}, parent.ToAddresses...), parent.CCAddresses...), own, to)
	}
	addresses(body)
	return body, follow(body, &box)
}

// Re is the subject of an answer.
func Re(subject string) string {
	if len(subject) >= 3 && strings.EqualFold(subject[:3], "re:") {
		return subject
	}
	return "Re: " + subject
}

// others are addresses without those of some people, each once.
func others(list []string, without ...string) []any {
	out := []any{}
	seen := map[string]bool{}
	for _, a := range without {
		seen[strings.ToLower(a)] = true
	}
	for _, a := range list {
		if key := strings.ToLower(a); !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	return out
}

// addresses takes addresses out of "Name <address>", and single ones as lists.
func addresses(body fields) {
	for _, name := range []string{"to_addresses", "cc_addresses", "bcc_addresses"} {
		switch v := body[name].(type) {
		case string:
			body[name] = []any{bare(v)}
		case []any:
			out := make([]any, len(v))
			for i, item := range v {
				out[i] = item
				if s, ok := item.(string); ok {
					out[i] = bare(s)
				}
			}
			body[name] = out
		}
	}
	for _, name := range []string{"from_address", "reply_to_address"} {
		if s, ok := body[name].(string); ok {
			body[name] = bare(s)
		}
	}
}

// bare is the address of "Name <address>"; what is none stays as it is, for the server
// to refuse.
func bare(s string) string {
	if a, err := mail.ParseAddress(s); err == nil {
		return a.Address
	}
	if open, end := strings.LastIndexByte(s, '<'), strings.LastIndexByte(s, '>'); open >= 0 && end > open {
		return strings.TrimSpace(s[open+1 : end])
	}
	return strings.TrimSpace(s)
}

// getEmail gives one mail: {message_id}.
func getEmail(ctx context.Context, c *ues.Client, body fields) (any, error) {
	box, err := lookUp(ctx, c, "GET", "/email/state", nil)
	if err != nil {
		return nil, err
	}
	state, _ := box.(map[string]any)
	emails, _ := state["emails"].(map[string]any)
	id := text(body, "message_id")
	if one, found := emails[id]; found {
		return one, nil
	}
	return nil, noEmail(id)
}

// oneOrMore takes {message_id} for {message_ids}.
func oneOrMore(_ context.Context, _ *ues.Client, body fields) (fields, error) {
	if id := text(body, "message_id"); id != "" && body["message_ids"] == nil {
		body["message_ids"] = []any{id}
		delete(body, "message_id")
	}
	listed(body, "message_ids", "labels")
	return body, nil
}

// listed takes single texts for lists.
func listed(body fields, names ...string) {
	for _, name := range names {
		if s, ok := body[name].(string); ok {
			body[name] = []any{s}
		}
	}
}

func text(body fields, name string) string {
	s, _ := body[name].(string)
	return s
}

// set gives a field a value unless it has one.
func set(body fields, name, value string) {
	if text(body, name) == "" && value != "" {
		body[name] = value
	}
}
