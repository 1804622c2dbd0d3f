package http

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/secret"
)

// maxRequest bounds the body and the address that arguments can make.
const (
	maxRequest = 16 << 20
	maxAddress = 16 << 10
)

// header is one header of the tool: text or a secret.
type header struct {
	name   string
	value  *expr.Value
	secret secret.Ref
}

// param is one query parameter of the tool.
type param struct {
	name  string
	value *expr.Value
}

// request is a call made ready when its operation is planned: everything but the
// secrets, which are resolved when it is sent.
type request struct {
	method  string
	url     *url.URL
	headers nethttp.Header
	body    []byte
}

// prepare fills the tool's templates with the arguments of one call.
func (b *backend) prepare(scope map[string]any) (*request, error) {
	u, err := b.url.build(scope)
	if err != nil {
		return nil, err
	}
	if !b.guard.allows(u) {
		return nil, fmt.Errorf("%s is not one of the hosts this tool may reach", clip(u.Host, 100))
	}
	if err := b.addQuery(u, scope); err != nil {
		return nil, err
	}
	if len(u.String()) > maxAddress {
		return nil, fmt.Errorf("the address is longer than %d bytes", maxAddress)
	}
	r := &request{method: b.method, url: u, headers: nethttp.Header{}}
	if err := b.addBody(r, scope); err != nil {
		return nil, err
	}
	return r, b.addHeaders(r, scope)
}

func (b *backend) addQuery(u *url.URL, scope map[string]any) error {
	if len(b.query) == 0 {
		return nil
	}
	values := url.Values{}
	for _, p := range b.query {
		v, err := p.value.Eval(scope)
		if err != nil {
			return fmt.Errorf("query parameter %s: %w", p.name, err)
		}
		items, ok := v.([]any)
		if !ok {
			items = []any{v}
		}
		for _, item := range items {
			if item == nil {
				continue
			}
			text, err := plainText(item)
			if err != nil {
				return fmt.Errorf("query parameter %s: %w", p.name, err)
			}
			values.Add(p.name, text)
		}
	}
	if extra := values.Encode(); extra != "" {
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+extra, "&")
	}
	return nil
}

// plainText writes a value as text: strings as they are, the rest as JSON.
func plainText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	}
	data, err := json.Marshal(v)
	return string(data), err
}

func (b *backend) addBody(r *request, scope map[string]any) error {
	switch {
	case b.json != nil:
		v, err := b.json.Eval(scope)
		if err != nil {
			return fmt.Errorf("json: %w", err)
		}
		if r.body, err = json.Marshal(v); err != nil {
			return fmt.Errorf("json: %w", err)
		}
		r.headers.Set("Content-Type", "application/json")
	case b.body != nil:
		text, err := b.body.Render(scope)
		if err != nil {
			return fmt.Errorf("body: %w", err)
		}
		r.body = []byte(text)
		r.headers.Set("Content-Type", "text/plain; charset=utf-8")
	}
	if len(r.body) > maxRequest {
		return fmt.Errorf("the request is larger than %d bytes", maxRequest)
	}
	return nil
}

func (b *backend) addHeaders(r *request, scope map[string]any) error {
	r.headers.Set("User-Agent", "weft")
	r.headers.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.1")
	for _, h := range b.headers {
		if h.value == nil {
			continue
		}
		text, err := h.value.String(scope)
		if err != nil {
			return fmt.Errorf("header %s: %w", h.name, err)
		}
		if !validHeaderValue(text) {
			return fmt.Errorf("header %s: the value has a line break or another control character", h.name)
		}
		r.headers.Set(h.name, text)
	}
	return nil
}

// identity names what a request asks for, for a node cache: equal requests of equal
// tools agree. Of a secret only the place counts.
func (b *backend) identity(r *request) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %s\n%s %d %v\n", r.method, r.url, b.response, b.maxBytes, b.accept)
	for _, own := range b.headers {
		if !own.secret.IsZero() {
			_, _ = fmt.Fprintf(h, "%s: %s\n", own.name, own.secret)
		}
	}
	_ = r.headers.Write(h)
	_, _ = h.Write(r.body)
	return "http/" + hex.EncodeToString(h.Sum(nil))
}

// send makes the request ready for the wire and adds the secrets.
func (b *backend) send(ctx context.Context, r *request, call engine.Call) (*nethttp.Request, error) {
	req, err := nethttp.NewRequestWithContext(ctx, r.method, r.url.String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if len(r.body) == 0 {
		req.Body, req.GetBody, req.ContentLength = nethttp.NoBody, nil, 0
	}
	req.Header = r.headers.Clone()
	if b.keyHeader != "" {
		req.Header.Set(b.keyHeader, headerKey(call.Key))
	}
	for _, h := range b.headers {
		if h.secret.IsZero() {
			continue
		}
		text, err := b.vault.Resolve(h.secret)
		if err != nil {
			return nil, fmt.Errorf("header %s: %w", h.name, err)
		}
		if !validHeaderValue(text) {
			return nil, fmt.Errorf("header %s: the secret in %s has a line break or another control character", h.name, h.secret)
		}
		req.Header.Set(h.name, text)
	}
	return req, nil
}

// headerKey is the call's key in the characters that every server takes.
func headerKey(key string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r
		}
		return '_'
	}, key)
}

func validHeaderValue(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

func validHeaderName(name string) bool {
	const token = "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~"
	return name != "" && len(name) <= 100 && strings.Trim(strings.ToLower(name), token) == ""
}

// fixedHeaders follow from the request and the connection.
var fixedHeaders = []string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Keep-Alive",
	"Proxy-Authorization", "Proxy-Connection", "Expect", "Accept-Encoding",
}

func isOneOf(name string, list []string) bool {
	return slices.Contains(list, nethttp.CanonicalHeaderKey(name))
}
