package main_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// The secrets have letters that JSON and URLs write in another way.
const (
	modelKey  = `sk-7f+Qz/91<w>"8x=Kd02`
	toolToken = `tok/55&en_"Zz9+qq==Lm1`
)

const secretive = `
name: secretive
models:
  default: {provider: openai, model: m, api_key: {env: MODEL_KEY}, retry: {attempts: 1}}
memory:
  diary: {default: Nothing., update: {system: "Keep it:\n{{ content }}"}}
tools:
  look: &tool
    description: Looks.
    http: {url: "URL/tool", headers: {Authorization: {env: TOOL_TOKEN, prefix: "Bearer "}}, private: true}
  broken:
    description: Fails.
    http: {url: "URL/broken", headers: {Authorization: {env: TOOL_TOKEN, prefix: "Bearer "}}, private: true}
graphs:
  main:
    input: {type: object, properties: {note: {type: string}}}
    state: {messages: {type: array, items: {$ref: "#/types/Message"}, reduce: by_id, default: []}, text: {type: string, default: ""}}
    limits: {steps: 20}
    start: think
    nodes:
      think:
        llm_call: {prompt: "What?", tools: [look, broken], tool_choice: required, stream: STREAM}
        set: {messages: "{{ [output.message] }}"}
        next: act
      act: {tool: {calls: "{{ tool_calls(messages) }}"}, set: {messages: "{{ output.messages }}"}, next: learn}
      learn: {memory: {update: {memory: diary, note: "{{ json(messages) }}"}}, next: ask}
      ask: {interrupt: {allow: [respond], title: "{{ json(messages) }}"}, next: fail}
      fail: {tool: {name: broken}, set: {text: "{{ json(output) }}"}, on_error: {set: {text: "{{ error.message }}"}, to: end}, next: end}
  error:
    start: think
    nodes: {think: {llm_call: {system: error, prompt: "What?"}}}
`

// parrot repeats every secret it is sent: in answers, in results, in errors.
func parrot(w http.ResponseWriter, r *http.Request) {
	secret := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch r.URL.Path {
	case "/tool":
		reply(w, 200, map[string]any{"you_sent": secret, secret: r.Header})
		return
	case "/broken":
		w.Header().Set("X-Echo", secret)
		reply(w, 400, map[string]any{"error": "what is " + secret + "?"})
		return
	}
	var ask struct {
		Stream   bool                       `json:"stream"`
		Tools    []any                      `json:"tools"`
		Format   any                        `json:"response_format"`
		Messages []struct{ Content string } `json:"messages"`
	}
	_ = json.NewDecoder(r.Body).Decode(&ask)
	message := map[string]any{"role": "assistant", "content": "your key is " + secret}
	switch {
	case len(ask.Messages) > 0 && ask.Messages[0].Content == "error":
		reply(w, 401, map[string]any{"error": map[string]any{"message": "wrong key: " + secret, "code": secret}})
		return
	case len(ask.Tools) > 0:
		call := func(n int, name string) map[string]any {
			args, _ := json.Marshal(map[string]any{"hint": secret})
			return map[string]any{"index": n, "id": fmt.Sprint("c", n), "type": "function", "function": map[string]any{"name": name, "arguments": string(args)}}
		}
		message["tool_calls"] = []any{call(0, "look"), call(1, "broken"), call(2, "none")}
	case ask.Format != nil:
		content, _ := json.Marshal(map[string]any{"reasoning": secret, "content": "the key: " + secret})
		message["content"] = string(content)
	}
	if !ask.Stream {
		reply(w, 200, map[string]any{"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": message}}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	data, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": message}}})
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: {\"choices\": [{\"index\": 0, \"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n", data)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// TestSecretsAreNowhere runs a spec against servers that repeat the secrets they are
// sent, and looks at every byte that is printed or written.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(parrot))
	t.Cleanup(server.Close)
	env := []string{"MODEL_KEY=" + modelKey, "TOOL_TOKEN=" + toolToken, "OPENAI_BASE_URL=" + server.URL}
	for _, stream := range []string{"false", "true"} {
		for _, output := range []string{"events", "json", "text"} {
			t.Run(output+" streaming "+stream, func(t *testing.T) {
				t.Parallel()
				dir := tree(t, map[string]string{"s/spec.yaml": strings.NewReplacer("URL", server.URL, "STREAM", stream).Replace(secretive)})
				store := []string{"--store", "sqlite:w.db", "--log-level", "debug", "--log-format", "json"}
				drive := append([]string{"--output", output, "--record", "tape"}, store...)
				var said strings.Builder
				run := func(code int, args ...string) {
					t.Helper()
					out := weftIn(t, dir, env, args...)
					out.want(t, code)
					said.WriteString(out.stdout + out.stderr)
				}
				run(4, append([]string{"run", "s", "--graph", "main", "--thread", "t1", "--input", `{"note": "the token is ` + strings.ReplaceAll(toolToken, `"`, `\"`) + `"}`}, drive...)...)
				run(0, append([]string{"inbox", "list"}, store...)...)
				run(0, append([]string{"resume", "t1", "--respond", "take " + modelKey}, drive...)...)
				run(1, append([]string{"run", "s", "--graph", "error", "--thread", "t2"}, drive...)...)
				for _, verb := range []string{"show", "history", "export"} {
					run(0, append([]string{"threads", verb, "t1"}, store...)...)
					run(0, append([]string{"threads", verb, "t2"}, store...)...)
				}
				run(0, append([]string{"memory", "show", "diary"}, store...)...)
				if !strings.Contains(said.String(), "[secret]") {
					t.Errorf("no secret was struck out: is there any? %s", said.String())
				}
				clean(t, "what was printed", said.String())
				for _, name := range written(t, dir) {
					clean(t, name, string(contents(t, name)))
				}
			})
		}
	}
}

// TestSecretsInFindings: a secret that was written down is not repeated by what finds it.
func TestSecretsInFindings(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"s/spec.yaml": minimal + "models: {default: {provider: openai, model: m, api_key: 'sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8t'}}\n"})
	for _, format := range []string{"text", "json", "sarif", "github"} {
		out := weftIn(t, dir, nil, "validate", "s", "--format", format)
		out.want(t, 3, "secret/")
		if strings.Contains(out.stdout+out.stderr, "Ab3dEf6hIj9kLm2nOp5qRs8t") {
			t.Errorf("%s: %s", format, out.stdout+out.stderr)
		}
	}
}

// written returns the files that the program wrote: all but the spec.
func written(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != "spec.yaml" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[bool]int{}
	for _, name := range names {
		kinds[strings.Contains(name, "w.db")]++
	}
	if kinds[true] == 0 || kinds[false] < 2 {
		t.Errorf("there is no database or no recordings among %v", names)
	}
	return names
}

// clean checks that no form of a secret is in a text.
func clean(t *testing.T, what, text string) {
	t.Helper()
	for _, secret := range []string{modelKey, toolToken} {
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{
			secret, strings.Trim(string(quoted), `"`), strings.ReplaceAll(secret, `"`, `\"`), url.QueryEscape(secret), url.PathEscape(secret),
			base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
			base64.StdEncoding.EncodeToString([]byte("Bearer " + secret)),
		} {
			if i := strings.Index(text, form); i >= 0 {
				t.Errorf("%s has %s in it: %s", filepath.Base(what), form, text[max(i-300, 0):min(i+100, len(text))])
			}
		}
	}
}
