package main_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// huge is the size of what is far more than anybody wants.
const huge = 100 << 20

// asking is a spec with one tool and one model. A thread waits before it meets them.
const asking = `
name: asking
models: {default: {provider: openai, model: m, api_key: {env: OPENAI_API_KEY}, timeout: 20s, retry: {attempts: 2, backoff: 1ms}}}
tools:
  fetch:
    description: Fetches a page.
    http: {url: "URL/tool", private: true}
  program:
    description: Prints without end.
    effect: none
    exec: {command: [sh, -c, "head -c 100000000 /dev/zero | tr '\\0' x"]}
  compute:
    description: Computes a text.
    expr: 'repeat("0123456789", 10000000)'
graphs:
  tool: {state: &state {said: {type: string, default: ""}}, start: ask, nodes: {ask: &ask {interrupt: {allow: [accept], title: "Go on?"}, next: work}, work: {tool: {name: fetch}, set: {said: "{{ string(output) }}"}}}}
  program: {state: *state, start: ask, nodes: {ask: *ask, work: {tool: {name: program}, set: {said: "{{ string(output) }}"}}}}
  compute: {state: *state, start: ask, nodes: {ask: *ask, work: {tool: {name: compute}, set: {said: "{{ string(output) }}"}}}}
  chat: {state: *state, start: ask, nodes: {ask: *ask, work: {llm_call: {prompt: Hi}, set: {said: "{{ output.text }}"}}}}
  stream: {state: *state, start: ask, nodes: {ask: *ask, work: {llm_call: {prompt: Hi, stream: true}, set: {said: "{{ output.text }}"}}}}
  shape: {state: *state, start: ask, nodes: {ask: *ask, work: {llm_call: {prompt: Hi, response: {type: object, required: [mood], properties: {mood: {enum: [good, bad]}}}}, set: {said: "{{ output.mood }}"}}}}
`

// TestBadWorld: tools and models that answer too much or nonsense fail the run with a
// reason; what the thread held before is as it was, and the answer is told in short.
func TestBadWorld(t *testing.T) {
	t.Parallel()
	html := "<!doctype html><title>Sign in</title>" + strings.Repeat("<p>Please sign in to the airport network.</p>", 5000)
	for name, c := range map[string]struct {
		graph string
		serve http.HandlerFunc
		says  string
	}{
		"tool: 100 MB, length told": {"tool", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(huge))
			endless(w)
		}, "max_bytes"},
		"tool: 100 MB in chunks":     {"tool", func(w http.ResponseWriter, _ *http.Request) { endless(w) }, "max_bytes"},
		"tool: 100 MB compressed":    {"tool", compressed, "max_bytes"},
		"program: 100 MB":            {"program", nil, "max_bytes"},
		"expression: 100 MB":         {"compute", nil, "it builds more than 64 MiB of data"},
		"model: HTML":                {"chat", text("text/html", html), "no chat completion"},
		"model: HTML, streaming":     {"stream", text("text/html", html), "no chat completion"},
		"model: an empty object":     {"chat", text("application/json", "{}"), "without a choice"},
		"model: nothing":             {"chat", text("application/json", ""), "model"},
		"model: half of an answer":   {"chat", text("application/json", `{"choices": [{"message": {"role": "assistant", "content": "He`), "model"},
		"model: 100 MB":              {"chat", func(w http.ResponseWriter, _ *http.Request) { endless(w) }, "larger"},
		"model: an endless stream":   {"stream", stream, "larger"},
		"model: an answer in prose":  {"shape", text("application/json", says("I am fine, thanks!")), "JSON"},
		"model: an answer misshapen": {"shape", text("application/json", says(`{\"mood\": \"great\"}`)), "mood"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := "http://127.0.0.1:1"
			if c.serve != nil {
				s := httptest.NewServer(c.serve)
				t.Cleanup(s.Close)
				url = s.URL
			}
			dir := tree(t, map[string]string{"s/spec.yaml": strings.Replace(asking, "URL", url, 1)})
			env := []string{"OPENAI_API_KEY=sk-not-a-real-key-000000000", "OPENAI_BASE_URL=" + url}
			weftIn(t, dir, env, "run", "s", "--graph", c.graph, "--thread", "t1", "--allow-exec").want(t, 4, "t1")
			if t.Failed() {
				return
			}
			before := weftIn(t, dir, env, "threads", "export", "t1")
			weftIn(t, dir, env, "resume", "t1", "--accept", "--allow-exec").want(t, 1, "failed: ", c.says)
			weftIn(t, dir, env, "threads", "show", "t1").want(t, 0, "failed")
			after := weftIn(t, dir, env, "threads", "export", "t1")
			if journal(before) == "" || !strings.HasPrefix(journal(after), journal(before)) {
				t.Errorf("what was in the journal has changed:\n%s\n%s", before.stdout, after.stdout[:min(len(after.stdout), 5000)])
			}
			if len(after.stdout)-len(before.stdout) > 40_000 {
				t.Errorf("%d bytes were kept", len(after.stdout)-len(before.stdout))
			}
		})
	}
}

// journal returns the events of an export, without the line that says where the thread is now.
func journal(export outcome) string {
	_, events, _ := strings.Cut(export.stdout, "\n")
	return events
}

func text(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}
}

// says is what a model's server sends when the model says something.
func says(content string) string {
	return `{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "` + content + `"}}]}`
}

// endless writes 100 MB, or until nobody reads on.
func endless(w io.Writer) {
	part := bytes.Repeat([]byte("x"), 1<<20)
	for range huge >> 20 {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

func compressed(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	endless(z)
	_ = z.Close() // the reader has gone
}

// stream is a model that does not stop.
func stream(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	word := strings.Repeat("blah ", 10_000)
	for range huge / len(word) {
		if _, err := fmt.Fprintf(w, "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": %q}}]}\n\n", word); err != nil {
			return
		}
	}
}
