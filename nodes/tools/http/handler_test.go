package http_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
)

func serve(t testing.TB, h nethttp.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestCallSendsWhatTheSpecSays(t *testing.T) {
	t.Parallel()
	var got string
	base := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		body, _ := io.ReadAll(r.Body)
		got = fmt.Sprintf("%s %s\nX-Trace: %s\nAuthorization: %s\nIdempotency-Key: %s\nContent-Type: %s\n%s", r.Method, r.RequestURI,
			r.Header.Get("X-Trace"), r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key"), r.Header.Get("Content-Type"), body)
		ok(w, r)
	})
	tool := mustTool(t, `{
		"url": `+quote(base+"/orders/{{ args.id }}/lines?lang={{ args.lang }}")+`, "private": true,
		"query": {"tag": "{{ args.tags }}", "limit": 5, "none": "{{ args.none }}"},
		"headers": {"X-Trace": "call {{ call.id }}", "Authorization": {"env": "TOKEN", "prefix": "Bearer "}},
		"json": {"note": "{{ args.note }}", "count": "{{ args.count }}"}, "idempotency_header": "Idempotency-Key"}`,
		options{env: map[string]string{"TOKEN": "s3cr3t-token"}})
	res, err := call(t, tool, map[string]any{
		"id": "a/b?c#d", "lang": "de&x=1", "tags": []any{"x y", "z"}, "none": nil, "note": "é\n\"", "count": 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "POST /orders/a%2Fb%3Fc%23d/lines?lang=de%26x%3D1&limit=5&tag=x+y&tag=z\nX-Trace: call c1\nAuthorization: Bearer s3cr3t-token\n" +
		"Idempotency-Key: thread/run/1\nContent-Type: application/json\n{\"count\":3,\"note\":\"é\\n\\\"\"}"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"ok": true}, res); diff != "" {
		t.Error(diff)
	}
}

func TestEffectByMethod(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		config  string
		effect  engine.Effect
		settles bool
	}{
		{`{"url": "https://a.example/"}`, engine.EffectNone, false},
		{`{"url": "https://a.example/", "method": "HEAD"}`, engine.EffectNone, false},
		{`{"url": "https://a.example/", "json": {}}`, engine.EffectOnce, false},
		{`{"url": "https://a.example/", "body": "x"}`, engine.EffectOnce, false},
		{`{"url": "https://a.example/", "method": "PATCH", "json": {}}`, engine.EffectOnce, false},
		{`{"url": "https://a.example/", "method": "PUT", "json": {}}`, engine.EffectIdempotent, false},
		{`{"url": "https://a.example/", "method": "DELETE"}`, engine.EffectIdempotent, false},
		{`{"url": "https://a.example/", "json": {}, "idempotency_header": "Idempotency-Key"}`, engine.EffectIdempotent, true},
	} {
		tool := mustTool(t, tc.config, options{})
		if tool.Effect != tc.effect || tool.Settles != tc.settles {
			t.Errorf("%s: %s %v, want %s %v", tc.config, tool.Effect, tool.Settles, tc.effect, tc.settles)
		}
	}
}

func TestAnswersAsData(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, kind, body, response string
		want                       any
		fails                      string
	}{
		{name: "JSON", kind: "application/json", body: `[1, 2.5]`, want: []any{1, 2.5}},
		{name: "JSON by suffix", kind: "application/problem+json; charset=utf-8", body: `{"a": null}`, want: map[string]any{"a": nil}},
		{name: "JSON with a byte order mark", kind: "application/json", body: "\ufeff{}", want: map[string]any{}},
		{name: "text", kind: "text/plain", body: "12", want: "12"},
		{name: "no type", kind: "", body: "hello", want: "hello"},
		{name: "empty JSON", kind: "application/json", body: "", want: nil},
		{name: "empty text", kind: "text/plain", body: "", want: ""},
		{name: "JSON wanted", kind: "text/plain", body: "12", response: "json", want: 12},
		{name: "text wanted", kind: "application/json", body: "{}", response: "text", want: "{}"},
		{name: "Latin-1", kind: "text/plain; charset=ISO-8859-1", body: "caf\xe9", want: "café"},
		{name: "UTF-8 that claims Latin-1", kind: "text/plain; charset=ISO-8859-1", body: "café", want: "café"},
		{name: "damaged text", kind: "text/plain", body: "a\xffb\x00", want: "a\uFFFDb\uFFFD"},
		{name: "nonsense", kind: "application/json", body: "{", fails: "the server answered 200, but its answer is not JSON"},
		{name: "two documents", kind: "application/json", body: "{}{}", fails: "not JSON"},
		{name: "a picture", kind: "image/png", body: "\x89PNG\xff", fails: "neither JSON nor text (image/png)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			base := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
				w.Header()["Content-Type"] = []string{tc.kind}
				_, _ = io.WriteString(w, tc.body)
			})
			response := tc.response
			if response == "" {
				response = "auto"
			}
			got, err := call(t, mustTool(t, `{"url": `+quote(base)+`, "private": true, "response": `+quote(response)+`}`, options{}), nil)
			if tc.fails != "" {
				wantFailure(t, err, engine.Permanent, tc.fails)
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
}

