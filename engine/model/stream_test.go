package model_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/chat"
)

// stream sends data in pieces of n bytes.
func stream(n int, data string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for len(data) > 0 {
			cut := min(n, len(data))
			_, _ = w.Write([]byte(data[:cut]))
			w.(http.Flusher).Flush()
			data = data[cut:]
		}
	}
}

func events(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("data: " + l + "\n\n")
	}
	return b.String()
}

func TestStreams(t *testing.T) {
	t.Parallel()
	one := chat.Usage{Model: "default", Requests: 1}
	tests := []struct {
		name, data string
		want       chat.Response
	}{
		{
			"text", events(`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`, `{"choices":[{"delta":{"content":"Grüße, "}}]}`, `{"choices":[{"delta":{"content":"Wört 😀"}}]}`,
				`{"choices":[{"delta":{},"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":500}}`, `[DONE]`),
			chat.Response{Message: chat.Message{Content: "Grüße, Wört 😀"}, Usage: chat.Usage{Model: "default", Requests: 1, InputTokens: 1000, OutputTokens: 500, USD: 0.006}, Finish: "stop"},
		},
		{
			"calls in pieces", events(
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"send","arguments":""}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"to\": \"x"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"done","arguments":"{}"}},{"index":0,"function":{"arguments":"@y\"}"}}]}}]}`,
				`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, `[DONE]`),
			chat.Response{Message: chat.Message{ToolCalls: []chat.ToolCall{{ID: "a", Name: "send", Args: map[string]any{"to": "x@y"}}, {ID: "b", Name: "done", Args: map[string]any{}}}}, Usage: one, Finish: "tool_calls"},
		},
		{
			"calls without index and id", events(
				`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"send","arguments":"{\"n\":"}},{"function":{"arguments":"1}"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"done","arguments":"oops"}}]},"finish_reason":"stop"}]}`, `[DONE]`),
			chat.Response{Message: chat.Message{ToolCalls: []chat.ToolCall{{ID: "call_1", Name: "send", Args: map[string]any{"n": 1}}, {ID: "call_2", Name: "done", Args: map[string]any{}, Invalid: "oops"}}}, Usage: one, Finish: "tool_calls"},
		},
		{
			"comments and no end mark", ": keep-alive\n\n" + events(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"length"}]}`),
			chat.Response{Message: chat.Message{Content: "Hi"}, Usage: one, Finish: "length"},
		},
		{
			"another choice", events(`{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}`, `[DONE]`),
			chat.Response{Message: chat.Message{Content: "yes"}, Usage: one, Finish: "stop"},
		},
		{
			"no space, CRLF", strings.ReplaceAll(strings.ReplaceAll(events(`{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}`, `[DONE]`), "data: ", "data:"), "\n", "\r\n"),
			chat.Response{Message: chat.Message{Content: "Hi"}, Usage: one, Finish: "stop"},
		},
	}
	for _, tt := range tests {
		for _, n := range []int{1, 2, 7, 1 << 20} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				s := serve(t, stream(n, tt.data))
				var told []string
				got, err := provider(s, nil).Complete(t.Context(), hello(gpt()), func(d chat.Delta) { told = append(told, d.Text) })
				if err != nil {
					t.Fatal(err)
				}
				want := tt.want
				want.Message.Role = chat.Assistant
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				if strings.Join(told, "") != want.Message.Content {
					t.Errorf("handed on %q", told)
				}
				if !strings.Contains(s.bodies[0], `"stream":true,"stream_options":{"include_usage":true}`) {
					t.Error(s.bodies[0])
				}
			})
		}
	}
}

func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	whole := events(`{"choices":[{"delta":{"content":"Good "}}]}`, `{"choices":[{"delta":{"content":"day"},"finish_reason":"stop"}]}`, `[DONE]`)
	other := events(`{"choices":[{"delta":{"content":"Bad day"},"finish_reason":"stop"}]}`, `[DONE]`)
	half := events(`{"choices":[{"delta":{"content":"Good "}}]}`, `{"choices":[{"delta":{"content":"d"}}]}`)
	aborted := func(w http.ResponseWriter, r *http.Request) {
		stream(9, half)(w, r)
		panic(http.ErrAbortHandler)
	}
	tests := []struct {
		name     string
		handlers []http.HandlerFunc
		told     string
		content  string
		err      string
	}{
		{"goes on where it broke off", []http.HandlerFunc{aborted, stream(5, whole)}, "Good day", "Good day", ""},
		{"breaks off twice", []http.HandlerFunc{aborted, aborted, stream(5, whole)}, "Good day", "Good day", ""},
		{"ends without a finish", []http.HandlerFunc{stream(5, half), stream(5, whole)}, "Good day", "Good day", ""},
		{"says something else", []http.HandlerFunc{aborted, stream(5, other)}, "Good d\nBad day", "Bad day", ""},
		{"nothing at all", []http.HandlerFunc{stream(5, "\n"), stream(5, whole)}, "Good day", "Good day", ""},
		{"an error in the middle", []http.HandlerFunc{stream(5, half+events(`{"error":{"message":"overloaded","type":"server_error","code":503}}`)), stream(5, whole)}, "Good day", "Good day", ""},
		{
			"a final error in the middle",
			[]http.HandlerFunc{stream(5, half+events(`{"error":{"message":"bad image","type":"x","code":400}}`))},
			"Good d", "",
			`model "default" (openai gpt-4.1): failed in the middle of its answer: bad image`,
		},
		{
			"no JSON",
			[]http.HandlerFunc{stream(5, events(`{"choices`))},
			"", "",
			`model "default" (openai gpt-4.1): the answer cannot be read: unexpected end of JSON input`,
		},
		{"a line without end", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			endless(w, r)
		}}, "", "", `model "default" (openai gpt-4.1): the answer is larger than 32 MiB`},
		{"HTML", []http.HandlerFunc{stream(100, "<html>\n<p>no</p>\n</html>\n")}, "", "", `the answer broke off before it began (after 3 attempts)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var told strings.Builder
			got, err := provider(serve(t, tt.handlers...), nil).Complete(t.Context(), hello(gpt()), func(d chat.Delta) { told.WriteString(d.Text) })
			if told.String() != tt.told || got.Message.Content != tt.content {
				t.Errorf("told %q, answered %q", told.String(), got.Message.Content)
			}
			if tt.err == "" && err != nil || tt.err != "" && !strings.HasSuffix(failed(t, err).Message, tt.err) {
				t.Error(err)
			}
		})
	}
}
