package ues

import (
	"context"
	"encoding/json"
	"net/url"
)

// Action is what became of an act on a modality: an event that was executed at once.
type Action struct {
	EventID       string `json:"event_id"`
	ScheduledTime Time   `json:"scheduled_time"`
	Status        string `json:"status"` // executed; what failed is an *ActionError
	Message       string `json:"message"`
	Modality      string `json:"modality"`
}

// ActionError is an act that the server took and that failed: the event is in the
// queue, and nothing has changed.
type ActionError struct{ Action Action }

// Error is the server's text.
func (e *ActionError) Error() string { return e.Action.Message }

// Act makes any act on a modality: POST /modality/verb. The typed calls are made of it.
func (c *Client) Act(ctx context.Context, path string, body any) (Action, error) {
	a, err := post[Action](ctx, c, path, body)
	if err == nil && a.Status != Executed {
		return a, &ActionError{a}
	}
	return a, err
}

// compact asks for the short form of a state, which comes as raw JSON.
func compact(ctx context.Context, c *Client, path string) (json.RawMessage, error) {
	return c.send(ctx, request{method: "GET", path: path, query: url.Values{"compact": {"true"}}})
}
