package model_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/model"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/source"
)

func TestRequestAsSent(t *testing.T) {
	t.Parallel()
	zero, half := 0.0, 0.5
	closed := map[string]any{"type": "object", "additionalProperties": false, "required": []any{"a"}, "properties": map[string]any{"a": map[string]any{"type": "string"}}}
	loose := map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}}}
	tests := []struct {
		name string
		req  func(*chat.Request)
		want string
	}{
		{"plain", func(*chat.Request) {}, `{"model":"gpt-4.1","messages":[{"role":"user","content":"Hello"}]}`},
		{
			"model's settings", func(r *chat.Request) { r.Model.Temperature, r.Model.MaxTokens = &zero, 7 },
			`{"model":"gpt-4.1","messages":[{"role":"user","content":"Hello"}],"temperature":0,"max_tokens":7}`,
		},
		{"request's settings", func(r *chat.Request) {
			r.Model.Temperature, r.Model.MaxTokens = &zero, 7
			r.Temperature, r.MaxTokens = &half, 9
		}, `{"model":"gpt-4.1","messages":[{"role":"user","content":"Hello"}],"temperature":0.5,"max_tokens":9}`},
		{
			"reasoning model", func(r *chat.Request) { r.Model.Model, r.MaxTokens = "gpt-5-mini", 9 },
			`{"model":"gpt-5-mini","messages":[{"role":"user","content":"Hello"}],"max_completion_tokens":9}`,
		},
		{"conversation", func(r *chat.Request) {
			r.Messages = []chat.Message{
				{Role: chat.System, Content: "Quote \" back \\ tab \t line \n bell \a é 😀 \u2028 bad \xff end"},
				{ID: "m1", Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "c1", Name: "send", Args: map[string]any{"to": "a", "n": 1}}, {ID: "c2", Name: "done"}, {ID: "c3", Name: "bad", Invalid: "{"}}},
				{Role: chat.ToolRole, ToolCallID: "c1", Name: "send", Content: ""},
				{Role: chat.Assistant, Content: "both", ToolCalls: []chat.ToolCall{{ID: "c4", Name: "done", Args: map[string]any{}}}},
			}
		}, `{"model":"gpt-4.1","messages":[
			{"role":"system","content":"Quote \" back \\ tab \t line \n bell \u0007 é 😀 \u2028 bad \ufffd end"},
			{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"send","arguments":"{\"n\":1,\"to\":\"a\"}"}},
				{"id":"c2","type":"function","function":{"name":"done","arguments":"{}"}},{"id":"c3","type":"function","function":{"name":"bad","arguments":"{}"}}]},
			{"role":"tool","content":"","name":"send","tool_call_id":"c1"},
			{"role":"assistant","content":"both","tool_calls":[{"id":"c4","type":"function","function":{"name":"done","arguments":"{}"}}]}]}`},
		{"tools", func(r *chat.Request) {
			r.Tools = []chat.Tool{{Name: "send", Description: "Sends.", Parameters: loose}, {Name: "done"}}
			r.ToolChoice = "required"
		}, `{"model":"gpt-4.1","messages":[{"role":"user","content":"Hello"}],"tools":[
			{"type":"function","function":{"name":"send","description":"Sends.","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}},
			{"type":"function","function":{"name":"done","parameters":{"type":"object","properties":{}}}}],"tool_choice":"required"}`},
		{
			"one tool", func(r *chat.Request) { r.Tools, r.ToolChoice = []chat.Tool{{Name: "done"}}, "done" },
			`{"model":"gpt-4.1","messages":[{"role":"user","content":"Hello"}],"tools":[{"type":"function","function":{"name":"done","parameters":{"type":"object","properties":{}}}}],
			"tool_choice":{"type":"function","function":{"name":"done"}}}`,
		},
		{"choice without tools", func(r *chat.Request) { r.ToolChoice = "required" }, `{"model":"gpt-4.1","messages":[{"role":"user","content":"Hello"}]}`},
		{
			"strict answer", func(r *chat.Request) { r.Response = &chat.ResponseSchema{Name: "Triage v1", Schema: closed} },
			`{"model":"gpt-4.1","messages":[{"role":"user","content":"Hello"}],"response_format":{"type":"json_schema","json_schema":{"name":"Triage_v1","strict":true,
			"schema":{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"}}}}}}`,
		},
		{
			"loose answer", func(r *chat.Request) { r.Response = &chat.ResponseSchema{Schema: loose} },
			`{"model":"gpt-4.1","messages":[{"role":"user","content":"Hello"}],"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":false,
			"schema":{"type":"object","properties":{"a":{"type":"string"}}}}}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, says("Hi"))
			req := hello(gpt())
			tt.req(&req)
			if _, err := provider(s, nil).Complete(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			got, err := source.DecodeJSON([]byte(s.bodies[0]))
			if err != nil {
				t.Fatalf("%v: %s", err, s.bodies[0])
			}
			want, err := source.DecodeJSON([]byte(tt.want))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if h := s.headers[0]; h.Get("Authorization") != "Bearer "+apiKey || h.Get("Content-Type") != "application/json" || s.paths[0] != "/chat/completions" {
				t.Errorf("%v %s", h, s.paths[0])
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	usage := chat.Usage{Model: "default", Requests: 1, InputTokens: 1000, OutputTokens: 500, USD: 0.006}
	tests := []struct {
		name, body string
		want       chat.Response
	}{
		{
			"text", `{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`,
			chat.Response{Message: chat.Message{Content: "Hi"}, Usage: chat.Usage{Model: "default", Requests: 1}, Finish: "stop"},
		},
		{
			"usage", `{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}`,
			chat.Response{Message: chat.Message{Content: "Hi"}, Usage: usage, Finish: "stop"},
		},
		{
			"cut", `{"choices":[{"message":{"content":"H"},"finish_reason":"length"}],"usage":{"prompt_tokens":-4}}`,
			chat.Response{Message: chat.Message{Content: "H"}, Usage: chat.Usage{Model: "default", Requests: 1}, Finish: "length"},
		},
		{
			"filtered", `{"choices":[{"message":{"content":null,"refusal":"I cannot."},"finish_reason":"content_filter"}]}`,
			chat.Response{Message: chat.Message{Content: "I cannot."}, Usage: chat.Usage{Model: "default", Requests: 1}, Finish: "content_filter"},
		},
		{
			"parts", `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}`,
			chat.Response{Message: chat.Message{Content: "ab"}, Usage: chat.Usage{Model: "default", Requests: 1}, Finish: "stop"},
		},
		{
			"calls", `{"choices":[{"finish_reason":"stop","message":{"content":"","tool_calls":[
			{"id":"a","type":"function","function":{"name":"send","arguments":"{\"n\": 3, \"x\": 1.5}"}},
			{"id":"b","function":{"name":"done","arguments":""}},
			{"id":"b","function":{"name":"done","arguments":" {} "}},
			{"id":"","function":{"name":"list","arguments":"[1]"}},
			{"id":"d","function":{"name":"cut","arguments":"{\"a\": \"b"}},
			{"id":"e","function":{"name":"two","arguments":"{} {}"}},
			{"id":"x","function":{"name":"again","arguments":"{}"}},
			{"id":"call_6","function":{"name":"ours","arguments":"{}"}}]}}]}`,
			chat.Response{Message: chat.Message{ToolCalls: []chat.ToolCall{
				{ID: "a", Name: "send", Args: map[string]any{"n": 3, "x": 1.5}},
				{ID: "b", Name: "done", Args: map[string]any{}},
				{ID: "call_3", Name: "done", Args: map[string]any{}},
				{ID: "call_4", Name: "list", Args: map[string]any{}, Invalid: "[1]"},
				{ID: "d", Name: "cut", Args: map[string]any{}, Invalid: `{"a": "b`},
				{ID: "e", Name: "two", Args: map[string]any{}, Invalid: "{} {}"},
				{ID: "call_5", Name: "again", Args: map[string]any{}},
				{ID: "call_6", Name: "ours", Args: map[string]any{}},
			}}, Usage: chat.Usage{Model: "default", Requests: 1}, Finish: "tool_calls"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, answer(tt.body))
			req := hello(gpt())
			req.Messages = append(req.Messages, chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "x"}, {ID: "y"}}})
			tt.want.Message.Role = chat.Assistant
			got, err := provider(s, nil).Complete(t.Context(), req, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			var told strings.Builder
			got, err = provider(s, nil).Complete(t.Context(), req, func(d chat.Delta) { told.WriteString(d.Text) })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("asked to stream: %s", diff)
			}
			if told.String() != tt.want.Message.Content {
				t.Errorf("handed on %q", told.String())
			}
		})
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	const sec = time.Second
	tests := []struct {
		name     string
		handlers []http.HandlerFunc
		slept    []time.Duration
		requests int
		want     *chat.Error // nil: it answers
	}{
		{"answers at once", []http.HandlerFunc{says("Hi")}, nil, 1, nil},
		{"429 then an answer", []http.HandlerFunc{refuse(429, `{}`), says("Hi")}, []time.Duration{sec}, 2, nil},
		{"backoff doubles", []http.HandlerFunc{refuse(500, ``), refuse(503, ``), says("Hi")}, []time.Duration{sec, 2 * sec}, 3, nil},
		{"408, 409", []http.HandlerFunc{refuse(408, ``), refuse(409, ``), says("Hi")}, []time.Duration{sec, 2 * sec}, 3, nil},
		{
			"attempts spent",
			[]http.HandlerFunc{refuse(502, `{"error":{"message":"overloaded"}}`)},
			[]time.Duration{sec, 2 * sec},
			3,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 502 Bad Gateway: overloaded (after 3 attempts)`, Status: 502, Transient: true},
		},
		{
			"400",
			[]http.HandlerFunc{refuse(400, `{"error":{"message":"bad schema","type":"invalid_request_error","param":null,"code":null}}`)},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 400 Bad Request: bad schema`, Status: 400},
		},
		{
			"429 that waiting does not mend",
			[]http.HandlerFunc{refuse(429, `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`)},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 429 Too Many Requests: You exceeded your current quota.`, Status: 429},
		},
		{
			"401",
			[]http.HandlerFunc{refuse(401, `{"error":{"message":"Incorrect API key provided: `+apiKey+`"}}`)},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 401 Unauthorized: Incorrect API key provided: [secret]`, Status: 401},
		},
		{
			"403",
			[]http.HandlerFunc{refuse(403, `{"error":"no"}`)},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 403 Forbidden: no`, Status: 403},
		},
		{
			"404",
			[]http.HandlerFunc{refuse(404, `<html>nothing here</html>`)},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 404 Not Found: <html>nothing here</html>`, Status: 404},
		},
		{
			"list of errors",
			[]http.HandlerFunc{refuse(400, `[{"error":{"code":400,"message":"from a list"}}]`)},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 400 Bad Request: from a list`, Status: 400},
		},
		{
			"redirect",
			[]http.HandlerFunc{refuse(307, ``, "Location", "http://127.0.0.1:1/")},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 307 Temporary Redirect`, Status: 307},
		},
		{"Retry-After in seconds", []http.HandlerFunc{refuse(429, ``, "Retry-After", "7"), says("Hi")}, []time.Duration{7 * sec}, 2, nil},
		{"Retry-After beyond the backoff", []http.HandlerFunc{refuse(429, ``, "Retry-After", "30"), says("Hi")}, []time.Duration{30 * sec}, 2, nil},
		{"Retry-After as a date", []http.HandlerFunc{refuse(503, ``, "Retry-After", start.Add(9*sec).Format(http.TimeFormat)), says("Hi")}, []time.Duration{9 * sec}, 2, nil},
		{"Retry-After in the past", []http.HandlerFunc{refuse(503, ``, "Retry-After", start.Add(-9*sec).Format(http.TimeFormat)), says("Hi")}, []time.Duration{sec}, 2, nil},
		{"Retry-After in milliseconds", []http.HandlerFunc{refuse(429, ``, "Retry-After-Ms", "250", "Retry-After", "1"), says("Hi")}, []time.Duration{250 * time.Millisecond}, 2, nil},
		{"Retry-After of nonsense", []http.HandlerFunc{refuse(429, ``, "Retry-After", "soon"), refuse(429, ``, "Retry-After", "-3"), says("Hi")}, []time.Duration{sec, 2 * sec}, 3, nil},
		{
			"Retry-After too long",
			[]http.HandlerFunc{refuse(429, `{"error":{"message":"slow down"}}`, "Retry-After", "3600")},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 429 Too Many Requests: slow down; it wants to be left alone for 1h0m0s, and 1m0s is the longest wait here`, Status: 429, Transient: true, RetryAfter: time.Hour},
		},
		{
			"Retry-After without end",
			[]http.HandlerFunc{refuse(429, ``, "Retry-After", "1e300")},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 429 Too Many Requests; it wants to be left alone for 8760h0m0s, and 1m0s is the longest wait here`, Status: 429, Transient: true, RetryAfter: 365 * 24 * time.Hour},
		},
		{
			"HTML",
			[]http.HandlerFunc{answer("<html>Please log in</html>")},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): answered 200 with something that is no chat completion: "<html>Please log in</html>": check the base_url`, Status: 200},
		},
		{
			"nothing",
			[]http.HandlerFunc{answer("")},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): answered 200 with something that is no chat completion: "": check the base_url`, Status: 200},
		},
		{"no choice", []http.HandlerFunc{answer(`{"choices":[]}`), says("Hi")}, []time.Duration{sec}, 2, nil},
		{"cut JSON", []http.HandlerFunc{answer(`{"choices":[{"message":{"content":"a`), says("Hi")}, []time.Duration{sec}, 2, nil},
		{
			"JSON of another kind",
			[]http.HandlerFunc{answer(`{"choices":7}`)},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): the answer cannot be read: json: cannot unmarshal number into Go struct field answer.choices of type []model.choice`, Status: 200},
		},
		{"connection cut", []http.HandlerFunc{hangUp, says("Hi")}, []time.Duration{sec}, 2, nil},
		{"cut in the middle", []http.HandlerFunc{cutOff, says("Hi")}, []time.Duration{sec}, 2, nil},
		{
			"too large",
			[]http.HandlerFunc{endless},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): the answer is larger than 32 MiB`, Status: 200},
		},
		{
			"too large a refusal",
			[]http.HandlerFunc{refuse(400, strings.Repeat("no ", 100_000))},
			nil, 1,
			&chat.Error{Message: `model "default" (openai gpt-4.1): status 400 Bad Request: ` + strings.TrimSpace(strings.Repeat("no ", 100)) + `…`, Status: 400},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, emit := range []func(chat.Delta){nil, func(chat.Delta) {}} {
				s := serve(t, tt.handlers...)
				var slept []time.Duration
				resp, err := provider(s, &slept).Complete(t.Context(), hello(gpt()), emit)
				if diff := cmp.Diff(tt.slept, slept); diff != "" {
					t.Errorf("slept: %s", diff)
				}
				if s.requests() != tt.requests {
					t.Errorf("%d requests", s.requests())
				}
				if tt.want == nil {
					if err != nil || resp.Message.Content != "Hi" {
						t.Errorf("%v %v", resp, err)
					}
					continue
				}
				if diff := cmp.Diff(tt.want, failed(t, err)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"choices":[`))
	panic(http.ErrAbortHandler)
}

func endless(w http.ResponseWriter, _ *http.Request) {
	_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"`))
	block := []byte(strings.Repeat("a", 1<<20))
	for {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func TestBackoffIsJitteredAndBounded(t *testing.T) {
	t.Parallel()
	s := serve(t, refuse(500, ``))
	var slept []time.Duration
	p := provider(s, &slept)
	p.Rand = func() float64 { return 0 }
	m := gpt()
	m.Retry = chat.Retry{Attempts: 6, Backoff: 2 * time.Second, MaxBackoff: 10 * time.Second}
	_, _ = p.Complete(t.Context(), hello(m), nil)
	if diff := cmp.Diff([]time.Duration{1e9, 2e9, 4e9, 5e9, 5e9}, slept); diff != "" {
		t.Error(diff)
	}
}

func TestFallback(t *testing.T) {
	t.Parallel()
	good, busy, bad := serve(t, says("from the other")), serve(t, refuse(503, ``)), serve(t, refuse(400, ``))
	other := gpt()
	other.Name, other.BaseURL, other.Model = "cheap", good.URL, "small"
	first := gpt()
	first.BaseURL, first.Fallback, first.Retry.Attempts = busy.URL, other, 2

	resp, err := provider(nil, nil).Complete(t.Context(), hello(first), nil)
	if err != nil || resp.Message.Content != "from the other" || resp.Usage.Model != "cheap" {
		t.Fatalf("%+v %v", resp, err)
	}
	if busy.requests() != 2 || !strings.Contains(good.bodies[0], `"model":"small"`) {
		t.Errorf("%d requests, %s", busy.requests(), good.bodies[0])
	}

	first.BaseURL = bad.URL
	if _, err = provider(nil, nil).Complete(t.Context(), hello(first), nil); failed(t, err).Status != 400 {
		t.Errorf("a refused request: %v", err)
	}
	if good.requests() != 1 {
		t.Error("a refused request went to the fallback")
	}

	circle := gpt()
	circle.BaseURL, circle.Retry.Attempts = busy.URL, 1
	circle.Fallback = circle
	before := busy.requests()
	if _, err = provider(nil, nil).Complete(t.Context(), hello(circle), nil); failed(t, err).Status != 503 || busy.requests()-before > 10 {
		t.Errorf("a circle of fallbacks: %v after %d requests", err, busy.requests()-before)
	}
}

func TestTimeoutAndCancel(t *testing.T) {
	t.Parallel()
	slow := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	half := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, h := range map[string]http.HandlerFunc{"no answer": slow, "half an answer": half} {
		for _, emit := range []func(chat.Delta){nil, func(chat.Delta) {}} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := gpt()
				m.Timeout, m.Retry.Attempts = 20*time.Millisecond, 2
				s := serve(t, h)
				_, err := provider(s, nil).Complete(t.Context(), hello(m), emit)
				want := &chat.Error{Message: `model "default" (openai gpt-4.1): no answer within 20ms (after 2 attempts)`, Transient: true}
				if diff := cmp.Diff(want, failed(t, err)); diff != "" {
					t.Error(diff)
				}

				m = gpt()
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				defer cancel()
				before := s.requests()
				_, err = provider(s, nil).Complete(ctx, hello(m), emit)
				if e := failed(t, err); !e.Transient || !strings.Contains(e.Message, "stopped while waiting for an answer") {
					t.Error(e)
				}
				if s.requests() > before+1 {
					t.Error("asked again after it was stopped")
				}
			})
		}
	}
}

