package http

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	nethttp "net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/source"
)

const (
	excerpt      = 2 << 10          // bytes of an error answer that are shown
	maxRetryWait = 15 * time.Minute // a server cannot hold a run for longer
)

// errTooLarge marks an answer that is larger than allowed.
var errTooLarge = errors.New("too large")

// read reads an answer up to the limit and never more.
func read(body io.Reader, limit int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	if err == nil && len(data) > limit {
		return nil, errTooLarge
	}
	return data, err
}

// accepted turns the body of an accepted answer into the result.
func (b *backend) accepted(res *nethttp.Response) (any, *engine.Failure) {
	if res.ContentLength > int64(b.maxBytes) {
		return nil, b.carriedOut(res, fmt.Sprintf("its answer of %d bytes is larger than max_bytes (%d)", res.ContentLength, b.maxBytes))
	}
	data, err := read(res.Body, b.maxBytes)
	if errors.Is(err, errTooLarge) {
		return nil, b.carriedOut(res, fmt.Sprintf("its answer is larger than max_bytes (%d)", b.maxBytes))
	}
	if err != nil {
		return nil, b.cutOff(res, err)
	}
	value, err := b.decode(res.Header.Get("Content-Type"), data)
	if err != nil {
		return nil, b.carriedOut(res, err.Error())
	}
	return b.vault.RedactValue(value), nil
}

// carriedOut is the failure of a call that the server accepted but whose answer is
// of no use. The message says so, for whoever thinks of calling again.
func (b *backend) carriedOut(res *nethttp.Response, why string) *engine.Failure {
	return b.failure(engine.Permanent, "the server answered %d, but %s", res.StatusCode, why)
}

// cutOff is the failure of a call whose answer did not arrive whole.
func (b *backend) cutOff(res *nethttp.Response, err error) *engine.Failure {
	class := engine.Transient
	if !b.repeatable {
		class = engine.Permanent
	}
	return b.failure(class, "the server answered %d, but its answer was cut off: %s", res.StatusCode, plainError(err))
}

// decode reads an answer as JSON or as text.
func (b *backend) decode(contentType string, data []byte) (any, error) {
	kind, params, _ := mime.ParseMediaType(contentType)
	asJSON := b.response == "json" || b.response == "auto" && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
	if len(bytes.TrimSpace(data)) == 0 {
		if asJSON {
			return nil, nil
		}
		return "", nil
	}
	if asJSON {
		v, err := source.DecodeJSON(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
		if err != nil {
			return nil, fmt.Errorf("its answer is not JSON: %w", err)
		}
		return v, nil
	}
	return decodeText(kind, params["charset"], data)
}

// decodeText reads text. What claims another charset but is UTF-8 is UTF-8.
func decodeText(kind, charset string, data []byte) (any, error) {
	if utf8.Valid(data) && !bytes.Contains(data, []byte{0}) {
		return string(data), nil
	}
	switch charset = strings.ToLower(charset); {
	case charset == "iso-8859-1" || charset == "latin1" || charset == "us-ascii" || charset == "windows-1252":
		runes := make([]rune, len(data))
		for i, c := range data {
			runes[i] = rune(c)
		}
		return string(runes), nil
	case strings.HasPrefix(kind, "text/"):
		return strings.ReplaceAll(strings.ToValidUTF8(string(data), "\uFFFD"), "\x00", "\uFFFD"), nil
	}
	return nil, fmt.Errorf("its answer is neither JSON nor text (%s)", clip(kind, 60))
}

// refused turns an answer that is not accepted into a failure.
func (b *backend) refused(res *nethttp.Response) *engine.Failure {
	data, _ := io.ReadAll(io.LimitReader(res.Body, excerpt)) // what arrives is enough for a message
	text := strings.TrimSpace(strings.ToValidUTF8(string(data), "\uFFFD"))
	message := fmt.Sprintf("the server answered %d %s", res.StatusCode, nethttp.StatusText(res.StatusCode))
	if text != "" {
		message += ": " + text
	}
	f := b.failure(b.classify(res.StatusCode), "%s", message)
	f.RetryAfter = b.retryAfter(res.Header.Get("Retry-After"))
	return f
}

// classify says what may be done about a status. 408, 429 and 503 say that nothing
// was done; other server errors leave it open, which matters when a repeat does harm.
func (b *backend) classify(status int) engine.Class {
	switch {
	case status == nethttp.StatusRequestTimeout, status == nethttp.StatusTooManyRequests, status == nethttp.StatusServiceUnavailable:
		return engine.Transient
	case status >= 500 && b.repeatable:
		return engine.Transient
	case status >= 500:
		return engine.Uncertain
	}
	return engine.Permanent
}

// retryAfter reads seconds or a date.
func (b *backend) retryAfter(text string) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
		wait = time.Duration(min(max(seconds, 0), int(maxRetryWait/time.Second))) * time.Second
	} else if at, err := nethttp.ParseTime(text); err == nil {
		wait = at.Sub(b.now())
	}
	return min(max(wait, 0), maxRetryWait)
}

// failure makes a failure whose message holds no secret.
func (b *backend) failure(class engine.Class, format string, args ...any) *engine.Failure {
	return &engine.Failure{Class: class, Message: b.vault.Redact(fmt.Sprintf(format, args...))}
}
