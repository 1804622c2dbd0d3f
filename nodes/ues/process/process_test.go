package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/process"
	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// role is the variable that makes this test binary a child.
const role = "WEFT_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "parent":
		parent()
	default:
		serve(os.Getenv(role), os.Args[1])
	}
}

// serve is a child that speaks the API, in some way or other.
func serve(how, port string) {
	fmt.Println("my key is", os.Getenv(process.AdminKey))
	switch how {
	case "crash":
		fmt.Println("no database")
		os.Exit(3)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	case "silent":
		select {}
	case "pipe":
		go func() { _, _ = io.Copy(io.Discard, os.Stdin); os.Exit(0) }()
	}
	secret := os.Getenv(process.AdminKey)
	if how == "foreign" {
		secret = strings.Repeat("x", 64)
	}
	sim, err := simulator.New(options(secret))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	mux := http.NewServeMux()
	mux.Handle("/", sim)
	mux.HandleFunc("/crash", func(http.ResponseWriter, *http.Request) { fmt.Println("oh no"); os.Exit(7) })
	fmt.Println(http.ListenAndServe("127.0.0.1:"+port, mux))
}

// parent starts a child, tells where it is, and lives until it is killed.
func parent() {
	s, err := command(os.Getenv("WEFT_TEST_CHILD")).Start(context.Background())
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(s.URL())
	select {}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func options(secret string) simulator.Options {
	return simulator.Options{Now: time.Now, Wait: wait, AdminSecret: secret}
}

// command is this binary as a child.
func command(how string) process.Command {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	env := []string{role + "=" + how}
	if dir := os.Getenv("GOCOVERDIR"); dir != "" {
		env = append(env, "GOCOVERDIR="+dir)
	}
	return process.Command{Args: []string{self, process.Port}, Env: env, Wait: wait, Stdin: how == "pipe", Grace: time.Minute}
}

// start starts a server that is stopped with the test.
func start(t *testing.T, s process.Starter) *process.Server {
	t.Helper()
	server, err := s.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	return server
}

// use does what an assessment begins with.
func use(t *testing.T, s *process.Server) {
	t.Helper()
	if len(s.Secret()) != 64 || strings.Trim(s.Secret(), "0123456789abcdef") != "" {
		t.Errorf("the admin key is %q", s.Secret())
	}
	c, err := s.Client()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Healthy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Simulation().Clear(t.Context(), ues.ClearRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Simulation().Start(t.Context(), ues.StartRequest{}); err != nil {
		t.Fatal(err)
	}
	done, err := c.Time().Advance(t.Context(), time.Hour)
	if err != nil || done.CurrentTime.Sub(done.PreviousTime.Time) != time.Hour {
		t.Fatalf("%+v, %v", done, err)
	}
	if _, err := c.With("wrong").Time().Get(t.Context()); ues.StatusOf(err) != 401 {
		t.Errorf("a wrong key: %v", err)
	}
}

func TestAllWaysAreTheSame(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]process.Starter{
		"embedded": process.Embedded{Options: options("")}, "embedded with a port": process.Embedded{Options: options(""), Listen: true},
		"child": command("serve"), "child with a pipe": command("pipe"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, s)
			use(t, server)
			if err := server.Stop(); err != nil || server.Err() != nil {
				t.Error(err, server.Err())
			}
			if err := server.Stop(); err != nil {
				t.Error(err)
			}
			<-server.Done()
			if server.HTTP() == nil && server.Healthy(t.Context()) == nil {
				t.Error("it is still there")
			}
			for _, line := range server.Output() {
				if strings.Contains(line, server.Secret()) {
					t.Errorf("the key is kept: %s", line)
				}
			}
		})
	}
}

func TestOutputIsKeptWithoutTheKey(t *testing.T) {
	t.Parallel()
	server := start(t, command("serve"))
	if got := server.Output(); len(got) == 0 || got[0] != "my key is [secret]" {
		t.Errorf("kept %q", got)
	}
}

func TestACrashIsNoticed(t *testing.T) {
	t.Parallel()
	server := start(t, command("serve"))
	res, err := http.Get(server.URL() + "/crash")
	if err == nil {
		_ = res.Body.Close()
	}
	<-server.Done()
	if err := server.Healthy(t.Context()); err == nil || !strings.Contains(err.Error(), "exit status 7") || !strings.Contains(err.Error(), "oh no") {
		t.Errorf("told %v", err)
	}
	if err := server.Stop(); err != nil {
		t.Error(err)
	}
}

func TestAnEndWhileStartingSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := command("crash").Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "no database") {
		t.Errorf("told %v", err)
	}
	if _, err := (process.Command{Args: []string{"/no/such/program"}, Wait: wait}).Start(t.Context()); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("told %v", err)
	}
	if _, err := (process.Command{}).Start(t.Context()); err == nil {
		t.Error("nothing is started")
	}
}

// The timer is the test's: no time passes.
func TestAServerThatIsNotUpInTime(t *testing.T) {
	t.Parallel()
	c := command("silent")
	c.Ready, c.Grace = time.Minute, time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	c.Wait = func(ctx context.Context, _ time.Duration) error {
		if asked++; asked == 3 {
			cancel()
		}
		return ctx.Err()
	}
	if _, err := c.Start(ctx); !errors.Is(err, context.Canceled) || asked != 3 {
		t.Errorf("after %d questions: %v", asked, err)
	}
	c.Ready, c.Wait = time.Nanosecond, wait
	if _, err := c.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "not up in time") {
		t.Errorf("told %v", err)
	}
}

func TestWhoDoesNotEndIsKilled(t *testing.T) {
	t.Parallel()
	c := command("stubborn")
	c.Grace = 50 * time.Millisecond
	server := start(t, c)
	if err := server.Stop(); err != nil {
		t.Error(err)
	}
	if server.Healthy(t.Context()) == nil {
		t.Error("it is still there")
	}
}

// A port that somebody else serves is not taken for the child's: the key tells.
func TestAnotherServerIsNotTakenForTheChild(t *testing.T) {
	t.Parallel()
	if _, err := command("foreign").Start(t.Context()); err == nil || !strings.Contains(err.Error(), "another process took the port") {
		t.Errorf("told %v", err)
	}
}

// However this process ends, its children end: by the kernel, and by their pipe.
func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	kinds := []string{"pipe"}
	if runtime.GOOS == "linux" {
		kinds = append(kinds, "serve", "stubborn")
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			p := exec.CommandContext(t.Context(), self)
			p.Env = append(os.Environ(), role+"=parent", "WEFT_TEST_CHILD="+kind)
			out, err := p.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			url, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || !strings.HasPrefix(url, "http://") {
				t.Fatal(url, err)
			}
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimSpace(strings.TrimPrefix(url, "http://")))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if err := p.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = p.Wait()
			if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			_, err = conn.Read(make([]byte, 1)) // ends when the child has ended
			if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the child is still there: %v", err)
			}
		})
	}
}

func TestRingKeepsTheLastLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 2500).Draw(t, "lines")
		r := process.NewRing("hunter2")
		var want []string
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "%d hunter2\r\n", i)
			want = append(want, fmt.Sprintf("%d [secret]", i))
		}
		text.WriteString("rest")
		want = append(want[max(0, len(want)-2000):], "rest")
		for rest := text.String(); rest != ""; {
			size := min(rapid.IntRange(1, 5000).Draw(t, "piece"), len(rest))
			if written, err := r.Write([]byte(rest[:size])); written != size || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[size:]
		}
		if diff := cmp.Diff(want, r.Lines()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestRingIsBounded(t *testing.T) {
	t.Parallel()
	r := process.NewRing("")
	for range 100 {
		_, _ = r.Write(slices.Repeat([]byte("x"), 100_000))
	}
	_, _ = r.Write([]byte("\nnext\n"))
	got := r.Lines()
	if len(got) != 2 || len(got[0]) != 4096+len("…") || got[1] != "next" {
		t.Errorf("kept %d lines, the first of %d bytes", len(got), len(got[0]))
	}
}

// A handler that gives a request up has not said that all is well.
func TestDirectTellsOfRequestsThatWereGivenUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	client := &http.Client{Transport: process.Direct(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() }))}
	req, err := http.NewRequestWithContext(ctx, "GET", "http://ues.internal/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := client.Do(req); !errors.Is(err, context.Canceled) {
		if err == nil {
			_ = resp.Body.Close()
		}
		t.Errorf("answered: %v", err)
	}
}
