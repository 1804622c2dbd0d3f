package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// crashSpec calls a server that counts: pay must not be called twice and cannot be
// looked up, safe knows a repeated call by its key. In between a human is asked.
const crashSpec = `
name: crash
tools:
  pay:
    description: An effect that nothing can look up.
    parameters: &params {type: object, required: [id, n], properties: {id: {type: string}, n: {type: integer}}}
    http: {method: POST, url: "SERVER/pay", json: {id: "{{ args.id }}", n: "{{ args.n }}"}, private: true}
    effect: once
    timeout: 10s
  safe:
    description: An effect that knows a repeated call.
    parameters: *params
    http: {method: POST, url: "SERVER/safe", json: {id: "{{ args.id }}", n: "{{ args.n }}"}, idempotency_header: Idempotency-Key, private: true}
    effect: once
    timeout: 10s
graphs:
  main:
    input: {type: object, required: [id], properties: {id: {type: string}}}
    state: {answer: {type: string}, done: {type: array, items: {type: integer}, reduce: append, default: []}}
    start: one
    nodes:
      one: {tool: {name: pay, args: {id: "{{ input.id }}", n: 1}}, set: {done: 1}, next: two}
      two: {tool: {name: safe, args: {id: "{{ input.id }}", n: 2}}, set: {done: 2}, next: ask}
      ask: {interrupt: {allow: [respond], title: "Go on?"}, set: {answer: "{{ output.text }}"}, next: [three, four]}
      three: {tool: {name: pay, args: {id: "{{ input.id }}", n: 3}}, set: {done: 3}, next: five}
      four: {tool: {name: safe, args: {id: "{{ input.id }}", n: 4}}, set: {done: 4}, next: five}
      five: {join: [three, four], tool: {name: pay, args: {id: "{{ input.id }}", n: 5}}, set: {done: 5}}
`

// counter is the world of the threads of one worker of the crash test.
type counter struct {
	url   string
	mu    sync.Mutex
	quiet *sync.Cond // no request is on its way
	conns map[net.Conn]bool
	count map[string]int  // effects by id/n
	keys  map[string]bool // calls of safe that had their effect
	kill  map[string]func()
}

func newCounter(t *testing.T) *counter {
	c := &counter{conns: map[net.Conn]bool{}, count: map[string]int{}, keys: map[string]bool{}, kill: map[string]func(){}}
	c.quiet = sync.NewCond(&c.mu)
	server := httptest.NewUnstartedServer(c)
	server.Config.ConnState = c.state
	server.Start()
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *counter) state(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == http.StateNew || state == http.StateActive {
		c.conns[conn] = true
		return
	}
	delete(c.conns, conn)
	c.quiet.Broadcast()
}

// settled returns when every request that a dead process left on its way has been
// dealt with: connections are taken in the order they come, so those before ours have
// been taken when ours is answered.
func (c *counter) settled(t *testing.T) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(c.url + "/settled")
	if err != nil {
		t.Error(err)
		return
	}
	_ = resp.Body.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.conns) > 0 {
		c.quiet.Wait()
	}
}

// ServeHTTP has an effect, and may kill the process that asked before or after it.
func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/settled" {
		return
	}
	var call struct {
		ID string `json:"id"`
		N  int    `json:"n"`
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	point := rand.IntN(6)
	if point == 0 {
		c.killOwner(call.ID)
		return
	}
	c.mu.Lock()
	key := r.Header.Get("Idempotency-Key")
	if key == "" || !c.keys[key] {
		c.count[call.ID+"/"+strconv.Itoa(call.N)]++
	}
	if key != "" {
		c.keys[key] = true
	}
	c.mu.Unlock()
	if point == 1 {
		c.killOwner(call.ID)
		return
	}
	_, _ = io.WriteString(w, `{"ok": true}`)
}

func (c *counter) killOwner(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kill := c.kill[id]; kill != nil {
		kill()
	}
}

func (c *counter) happened(id string, n any) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count[fmt.Sprintf("%s/%v", id, n)] > 0
}

// crashed is one thread that is killed again and again until it ends.
type crashed struct {
	t          *testing.T
	bin, store string
	spec, id   string
	world      *counter
	kills      int
}

// report is what `--output json` prints.
type report struct {
	Status     string `json:"status"`
	Output     any    `json:"output"`
	Interrupts []struct {
		ID     string         `json:"id"`
		Kind   string         `json:"kind"`
		Action string         `json:"action"`
		Args   map[string]any `json:"args"`
	} `json:"interrupts"`
}

