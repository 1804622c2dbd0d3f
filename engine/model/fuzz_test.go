package model_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/chat"
)

// Whatever a provider answers, it is an answer that holds together or an error of ours.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(toolAnswer), false, 200)
	f.Add([]byte(`{"choices":[{"message":{"content":[{"text":"a"},{"text":3},7],"tool_calls":[{},{"id":"a","function":{"arguments":"["}},{"id":"a"}]}}]}`), false, 200)
	f.Add([]byte(events(`{"choices":[{"delta":{"content":"a","tool_calls":[{"index":3,"function":{"arguments":"{"}},{"index":3,"id":"x"}]}}]}`, `{"usage":{"prompt_tokens":3}}`, `[DONE]`)), true, 200)
	f.Add([]byte("data: {\"error\":{\"message\":[\"a\"],\"code\":\"x\"}}\n\n"), true, 200)
	f.Add([]byte(`[{"error":{"message":"a"}}]`), false, 429)
	f.Fuzz(func(t *testing.T, body []byte, sse bool, status int) {
		for _, stream := range []bool{false, true} {
			p := provider(nil, nil)
			p.HTTP = &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
				h := http.Header{"Content-Type": {"application/json"}, "Retry-After": {string(body[:min(len(body), 5)])}}
				if sse {
					h.Set("Content-Type", "text/event-stream")
				}
				return &http.Response{StatusCode: 100 + (status&0x7fffffff)%900, Header: h, Body: io.NopCloser(bytes.NewReader(body))}, nil
			})}
			var emit func(chat.Delta)
			var told strings.Builder
			if stream {
				emit = func(d chat.Delta) { told.WriteString(d.Text) }
			}
			resp, err := p.Complete(t.Context(), hello(gpt()), emit)
			if err != nil {
				if e := failed(t, err); len(e.Message) > 1000 || e.RetryAfter < 0 {
					t.Fatalf("%+v", e)
				}
				continue
			}
			if resp.Message.Role != chat.Assistant || resp.Finish == "" || resp.Usage.InputTokens < 0 {
				t.Fatalf("%+v", resp)
			}
			seen := map[string]bool{}
			for _, c := range resp.Message.ToolCalls {
				if c.ID == "" || seen[c.ID] || c.Args == nil {
					t.Fatalf("%+v", resp.Message.ToolCalls)
				}
				seen[c.ID] = true
			}
			if _, err := json.Marshal(resp); err != nil {
				t.Fatal(err)
			}
		}
	})
}