func TestNoWaitBeyondTheDeadline(t *testing.T) {
	t.Parallel()
	s := serve(t, refuse(429, ``, "Retry-After", "30"))
	var slept []time.Duration
	p := provider(s, &slept)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
	defer cancel()
	p.Now = func() time.Time { return time.Now().Add(time.Hour - 20*time.Second) }
	_, err := p.Complete(ctx, hello(gpt()), nil)
	if e := failed(t, err); e.RetryAfter != 30*time.Second || len(slept) > 0 {
		t.Errorf("%+v %v", e, slept)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestPresets(t *testing.T) {
	t.Parallel()
	key := secret.Ref{Env: "API_KEY"}
	tests := []struct {
		name string
		m    chat.Model
		want string // the address, or the error
		auth string
	}{
		{"openai", chat.Model{Provider: "openai", APIKey: key}, "https://api.openai.com/v1/chat/completions", "Bearer " + apiKey},
		{"anthropic", chat.Model{Provider: "anthropic", APIKey: key}, "https://api.anthropic.com/v1/chat/completions", "Bearer " + apiKey},
		{"google", chat.Model{Provider: "google", APIKey: key}, "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", "Bearer " + apiKey},
		{"ollama", chat.Model{Provider: "ollama"}, "http://localhost:11434/v1/chat/completions", ""},
		{"compatible", chat.Model{Provider: "openai_compatible", BaseURL: "https://a.example/v1/"}, "https://a.example/v1/chat/completions", ""},
		{"compatible with a key", chat.Model{Provider: "openai_compatible", BaseURL: "https://a.example/v1", APIKey: key}, "https://a.example/v1/chat/completions", "Bearer " + apiKey},
		{
			"azure",
			chat.Model{Provider: "azure", Model: "my gpt", BaseURL: "https://x.openai.azure.com", APIKey: key},
			"https://x.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21", "api-key " + apiKey,
		},
		{"azure v1", chat.Model{Provider: "azure", BaseURL: "https://x.openai.azure.com/openai/v1", APIKey: key}, "https://x.openai.azure.com/openai/v1/chat/completions", "Bearer " + apiKey},
		{"overridden", chat.Model{Provider: "openai", BaseURL: "http://127.0.0.1:1/v1"}, "http://127.0.0.1:1/v1/chat/completions", ""},
		{"overridden by the environment", chat.Model{Provider: "google"}, "http://proxy/g/chat/completions", ""},

		{"no address", chat.Model{Provider: "openai_compatible"}, `provider "openai_compatible" needs a base_url`, ""},
		{"azure without an address", chat.Model{Provider: "azure", APIKey: key}, `provider "azure" needs a base_url`, ""},
		{"no key", chat.Model{Provider: "openai"}, `provider "openai" needs an api_key`, ""},
		{"key not set", chat.Model{Provider: "openai", APIKey: secret.Ref{Env: "OTHER"}}, `environment variable OTHER is not set: export it before the run`, ""},
		{"key not readable", chat.Model{Provider: "openai", APIKey: secret.Ref{File: "/run/key"}}, `read secret: no such file`, ""},
		{"unknown", chat.Model{Provider: "acme"}, `provider "acme" is not known`, ""},
		{"bad address", chat.Model{Provider: "openai", BaseURL: "file:///etc/passwd", APIKey: key}, `the base_url is not an http or https address`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := provider(nil, nil)
			if tt.name == "overridden by the environment" {
				p.BaseURLs = map[string]string{"google": "http://proxy/g"}
			}
			var got, auth string
			p.HTTP = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				got, auth = r.URL.String(), r.Header.Get("Authorization")
				if k := r.Header.Get("Api-Key"); k != "" {
					auth = "api-key " + k
				}
				return nil, context.Canceled
			})}
			tt.m.Name = "m"
			_, err := p.Complete(t.Context(), hello(&tt.m), nil)
			if strings.HasPrefix(tt.want, "http") {
				if got != tt.want || auth != tt.auth {
					t.Errorf("%s %s %v", got, auth, err)
				}
				return
			}
			if e := failed(t, err); e.Transient || !strings.HasSuffix(e.Message, "): "+tt.want) || got != "" {
				t.Error(e)
			}
		})
	}
}

