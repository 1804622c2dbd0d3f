package simulator_test

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// TestTenClients: ten clients at once read and write; every mail arrives once.
func TestTenClients(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	c := serve(t, sim)
	c.must(200, "POST", "/simulation/start", "{}")
	const clients, rounds = 10, 20
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range rounds {
				for _, step := range []struct{ method, path, body string }{
					{"POST", "/email/receive", mail},
					{"GET", "/email/state", ""},
					{"POST", "/simulator/time/advance", `{"seconds":1}`},
					{"GET", "/events?limit=5&status=executed", ""},
					{"POST", "/email/query", "{}"},
					{"GET", "/environment/state?compact=true", ""},
					{"GET", "/access-logs?limit=1", ""},
					{"POST", "/keys", `{"name":"k","permissions":["time:read"]}`},
					{"GET", "/simulation/status", ""},
				} {
					if status, text := c.do(step.method, step.path, step.body); status/100 != 2 {
						t.Errorf("%s %s: %d %s", step.method, step.path, status, text)
					}
				}
			}
		})
	}
	wg.Wait()
	state := c.must(200, "GET", "/email/state", "")
	if got := pick(t, state, "total_email_count"); got != str("%d", clients*rounds) {
		t.Errorf("%s mails", got)
	}
	status := c.must(200, "GET", "/simulation/status", "")
	if pick(t, status, "executed_events") != str("%d", clients*rounds) || pick(t, status, "failed_events") != "0" {
		t.Errorf("status: %s", status)
	}
	if got := pick(t, c.must(200, "GET", "/access-logs/stats", ""), "server_error_count"); got != "0" {
		t.Errorf("%s server errors", got)
	}
}

// TestNothingStaysBehind: a simulator that is closed leaves no goroutine.
func TestNothingStaysBehind(t *testing.T) {
	sim, err := simulator.New(simulator.Options{Now: time.Now, Wait: wait})
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Start(true, 1); err != nil {
		t.Fatal(err)
	}
	c := serve(t, sim)
	c.must(201, "POST", "/webhooks", `{"url":"http://127.0.0.1:1/"}`)
	say(t, c.listen(nil), `{"action":"ping"}`)
	beside := []string{"(*Simulator).loop", "(*Registry).serve", "(*Simulator).socket", "(*listener).listen", "(*listener).pump"}
	all := func(want bool) bool {
		stacks := make([]byte, 8<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for _, name := range beside {
			if bytes.Contains(stacks, []byte(name)) != want {
				return false
			}
		}
		return true
	}
	until(t, func() bool { return all(true) })
	sim.Close()
	until(t, func() bool { return all(false) })
}

// TestSameSeedSameWorld: the same seed and the same calls make the same world, byte for
// byte, whatever else is asked in between.
func TestSameSeedSameWorld(t *testing.T) {
	build := func(noise bool) []byte {
		w := newWall()
		sim := fresh(t, simulator.Options{Now: w.Now, Wait: w.Wait, IDs: rand.NewChaCha8([32]byte{7})})
		c := serve(t, sim)
		schedule(t, sim, 20)
		for _, step := range []struct{ method, path, body string }{
			{"POST", "/simulation/start", "{}"},
			{"POST", "/email/receive", mail},
			{"POST", "/simulator/time/advance", `{"seconds":10}`},
			{"POST", "/simulation/undo", `{"count":3}`},
			{"POST", "/simulation/redo", `{"count":1}`},
			{"POST", "/email/receive", mail},
			{"POST", "/simulator/time/skip-to-next", ""},
			{"POST", "/simulation/hold", `{"timeout_seconds":9}`},
		} {
			if noise {
				c.do("GET", "/events", "")
				c.do("POST", "/keys", `{"name":"n","permissions":["*"]}`)
				c.do("POST", "/email/query", `{"limit":0}`)
				c.do("GET", "/environment/state", "")
				c.do("GET", "/nope", "")
			}
			c.must(200, step.method, step.path, step.body)
		}
		return append(sim.Export("a", "b"), sim.Snapshot()...)
	}
	quiet, noisy := blankKeys(build(false)), blankKeys(build(true))
	if !bytes.Equal(quiet, noisy) {
		t.Errorf("worlds differ:\n%s\n%s", quiet, noisy)
	}
}

var madeUpKey = regexp.MustCompile(`ues_[0-9a-f]{16}`)

// blankKeys hides the ids of keys, which are secret-grade random.
func blankKeys(text []byte) []byte { return madeUpKey.ReplaceAll(text, []byte("ues_*")) }
