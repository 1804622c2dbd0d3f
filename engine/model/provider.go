// Package model has the clients that answer chat requests: Provider asks a model over
// the network, Script answers from a written list, Recorder saves what another client
// answers, and Replayer answers from what was saved. All are chat.Clients, so nothing
// above can tell them apart.
//
// The package neither checks answers against schemas nor counts budgets; whoever asks
// does. Its main function is Provider.Complete.
package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/secret"
)

// The bounds of waiting for a provider.
const (
	defaultTimeout    = 60 * time.Second
	defaultBackoff    = 500 * time.Millisecond
	defaultMaxBackoff = 10 * time.Second
	maxRetryAfter     = 60 * time.Second // a provider that asks for longer is given up
	maxFallbacks      = 8
)

// Provider asks models over the network through their OpenAI-compatible endpoints. It
// is safe for concurrent use. Failed requests are repeated as the model's Retry says
// (408, 409, 429, 5xx, connection errors and timeouts; Retry-After is honoured), then
// the model's Fallback is asked. Refused requests (400, 401, 403, 404 …) are neither
// repeated nor handed to the fallback.
type Provider struct {
	Vault *secret.Vault // resolves keys, and strikes them from messages
	HTTP  *http.Client  // best NewHTTPClient
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error // returns early with ctx's error
	Rand  func() float64                                   // in [0, 1), for jitter

	// BaseURLs replaces the preset base URL of providers, by provider; cmd puts
	// OPENAI_BASE_URL here. A model's own base_url goes first.
	BaseURLs map[string]string
}

// Complete asks the request's model, and its fallbacks when it cannot answer.
func (p *Provider) Complete(ctx context.Context, req chat.Request, emit func(chat.Delta)) (chat.Response, error) {
	if req.Model == nil {
		return chat.Response{}, &chat.Error{Message: "the request names no model"}
	}
	e := &emitter{emit: emit}
	for i := 0; ; i++ {
		resp, err := p.persist(ctx, req, e)
		if err == nil {
			return resp, nil
		}
		next := req.Model.Fallback
		if next == nil || i == maxFallbacks || !err.Transient || ctx.Err() != nil {
			return chat.Response{}, err
		}
		req.Model = next
	}
}

// persist asks one model until it answers or the attempts are spent.
func (p *Provider) persist(ctx context.Context, req chat.Request, e *emitter) (chat.Response, *chat.Error) {
	call, err := p.prepare(req, e)
	if err != nil {
		return chat.Response{}, p.failure(req.Model, err)
	}
	attempts := max(req.Model.Retry.Attempts, 1)
	for attempt := 1; ; attempt++ {
		e.begin()
		resp, err := p.attempt(ctx, call)
		if err == nil {
			return resp, nil
		}
		failed := p.failure(req.Model, err)
		if !failed.Transient || attempt == attempts || ctx.Err() != nil {
			return chat.Response{}, spent(failed, attempt)
		}
		wait := p.wait(req.Model.Retry, attempt, failed.RetryAfter)
		if failed.RetryAfter > maxRetryAfter {
			failed.Message += fmt.Sprintf("; it wants to be left alone for %s, and %s is the longest wait here", failed.RetryAfter.Round(time.Second), maxRetryAfter)
			return chat.Response{}, spent(failed, attempt)
		}
		if p.tooLate(ctx, wait) {
			return chat.Response{}, spent(failed, attempt)
		}
		if p.Sleep(ctx, wait) != nil {
			return chat.Response{}, spent(failed, attempt)
		}
	}
}

// attempt makes one request.
func (p *Provider) attempt(ctx context.Context, c *call) (chat.Response, error) {
	timeout := c.model.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	inner, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	resp, err := c.do(inner)
	switch {
	case err == nil:
		return resp, nil
	case ctx.Err() != nil:
		return chat.Response{}, &failure{cause: ctx.Err(), transient: true, message: "stopped while waiting for an answer"}
	case errors.Is(inner.Err(), context.DeadlineExceeded):
		return chat.Response{}, &failure{cause: err, transient: true, message: fmt.Sprintf("no answer within %s", timeout)}
	}
	return chat.Response{}, err
}

// wait is how long to wait after a failed attempt: what the provider asked for, or a
// backoff that doubles, the upper half of it at random.
func (p *Provider) wait(r chat.Retry, attempt int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked
	}
	base, top := r.Backoff, r.MaxBackoff
	if base <= 0 {
		base = defaultBackoff
	}
	if top <= 0 {
		top = max(defaultMaxBackoff, base)
	}
	d := min(float64(top), float64(base)*math.Pow(2, float64(attempt-1)))
	return time.Duration(d * (1 + p.Rand()) / 2)
}

// tooLate reports whether ctx ends before the wait does.
func (p *Provider) tooLate(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && p.Now().Add(wait).After(deadline)
}

func spent(e *chat.Error, attempts int) *chat.Error {
	if attempts > 1 {
		e.Message += fmt.Sprintf(" (after %d attempts)", attempts)
	}
	return e
}
