package llmcall_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/internal/conversation"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

const triage = `
name: triage
models:
  default: {provider: ollama, model: m}
  judge: {provider: ollama, model: j}
types:
  Triage:
    type: object
    required: [reasoning, classification]
    additionalProperties: false
    properties: {reasoning: {type: string}, classification: {enum: [ignore, notify, respond]}}
tools:
  send: {description: Sends., parameters: {type: object, properties: {body: {type: string}}}, result: ok}
  done: {description: Ends., result: ok}
templates:
  rules: {params: {type: object, required: [who], properties: {who: {type: string}}}, text: "Sort the mail of {{ who }}."}
graphs:
  main:
    state:
      account: {type: string, default: alex}
      mail: {type: string}
      messages: {type: array, items: {$ref: "#/types/Message"}, reduce: append}
    start: sort
    nodes:
      sort:
        llm_call: {system: {template: rules, with: {who: "{{ account }}"}}, prompt: "Mail: {{ mail }}", response: {$ref: "#/types/Triage"}}
      chat: {llm_call: {model: judge, system: Be kind., messages: "{{ messages }}", prompt: "{{ mail }}", history: 2, temperature: 0, max_tokens: 50, stream: false}}
      agent: {llm_call: {messages: "{{ messages }}", tools: [send, done], tool_choice: required}}
      fixed:
        llm_call:
          messages:
            - {role: user, content: "Example of {{ account }}"}
            - {role: assistant, content: {template: rules, with: {who: bo}}}
            - "{{ messages }}"
            - "{{ last_message(messages) }}"
`

func load(t testing.TB, yaml string) *source.Value {
	t.Helper()
	s, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(yaml)}}, ".", spec.Options{})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return s.Root
}

func types(m *nodetest.Model) build.Types {
	return nodes.Types(nodes.Deps{Models: m})
}

func run(t testing.TB, m *nodetest.Model, node string, scope map[string]any) *nodetest.Run {
	t.Helper()
	n := nodetest.Plan(t, types(m), load(t, triage), "main", node)
	all := map[string]any{"account": "alex", "mail": "Hello", "messages": []any{}}
	maps.Copy(all, scope)
	return &nodetest.Run{Plan: n.Plan, Scope: all}
}

func user(text string) map[string]any { return map[string]any{"role": "user", "content": text} }

func TestStructured(t *testing.T) {
	m := nodetest.Say("```json\n{\"reasoning\": \"spam\", \"classification\": \"ignore\"}\n```")
	got, err := run(t, m, "sort", nil).Do(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"reasoning": "spam", "classification": "ignore"}, got); diff != "" {
		t.Fatal(diff)
	}
	req := m.Asked[0]
	want := []chat.Message{{Role: chat.System, Content: "Sort the mail of alex."}, {Role: chat.User, Content: "Mail: Hello"}}
	if diff := cmp.Diff(want, req.Messages); diff != "" {
		t.Error(diff)
	}
	if req.Model.Name != "default" || req.Response == nil || req.Response.Name != "Triage" || req.Response.Schema["type"] != "object" {
		t.Errorf("asked %+v", req)
	}
	if req.Node != "graph/node" || req.Key != "thread/run/1.0" {
		t.Errorf("node %q, key %q", req.Node, req.Key)
	}
}

func TestConversation(t *testing.T) {
	m := &nodetest.Model{Answers: []nodetest.Answer{{Text: "Hi", Deltas: []string{"Hi"}}}}
	r := run(t, m, "chat", map[string]any{"messages": []any{user("a"), user("b"), user("c")}})
	got, err := r.Do(t)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"message": map[string]any{"role": "assistant", "content": "Hi"}, "text": "Hi", "tool_calls": []any{}, "finish": "stop"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	req := m.Asked[0]
	said := []chat.Message{{Role: chat.System, Content: "Be kind."}, {Role: chat.User, Content: "b"}, {Role: chat.User, Content: "c"}, {Role: chat.User, Content: "Hello"}}
	if diff := cmp.Diff(said, req.Messages); diff != "" {
		t.Error(diff)
	}
	if req.Model.Name != "judge" || req.Temperature == nil || *req.Temperature != 0 || req.MaxTokens != 50 || req.Response != nil {
		t.Errorf("asked %+v", req)
	}
	if len(r.Emitted) != 0 {
		t.Errorf("streamed %v", r.Emitted)
	}
}

