package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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

// benchModel asks for a tool four times, then answers.
func benchModel(b *testing.B, calls *atomic.Int64) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls.Add(1)
		w.Header().Set("Content-Type", "application/json")
		if n := strings.Count(string(body), `"tool_call_id"`); n < 4 {
			_, _ = fmt.Fprintf(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"","tool_calls":[{"id":"c%d","type":"function","function":{"name":"add","arguments":"{\"a\": %d}"}}]}}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`, n, n)
			return
		}
		_, _ = io.WriteString(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"done"}}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`)
	}))
	b.Cleanup(server.Close)
	return server.URL
}

// BenchmarkAgentLoop is an agent of five model calls and four tool calls, 512 at a
// time, beside a loop of the same requests on net/http.
func BenchmarkAgentLoop(b *testing.B) {
	b.Run("weft", func(b *testing.B) {
		var calls atomic.Int64
		p, r := benchAgent(b, benchModel(b, &calls))
		crowd(b, 512, func() {
			res, err := r.Run(context.Background(), p, local.Start{Graph: "main"})
			if err != nil || res.Status != engine.Done {
				b.Error(res.Status, res.Failure, err)
			}
		})
		b.ReportMetric(float64(calls.Load())/b.Elapsed().Seconds(), "calls/s")
	})
	b.Run("bare", func(b *testing.B) {
		var calls atomic.Int64
		url, client := benchModel(b, &calls), model.NewHTTPClient()
		crowd(b, 512, func() { bareLoop(b, client, url) })
		b.ReportMetric(float64(calls.Load())/b.Elapsed().Seconds(), "calls/s")
	})
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
	p, list := compile.Program(sp, nodes.All(deps), nodes.Backends(deps))
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
