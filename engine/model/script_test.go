package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/model"
	"github.com/weft-engine/weft/engine/source"
)

func plain(t testing.TB, text string) any {
	t.Helper()
	v, err := source.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func script(t testing.TB, text string) *model.Script {
	t.Helper()
	s, err := model.NewScript(plain(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScriptAnswers(t *testing.T) {
	t.Parallel()
	one := chat.Usage{Model: "default", Requests: 1}
	says := func(text string) chat.Response {
		return chat.Response{Message: chat.Message{Role: chat.Assistant, Content: text}, Usage: one, Finish: "stop"}
	}
	calls := func(text string, calls ...chat.ToolCall) chat.Response {
		return chat.Response{Message: chat.Message{Role: chat.Assistant, Content: text, ToolCalls: calls}, Usage: one, Finish: "tool_calls"}
	}
	none := map[string]any{}
	costly := says("x")
	costly.Usage = chat.Usage{Model: "default", Requests: 1, InputTokens: 1000, OutputTokens: 500, USD: 0.006}
	priced := says("x")
	priced.Usage.USD = 2.5
	tests := []struct {
		name, script string
		json         bool
		want         chat.Response
	}{
		{"text", `[{"text": "Hi"}]`, false, says("Hi")},
		{"reply", `[{"reply": "Hi"}]`, false, says("Hi")},
		{"JSON", `[{"reply": {"b": [1, 2.5], "a": "<x>"}}]`, true, says(`{"a":"<x>","b":[1,2.5]}`)},
		{"JSON like a message", `[{"reply": {"content": "c"}}]`, true, says(`{"content":"c"}`)},
		{"JSON as text", `[{"reply": "not JSON"}]`, true, says("not JSON")},
		{"message", `[{"reply": {"content": "c", "tool_calls": [{"name": "done", "id": "own"}]}}]`, false, calls("c", chat.ToolCall{ID: "own", Name: "done", Args: none})},
		{"call", `[{"call": {"name": "send", "args": {"n": 1}}}]`, false, calls("", chat.ToolCall{ID: "call_1", Name: "send", Args: map[string]any{"n": 1}})},
		{
			"calls with a text", `[{"text": "so", "calls": [{"name": "a"}, {"name": "b", "args": null}]}]`, false,
			calls("so", chat.ToolCall{ID: "call_1", Name: "a", Args: none}, chat.ToolCall{ID: "call_2", Name: "b", Args: none}),
		},
		{"malformed arguments", `[{"call": {"name": "send", "args": "{oops"}}]`, false, calls("", chat.ToolCall{ID: "call_1", Name: "send", Args: none, Invalid: "{oops"})},
		{"usage", `[{"text": "x", "usage": {"input_tokens": 1000, "output_tokens": 500}}]`, false, costly},
		{"price", `[{"text": "x", "usage": {"usd": 2.5}}]`, false, priced},
		{"of the node", `[{"node": "other", "text": "no"}, {"node": "agent", "text": "yes"}]`, false, says("yes")},
		{"of the whole path", `[{"node": "h/agent", "text": "no"}, {"node": "gent", "text": "no"}, {"node": "g/agent", "text": "yes"}]`, false, says("yes")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := hello(gpt())
			if tt.json {
				req.Response = &chat.ResponseSchema{Name: "x"}
			}
			told := ""
			got, err := script(t, tt.script).Complete(t.Context(), req, func(d chat.Delta) { told += d.Text })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if told != tt.want.Message.Content {
				t.Errorf("told %q", told)
			}
		})
	}
}

func TestScriptOrder(t *testing.T) {
	t.Parallel()
	s := script(t, `[{"node": "a", "text": "a1"}, {"text": "any1"}, {"node": "a", "text": "a2"}, {"node": "b[1]", "text": "b of 1"},
		{"node": "b", "repeat": true, "call": {"name": "x"}}, {"node": "never", "text": "left"}]`)
	ask := func(node string) string {
		req := hello(gpt())
		req.Node = node
		resp, err := s.Complete(t.Context(), req, nil)
		if err != nil {
			return err.Error()
		}
		if len(resp.Message.ToolCalls) > 0 {
			return resp.Message.ToolCalls[0].ID
		}
		return resp.Message.Content
	}
	var got []string
	for _, node := range []string{"g/a", "g/a[3]", "g/a", "g/b[1]", "g/b[1]", "g/b", "g/b", "g/a"} {
		got = append(got, ask(node))
	}
	want := []string{
		"a1", "any1", "a2", "b of 1", "call_1", "call_1_2", "call_1_3",
		`the script has no answer for node "g/a" (its last message is of user: "Hello"); left in it: entry 6 (node never)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"entry 6 (node never)"}, s.Unused()); diff != "" {
		t.Error(diff)
	}
}

func TestScriptErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         chat.Error
	}{
		{"status", `[{"error": {"status": 429, "message": "busy", "retry_after": "2s"}}]`, chat.Error{Message: "busy", Status: 429, Transient: true, RetryAfter: 2 * time.Second}},
		{"permanent", `[{"error": {"status": 400}}]`, chat.Error{Message: "scripted failure with status 400", Status: 400}},
		{"said to be transient", `[{"error": {"transient": true}}]`, chat.Error{Message: "scripted failure", Transient: true}},
		{
			"object for a node that wants text", `[{"node": "agent", "reply": {"classification": "ignore"}}]`,
			chat.Error{Message: `script entry 1 (node agent): node "g/agent" does not ask for JSON, so its reply must be text or {content, tool_calls}`},
		},
		{"empty", `[]`, chat.Error{Message: `the script has no answer for node "g/agent" (its last message is of user: "Hello"); nothing is left in it`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := script(t, tt.script).Complete(t.Context(), hello(gpt()), nil)
			if diff := cmp.Diff(&tt.want, failed(t, err)); diff != "" {
				t.Error(diff)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := script(t, `[{"text": "x"}]`)
	if _, err := s.Complete(ctx, hello(gpt()), nil); !failed(t, err).Transient || len(s.Unused()) != 1 {
		t.Errorf("%v %v", err, s.Unused())
	}
}

func TestNewScriptErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                                             "a script is a list of entries, not an object",
		`[3]`:                                            "script entry 1: must be an object, not a number",
		`[{"text": "x"}, {}]`:                            "script entry 2: no answer: give it one of reply, text, call, calls or error",
		`[{"repyl": "x"}]`:                               `script entry 1: unknown field "repyl": did you mean "reply"?`,
		`[{"quux": "x"}]`:                                `script entry 1: unknown field "quux": known are node, reply, text, call, calls, error, usage, repeat`,
		`[{"text": "x", "reply": ""}]`:                   "script entry 1: several answers: keep one of reply, text",
		`[{"text": "x", "error": {}}]`:                   "script entry 1: several answers: keep one of text, error",
		`[{"text": 3}]`:                                  "script entry 1: `text`: must be text, not a number",
		`[{"reply": [1]}]`:                               "script entry 1: `reply`: must be text or an object, not a list",
		`[{"node": 1, "text": ""}]`:                      "script entry 1: `node`: must be text, not a number",
		`[{"calls": {}}]`:                                "script entry 1: `calls`: must be a list of {name, args}, not an object",
		`[{"call": {"args": {}}}]`:                       "script entry 1: `call`: call 1: `name` must be the name of a tool",
		`[{"call": {"name": "x", "args": [1]}}]`:         "script entry 1: `call`: call 1: `args` must be an object, not a list",
		`[{"call": {"name": "x", "id": 3}}]`:             "script entry 1: `call`: call 1: `id`: must be text, not a number",
		`[{"reply": {"tool_calls": [{"nam": "x"}]}}]`:    "script entry 1: `reply`: tool_calls: call 1: unknown field \"nam\": did you mean \"name\"?",
		`[{"error": {"status": "x"}}]`:                   "script entry 1: `error`: `status` must be an HTTP status",
		`[{"error": {"retry_after": "soon"}}]`:           "script entry 1: `error`: `retry_after` must be a duration such as 2s",
		`[{"error": {"transient": 1}}]`:                  "script entry 1: `error`: `transient`: must be true or false, not a number",
		`[{"text": "x", "usage": {"input_tokens": -1}}]`: "script entry 1: `usage`: `input_tokens` must be a whole number from 0 on",
		`[{"text": "x", "usage": {"usd": -1}}]`:          "script entry 1: `usage`: `usd` must be a number from 0 on",
		`[{"text": "x", "repeat": "yes"}]`:               "script entry 1: `repeat`: must be true or false, not text",
	} {
		if _, err := model.NewScript(plain(t, text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestScriptConcurrently(t *testing.T) {
	t.Parallel()
	var entries []any
	for i := range 200 {
		entries = append(entries, map[string]any{"text": fmt.Sprint(i)})
	}
	s, err := model.NewScript(entries)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				resp, err := s.Complete(t.Context(), hello(gpt()), nil)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				seen[resp.Message.Content]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != 200 || len(s.Unused()) != 0 {
		t.Errorf("%d answers, %d left", len(seen), len(s.Unused()))
	}
}

func FuzzScript(f *testing.F) {
	for _, seed := range []string{
		`[{"node": "agent", "reply": {"a": 1}}, {"call": {"name": "x", "args": {"a": [1]}}, "repeat": true}]`,
		`[{"calls": [{"name": "x", "args": "{"}], "text": "t", "usage": {"usd": 1.5}}, {"error": {"status": 500, "retry_after": "1s"}}]`,
		`[{"reply": {"content": "c", "tool_calls": [{"name": "n"}]}}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := source.DecodeJSON([]byte(text))
		if err != nil {
			return
		}
		s, err := model.NewScript(v)
		if err != nil {
			return
		}
		for i := range 3 {
			req := hello(gpt())
			if i == 1 {
				req.Response = &chat.ResponseSchema{}
			}
			resp, err := s.Complete(t.Context(), req, nil)
			if err != nil {
				_ = failed(t, err)
				continue
			}
			if resp.Message.Role != chat.Assistant || resp.Finish == "" {
				t.Fatalf("%+v", resp)
			}
			if _, err := json.Marshal(resp); err != nil {
				t.Fatal(err)
			}
		}
	})
}

var _ chat.Client = (*model.Script)(nil)
