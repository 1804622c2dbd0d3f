package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weft-engine/weft/engine"
)

const maxRedirects = 5

// errRedirect marks a redirect that the tool does not follow.
var errRedirect = errors.New("redirect refused")

// handler sends requests. It keeps nothing between calls but connections.
type handler struct{ *backend }

// transport has no proxy, dials through the guard and bounds what a server can do.
func (b *backend) transport(resolver *net.Resolver) *nethttp.Transport {
	return &nethttp.Transport{
		DialContext:            b.guard.dial(resolver),
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        b.tls,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// redirect follows only to allowed hosts and never hands a secret to another origin.
func (b *backend) redirect(req *nethttp.Request, via []*nethttp.Request) error {
	first := via[0].URL
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("%w: more than %d in a row", errRedirect, maxRedirects)
	case req.URL.User != nil:
		return fmt.Errorf("%w: the address holds a user name or password", errRedirect)
	case first.Scheme == "https" && req.URL.Scheme != "https", req.URL.Scheme != "https" && req.URL.Scheme != "http":
		return fmt.Errorf("%w: from %s to %s", errRedirect, first.Scheme, clip(req.URL.Scheme, 20))
	case !b.guard.allows(req.URL):
		return fmt.Errorf("%w: to %s, which is not one of the hosts this tool may reach", errRedirect, clip(req.URL.Host, 100))
	}
	if req.URL.Scheme != first.Scheme || joinHost(req.URL) != joinHost(first) {
		for _, h := range b.headers {
			if !h.secret.IsZero() {
				req.Header.Del(h.name)
			}
		}
	}
	req.Header.Del("Referer")
	return nil
}

// keyed is a handler whose requests carry the call's key: the server knows one that
// it had before.
type keyed struct{ handler }

// Lookup settles a call in doubt without asking anyone: sending it again with the
// same key does no harm, so it may count as not made.
func (keyed) Lookup(context.Context, engine.Call) (engine.Result, bool, error) {
	return engine.Result{}, false, nil
}

// Handle sends the request once and classes what happened.
func (h handler) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	r, ok := call.Request.(*request)
	if !ok {
		return engine.Result{}, fmt.Errorf("not a request of an http tool: %T", call.Request)
	}
	var wrote atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }})
	req, err := h.send(traced, r, call)
	if err != nil {
		return engine.Result{}, h.failure(engine.Permanent, "%s", err)
	}
	res, err := h.client.Do(req)
	if err != nil {
		return engine.Result{}, h.lost(ctx, err, wrote.Load())
	}
	defer func() { _ = res.Body.Close() }()
	if !h.accepts(res.StatusCode) {
		return engine.Result{}, h.refused(res)
	}
	value, failure := h.accepted(res)
	if failure != nil {
		if stopped := ctx.Err(); errors.Is(stopped, context.Canceled) {
			return engine.Result{}, stopped
		}
		return engine.Result{}, failure
	}
	return engine.Result{Value: value}, nil
}

// lost classes a request that got no answer. Once it was written, the server may
// have acted on it.
func (h handler) lost(ctx context.Context, err error, wrote bool) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.Is(err, errForbidden), errors.Is(err, errRedirect):
		return h.failure(engine.Permanent, "%s", plainError(err))
	case wrote && !h.repeatable:
		return h.failure(engine.Uncertain, "the connection was lost after the request was sent: %s", plainError(err))
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return h.failure(engine.Timeout, "no answer in time")
	}
	return h.failure(class(err), "no answer: %s", plainError(err))
}

// class tells a passing failure of the network from one that will stay.
func class(err error) engine.Class {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	if isDNS && dns.IsNotFound {
		return engine.Permanent
	}
	if netErr, ok := errors.AsType[net.Error](err); ok && netErr.Timeout() {
		return engine.Transient
	}
	for _, passing := range []error{syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, syscall.ENETUNREACH, syscall.EHOSTUNREACH, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, passing) {
			return engine.Transient
		}
	}
	if _, isOp := errors.AsType[*net.OpError](err); isOp || isDNS {
		return engine.Transient
	}
	return engine.Permanent
}

// plainError is err without the address, which may be long and repeats the arguments.
func plainError(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return clip(err.Error(), 500)
}
