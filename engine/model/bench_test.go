package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/model"
)

const toolAnswer = `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-4.1","choices":[{"index":0,"message":{"role":"assistant","content":null,
"tool_calls":[{"id":"call_abc","type":"function","function":{"name":"check_calendar","arguments":"{\"days\": [\"2026-01-28\", \"2026-01-29\"]}"}}]},"finish_reason":"tool_calls"}],
"usage":{"prompt_tokens":812,"completion_tokens":31,"total_tokens":843}}`

// turn is a request in the middle of an agent's loop.
func turn(m *chat.Model) chat.Request {
	str := map[string]any{"type": "string"}
	params := map[string]any{"type": "object", "required": []any{"to", "body"}, "additionalProperties": false, "properties": map[string]any{"to": str, "cc": str, "subject": str, "body": str}}
	req := chat.Request{Model: m, Node: "g/agent", ToolChoice: "required", Messages: []chat.Message{
		{Role: chat.System, Content: strings.Repeat("You answer e-mail for Alex. ", 40)}, {Role: chat.User, Content: strings.Repeat("Could we meet on Friday?\n", 20)},
	}}
	for _, name := range []string{"send_email", "schedule_meeting", "check_calendar", "question", "done"} {
		req.Tools = append(req.Tools, chat.Tool{Name: name, Description: "What it does, in a sentence or two of plain words.", Parameters: params})
	}
	for range 3 {
		req.Messages = append(req.Messages,
			chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "call_abc", Name: "check_calendar", Args: map[string]any{"days": []any{"2026-01-28"}}}}},
			chat.Message{Role: chat.ToolRole, ToolCallID: "call_abc", Name: "check_calendar", Content: "Free from 9:00 to 11:30 and from 14:00 on."})
	}
	return req
}

func modelServer(b *testing.B) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, toolAnswer)
	}))
	b.Cleanup(s.Close)
	return s
}

// The bare client is what one would write by hand: structs, encoding/json, net/http.
type bareMessage struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []bareCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type bareCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type bareTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  map[string]any `json:"parameters"`
	} `json:"function"`
}

type bareRequest struct {
	Model      string        `json:"model"`
	Messages   []bareMessage `json:"messages"`
	Tools      []bareTool    `json:"tools"`
	ToolChoice string        `json:"tool_choice"`
}

type bareAnswer struct {
	Choices []struct {
		Message      bareMessage `json:"message"`
		FinishReason string      `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	} `json:"usage"`
}

func bareOf(req *chat.Request) bareRequest {
	out := bareRequest{Model: req.Model.Model, ToolChoice: req.ToolChoice}
	for _, m := range req.Messages {
		bm := bareMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			args, _ := json.Marshal(c.Args)
			bc := bareCall{ID: c.ID, Type: "function"}
			bc.Function.Name, bc.Function.Arguments = c.Name, string(args)
			bm.ToolCalls = append(bm.ToolCalls, bc)
		}
		out.Messages = append(out.Messages, bm)
	}
	for _, t := range req.Tools {
		bt := bareTool{Type: "function"}
		bt.Function.Name, bt.Function.Description, bt.Function.Parameters = t.Name, t.Description, t.Parameters
		out.Tools = append(out.Tools, bt)
	}
	return out
}

func bare(ctx context.Context, client *http.Client, url string, req *chat.Request) error {
	body, err := json.Marshal(bareOf(req))
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+apiKey)
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var answer bareAnswer
	if err := json.Unmarshal(data, &answer); err != nil {
		return err
	}
	var args map[string]any
	return json.Unmarshal([]byte(answer.Choices[0].Message.ToolCalls[0].Function.Arguments), &args)
}

func benchCalls(b *testing.B, call func(context.Context) error) {
	b.Helper()
	b.SetParallelism(256) // 512 at a time on two processors
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := call(context.Background()); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkCallsBare(b *testing.B) {
	s, client, req := modelServer(b), model.NewHTTPClient(), turn(gpt())
	benchCalls(b, func(ctx context.Context) error { return bare(ctx, client, s.URL, &req) })
}

func BenchmarkCallsProvider(b *testing.B) {
	s := modelServer(b)
	p := provider(nil, nil)
	m := gpt()
	m.BaseURL = s.URL
	req := turn(m)
	benchCalls(b, func(ctx context.Context) error {
		_, err := p.Complete(ctx, req, nil)
		return err
	})
}

// The work of one call without the network.
type instant struct{}

func (instant) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(toolAnswer))}, nil
}

func BenchmarkOverheadBare(b *testing.B) {
	client, req := &http.Client{Transport: instant{}}, turn(gpt())
	b.ReportAllocs()
	for b.Loop() {
		if err := bare(b.Context(), client, "http://x", &req); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOverheadProvider(b *testing.B) {
	p := provider(nil, nil)
	p.HTTP = &http.Client{Transport: instant{}}
	req := turn(gpt())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Complete(b.Context(), req, nil); err != nil {
			b.Fatal(err)
		}
	}
}
