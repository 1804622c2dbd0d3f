package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/feed"
)

// Sign is the hexadecimal HMAC-SHA256 of a body.
func Sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// serve delivers messages to one webhook until its context ends.
func (r *Registry) serve(ctx context.Context, h *hook) {
	defer func() { h.sub.Cancel() }()
	for {
		m, err := h.sub.Next(ctx)
		switch {
		case ctx.Err() != nil || err == feed.ErrClosed: //nolint:errorlint // Next returns it bare
			return
		case err != nil: // it fell behind: what was in the box is lost, the webhook goes on
			r.mu.Lock()
			h.sub = r.opts.Hub.Subscribe(feed.Filter(h.Events))
			r.mu.Unlock()
			continue
		}
		r.deliver(ctx, h, m)
	}
}

// deliver tries a message up to three times.
func (r *Registry) deliver(ctx context.Context, h *hook, m feed.Message) {
	d, active := r.begin(h, m)
	if !active {
		return
	}
	for n := range attempts {
		if n > 0 {
			if err := r.opts.Wait(ctx, time.Duration(n)*time.Second); err != nil {
				break
			}
		}
		if r.attempt(ctx, h, d) {
			r.settle(h, d, true)
			return
		}
	}
	r.settle(h, d, false)
}

// begin notes a new delivery, unless the webhook is not active.
func (r *Registry) begin(h *hook, m feed.Message) (*Delivery, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if h.Status != Active {
		return nil, false
	}
	d := r.delivery(h, m)
	if len(h.deliveries) == history {
		h.deliveries = append(h.deliveries[:0], h.deliveries[1:]...)
	}
	h.deliveries = append(h.deliveries, d)
	return d, true
}

func (r *Registry) delivery(h *hook, m feed.Message) *Delivery {
	return &Delivery{
		ID: "del_" + r.opts.NewHex(8), WebhookID: h.ID, Type: m.Type, Text: m.Text,
		Status: "pending", CreatedAt: r.now(),
	}
}

// attempt posts a delivery once and notes what came of it.
func (r *Registry) attempt(ctx context.Context, h *hook, d *Delivery) bool {
	r.mu.Lock()
	url, secret := h.URL, h.signingSecret
	r.mu.Unlock()
	start := r.now()
	status, body, err := r.post(ctx, url, headers(d, secret, start), d.Text)
	r.mu.Lock()
	defer r.mu.Unlock()
	d.Attempts++
	d.LastAttempt, d.Took = start, r.now().Sub(start)
	d.ResponseStatus, d.ResponseBody, d.Error, d.Status = status, body, "", "retrying"
	switch {
	case err != nil:
		d.Error = err.Error()
	case status < 200 || status > 299:
		d.Error = fmt.Sprintf("HTTP %d", status)
	default:
		return true
	}
	return false
}

// settle notes the end of a delivery.
func (r *Registry) settle(h *hook, d *Delivery, delivered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if delivered {
		d.Status, d.DeliveredAt = "delivered", r.now()
		h.LastDelivery, h.Failures = d.DeliveredAt, 0
		return
	}
	d.Status = "failed"
	h.LastFailure = r.now()
	if h.Failures++; h.Failures >= tooMany {
		h.Status = Disabled
	}
}

// post sends one body and reads a bounded part of the answer.
func (r *Registry) post(ctx context.Context, url string, head http.Header, body []byte) (int, string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, "", fmt.Errorf("make request: %w", err)
	}
	req.Header = head
	resp, err := r.opts.Client.Do(req)
	if err != nil {
		return 0, "", err //nolint:wrapcheck // the client's error names method and URL
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	raw, err := io.ReadAll(io.LimitReader(resp.Body, readBody))
	if err != nil {
		return resp.StatusCode, "", fmt.Errorf("read answer: %w", err)
	}
	shown := []rune(strings.ToValidUTF8(string(raw), "\uFFFD"))
	return resp.StatusCode, string(shown[:min(len(shown), shownBody)]), nil
}

// Test posts a message to a webhook once, whatever its status, and tells how it went.
// It is not part of the webhook's history.
func (r *Registry) Test(id string, m feed.Message) (Delivery, error) {
	var target *hook
	if _, err := r.change(id, func(h *hook) { target = h }); err != nil {
		return Delivery{}, err
	}
	r.mu.Lock()
	d := r.delivery(target, m)
	r.mu.Unlock()
	if r.attempt(r.ctx, target, d) {
		d.Status = "delivered"
	} else {
		d.Status = "failed"
	}
	return *d, nil
}
