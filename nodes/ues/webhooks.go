package ues

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// WebhooksAPI is the webhooks: addresses that are told what happens.
type WebhooksAPI struct{ c *Client }

// WebhookRequest makes or changes a webhook; nil fields stay as they are.
type WebhookRequest struct {
	URL      *string        `json:"url,omitempty"`
	Events   *[]string      `json:"events,omitempty"` // types, or prefixes that end in a dot; none is all
	Secret   *string        `json:"secret,omitempty"` // signs what is sent
	Metadata map[string]any `json:"metadata,omitempty"`
	Status   *string        `json:"status,omitempty"` // active, paused or disabled; for changes
}

// Webhook is one address that is told.
type Webhook struct {
	ID             string         `json:"id"`
	URL            string         `json:"url"`
	Events         []string       `json:"events"`
	Status         string         `json:"status"`
	CreatedAt      Time           `json:"created_at"`
	UpdatedAt      Time           `json:"updated_at"`
	Metadata       map[string]any `json:"metadata"`
	FailureCount   int            `json:"failure_count"`
	LastDeliveryAt *Time          `json:"last_delivery_at"`
	LastFailureAt  *Time          `json:"last_failure_at"`
	HasSecret      bool           `json:"has_secret"`
}

// Create makes a webhook. Permission webhooks:create.
func (w WebhooksAPI) Create(ctx context.Context, r WebhookRequest) (Webhook, error) {
	return post[Webhook](ctx, w.c, "/webhooks", r)
}

// WebhookPage is a page of webhooks.
type WebhookPage struct {
	Items  []Webhook `json:"items"`
	Total  int       `json:"total"`
	Limit  int       `json:"limit"`
	Offset int       `json:"offset"`
}

// List gives webhooks, of one status unless it is "". Limit 0 is 50, at most 200.
// Permission webhooks:list.
func (w WebhooksAPI) List(ctx context.Context, status string, limit, offset int) (WebhookPage, error) {
	query := url.Values{}
	add(query, "status", status)
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if offset > 0 {
		query.Set("offset", strconv.Itoa(offset))
	}
	return get[WebhookPage](ctx, w.c, "/webhooks", query)
}

// Get gives one webhook. Permission webhooks:read.
func (w WebhooksAPI) Get(ctx context.Context, id string) (Webhook, error) {
	return get[Webhook](ctx, w.c, "/webhooks/"+segment(id), nil)
}

// Update changes a webhook. Permission webhooks:update.
func (w WebhooksAPI) Update(ctx context.Context, id string, r WebhookRequest) (Webhook, error) {
	return call[Webhook](ctx, w.c, request{method: http.MethodPatch, path: "/webhooks/" + segment(id), body: r})
}

// Delete removes a webhook. Permission webhooks:delete.
func (w WebhooksAPI) Delete(ctx context.Context, id string) error {
	_, err := w.c.send(ctx, request{method: http.MethodDelete, path: "/webhooks/" + segment(id)})
	return err
}

// WebhookTest is what became of a test.
type WebhookTest struct {
	WebhookID      string   `json:"webhook_id"`
	Success        bool     `json:"success"`
	ResponseStatus *int     `json:"response_status"`
	ResponseTimeMS *float64 `json:"response_time_ms"`
	ResponseBody   *string  `json:"response_body"`
	ErrorMessage   *string  `json:"error_message"`
}

// Test has a webhook told something. Permission webhooks:test.
func (w WebhooksAPI) Test(ctx context.Context, id string) (WebhookTest, error) {
	return post[WebhookTest](ctx, w.c, "/webhooks/"+segment(id)+"/test", nil)
}

// Delivery is one attempt to tell something.
type Delivery struct {
	ID             string         `json:"id"`
	EventType      string         `json:"event_type"`
	EventData      map[string]any `json:"event_data"`
	Status         string         `json:"status"` // pending, delivered, failed or retrying
	AttemptCount   int            `json:"attempt_count"`
	CreatedAt      Time           `json:"created_at"`
	DeliveredAt    *Time          `json:"delivered_at"`
	LastAttemptAt  *Time          `json:"last_attempt_at"`
	ResponseStatus *int           `json:"response_status"`
	ResponseBody   *string        `json:"response_body"`
	ErrorMessage   *string        `json:"error_message"`
}

// Deliveries gives what a webhook was told; limit 0 is the server's. Permission
// webhooks:deliveries.
func (w WebhooksAPI) Deliveries(ctx context.Context, id string, limit int) ([]Delivery, error) {
	query := url.Values{}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	out, err := get[struct {
		Items []Delivery `json:"items"`
	}](ctx, w.c, "/webhooks/"+segment(id)+"/deliveries", query)
	return out.Items, err
}

// Pause stops deliveries. Permission webhooks:pause.
func (w WebhooksAPI) Pause(ctx context.Context, id string) (Webhook, error) {
	return post[Webhook](ctx, w.c, "/webhooks/"+segment(id)+"/pause", nil)
}

// Resume lets deliveries go on. Permission webhooks:resume.
func (w WebhooksAPI) Resume(ctx context.Context, id string) (Webhook, error) {
	return post[Webhook](ctx, w.c, "/webhooks/"+segment(id)+"/resume", nil)
}