func TestConnectionErrors(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.Close()
	m := gpt()
	m.Retry.Attempts = 2
	_, err := provider(s, nil).Complete(t.Context(), hello(m), nil)
	e := failed(t, err)
	if !e.Transient || e.Status != 0 || !strings.Contains(e.Message, "cannot be reached: dial tcp") || !strings.HasSuffix(e.Message, "(after 2 attempts)") {
		t.Error(e)
	}
	if _, err := provider(nil, nil).Complete(t.Context(), chat.Request{}, nil); failed(t, err).Message != "the request names no model" {
		t.Error(err)
	}
}

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	echo := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(r.Header.Get("Authorization")))
	}
	m := gpt()
	m.BaseURL = serve(t, echo).URL + "/" + apiKey
	for _, emit := range []func(chat.Delta){nil, func(chat.Delta) {}} {
		_, err := provider(nil, nil).Complete(t.Context(), hello(m), emit)
		if strings.Contains(err.Error(), apiKey) || !strings.Contains(err.Error(), secret.Mark) {
			t.Error(err)
		}
	}
	for _, pad := range []int{105, 112, 290, 295} { // cut within the key
		text := strings.Repeat("x", pad) + apiKey
		for _, h := range []http.HandlerFunc{refuse(400, text), answer(text), refuse(400, `{"error":{"message":"`+text+`"}}`)} {
			m.BaseURL = serve(t, h).URL
			if _, err := provider(nil, nil).Complete(t.Context(), hello(m), nil); strings.Contains(err.Error(), apiKey[:4]) {
				t.Error(err)
			}
		}
	}
	m.BaseURL = "http://127.0.0.1:1/" + apiKey
	if _, err := provider(nil, nil).Complete(t.Context(), hello(m), nil); strings.Contains(err.Error(), apiKey) {
		t.Error(err)
	}
}

var _ chat.Client = (*model.Provider)(nil)