func TestTools(t *testing.T) {
	m := &nodetest.Model{Answers: []nodetest.Answer{{Text: "no call"}, {Calls: []chat.ToolCall{
		{ID: "c1", Name: "send", Args: map[string]any{"body": "x"}}, {ID: "c2", Name: "send", Invalid: `{"body`},
	}, Finish: "tool_calls"}}}
	got, err := run(t, m, "agent", map[string]any{"messages": []any{user("a")}}).Do(t)
	if err != nil {
		t.Fatal(err)
	}
	calls := []any{
		map[string]any{"id": "c1", "name": "send", "args": map[string]any{"body": "x"}},
		map[string]any{"id": "c2", "name": "send", "args": map[string]any{}, "invalid": `{"body`},
	}
	want := map[string]any{
		"message": map[string]any{"role": "assistant", "content": "", "tool_calls": calls}, "text": "", "tool_calls": calls, "finish": "tool_calls",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	offered := []string{m.Asked[0].Tools[0].Name, m.Asked[0].Tools[1].Name}
	if strings.Join(offered, " ") != "send done" || m.Asked[0].ToolChoice != "required" || m.Asked[0].Tools[0].Parameters["type"] != "object" {
		t.Errorf("asked %+v", m.Asked[0])
	}
	message := shape.NewLibrary(nil, &diag.List{}).Compile(&source.Value{Kind: source.Map, Fields: []source.Field{
		{Key: "$ref", Value: &source.Value{Kind: source.String, Text: "#/types/Message"}},
	}}, &diag.List{})
	if problems := message.Check(got.(map[string]any)["message"]); len(problems) > 0 {
		t.Errorf("the message is no #/types/Message: %v", problems)
	}
}

func TestMessagesInPlace(t *testing.T) {
	m := nodetest.Say("ok")
	if _, err := run(t, m, "fixed", map[string]any{"messages": []any{user("a"), user("b")}}).Do(t); err != nil {
		t.Fatal(err)
	}
	want := []chat.Message{
		{Role: chat.User, Content: "Example of alex"},
		{Role: chat.Assistant, Content: "Sort the mail of bo."},
		{Role: chat.User, Content: "a"},
		{Role: chat.User, Content: "b"},
		{Role: chat.User, Content: "b"},
	}
	if diff := cmp.Diff(want, m.Asked[0].Messages); diff != "" {
		t.Error(diff)
	}
}

func TestConversationsThatCannotBeSent(t *testing.T) {
	open := map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": "c", "name": "send", "args": map[string]any{}}}}
	for _, tc := range []struct {
		name     string
		messages any
		want     string
	}{
		{"empty", []any{}, "there is nothing to ask"},
		{"null", nil, "there is nothing to ask"},
		{"unanswered", []any{user("a"), open}, `the model has called "send" and has no answer yet`},
		{"answer to nothing", []any{map[string]any{"role": "tool", "content": "x", "tool_call_id": "c"}}, `messages[0] is the result of call "c"`},
		{"no message", []any{"text"}, "messages[0]: a message must be an object, not a text"},
	} {
		m := nodetest.Say("ok")
		_, err := run(t, m, "agent", map[string]any{"messages": tc.messages}).Do(t)
		if err == nil || !strings.Contains(err.Error(), tc.want) || len(m.Asked) > 0 {
			t.Errorf("%s: asked %d times: %v", tc.name, len(m.Asked), err)
		}
	}
}

// A run that was cancelled while a human decided leaves a call without an answer; the
// thread goes on all the same.
func TestCancelledTurn(t *testing.T) {
	open := map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": "c", "name": "send", "args": map[string]any{}}}}
	m := &nodetest.Model{Answers: []nodetest.Answer{{Calls: []chat.ToolCall{{ID: "d", Name: "done"}}}}}
	if _, err := run(t, m, "agent", map[string]any{"messages": []any{user("a"), open, user("b")}}).Do(t); err != nil {
		t.Fatal(err)
	}
	want := chat.Message{Role: chat.ToolRole, ToolCallID: "c", Name: "send", Content: conversation.NotRun}
	if diff := cmp.Diff(want, m.Asked[0].Messages[2]); diff != "" {
		t.Error(diff)
	}
}

func TestOutputType(t *testing.T) {
	root := load(t, triage)
	sorted := nodetest.Plan(t, types(nil), root, "main", "sort").Output
	if sorted.Fields["classification"] == nil || sorted.Fields["message"] != nil {
		t.Errorf("structured: %+v", sorted)
	}
	agent := nodetest.Plan(t, types(nil), root, "main", "agent").Output
	if agent.Fields["tool_calls"].Elem.Fields["args"] == nil || agent.Fields["message"].Fields["tool_calls"] == nil {
		t.Errorf("agent: %+v", agent)
	}
}

func TestFindings(t *testing.T) {
	for _, tc := range []struct{ config, want string }{
		{`{system: Hello}`, "llm-call/asks-nothing: the model is asked nothing: there is neither `prompt` nor `messages`"},
		{`{prompt: x, history: 3}`, "llm-call/history: `history` limits `messages`, and there are none"},
		{`{prompt: x, tools: [send], response: {type: object}}`, "llm-call/response-and-tools: the model is asked for data"},
		{`{prompt: x, tool_choice: required}`, "llm-call/tool-choice: a tool must be called (`tool_choice: required`), and there are no `tools`"},
		{`{prompt: x, tools: [send], tool_choice: sent}`, "llm-call/tool-choice: `tool_choice` names \"sent\", which is not among `tools`"},
		{`{prompt: x, tools: [sned]}`, `tool/unknown: there is no tool "sned"`},
		{`{prompt: x, model: bad}`, `model/unknown: there is no model "bad"`},
		{`{messages: "{{ account }}"}`, "node/messages: messages are a list, and this is a text"},
		{`{prompt: "{{ acount }}"}`, `expr/`},
		{`{prompt: {template: rules}}`, `template/missing-parameter`},
	} {
		root := load(t, triage+"      bad: {llm_call: "+tc.config+"}\n")
		_, findings := nodetest.Node(t, types(nil), root, "main", "bad")
		if len(findings) != 1 {
			t.Errorf("%s: %d findings: %v", tc.config, len(findings), findings)
			continue
		}
		f := findings[0]
		if got := string(f.Code) + ": " + f.Message; !strings.HasPrefix(got, tc.want) || f.Hint == "" || f.Pos.Line < 30 {
			t.Errorf("%s:\n got %s (%s, %s)\nwant %s", tc.config, got, f.Hint, f.Pos, tc.want)
		}
	}
}
