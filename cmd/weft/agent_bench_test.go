package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/model"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
)

const agentSpec = `
name: loop
models:
  default: {provider: openai_compatible, model: m, base_url: "SERVER/v1", retry: {attempts: 1}}
tools:
  add: {description: Adds., parameters: {type: object, properties: {a: {type: integer}}}, expr: args.a + 1}
graphs:
  main:
    state: {messages: {type: array, items: {$ref: "#/types/Message"}, reduce: append, default: [{role: user, content: go}]}}
    limits: {steps: 30}
    start: agent
    nodes:
      agent:
        llm_call: {messages: "{{ messages }}", tools: [add], stream: false}
        set: {messages: "{{ [output.message] }}"}
        next:
          - {when: len(output.tool_calls) > 0, to: act}
          - {to: end}
      act:
        tool: {calls: "{{ tool_calls(messages) }}"}
        set: {messages: "{{ output.messages }}"}
        next: agent
`

// benchServer is a program of its own, so that the CPU it takes is not counted: a model
// that asks for a tool four times, then answers, each time after a delay.
func benchServer() {
	delay, _ := time.ParseDuration(os.Getenv("DELAY"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr())
	go func() { // the end of its input is the end of the benchmark
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		time.Sleep(delay)
		w.Header().Set("Content-Type", "application/json")
		if n := bytes.Count(body, []byte(`"tool_call_id"`)); n < 4 {
			_, _ = fmt.Fprintf(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"","tool_calls":[{"id":"c%d","type":"function","function":{"name":"add","arguments":"{\"a\": %d}"}}]}}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`, n, n)
			return
		}
		_, _ = io.WriteString(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"done"}}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`)
	}))
}

// startServer starts benchServer and returns its address.
func startServer(b *testing.B, delay string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Args[0], cmd.Env, cmd.Stderr = "bench-server", append(os.Environ(), "DELAY="+delay), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + strings.TrimSpace(address)
}

// callsOfARun is how often a run asks the model.
const callsOfARun = 5

// BenchmarkAgentLoop is an agent of five model calls and four tool calls, 512 at a
// time, beside a loop of the same requests on net/http. It reports the CPU time that
// the client took for each model call; the server is another process.
func BenchmarkAgentLoop(b *testing.B) {
	for _, delay := range []string{"0ms", "50ms"} {
		b.Run("delay="+delay+"/weft", func(b *testing.B) {
			p, r := benchAgent(b, startServer(b, delay))
			measured(b, func() {
				res, err := r.Run(context.Background(), p, local.Start{Graph: "main"})
				if err != nil || res.Status != engine.Done {
					b.Error(res.Status, res.Failure, err)
				}
			})
		})
		b.Run("delay="+delay+"/bare", func(b *testing.B) {
			url, client := startServer(b, delay), model.NewHTTPClient()
			measured(b, func() { bareLoop(b, client, url) })
		})
	}
}

func measured(b *testing.B, work func()) {
	before := cpuTime(b)
	crowd(b, 512, work)
	calls := float64(b.N * callsOfARun)
	b.ReportMetric(calls/b.Elapsed().Seconds(), "calls/s")
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/calls, "cpu-µs/call")
}

// cpuTime is what this process has used of the processors.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func benchAgent(b *testing.B, url string) (*engine.Program, *local.Runner) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(strings.ReplaceAll(agentSpec, "SERVER", url)), 0o600); err != nil {
		b.Fatal(err)
	}
	provider := &model.Provider{
		Vault: &secret.Vault{Getenv: os.LookupEnv}, HTTP: model.NewHTTPClient(), Now: time.Now, Rand: rand.Float64,
		Sleep: func(context.Context, time.Duration) error { return nil },
	}
	deps := nodes.Deps{Models: provider, Now: time.Now}
	sp, list := spec.LoadDir(dir, spec.Options{})
	if err := list.Err(); err != nil {
		b.Fatal(err)
	}
	p, list := compile.Program(sp, nodes.Types(deps))
	if err := list.Err(); err != nil {
		b.Fatal(err)
	}
	var id atomic.Int64
	return p, &local.Runner{
		Store: inmem.New(), Clock: local.Wall{}, Owner: "bench", Rand: rand.Float64,
		NewID: func() string { return fmt.Sprint("id", id.Add(1)) },
	}
}

// crowd does b.N pieces of work, so many at a time.
func crowd(b *testing.B, workers int, work func()) {
	jobs := make(chan struct{})
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range jobs {
				work()
			}
		})
	}
	b.ResetTimer()
	for range b.N {
		jobs <- struct{}{}
	}
	close(jobs)
	wg.Wait()
	b.StopTimer()
}

func bareLoop(b *testing.B, client *http.Client, url string) {
	type message = map[string]any
	messages := []any{message{"role": "user", "content": "go"}}
	tools := []any{message{"type": "function", "function": message{"name": "add", "description": "Adds.", "parameters": message{"type": "object"}}}}
	for {
		body, err := json.Marshal(message{"model": "m", "messages": messages, "tools": tools})
		if err != nil {
			b.Error(err)
			return
		}
		resp, err := client.Post(url+"/v1/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		var out struct {
			Choices []struct {
				Message struct {
					Content   string           `json:"content"`
					ToolCalls []map[string]any `json:"tool_calls"`
				} `json:"message"`
			} `json:"choices"`
		}
		err = json.NewDecoder(resp.Body).Decode(&out)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			b.Error(err)
			return
		}
		answer := out.Choices[0].Message
		if len(answer.ToolCalls) == 0 {
			return
		}
		messages = append(messages, message{"role": "assistant", "content": answer.Content, "tool_calls": answer.ToolCalls})
		for _, call := range answer.ToolCalls {
			messages = append(messages, message{"role": "tool", "tool_call_id": call["id"], "content": "1"})
		}
	}
}
