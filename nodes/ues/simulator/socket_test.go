package simulator_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// listen opens the WebSocket.
func (c caller) listen(opts *websocket.DialOptions) *websocket.Conn {
	c.tb.Helper()
	conn, resp, err := websocket.Dial(c.tb.Context(), c.url+"/ws", opts)
	if err != nil {
		c.tb.Fatal(err)
	}
	if resp.Body != nil {
		_ = resp.Body.Close()
	}
	c.tb.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func hear(t *testing.T, conn *websocket.Conn) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, text, err := conn.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func say(t *testing.T, conn *websocket.Conn, text string) {
	t.Helper()
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func TestWebSocket(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{}))
	conn := c.listen(nil)
	say(t, conn, `{"action":"ping"}`)
	if got := hear(t, conn); got != `{"action":"pong"}` {
		t.Fatalf("pong: %s", got)
	}
	c.must(200, "POST", "/simulation/start", "{}")
	got := hear(t, conn)
	if pick(t, got, "type") != "simulation.started" || pick(t, got, "data/mode") != "manual" || !strings.HasSuffix(pick(t, got, "timestamp"), "Z") {
		t.Fatalf("start: %s", got)
	}
	for _, ignored := range []string{"nonsense", "[]", `{"action":"dance"}`, `{"action":"subscribe","events":5}`, `{"action":"subscribe","events":[1]}`} {
		say(t, conn, ignored)
	}
	say(t, conn, `{"action":"subscribe","events":["email.","time.advanced"]}`)
	if got := hear(t, conn); got != `{"type":"subscription.updated","data":{"filters":["email.","time.advanced"]},"timestamp":""}` {
		t.Fatalf("subscribed: %s", got)
	}
	c.must(200, "POST", "/simulator/time/pause", "")
	c.must(200, "POST", "/simulator/time/resume", "")
	event := pick(t, c.must(200, "POST", "/email/receive", mail), "event_id")
	got = hear(t, conn)
	if pick(t, got, "type") != "email.received" || pick(t, got, "data/email_id") != event || pick(t, got, "data/subject") != "Hello" {
		t.Fatalf("mail: %s", got)
	}
	c.must(200, "POST", "/simulator/time/advance", `{"seconds":1.5}`)
	got = hear(t, conn)
	if pick(t, got, "type") != "time.advanced" || pick(t, got, "data/delta_seconds") != "1.5" {
		t.Fatalf("advance: %s", got)
	}
}

func TestWebSocketKeepsStrangersOut(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{Origins: []string{"http://localhost:3000"}}))
	from := func(origin string) *websocket.DialOptions {
		return &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}}
	}
	c.listen(from("http://localhost:3000"))
	_, resp, err := websocket.Dial(t.Context(), c.url+"/ws", from("http://evil.example")) //nolint:bodyclose // a refused handshake has its body read already
	if err == nil || resp == nil || resp.StatusCode != 403 {
		t.Errorf("a stranger got in: %v", err)
	}
}

// TestCloseEndsSockets: the server's end is the clients' end, and Close waits for it.
func TestCloseEndsSockets(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	c := serve(t, sim)
	conn := c.listen(nil)
	say(t, conn, `{"action":"ping"}`)
	hear(t, conn)
	sim.Close()
	if _, _, err := conn.Read(t.Context()); err == nil {
		t.Error("the socket is still open")
	}
	if resp, _ := c.ask("GET", "/ws", ""); resp.StatusCode != 503 {
		t.Errorf("a closed simulator answers %d", resp.StatusCode)
	}
}

// hook is a place that webhooks deliver to.
type hook struct {
	server *httptest.Server
	status atomic.Int64
	got    chan delivery
}

type delivery struct {
	header http.Header
	body   string
}

func newHook(t *testing.T) *hook {
	h := &hook{got: make(chan delivery, 100)}
	h.status.Store(200)
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.got <- delivery{r.Header, string(body)}
		w.WriteHeader(int(h.status.Load()))
		_, _ = io.WriteString(w, strings.Repeat("ü", 1000))
	}))
	t.Cleanup(h.server.Close)
	return h
}

