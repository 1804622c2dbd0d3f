package simulator_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// caller posts JSON over one kept connection.
type caller struct {
	tb     testing.TB
	url    string
	secret string
}

func serve(tb testing.TB, sim *simulator.Simulator) caller {
	tb.Helper()
	server := httptest.NewServer(sim)
	tb.Cleanup(server.Close)
	_, secret := sim.Admin()
	return caller{tb: tb, url: server.URL, secret: secret}
}

// do sends a request; an empty body is none.
func (c caller) do(method, path, body string) (int, string) {
	c.tb.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(c.tb.Context(), method, c.url+path, content)
	if err != nil {
		c.tb.Fatal(err)
	}
	req.Header.Set("X-Api-Key", c.secret)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.tb.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		c.tb.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// must sends a request that has to be answered with a status.
func (c caller) must(want int, method, path, body string) string {
	c.tb.Helper()
	status, text := c.do(method, path, body)
	if status != want {
		c.tb.Fatalf("%s %s: status %d, want %d: %s", method, path, status, want, text)
	}
	return text
}

func BenchmarkAdvanceHTTP(b *testing.B) {
	c := serve(b, fresh(b, simulator.Options{}))
	c.must(200, "POST", "/simulation/start", "{}")
	b.ReportAllocs()
	for b.Loop() {
		c.must(200, "POST", "/simulator/time/advance", `{"seconds":1}`)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "advances/s")
}

// BenchmarkAdvanceConnection is the same with a client that costs next to nothing: it
// writes the bytes of a request and reads those of an answer.
func BenchmarkAdvanceConnection(b *testing.B) {
	c := serve(b, fresh(b, simulator.Options{}))
	c.must(200, "POST", "/simulation/start", "{}")
	conn, err := new(net.Dialer).DialContext(b.Context(), "tcp", strings.TrimPrefix(c.url, "http://"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	body := `{"seconds":1}`
	request := fmt.Appendf(nil, "POST /simulator/time/advance HTTP/1.1\r\nHost: ues\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", c.secret, len(body), body)
	answer := make([]byte, 64<<10)
	for b.Loop() {
		if _, err := conn.Write(request); err != nil {
			b.Fatal(err)
		}
		n, err := conn.Read(answer)
		if err != nil || !bytes.HasPrefix(answer[:n], []byte("HTTP/1.1 200 ")) {
			b.Fatalf("%s %v", answer[:n], err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "advances/s")
}

func BenchmarkAdvance(b *testing.B) {
	sim := fresh(b, simulator.Options{})
	if err := sim.Start(false, 1); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sim.Advance(1); err != nil {
			b.Fatal(err)
		}
	}
}

const mail = `{"from_address":"a@example.com","to_addresses":["user@example.com"],"subject":"Hello","body_text":"A few words."}`

// BenchmarkReceiveHTTP is to be flat: run it with -benchtime 100000x too.
func BenchmarkReceiveHTTP(b *testing.B) {
	c := serve(b, fresh(b, simulator.Options{}))
	b.ReportAllocs()
	for b.Loop() {
		c.must(200, "POST", "/email/receive", mail)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "mails/s")
}

// schedule puts n mails into the queue, one a second.
func schedule(tb testing.TB, sim *simulator.Simulator, n int) {
	tb.Helper()
	start := sim.Clock().Now
	for i := range n {
		at, err := start.AddMicros(int64(i+1) * 1e6)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := sim.Schedule(world.Draft{At: at, Modality: "email", Data: mailData(i), Priority: 50}); err != nil {
			tb.Fatal(err)
		}
	}
}

func mailData(i int) *ordered.Map {
	return ordered.NewMap(
		ordered.Member{Name: "operation", Value: "receive"},
		ordered.Member{Name: "from_address", Value: "a@example.com"},
		ordered.Member{Name: "to_addresses", Value: []any{"user@example.com"}},
		ordered.Member{Name: "subject", Value: fmt.Sprint("mail ", i)},
		ordered.Member{Name: "body_text", Value: "A few words."},
	)
}

func BenchmarkAdvanceOver100000(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		sim := fresh(b, simulator.Options{})
		schedule(b, sim, 100_000)
		if err := sim.Start(false, 1); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		a, err := sim.Advance(200_000)
		if err != nil || len(a.Ran) != 100_000 || a.Failed != 0 {
			b.Fatalf("ran %d, failed %d: %v", len(a.Ran), a.Failed, err)
		}
	}
}

func BenchmarkSchedule(b *testing.B) {
	sim := fresh(b, simulator.Options{})
	b.ReportAllocs()
	start := sim.Clock().Now
	i := 0
	for b.Loop() {
		i++
		at, err := start.AddMicros(int64(i*7919%1_000_003) * 1e6) // in no order
		if err != nil {
			b.Fatal(err)
		}
		if _, err := sim.Schedule(world.Draft{At: at, Modality: "email", Data: mailData(i), Priority: 50}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkImport(b *testing.B) {
	source := fresh(b, simulator.Options{})
	schedule(b, source, 10_000)
	text := source.Export("", "")
	sim := fresh(b, simulator.Options{})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sim.Import(text, true); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEmailState(b *testing.B) {
	sim := fresh(b, simulator.Options{})
	for i := range 1000 {
		if _, err := sim.Act("email", mailData(i), "bench"); err != nil {
			b.Fatal(err)
		}
	}
	c := serve(b, sim)
	b.ReportAllocs()
	for b.Loop() {
		if text := c.must(200, "GET", "/email/state", ""); !bytes.Contains([]byte(text), []byte("mail 999")) {
			b.Fatal("state is not whole")
		}
	}
}
