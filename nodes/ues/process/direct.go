package process

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
)

// Direct carries requests to a handler of this process, without any network.
func Direct(h http.Handler) http.RoundTripper { return direct{h} }

type direct struct{ h http.Handler }

// RoundTrip has the handler answer. The answer is kept in memory until it is read.
func (d direct) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer func() { _ = req.Body.Close() }() // read only
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	in := req.Clone(req.Context())
	in.RequestURI, in.RemoteAddr, in.Host = req.URL.RequestURI(), "127.0.0.1:0", req.URL.Host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.WroteHeaders != nil {
		trace.WroteHeaders()
	}
	w := &answer{header: http.Header{}}
	d.h.ServeHTTP(w, in)
	if w.status == 0 {
		if err := req.Context().Err(); err != nil { // it was not answered, and nobody waits
			return nil, err
		}
		w.status = http.StatusOK
	}
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(bytes.NewReader(w.body)), ContentLength: int64(len(w.body)), Request: req,
	}, nil
}

// answer is what a handler writes.
type answer struct {
	header http.Header
	status int
	body   []byte
}

// Header is the answer's header.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader keeps the first status.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write keeps p.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.body = append(a.body, p...)
	return len(p), nil
}
