package endpoint

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/feed"
	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
	"github.com/weft-engine/weft/nodes/ues/simulator/webhook"
)

// Webhooks declares /webhooks.
func Webhooks(registry *webhook.Registry, now func() time.Time) []modality.Route {
	h := webhooks{registry, now}
	routes := []modality.Route{
		{Method: post, Path: "/webhooks", Permission: "webhooks:create", Body: modality.NeedBody, Summary: "Add a webhook", Handle: h.create},
		{Method: get, Path: "/webhooks", Permission: "webhooks:list", Summary: "All webhooks", Query: []modality.Param{
			{Name: "status", Type: "string", Doc: "active, paused or disabled"},
			{Name: "limit", Type: "integer", Doc: "1 to 200, 50 by default"},
			{Name: "offset", Type: "integer", Doc: "leave out this many"},
		}, Handle: h.list},
		{Method: get, Path: "/webhooks/{webhook_id}", Permission: "webhooks:read", Summary: "One webhook", Handle: h.show},
		{
			Method: patch, Path: "/webhooks/{webhook_id}", Permission: "webhooks:update", Body: modality.NeedBody,
			Summary: "Change a webhook", Handle: h.update,
		},
		{Method: remove, Path: "/webhooks/{webhook_id}", Permission: "webhooks:delete", Summary: "Delete a webhook", Handle: h.remove},
		{Method: post, Path: "/webhooks/{webhook_id}/test", Permission: "webhooks:test", Summary: "Deliver a test message", Handle: h.test},
		{Method: get, Path: "/webhooks/{webhook_id}/deliveries", Permission: "webhooks:deliveries", Query: []modality.Param{
			{Name: "limit", Type: "integer", Doc: "1 to 100, 50 by default"},
		}, Summary: "The last deliveries, newest first", Handle: h.deliveries},
		{
			Method: post, Path: "/webhooks/{webhook_id}/pause", Permission: "webhooks:pause", Summary: "Stop deliveries",
			Handle: h.change(registry.Pause),
		},
		{
			Method: post, Path: "/webhooks/{webhook_id}/resume", Permission: "webhooks:resume", Summary: "Start deliveries again",
			Handle: h.change(registry.Resume),
		},
	}
	for i := range routes {
		routes[i].Outside = true
	}
	return routes
}

type webhooks struct {
	registry *webhook.Registry
	now      func() time.Time
}

// webhookStatus takes the three statuses of a webhook.
func webhookStatus(v any, at *field.Place) webhook.Status {
	return webhook.Status(field.OneOf(string(webhook.Active), string(webhook.Paused), string(webhook.Disabled))(v, at))
}

// target takes the URLs that webhooks may have.
func target(v any, at *field.Place) string {
	s := field.String(v, at)
	if _, isText := v.(string); !isText {
		return s
	}
	if u, err := url.Parse(s); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		at.Fail("value_error", "Value error, URL must start with http:// or https://", v)
	}
	return s
}

// chosenEvents takes lists of event types; each must say something.
func chosenEvents(v any, at *field.Place) []string {
	words := field.List(field.String, 0)(v, at)
	for _, w := range words {
		if strings.TrimSpace(w) == "" {
			at.Fail("value_error", "Value error, Event types must not be empty", v)
			break
		}
	}
	return words
}

func (h webhooks) create(r *modality.Request) modality.Response {
	b := body(r)
	to := field.Need(b, "url", target)
	events := field.Maybe(b, "events", chosenEvents)
	secret := field.Maybe(b, "secret", field.String)
	metadata := field.MaybeOr(b, "metadata", field.Object, &ordered.Map{})
	if events != nil && len(*events) == 0 {
		b.Fail("events", "Event list must not be empty", []any{})
	}
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	var chosen []string
	if events != nil {
		chosen = *events
	}
	made, err := h.registry.Create(to, chosen, optional(secret), metadata.AppendJSON(nil))
	if err != nil {
		return modality.Detail(http.StatusConflict, "There are too many webhooks: delete one first")
	}
	return object(http.StatusCreated, func(o *jsontext.Object) { writeWebhook(o, made) })
}

// writeWebhook writes a WebhookResponse.
func writeWebhook(o *jsontext.Object, w webhook.Webhook) {
	o.String("id", w.ID)
	o.String("url", w.URL)
	if w.Events == nil {
		o.Null("events")
	} else {
		o.Strings("events", w.Events)
	}
	o.String("status", string(w.Status))
	wallTime(o, "created_at", w.CreatedAt)
	wallTime(o, "updated_at", w.UpdatedAt)
	o.Raw("metadata", w.Metadata)
	o.Int("failure_count", w.Failures)
	wallTime(o, "last_delivery_at", w.LastDelivery)
	wallTime(o, "last_failure_at", w.LastFailure)
	o.Bool("has_secret", w.HasSecret)
}

