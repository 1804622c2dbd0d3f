package ues

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
)

// maxError bounds how much of an error's body is read.
const maxError = 64 << 10

// request is one call: what Call takes.
type request struct {
	method string
	path   string
	query  url.Values
	body   any // encoded as JSON; nil sends none
}

// Call makes any call of the API: method, path with its query, and a body that is
// encoded as JSON, nil for none. The answer comes as raw JSON, nil when it is empty.
// It is for callers that pass data on; the others have typed calls.
func (c *Client) Call(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	path, query, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("the query of %s cannot be read: %w", path, err)
	}
	return c.send(ctx, request{method: method, path: path, query: values, body: body})
}

// get makes a call without body and decodes its answer.
func get[T any](ctx context.Context, c *Client, path string, query url.Values) (T, error) {
	return call[T](ctx, c, request{method: http.MethodGet, path: path, query: query})
}

// post makes a call with a body and decodes its answer.
func post[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	return call[T](ctx, c, request{method: http.MethodPost, path: path, body: body})
}

// call makes a call and decodes its answer.
func call[T any](ctx context.Context, c *Client, r request) (out T, err error) {
	data, err := c.send(ctx, r)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return out, &AnswerError{Method: r.method, Path: r.path, Err: err}
	}
	return out, nil
}

// send makes a call and returns its body.
func (c *Client) send(ctx context.Context, r request) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var left atomic.Bool
	req, err := c.request(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }}), r)
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, &LostError{Method: r.method, Path: r.path, Left: left.Load(), Err: plain(err)}
	}
	defer func() { _ = res.Body.Close() }() // read only
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, refused(r, res)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, c.maxBytes+1))
	switch {
	case err != nil:
		return nil, &LostError{Method: r.method, Path: r.path, Left: true, Err: plain(err)}
	case int64(len(data)) > c.maxBytes:
		return nil, &AnswerError{Method: r.method, Path: r.path, Err: fmt.Errorf("it is larger than %d bytes", c.maxBytes)}
	}
	return data, nil
}

func (c *Client) request(ctx context.Context, r request) (*http.Request, error) {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var body io.Reader
	if r.body != nil {
		data, err := encode(r.body)
		if err != nil {
			return nil, fmt.Errorf("body of %s %s: %w", r.method, r.path, err)
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	if c.key != "" {
		req.Header.Set("X-Api-Key", c.key)
	}
	return req, nil
}

// encode writes JSON without escapes that only web pages need.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Health asks whether the server is up; it needs no key.
func (c *Client) Health(ctx context.Context) error {
	answer, err := get[struct {
		Status string `json:"status"`
	}](ctx, c, "/health", nil)
	if err == nil && answer.Status != "healthy" {
		return &AnswerError{Method: http.MethodGet, Path: "/health", Err: fmt.Errorf("its status is %q", answer.Status)}
	}
	return err
}

// Welcome is what the server says of itself.
type Welcome struct {
	Message string `json:"message"`
	Version string `json:"version"`
	DocsURL string `json:"docs_url"`
}

// Welcome asks the server what it is; it needs no key.
func (c *Client) Welcome(ctx context.Context) (Welcome, error) {
	return get[Welcome](ctx, c, "/", nil)
}