func TestStatusesAreClassed(t *testing.T) {
	t.Parallel()
	const get, post, put = `"method": "GET"`, `"json": {}`, `"json": {}, "method": "PUT"`
	for _, tc := range []struct {
		status int
		how    string
		after  string
		class  engine.Class
		wait   time.Duration
	}{
		{408, get, "", engine.Transient, 0},
		{429, get, "7", engine.Transient, 7 * time.Second},
		{429, post, "Mon, 09 Mar 2026 12:00:30 GMT", engine.Transient, 30 * time.Second},
		{429, get, "Mon, 09 Mar 2046 12:00:00 GMT", engine.Transient, 15 * time.Minute},
		{429, get, "Mon, 09 Mar 2006 12:00:00 GMT", engine.Transient, 0},
		{503, post, "999999", engine.Transient, 15 * time.Minute},
		{503, post, "-4", engine.Transient, 0},
		{500, get, "soon", engine.Transient, 0},
		{502, put, "", engine.Transient, 0},
		{500, post, "", engine.Uncertain, 0},
		{504, post, "", engine.Uncertain, 0},
		{400, get, "", engine.Permanent, 0},
		{401, post, "", engine.Permanent, 0},
		{404, get, "", engine.Permanent, 0},
		{418, post, "", engine.Permanent, 0},
		{304, get, "", engine.Permanent, 0},
	} {
		t.Run(fmt.Sprint(tc.status, tc.how), func(t *testing.T) {
			t.Parallel()
			base := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
				if tc.after != "" {
					w.Header().Set("Retry-After", tc.after)
				}
				w.WriteHeader(tc.status)
				if tc.status != 304 {
					_, _ = io.WriteString(w, "because "+strings.Repeat("x", 100_000))
				}
			})
			_, err := call(t, mustTool(t, `{"url": `+quote(base)+`, "private": true, `+tc.how+`}`, options{}), nil)
			f := wantFailure(t, err, tc.class, fmt.Sprintf("the server answered %d", tc.status))
			if f.RetryAfter != tc.wait {
				t.Errorf("retry after %s, want %s", f.RetryAfter, tc.wait)
			}
			if len(f.Message) > 3000 {
				t.Errorf("the message has %d bytes", len(f.Message))
			}
		})
	}
}

func TestAcceptedStatusesAreTheSpecs(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.WriteHeader(map[string]int{"/missing": 404, "/fine": 200}[r.URL.Path])
	})
	config := func(path string) string {
		return `{"url": ` + quote(base+path) + `, "private": true, "accept_status": [404]}`
	}
	if _, err := call(t, mustTool(t, config("/missing"), options{}), nil); err != nil {
		t.Error(err)
	}
	_, err := call(t, mustTool(t, config("/fine"), options{}), nil)
	wantFailure(t, err, engine.Permanent, "the server answered 200")
}

func TestLargeAnswersAreNotRead(t *testing.T) {
	t.Parallel()
	var written atomic.Int64
	for _, announced := range []bool{true, false} {
		base := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			const size = 100 << 20
			if announced {
				w.Header().Set("Content-Length", fmt.Sprint(size))
			}
			chunk := make([]byte, 64<<10)
			for range size / len(chunk) {
				n, err := w.Write(chunk)
				written.Add(int64(n))
				if err != nil {
					return
				}
			}
		})
		_, err := call(t, mustTool(t, `{"url": `+quote(base)+`, "private": true, "max_bytes": 1000}`, options{}), nil)
		wantFailure(t, err, engine.Permanent, "larger than max_bytes (1000)")
	}
	if n := written.Load(); n > 50<<20 {
		t.Errorf("%d bytes were taken from the server", n)
	}
}

func TestGzipBombsAreNotUnpacked(t *testing.T) {
	t.Parallel()
	base := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(zeros(t, 8<<20))
	})
	_, err := call(t, mustTool(t, `{"url": `+quote(base)+`, "private": true}`, options{}), nil)
	wantFailure(t, err, engine.Permanent, "larger than max_bytes")
}

