package ues

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// EventsAPI is the event queue.
type EventsAPI struct{ c *Client }

// The statuses of an event.
const (
	Pending   = "pending"
	Executed  = "executed"
	Failed    = "failed"
	Skipped   = "skipped"
	Cancelled = "cancelled"
)

// Event is one entry of the queue. Data is nil in some answers.
type Event struct {
	EventID       string          `json:"event_id"`
	ScheduledTime Time            `json:"scheduled_time"`
	Modality      string          `json:"modality"`
	Status        string          `json:"status"`
	Priority      int             `json:"priority"`
	CreatedAt     Time            `json:"created_at"`
	Data          json.RawMessage `json:"data"`
	ExecutedAt    *Time           `json:"executed_at"`
	ErrorMessage  *string         `json:"error_message"`
	AgentID       *string         `json:"agent_id"` // the id of the key that caused it
}

// EventQuery chooses events; zero fields choose all.
type EventQuery struct {
	Status   string
	Start    time.Time // scheduled then or later
	End      time.Time // scheduled then or before
	Modality string
	Limit    int
	Offset   int
}

// EventList is a page of events and the counts of the whole queue.
type EventList struct {
	Events   []Event `json:"events"`
	Total    int     `json:"total"` // that match, before paging
	Pending  int     `json:"pending"`
	Executed int     `json:"executed"`
	Failed   int     `json:"failed"`
	Skipped  int     `json:"skipped"`
}

// List gives events in the order of the queue. Permission events:list.
func (e EventsAPI) List(ctx context.Context, q EventQuery) (EventList, error) {
	query := url.Values{}
	add(query, "status", q.Status)
	add(query, "modality", q.Modality)
	if !q.Start.IsZero() {
		query.Set("start_time", At(q.Start).String())
	}
	if !q.End.IsZero() {
		query.Set("end_time", At(q.End).String())
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Offset > 0 {
		query.Set("offset", strconv.Itoa(q.Offset))
	}
	return get[EventList](ctx, e.c, "/events", query)
}

// NewEvent is an event to schedule. Data is a modality's input; its modality_type and
// timestamp are the server's.
type NewEvent struct {
	ScheduledTime Time           `json:"scheduled_time"`
	Modality      string         `json:"modality"`
	Data          any            `json:"data"`
	Priority      *int           `json:"priority,omitempty"` // 0 to 100; nil is 50
	Metadata      map[string]any `json:"metadata,omitempty"`
	AgentID       string         `json:"agent_id,omitempty"` // "": the key's id
}

// Create schedules an event. 409 when it lies in the past. Permission events:create.
func (e EventsAPI) Create(ctx context.Context, n NewEvent) (Event, error) {
	return post[Event](ctx, e.c, "/events", n)
}

// CreateNow puts an event at the present time into the queue; it runs at the next
// advance. Permission events:execute.
func (e EventsAPI) CreateNow(ctx context.Context, modality string, data any) (Event, error) {
	return post[Event](ctx, e.c, "/events/immediate", struct {
		Modality string `json:"modality"`
		Data     any    `json:"data"`
	}{modality, data})
}

// Batch is up to 1000 events to schedule.
type Batch struct {
	Events           []NewEvent `json:"events"`
	StopOnFirstError bool       `json:"stop_on_first_error,omitempty"`
	ValidateOnly     bool       `json:"validate_only,omitempty"`
}

// BatchResult is what became of a batch. With ValidateOnly the counts are TotalValid
// and TotalInvalid, else TotalCreated and TotalFailed.
type BatchResult struct {
	TotalSubmitted int          `json:"total_submitted"`
	TotalCreated   int          `json:"total_created,omitempty"`
	TotalFailed    int          `json:"total_failed,omitempty"`
	TotalValid     int          `json:"total_valid,omitempty"`
	TotalInvalid   int          `json:"total_invalid,omitempty"`
	ValidationOnly bool         `json:"validation_only,omitempty"`
	Events         []BatchEvent `json:"events"`
}

// BatchEvent is what became of one event of a batch.
type BatchEvent struct {
	Index         int     `json:"index"`
	Success       bool    `json:"success,omitempty"`
	Valid         bool    `json:"valid,omitempty"`
	EventID       *string `json:"event_id,omitempty"`
	ScheduledTime *Time   `json:"scheduled_time,omitempty"`
	Error         *string `json:"error"`
}

// CreateBatch schedules many events. Some may fail without an error of the call: read
// TotalFailed. Permission events:batch.
func (e EventsAPI) CreateBatch(ctx context.Context, b Batch) (BatchResult, error) {
	return post[BatchResult](ctx, e.c, "/events/batch", b)
}

// Next gives the first pending event. 404 when there is none. Permission events:read.
func (e EventsAPI) Next(ctx context.Context) (Event, error) {
	return get[Event](ctx, e.c, "/events/next", nil)
}

// QueueSummary counts the queue.
type QueueSummary struct {
	Total         int            `json:"total"`
	Pending       int            `json:"pending"`
	Executed      int            `json:"executed"`
	Failed        int            `json:"failed"`
	Skipped       int            `json:"skipped"`
	ByModality    map[string]int `json:"by_modality"`
	NextEventTime *Time          `json:"next_event_time"`
}

// Summary counts the queue. Permission events:summary.
func (e EventsAPI) Summary(ctx context.Context) (QueueSummary, error) {
	return get[QueueSummary](ctx, e.c, "/events/summary", nil)
}

// Get gives one event. 404 when there is none. Permission events:read.
func (e EventsAPI) Get(ctx context.Context, id string) (Event, error) {
	return get[Event](ctx, e.c, "/events/"+segment(id), nil)
}

// Cancel cancels a pending event. Permission events:delete.
func (e EventsAPI) Cancel(ctx context.Context, id string) error {
	_, err := e.c.send(ctx, request{method: http.MethodDelete, path: "/events/" + segment(id)})
	return err
}