// weft runs the program and kills it at a random moment, or lets it end.
func (c *crashed) weft(args ...string) (report, string, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bin, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return report{}, "", err
	}
	c.world.mu.Lock()
	c.world.kill[c.id] = func() { _ = cmd.Process.Kill() }
	c.world.mu.Unlock()
	if rand.IntN(3) == 0 {
		timer := time.AfterFunc(time.Duration(rand.IntN(150))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	var out report
	_ = json.Unmarshal(stdout.Bytes(), &out)
	return out, stderr.String(), err
}

// live drives the thread to its end through every death, and reports whether it got there.
func (c *crashed) live() bool {
	common := []string{"--store", c.store, "--output", "json", "--no-input"}
	args := append([]string{"run", c.spec, "--thread", c.id, "--input", `{"id": "` + c.id + `"}`}, common...)
	for range 60 {
		out, stderr, err := c.weft(args...)
		switch {
		case killed(err):
			c.kills++
		case out.Status == "done":
			return true
		case out.Status == "parked":
			args = append(c.answer(out), common...)
			continue
		case strings.Contains(stderr, "has ended (done)"):
			return true
		case strings.Contains(stderr, "not found") || strings.Contains(stderr, "no thread"):
			args = append([]string{"run", c.spec, "--thread", c.id, "--input", `{"id": "` + c.id + `"}`}, common...)
			continue
		case strings.Contains(stderr, "answered before"):
		case err != nil && !strings.Contains(stderr, "not ended"):
			c.t.Errorf("thread %s: %v: %s", c.id, err, stderr)
			return false
		}
		args = append([]string{"resume", c.id}, common...)
	}
	c.t.Errorf("thread %s does not end", c.id)
	return false
}

// answer answers what is open: a call in doubt by what the world says.
func (c *crashed) answer(out report) []string {
	open := out.Interrupts[0]
	if open.Kind == "uncertain" {
		c.world.settled(c.t)
	}
	args := []string{"resume", c.id, "--interrupt", open.ID}
	switch {
	case open.Kind != "uncertain":
		return append(args, "--respond", "yes")
	case c.world.happened(c.id, open.Args["n"]):
		return append(args, "--respond", "it happened")
	default:
		return append(args, "--accept")
	}
}

func killed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == -1
}

// events returns how often each type of event stands in the thread's journal.
func (c *crashed) events() map[string]int {
	out, err := exec.CommandContext(c.t.Context(), c.bin, "threads", "export", c.id, "--store", c.store).Output()
	if err != nil {
		c.t.Errorf("export %s: %v", c.id, err)
	}
	count := map[string]int{}
	for line := range strings.Lines(string(out)) {
		switch {
		case strings.Contains(line, `"interrupt_raised"`) && strings.Contains(line, "Go on?"):
			count["asked"]++
		case strings.Contains(line, `"interrupt_answered"`) && strings.Contains(line, `"yes"`):
			count["answered"]++
		case strings.Contains(line, `"run_ended"`):
			count["ended"]++
		}
	}
	return count
}

// TestCrash kills a real process at random moments: while it starts, between any two
// lines, before and after each effect. WEFT_CRASH_RUNS says how many runs.
func TestCrash(t *testing.T) {
	runs := 8
	if n, err := strconv.Atoi(os.Getenv("WEFT_CRASH_RUNS")); err == nil {
		runs = n
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "weft")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ids := make(chan string)
	var wg sync.WaitGroup
	var mu sync.Mutex
	kills := 0
	for range 4 {
		world := newCounter(t)
		spec := writeCrashSpec(t, world.url)
		wg.Go(func() {
			for id := range ids {
				c := &crashed{t: t, bin: bin, store: "sqlite:" + filepath.Join(dir, "weft.db"), spec: spec, id: id, world: world}
				if c.live() {
					c.verify()
				}
				mu.Lock()
				kills += c.kills
				mu.Unlock()
			}
		})
	}
	for i := range runs {
		ids <- fmt.Sprintf("t%d", i)
	}
	close(ids)
	wg.Wait()
	t.Logf("%d runs, %d kills", runs, kills)
	if kills == 0 {
		t.Error("nothing was ever killed")
	}
}

func writeCrashSpec(t *testing.T, url string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(strings.ReplaceAll(crashSpec, "SERVER", url)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// verify compares with what must have happened: five effects, one question, one
// answer, one end.
func (c *crashed) verify() {
	c.world.mu.Lock()
	for n := 1; n <= 5; n++ {
		if got := c.world.count[fmt.Sprintf("%s/%d", c.id, n)]; got != 1 {
			c.t.Errorf("thread %s: effect %d happened %d times", c.id, n, got)
		}
	}
	c.world.mu.Unlock()
	got := c.events()
	for _, what := range []string{"asked", "answered", "ended"} {
		if got[what] != 1 {
			c.t.Errorf("thread %s: %s %d times", c.id, what, got[what])
		}
	}
}
