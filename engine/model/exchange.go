package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"github.com/weft-engine/weft/engine/chat"
)

// The bounds of answers.
const (
	maxAnswer = 32 << 20
	maxRefuse = 64 << 10 // of the body of a failed request
)

// call is a request made ready to be sent, as often as need be.
type call struct {
	model  *chat.Model
	req    *chat.Request
	config openai.ClientConfig
	body   []byte
	emit   *emitter
	http   *http.Client
	now    func() time.Time
	redact func(string) string // before anything is cut: half a secret is not found
}

func (p *Provider) prepare(req chat.Request, e *emitter) (*call, error) {
	config, err := p.config(req.Model)
	if err != nil {
		return nil, err
	}
	body, err := encode(req.Model, &req, e.emit != nil)
	if err != nil {
		return nil, err
	}
	return &call{model: req.Model, req: &req, config: config, body: body, emit: e, http: p.HTTP, now: p.Now, redact: p.redact}, nil
}

// do makes one request. go-openai builds the address and the headers, and reads
// answers that come in pieces; the body it sends is ours, and so are the bounds, the
// errors, and the reading of answers that come whole: its own takes three times as long.
func (c *call) do(ctx context.Context) (chat.Response, error) {
	x := &exchange{call: c}
	config := c.config
	config.HTTPClient = x
	client := openai.NewClientWithConfig(config)
	head := openai.ChatCompletionRequest{Model: c.model.Model}
	if c.emit.emit == nil {
		if _, err := client.CreateChatCompletion(ctx, head); err != nil {
			return chat.Response{}, x.sort(err)
		}
		return c.whole(x.answer)
	}
	stream, err := client.CreateChatCompletionStream(ctx, head)
	if err != nil {
		return chat.Response{}, x.sort(err)
	}
	defer func() { _ = stream.Close() }()
	if x.answer != nil {
		return c.whole(x.answer)
	}
	a, err := c.collect(stream)
	if err != nil {
		return chat.Response{}, x.sort(err)
	}
	return c.response(a)
}

// whole reads an answer that came at once, and hands it on if that was asked for.
func (c *call) whole(data []byte) (chat.Response, error) {
	a, err := readAnswer(data)
	if err != nil {
		return chat.Response{}, err
	}
	resp, err := c.response(a)
	if err == nil && resp.Message.Content != "" {
		c.emit.text(resp.Message.Content)
	}
	return resp, err
}

// exchange is the wire under go-openai for one request.
type exchange struct {
	call   *call
	body   *limited
	answer []byte // that came whole
	failed *failure
}

// Do sends the call's body in place of the request's.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	body := x.call.body
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.ContentLength = int64(len(body))
	resp, err := x.call.http.Do(req)
	if err != nil {
		x.failed = unreachable(err)
		return nil, x.failed
	}
	if resp.StatusCode != http.StatusOK {
		x.failed = x.refused(resp)
		return nil, x.failed
	}
	x.body = &limited{inner: resp.Body, left: maxAnswer}
	resp.Body = x.body
	kind := resp.Header.Get("Content-Type")
	if x.call.emit.emit != nil && strings.HasPrefix(kind, "text/event-stream") {
		return resp, nil
	}
	return x.whole(resp)
}

// whole keeps an answer that does not come in pieces. It is read to its end, so that
// the connection can be used again.
func (x *exchange) whole(resp *http.Response) (*http.Response, error) {
	data, err := readAll(resp)
	_ = resp.Body.Close()
	if err != nil {
		return nil, x.broken(err)
	}
	trimmed := bytes.TrimSpace(data)
	if x.call.emit.emit != nil && bytes.HasPrefix(trimmed, []byte("data:")) {
		resp.Body = io.NopCloser(bytes.NewReader(data))
		return resp, nil
	}
	if len(trimmed) == 0 || trimmed[0] != '{' {
		x.failed = x.nonsense(trimmed)
		return nil, x.failed
	}
	x.answer = trimmed
	resp.Body = io.NopCloser(strings.NewReader("{}"))
	return resp, nil
}

// readAll reads a body, at once when its length is known.
func readAll(resp *http.Response) ([]byte, error) {
	if resp.ContentLength <= 0 || resp.ContentLength > 1<<20 {
		return io.ReadAll(resp.Body)
	}
	buf := bytes.NewBuffer(make([]byte, 0, resp.ContentLength+bytes.MinRead))
	_, err := buf.ReadFrom(resp.Body)
	return buf.Bytes(), err
}

func (x *exchange) nonsense(body []byte) *failure {
	return &failure{
		status:  http.StatusOK,
		message: fmt.Sprintf("answered 200 with something that is no chat completion: %q: check the base_url", clip(x.call.redact(string(body[:min(len(body), maxRefuse)])), 120)),
	}
}

// refused reads why a provider did not answer.
func (x *exchange) refused(resp *http.Response) *failure {
	data, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefuse))
	_ = resp.Body.Close()
	f := &failure{status: resp.StatusCode, transient: transient(resp.StatusCode) && !exhausted(string(data))}
	f.message = fmt.Sprintf("status %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	if reason := reason(x.call.redact(string(data))); reason != "" {
		f.message += ": " + reason
	}
	if f.transient {
		f.retryAfter = retryAfter(resp.Header, x.call.now())
	}
	return f
}

// broken is an answer that stopped in the middle.
func (x *exchange) broken(err error) *failure {
	if errors.Is(err, errTooLarge) {
		x.failed = &failure{status: http.StatusOK, message: err.Error(), cause: err}
	} else {
		x.failed = &failure{status: http.StatusOK, transient: true, message: "the answer broke off: " + err.Error(), cause: err}
	}
	return x.failed
}

// sort classes an error of go-openai by what happened on the wire.
func (x *exchange) sort(err error) error {
	switch {
	case err == nil:
		return nil
	case x.failed != nil:
		return x.failed
	case x.body != nil && x.body.err != nil && !errors.Is(x.body.err, io.EOF):
		return x.broken(x.body.err)
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return x.broken(err)
	}
	return unreadable(err)
}

func unreadable(err error) *failure {
	return &failure{status: http.StatusOK, message: "the answer cannot be read: " + err.Error(), cause: err}
}

var errTooLarge = fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)

// limited is a body that ends with an error where it is too long.
type limited struct {
	inner io.ReadCloser
	left  int64
	err   error
}

// Read reads, and remembers the error.
func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		l.err = errTooLarge
		return 0, l.err
	}
	n, err := l.inner.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	if err != nil {
		l.err = err
	}
	return n, err
}

// Close closes the body.
func (l *limited) Close() error { return l.inner.Close() }
