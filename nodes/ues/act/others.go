package act

import (
	"context"
	"maps"
	"net/mail"
	"net/url"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/nodes/ues"
)

// composeSMS completes a message of the user.
func composeSMS(ctx context.Context, c *ues.Client, body fields) (fields, error) {
	listed(body, "to_numbers")
	numbers(body)
	if text(body, "from_number") != "" {
		return body, nil
	}
	return body, ownNumber(ctx, c, body, "from_number")
}

// receiveSMS completes a message of somebody else.
func receiveSMS(_ context.Context, _ *ues.Client, body fields) (fields, error) {
	listed(body, "to_numbers")
	numbers(body)
	return body, nil
}

// reactSMS completes the reaction of the user.
func reactSMS(ctx context.Context, c *ues.Client, body fields) (fields, error) {
	numbers(body)
	if text(body, "phone_number") != "" {
		return body, nil
	}
	return body, ownNumber(ctx, c, body, "phone_number")
}

// numbers writes telephone numbers as the server does, so that an act can be found
// again: digits behind a +, with a 1 before ten digits that have none.
func numbers(body fields) {
	for name, v := range body {
		switch v := v.(type) {
		case string:
			if name == "from_number" || name == "phone_number" {
				body[name] = Number(v)
			}
		case []any:
			if name != "to_numbers" {
				continue
			}
			out := make([]any, len(v))
			for i, item := range v {
				out[i] = item
				if s, ok := item.(string); ok {
					out[i] = Number(s)
				}
			}
			body[name] = out
		}
	}
}

// Number is a telephone number as the server writes it.
func Number(s string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	switch {
	case digits == "":
		return s
	case len(digits) == 10 && !strings.HasPrefix(s, "+"):
		return "+1" + digits
	}
	return "+" + digits
}

func ownNumber(ctx context.Context, c *ues.Client, body fields, name string) error {
	state, err := c.SMS().State(ctx)
	if err == nil {
		set(body, name, Number(state.UserPhoneNumber))
	}
	return err
}

// The conversation of user and assistant, where tools speak unless they say otherwise.
const conversation = "user-assistant"

// composeChat completes a message of the assistant.
func composeChat(_ context.Context, _ *ues.Client, body fields) (fields, error) {
	set(body, "role", "assistant")
	set(body, "conversation_id", conversation)
	return body, nil
}

// callMark is the metadata of a chat message that says which call made it.
const callMark = "weft_call"

// mark writes the key of a call into a message.
func mark(body fields, key string) {
	meta := fields{}
	if given, ok := body["metadata"].(map[string]any); ok {
		maps.Copy(meta, given)
	}
	meta[callMark] = key
	body["metadata"] = meta
}

// composeEvent completes an entry of the user's calendar: who invites.
func composeEvent(ctx context.Context, c *ues.Client, body fields) (fields, error) {
	body, err := attendees(ctx, c, body)
	if list, _ := body["attendees"].([]any); err != nil || len(list) == 0 || text(body, "organizer") != "" {
		return body, err
	}
	return body, ownAddress(ctx, c, body, "organizer")
}

// respondEvent completes the user's answer to an invitation.
func respondEvent(ctx context.Context, c *ues.Client, body fields) (fields, error) {
	if text(body, "attendee_email") != "" {
		return body, nil
	}
	return body, ownAddress(ctx, c, body, "attendee_email")
}

func ownAddress(ctx context.Context, c *ues.Client, body fields, name string) error {
	box, err := c.Email().Summary(ctx)
	if err == nil {
		set(body, name, box.UserEmailAddress)
	}
	return err
}

// attendees takes addresses for attendees.
func attendees(_ context.Context, _ *ues.Client, body fields) (fields, error) {
	list, ok := body["attendees"].([]any)
	if !ok {
		return body, nil
	}
	out := make([]any, len(list))
	for i, item := range list {
		out[i] = item
		if s, isText := item.(string); isText {
			one := fields{"email": strings.ToLower(bare(s))}
			if a, err := mail.ParseAddress(s); err == nil && a.Name != "" {
				one["display_name"] = a.Name
			}
			out[i] = one
		}
	}
	body["attendees"] = out
	return body, nil
}

// queryEvents gives events of the queue: {status, start_time, end_time, modality, limit, offset}.
func queryEvents(ctx context.Context, c *ues.Client, body fields) (any, error) {
	query := url.Values{}
	for name, v := range body {
		switch v := v.(type) {
		case string:
			query.Set(name, v)
		case int:
			query.Set(name, strconv.Itoa(v))
		}
	}
	path := "/events"
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return lookUp(ctx, c, "GET", path, nil)
}