func TestSlowAnswersEndWithTheDeadline(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		how   string
		class engine.Class
	}{{`"method": "GET"`, engine.Timeout}, {`"json": {}`, engine.Uncertain}} {
		arrived := make(chan struct{}, 1)
		base := serve(t, func(_ nethttp.ResponseWriter, r *nethttp.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			arrived <- struct{}{}
			<-r.Context().Done()
		})
		tool := mustTool(t, `{"url": `+quote(base)+`, "private": true, `+tc.how+`}`, options{})
		p, err := request(tool, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		deadline := &deadlineContext{Context: ctx}
		go func() { <-arrived; deadline.pass(); cancel(nil) }()
		_, err = p.Handler.Handle(deadline, engine.Call{Request: p.Request})
		wantFailure(t, err, tc.class, "")
	}
}

// deadlineContext is a context whose deadline passes when the test says so.
type deadlineContext struct {
	context.Context //nolint:containedctx // it is a context
	passed          atomic.Bool
}

func (c *deadlineContext) pass() { c.passed.Store(true) }

func (c *deadlineContext) Err() error {
	if c.Context.Err() != nil && c.passed.Load() {
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

func TestStoppingIsNoFailure(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 1)
	base := serve(t, func(_ nethttp.ResponseWriter, r *nethttp.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	p, err := request(mustTool(t, `{"url": `+quote(base)+`, "private": true, "json": {}}`, options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err = p.Handler.Handle(ctx, engine.Call{Request: p.Request}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestLostConnections(t *testing.T) {
	t.Parallel()
	lost := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		conn, _, err := w.(nethttp.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	})
	cut := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "ten bytes.")
	})
	closed := httptest.NewServer(nethttp.HandlerFunc(ok))
	closed.Close()
	for _, tc := range []struct {
		name, url, how string
		class          engine.Class
		part           string
	}{
		{"lost, harmless", lost, `"method": "GET"`, engine.Transient, "no answer"},
		{"lost, idempotent", lost, `"method": "PUT", "json": {}`, engine.Transient, "no answer"},
		{"lost, once", lost, `"json": {}`, engine.Uncertain, "after the request was sent"},
		{"lost, once with a key", lost, `"json": {}, "idempotency_header": "Idempotency-Key"`, engine.Transient, "no answer"},
		{"refused, once", closed.URL, `"json": {}`, engine.Transient, "no answer"},
		{"cut off, harmless", cut, `"method": "GET"`, engine.Transient, "the server answered 200, but its answer was cut off"},
		{"cut off, once", cut, `"json": {}`, engine.Permanent, "the server answered 200, but its answer was cut off"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := call(t, mustTool(t, `{"url": `+quote(tc.url)+`, "private": true, `+tc.how+`}`, options{}), nil)
			wantFailure(t, err, tc.class, tc.part)
		})
	}
}

func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	const token = "very-secret-token"
	base := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/bad" {
			w.WriteHeader(400)
		}
		_, _ = io.WriteString(w, "you sent "+r.Header.Get("Authorization"))
	})
	config := func(path string) string {
		return `{"url": ` + quote(base+path) + `, "private": true, "headers": {"Authorization": {"env": "TOKEN", "prefix": "Bearer "}}}`
	}
	env := options{env: map[string]string{"TOKEN": token}}
	got, err := call(t, mustTool(t, config("/good"), env), nil)
	if got != "you sent Bearer [secret]" || err != nil {
		t.Errorf("%v %v", got, err)
	}
	_, err = call(t, mustTool(t, config("/bad"), env), nil)
	wantFailure(t, err, engine.Permanent, "you sent Bearer [secret]")
	_, err = call(t, mustTool(t, config("/good"), options{}), nil)
	wantFailure(t, err, engine.Permanent, "environment variable TOKEN is not set")
	_, err = call(t, mustTool(t, config("/good"), options{env: map[string]string{"TOKEN": "line\r\nX-Evil: 1"}}), nil)
	wantFailure(t, err, engine.Permanent, "header Authorization")
}

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	var asked atomic.Bool
	proxy := httptest.NewServer(nethttp.HandlerFunc(func(nethttp.ResponseWriter, *nethttp.Request) { asked.Store(true) }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	tool := mustTool(t, `{"url": "http://shop.example/"}`, options{resolver: resolver(t, map[string][]string{"shop.example.": {"10.0.0.1"}})})
	_, err := call(t, tool, nil)
	wantFailure(t, err, engine.Permanent, "10.0.0.1")
	if asked.Load() {
		t.Error("the proxy was asked")
	}
}

func TestTooManyHeadersAreNotRead(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Long: "+strings.Repeat("x", 1<<20)+"\r\n\r\n")
			_ = conn.Close()
		}
	}()
	_, err = call(t, mustTool(t, `{"url": `+quote("http://"+listener.Addr().String())+`, "private": true}`, options{}), nil)
	if _, failed := errors.AsType[*engine.Failure](err); !failed {
		t.Fatalf("got %v", err)
	}
}
