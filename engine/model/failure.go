package model

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine/chat"
)

// failure is a failed attempt before it is told to anyone.
type failure struct {
	message    string
	status     int
	transient  bool
	retryAfter time.Duration
	cause      error
}

// Error returns the message.
func (f *failure) Error() string { return f.message }

// Unwrap returns what lies below.
func (f *failure) Unwrap() error { return f.cause }

// failure says what went wrong, with the model's name and without secrets.
func (p *Provider) failure(m *chat.Model, err error) *chat.Error {
	out := &chat.Error{}
	if f, ok := errors.AsType[*failure](err); ok {
		out.Status, out.Transient, out.RetryAfter = f.status, f.transient, f.retryAfter
	}
	out.Message = fmt.Sprintf("model %q (%s %s): %s", m.Name, m.Provider, m.Model, clip(p.redact(err.Error()), 600))
	return out
}

func (p *Provider) redact(text string) string {
	if p.Vault == nil {
		return text
	}
	return p.Vault.Redact(text)
}

// transient reports whether a request with this status may succeed when repeated.
func transient(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}

// unreachable is a request that got no answer.
func unreachable(err error) *failure {
	reason := err
	if at, ok := errors.AsType[*url.Error](err); ok {
		reason = at.Err
	}
	return &failure{message: "cannot be reached: " + reason.Error(), transient: true, cause: err}
}

// retryAfter reads how long a provider asks us to wait; 0 when it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return bounded(ms * float64(time.Millisecond))
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return bounded(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

func bounded(ns float64) time.Duration {
	if !(ns > 0) {
		return 0
	}
	return time.Duration(min(ns, float64(365*24*time.Hour)))
}

// clip shortens text to about n bytes and makes it one line of valid UTF-8.
func clip(s string, n int) string {
	cut := len(s) > n
	if cut {
		s = s[:n]
		for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " ")
	if cut {
		s += "…"
	}
	return s
}
