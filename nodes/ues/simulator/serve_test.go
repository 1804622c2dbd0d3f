package simulator_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

func TestServeUntilTheEnd(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- sim.Serve(ctx, l) }()
	_, secret := sim.Admin()
	c := caller{tb: t, url: "http://" + l.Addr().String(), secret: secret}
	c.must(200, "GET", "/health", "")
	c.must(200, "GET", "/simulator/time", "")
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if conn, err := net.Dial("tcp", l.Addr().String()); err == nil {
		_ = conn.Close()
		t.Error("it still listens")
	}
	if err := sim.Serve(t.Context(), l); err == nil {
		t.Error("a closed listener was served")
	}
}

// A connection that never said anything, and a request that is never finished, do not keep
// the server from ending well, and within the five seconds that a grader gives it.
func TestServeEndsWithoutItsClients(t *testing.T) {
	for name, sent := range map[string]string{
		"silent": "", "half a request": "POST /email/send HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := fresh(t, simulator.Options{})
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- sim.Serve(ctx, l) }()
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := conn.Write([]byte(sent)); err != nil {
				t.Fatal(err)
			}
			_, secret := sim.Admin()
			c := caller{tb: t, url: "http://" + l.Addr().String(), secret: secret}
			c.must(200, "GET", "/health", "") // the connection before was accepted
			start := time.Now()
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			most := 4500 * time.Millisecond
			if sent == "" {
				most = 2500 * time.Millisecond
			}
			if took := time.Since(start); took > most {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// Callers without a key who never finish their requests do not keep out who has one.
func TestSlowStrangersKeepNobodyOut(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	c := serve(t, sim)
	address := strings.TrimPrefix(c.url, "http://")
	for range 300 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := conn.Write([]byte("POST /email/send HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")); err != nil {
			t.Fatal(err)
		}
	}
	c.must(200, "GET", "/simulator/time", "")
	c.must(422, "POST", "/email/send", "{}")
}

// Heavy answers take turns: clients that do not read theirs keep the next one waiting, but
// not those who ask for less; and when they go, he gets his.
func TestHeavyAnswersTakeTurns(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	c := serve(t, sim)
	for range 2 {
		c.must(200, "POST", "/email/receive", strings.Replace(mail, "A few words.", strings.Repeat("x", 10<<20), 1))
	}
	size := len(c.must(200, "GET", "/email/state", ""))
	var idle []net.Conn
	for range 2 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("GET /email/state HTTP/1.1\r\nHost: x\r\nX-API-Key: " + c.secret + "\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); err != nil { // its answer has begun
			t.Fatal(err)
		}
		idle = append(idle, conn)
	}
	c.must(200, "GET", "/simulator/time", "")
	hasty, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(hasty, "GET", c.url+"/email/state", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", c.secret)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Errorf("a third heavy answer at a time: %d", resp.StatusCode)
	}
	for _, conn := range idle {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		if got := len(c.must(200, "GET", "/email/state", "")); got != size {
			t.Errorf("%d bytes, before %d", got, size)
		}
	}
}

// patient is an answer that notes its deadline.
type patient struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (p *patient) SetWriteDeadline(t time.Time) error {
	p.deadline = t
	return nil
}

// Who has waited for the heavy answers of others has time to take a light one.
func TestAWaitForATurnDoesNotCount(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	_, secret := sim.Admin()
	get := func() *patient {
		req := httptest.NewRequestWithContext(t.Context(), "GET", "/email/state", http.NoBody)
		req.Header.Set("X-API-Key", secret)
		p := &patient{ResponseRecorder: httptest.NewRecorder()}
		sim.ServeHTTP(p, req)
		return p
	}
	c := serve(t, sim)
	for range 2 {
		c.must(200, "POST", "/email/receive", strings.Replace(mail, "A few words.", strings.Repeat("x", 10<<20), 1))
	}
	get()
	sim.Clear(nil)
	for i, want := range []bool{true, false} { // the second finds the route light again
		if p := get(); p.Code != 200 || p.deadline.IsZero() == want {
			t.Errorf("answer %d: status %d, time until %s", i, p.Code, p.deadline)
		}
	}
}