func TestWebhooks(t *testing.T) {
	w := newWall()
	c := serve(t, fresh(t, simulator.Options{Now: w.Now, Wait: w.Wait}))
	h := newHook(t)
	made := c.must(201, "POST", "/webhooks", str(`{"url":%q,"events":["email."],"secret":"s3cret","metadata":{"a":1}}`, h.server.URL))
	id := pick(t, made, "id")
	if !strings.HasPrefix(id, "wh_") || len(id) != 15 || pick(t, made, "has_secret") != "true" || pick(t, made, "metadata/a") != "1" {
		t.Fatalf("made: %s", made)
	}
	c.must(200, "POST", "/simulation/start", "{}") // not chosen
	c.must(200, "POST", "/email/receive", mail)
	d := <-h.got
	mac := hmac.New(sha256.New, []byte("s3cret"))
	mac.Write([]byte(d.body))
	if pick(t, d.body, "type") != "email.received" || d.header.Get("X-UES-Event") != "email.received" ||
		d.header.Get("X-UES-Signature") != "sha256="+hex.EncodeToString(mac.Sum(nil)) ||
		!strings.HasPrefix(d.header.Get("X-UES-Delivery-ID"), "del_") || d.header.Get("X-UES-Timestamp") == "" {
		t.Fatalf("delivered %v %s", d.header, d.body)
	}

	h.status.Store(500)
	for range 10 { // failures in a row, three attempts each
		c.must(200, "POST", "/email/receive", mail)
		<-h.got
		<-w.arrived
		w.move(time.Second)
		<-h.got
		<-w.arrived
		w.move(2 * time.Second)
		<-h.got
	}
	until(t, func() bool { return pick(t, c.must(200, "GET", "/webhooks/"+id, ""), "status") == "disabled" })
	list := c.must(200, "GET", "/webhooks/"+id+"/deliveries?limit=2", "")
	if pick(t, list, "total") != "11" || pick(t, list, "items/0/status") != "failed" || pick(t, list, "items/0/attempt_count") != "3" ||
		pick(t, list, "items/0/response_status") != "500" || len([]rune(pick(t, list, "items/0/response_body"))) != 500 {
		t.Errorf("deliveries: %s", list)
	}
	c.must(200, "POST", "/email/receive", mail) // to a disabled webhook
	resumed := c.must(200, "POST", "/webhooks/"+id+"/resume", "")
	if pick(t, resumed, "failure_count") != "0" || pick(t, resumed, "status") != "active" {
		t.Errorf("resumed: %s", resumed)
	}
	if test := c.must(200, "POST", "/webhooks/"+id+"/test", ""); pick(t, test, "success") != "false" || pick(t, test, "response_status") != "500" {
		t.Errorf("test: %s", test)
	}
	<-h.got
	patched := c.must(200, "PATCH", "/webhooks/"+id, `{"events":[],"status":"paused"}`)
	if pick(t, patched, "events") != "null" || pick(t, patched, "status") != "paused" {
		t.Errorf("patched: %s", patched)
	}
	if list := c.must(200, "GET", "/webhooks?status=paused", ""); pick(t, list, "total") != "1" {
		t.Errorf("paused: %s", list)
	}
	c.must(204, "DELETE", "/webhooks/"+id, "")
	c.must(404, "GET", "/webhooks/"+id, "")
	for _, bad := range []string{`{}`, `{"url":"ftp://x"}`, `{"url":"http://"}`, `{"url":5}`, `{"url":"http://x","events":[]}`, `{"url":"http://x","events":[" "]}`} {
		c.must(422, "POST", "/webhooks", bad)
	}
}

// until asks again and again until it is so.
func until(t *testing.T, so func() bool) {
	t.Helper()
	for range 5000 {
		if so() {
			return
		}
		runtime.Gosched()
	}
	t.Fatal("it did not come to be")
}

func TestWebhooksAreBounded(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{}))
	for range 100 {
		c.must(201, "POST", "/webhooks", `{"url":"http://127.0.0.1:1/"}`)
	}
	c.must(409, "POST", "/webhooks", `{"url":"http://127.0.0.1:1/"}`)
}
