// Package webhook keeps the webhooks of a simulator and delivers what happens to their
// URLs: at most three attempts each, ten seconds per attempt, one worker per webhook,
// and a bounded backlog. Webhooks live in memory.
package webhook

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/feed"
)

// What a caller can do wrong with a webhook.
var (
	ErrNotFound = errors.New("no such webhook")
	ErrFull     = errors.New("too many webhooks: delete one first")
)

// The bounds of the original, and our own on the number of webhooks.
const (
	history      = 100 // deliveries remembered per webhook; also the longest backlog
	attempts     = 3
	patience     = 10 * time.Second
	tooMany      = 10 // consecutive failures that disable a webhook
	shownBody    = 500
	readBody     = 64 << 10
	mostWebhooks = 100
)

// Status is whether a webhook gets deliveries.
type Status string

// The statuses of a webhook.
const (
	Active   Status = "active"
	Paused   Status = "paused"
	Disabled Status = "disabled" // after ten failures in a row
)

// Webhook is a webhook as it may be shown, without its secret. Zero times mean never.
type Webhook struct {
	ID            string
	URL           string
	Events        []string // nil: all
	Status        Status
	CreatedAt     time.Time
	UpdatedAt     time.Time
	Metadata      []byte // a JSON object
	Failures      int    // in a row
	LastDelivery  time.Time
	LastFailure   time.Time
	HasSecret     bool
	signingSecret string
}

// Delivery is one message for one webhook.
type Delivery struct {
	ID             string
	WebhookID      string
	Type           string
	Text           []byte // the JSON that is posted
	Status         string // pending, delivered, failed or retrying
	Attempts       int
	CreatedAt      time.Time
	DeliveredAt    time.Time
	LastAttempt    time.Time
	ResponseStatus int // 0: no answer
	ResponseBody   string
	Error          string
	Took           time.Duration // of the last attempt
}

// Change is what a PATCH sets; nil fields stay.
type Change struct {
	URL      *string
	Events   *[]string // an empty list means all
	Secret   *string
	Metadata []byte
	Status   *Status
}

// Options are the parts of a Registry.
type Options struct {
	Now    func() time.Time
	Wait   func(ctx context.Context, d time.Duration) error // for back-off
	NewHex func(n int) string
	Client *http.Client // must not follow redirects to places the user did not name
	Hub    *feed.Hub
}

// Registry holds the webhooks. Close it: every webhook has a goroutine of its own.
type Registry struct {
	opts Options
	ctx  context.Context //nolint:containedctx // the life of the workers, ended by Close
	stop context.CancelFunc
	work sync.WaitGroup

	mu    sync.Mutex
	hooks []*hook
}

// hook is a webhook with its worker's things; guarded by the registry's lock.
type hook struct {
	Webhook
	sub        *feed.Subscription
	cancel     context.CancelFunc
	deliveries []*Delivery // oldest first
}

// NewRegistry makes an empty registry that listens to the hub for each webhook.
func NewRegistry(opts Options) *Registry {
	ctx, stop := context.WithCancel(context.Background())
	return &Registry{opts: opts, ctx: ctx, stop: stop}
}

// Close ends all workers and waits for them.
func (r *Registry) Close() {
	r.stop()
	r.work.Wait()
}

// Create adds a webhook, or gives ErrFull at 100 of them. metadata is a JSON object.
func (r *Registry) Create(url string, events []string, secret string, metadata []byte) (Webhook, error) {
	now := r.now()
	h := &hook{Webhook: Webhook{
		ID: "wh_" + r.opts.NewHex(6), URL: url, Events: events, Status: Active, CreatedAt: now, UpdatedAt: now,
		Metadata: metadata, HasSecret: secret != "", signingSecret: secret,
	}}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.hooks) >= mostWebhooks {
		return Webhook{}, ErrFull
	}
	ctx, cancel := context.WithCancel(r.ctx)
	h.cancel, h.sub = cancel, r.opts.Hub.Subscribe(feed.Filter(events))
	r.hooks = append(r.hooks, h)
	r.work.Go(func() { r.serve(ctx, h) })
	return h.Webhook, nil
}

// List gives the webhooks with a status (all when empty), in order of creation.
func (r *Registry) List(s Status) []Webhook {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []Webhook{}
	for _, h := range r.hooks {
		if s == "" || h.Status == s {
			out = append(out, h.Webhook)
		}
	}
	return out
}

// Get gives one webhook, or ErrNotFound.
func (r *Registry) Get(id string) (Webhook, error) {
	return r.change(id, func(*hook) {})
}

// Delete ends a webhook and its deliveries.
func (r *Registry) Delete(id string) error {
	_, err := r.change(id, func(h *hook) {
		h.cancel()
		r.hooks = slices.DeleteFunc(r.hooks, func(o *hook) bool { return o == h })
	})
	return err
}

// Update changes a webhook, or gives ErrNotFound.
func (r *Registry) Update(id string, c Change) (Webhook, error) {
	return r.change(id, func(h *hook) {
		h.UpdatedAt = r.now()
		if c.URL != nil {
			h.URL = *c.URL
		}
		if c.Events != nil {
			h.Events = *c.Events
			if len(h.Events) == 0 {
				h.Events = nil
			}
			h.sub.Choose(feed.Filter(h.Events))
		}
		if c.Secret != nil {
			h.signingSecret, h.HasSecret = *c.Secret, *c.Secret != ""
		}
		if c.Metadata != nil {
			h.Metadata = c.Metadata
		}
		if c.Status != nil {
			h.Status = *c.Status
		}
	})
}

// Pause stops deliveries; what happens meanwhile is not made up for.
func (r *Registry) Pause(id string) (Webhook, error) {
	return r.change(id, func(h *hook) { h.Status, h.UpdatedAt = Paused, r.now() })
}

// Resume starts deliveries again and forgets the failures.
func (r *Registry) Resume(id string) (Webhook, error) {
	return r.change(id, func(h *hook) { h.Status, h.Failures, h.UpdatedAt = Active, 0, r.now() })
}

// Deliveries gives the last deliveries of a webhook, newest first, and how many there are.
func (r *Registry) Deliveries(id string, limit int) ([]Delivery, int, error) {
	var out []Delivery
	total := 0
	_, err := r.change(id, func(h *hook) {
		total = len(h.deliveries)
		for _, d := range slices.Backward(h.deliveries) {
			if len(out) == limit {
				break
			}
			out = append(out, *d)
		}
	})
	return out, total, err
}

// change runs f on a webhook under the lock.
func (r *Registry) change(id string, f func(*hook)) (Webhook, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.hooks, func(h *hook) bool { return h.ID == id })
	if i < 0 {
		return Webhook{}, ErrNotFound
	}
	h := r.hooks[i]
	f(h)
	shown := h.Webhook
	shown.Events = slices.Clone(h.Events)
	return shown, nil
}

func (r *Registry) now() time.Time { return r.opts.Now().UTC().Truncate(time.Microsecond) }

// headers are the headers of a delivery.
func headers(d *Delivery, secret string, at time.Time) http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("X-UES-Event", d.Type)
	h.Set("X-UES-Delivery-ID", d.ID)
	h.Set("X-UES-Timestamp", at.Format("2006-01-02T15:04:05.000000Z07:00"))
	if secret != "" {
		h.Set("X-UES-Signature", "sha256="+Sign(secret, d.Text))
	}
	return h
}