func shown(w webhook.Webhook) modality.Response {
	return object(http.StatusOK, func(o *jsontext.Object) { writeWebhook(o, w) })
}

func noWebhook(id string, err error) modality.Response {
	if errors.Is(err, webhook.ErrNotFound) {
		return modality.Detail(http.StatusNotFound, "Webhook "+id+" not found")
	}
	return modality.Crash("RuntimeError")
}

func (h webhooks) list(r *modality.Request) modality.Response {
	q := query(r)
	status := field.Or(q, "status", webhookStatus, "")
	limit := field.Or(q, "limit", field.Between(field.Int, 1, 200), 50)
	offset := field.Or(q, "offset", field.AtLeast(field.Int, 0), 0)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	all := h.registry.List(status)
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Member("items", list(page(all, offset, limit), writeWebhook))
		o.Int("total", len(all))
		o.Int("limit", limit)
		o.Int("offset", offset)
	})
}

func (h webhooks) show(r *modality.Request) modality.Response {
	return h.change(h.registry.Get)(r)
}

// change answers with what an act on a webhook gives.
func (h webhooks) change(act func(id string) (webhook.Webhook, error)) func(*modality.Request) modality.Response {
	return func(r *modality.Request) modality.Response {
		id := r.Path("webhook_id")
		w, err := act(id)
		if err != nil {
			return noWebhook(id, err)
		}
		return shown(w)
	}
}

func (h webhooks) update(r *modality.Request) modality.Response {
	b := body(r)
	change := webhook.Change{
		URL:    field.Maybe(b, "url", target),
		Events: field.Maybe(b, "events", chosenEvents),
		Secret: field.Maybe(b, "secret", field.String),
		Status: field.Maybe(b, "status", webhookStatus),
	}
	metadata := field.Maybe(b, "metadata", field.Object)
	if errs := b.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	if metadata != nil {
		change.Metadata = (*metadata).AppendJSON(nil)
	}
	return h.change(func(id string) (webhook.Webhook, error) { return h.registry.Update(id, change) })(r)
}

func (h webhooks) remove(r *modality.Request) modality.Response {
	id := r.Path("webhook_id")
	if err := h.registry.Delete(id); err != nil {
		return noWebhook(id, err)
	}
	return modality.Response{Status: http.StatusNoContent}
}

func (h webhooks) test(r *modality.Request) modality.Response {
	id := r.Path("webhook_id")
	at := field.At(h.now())
	m := feed.Message{Type: "webhook.test", Text: []byte(
		`{"type":"webhook.test","data":{"webhook_id":"` + id + `","message":"This is a test"},"timestamp":"` + at.Z() + `"}`)}
	d, err := h.registry.Test(id, m)
	if err != nil {
		return noWebhook(id, err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.String("webhook_id", id)
		o.Bool("success", d.Status == "delivered")
		orNull(o, "response_status", d.ResponseStatus)
		o.Float("response_time_ms", float64(d.Took)/float64(time.Millisecond))
		o.Nullable("response_body", d.ResponseBody)
		o.Nullable("error_message", d.Error)
	})
}

func (h webhooks) deliveries(r *modality.Request) modality.Response {
	q := query(r)
	limit := field.Or(q, "limit", field.Between(field.Int, 1, 100), 50)
	if errs := q.Errors(); len(errs) > 0 {
		return modality.Invalid(errs)
	}
	id := r.Path("webhook_id")
	found, total, err := h.registry.Deliveries(id, limit)
	if err != nil {
		return noWebhook(id, err)
	}
	return object(http.StatusOK, func(o *jsontext.Object) {
		o.Member("items", list(found, writeDelivery))
		o.Int("total", total)
	})
}

func writeDelivery(o *jsontext.Object, d webhook.Delivery) {
	o.String("id", d.ID)
	o.String("webhook_id", d.WebhookID)
	o.String("event_type", d.Type)
	o.Raw("event_data", d.Text)
	o.String("status", d.Status)
	o.Int("attempt_count", d.Attempts)
	wallTime(o, "created_at", d.CreatedAt)
	wallTime(o, "delivered_at", d.DeliveredAt)
	wallTime(o, "last_attempt_at", d.LastAttempt)
	orNull(o, "response_status", d.ResponseStatus)
	o.Nullable("response_body", d.ResponseBody)
	o.Nullable("error_message", d.Error)
}
