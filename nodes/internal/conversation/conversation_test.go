package conversation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/nodes/internal/conversation"
)

func user(text string) chat.Message { return chat.Message{Role: chat.User, Content: text} }

func calls(ids ...string) chat.Message {
	m := chat.Message{Role: chat.Assistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, chat.ToolCall{ID: id, Name: "tool_" + id})
	}
	return m
}

func result(id string) chat.Message {
	return chat.Message{Role: chat.ToolRole, ToolCallID: id, Name: "tool_" + id, Content: "result " + id}
}

func notRun(id string) chat.Message {
	m := result(id)
	m.Content = conversation.NotRun
	return m
}

func TestDataAndBack(t *testing.T) {
	want := []chat.Message{
		{Role: chat.System, Content: "Be kind."},
		{ID: "m1", Role: chat.Assistant, ToolCalls: []chat.ToolCall{
			{ID: "c1", Name: "send", Args: map[string]any{"to": "bo", "n": 3}},
			{ID: "c2", Name: "send", Args: map[string]any{}, Invalid: `{"to": `},
		}},
		{Role: chat.ToolRole, ToolCallID: "c1", Name: "send", Content: "sent"},
	}
	data := make([]any, len(want))
	for i, m := range want {
		data[i] = conversation.Data(m)
	}
	got, err := conversation.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestDataIsPlain(t *testing.T) {
	got := conversation.Data(chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "c", Name: "done"}}})
	want := map[string]any{"role": "assistant", "content": "", "tool_calls": []any{
		map[string]any{"id": "c", "name": "done", "args": map[string]any{}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestParseRefuses(t *testing.T) {
	message := func(fields ...any) any {
		m := map[string]any{"role": "user", "content": "x"}
		for i := 0; i < len(fields); i += 2 {
			m[fields[i].(string)] = fields[i+1]
		}
		return []any{m}
	}
	for _, tc := range []struct {
		name string
		in   any
		want string
	}{
		{"text", "hello", "messages must be a list, not a text"},
		{"item", []any{"hello"}, "messages[0]: a message must be an object, not a text"},
		{"role", message("role", "bot"), `messages[0]: role is "bot": it must be system, user, assistant or tool`},
		{"content", message("content", []any{}), "messages[0]: content must be a text, not a list"},
		{"id", message("id", 7), "messages[0]: id must be a text, not a number"},
		{"calls", message("tool_calls", true), "messages[0]: tool calls must be a list, not a boolean"},
		{"call", message("tool_calls", []any{nil}), "messages[0]: tool call 0: a call must be an object, not null"},
		{"call name", message("tool_calls", []any{map[string]any{"name": map[string]any{}}}), "messages[0]: tool call 0: name must be a text, not an object"},
	} {
		_, err := conversation.Parse(tc.in)
		if err == nil || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
	}
}

func TestParseCallsKindly(t *testing.T) {
	got, err := conversation.ParseCalls([]any{
		map[string]any{"id": "1", "name": "a", "args": `{"x`},
		map[string]any{"id": "2", "name": "b", "args": []any{1}},
		map[string]any{"id": "3", "name": "c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []chat.ToolCall{{ID: "1", Name: "a", Invalid: `{"x`}, {ID: "2", Name: "b", Invalid: "[1]"}, {ID: "3", Name: "c"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestComplete(t *testing.T) {
	for _, tc := range []struct {
		name     string
		in, want []chat.Message
		err      string
	}{
		{name: "nothing"},
		{name: "whole", in: []chat.Message{user("a"), calls("1", "2"), result("2"), result("1")}, want: []chat.Message{user("a"), calls("1", "2"), result("2"), result("1")}},
		{name: "cancelled turn", in: []chat.Message{calls("1", "2"), result("1"), user("b")}, want: []chat.Message{calls("1", "2"), result("1"), notRun("2"), user("b")}},
		{name: "two cancelled turns", in: []chat.Message{calls("1"), calls("2"), user("b")}, want: []chat.Message{calls("1"), notRun("1"), calls("2"), notRun("2"), user("b")}},
		{name: "equal ids", in: []chat.Message{calls("", ""), result(""), result("")}, want: []chat.Message{calls("", ""), result(""), result("")}},
		{name: "equal ids, one answer", in: []chat.Message{calls("x", "x"), result("x")}, err: `the model has called "tool_x"`},
		{name: "last turn open", in: []chat.Message{user("a"), calls("1", "2"), result("1")}, err: `the model has called "tool_2" and has no answer yet`},
		{name: "answer to nothing", in: []chat.Message{result("1")}, err: `messages[0] is the result of call "1"`},
		{name: "answer twice", in: []chat.Message{calls("1"), result("1"), result("1")}, err: `messages[2] is the result of call "1"`},
		{name: "answer too late", in: []chat.Message{calls("1"), user("a"), result("1")}, err: `messages[2] is the result of call "1"`},
		{name: "many open", in: []chat.Message{calls("1", "2", "3", "4", "5", "6")}, err: `"tool_4" and 2 more`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := conversation.Complete(tc.in)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("got %v, want %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestLast(t *testing.T) {
	all := []chat.Message{user("a"), calls("1"), result("1"), user("b"), calls("2", "3"), result("2"), result("3")}
	for _, tc := range []struct{ n, from int }{{0, 0}, {9, 0}, {7, 0}, {6, 1}, {5, 3}, {4, 3}, {3, 4}, {2, 4}, {1, 4}} {
		if diff := cmp.Diff(all[tc.from:], conversation.Last(all, tc.n)); diff != "" {
			t.Errorf("last %d: %s", tc.n, diff)
		}
	}
}

// A conversation that is whole stays acceptable however it is cut.
func TestLastKeepsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []chat.Message
		for i := range rapid.IntRange(0, 12).Draw(t, "turns") {
			if rapid.Bool().Draw(t, "user") {
				all = append(all, user(strings.Repeat("x", i)))
				continue
			}
			ids := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "2", "3"}), 0, 3).Draw(t, "ids")
			all = append(all, calls(ids...))
			for _, id := range rapid.Permutation(ids).Draw(t, "answers") {
				all = append(all, result(id))
			}
		}
		cut := conversation.Last(all, rapid.IntRange(1, 20).Draw(t, "n"))
		got, err := conversation.Complete(cut)
		if err != nil || len(got) != len(cut) {
			t.Fatalf("%d messages became %d: %v", len(cut), len(got), err)
		}
		if len(all) > 0 && len(cut) == 0 {
			t.Fatal("nothing is left")
		}
	})
}

func TestText(t *testing.T) {
	got := conversation.Text([]chat.Message{
		user("Hello\nassistant calls send:\n"),
		{Role: chat.Assistant, Content: "Well.", ToolCalls: []chat.ToolCall{
			{ID: "1", Name: "send", Args: map[string]any{"to": "<bo>"}}, {ID: "2", Name: "done"}, {ID: "3", Name: "send", Invalid: "{"},
		}},
		{Role: chat.ToolRole, Name: "send", Content: "sent"},
	}, 1000)
	want := `user:
  Hello
  assistant calls send:
assistant:
  Well.
assistant calls send:
  {"to":"<bo>"}
assistant calls done:
  {}
assistant calls send:
  {
result of send:
  sent`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestTextIsBounded(t *testing.T) {
	var all []chat.Message
	for range 100 {
		all = append(all, user(strings.Repeat("é", 500)))
	}
	got := conversation.Text(all, 5000)
	if !strings.HasPrefix(got, "[96 earlier messages left out]\nuser:\n  é") || len(got) > 5100 {
		t.Fatalf("%d bytes: %.60s", len(got), got)
	}
	one := conversation.Text([]chat.Message{user(strings.Repeat("x", 9000))}, 1000)
	if !strings.Contains(one, "[cut: 1000 of 9000 bytes shown]") || len(one) > 1100 {
		t.Fatalf("%d bytes: %.60s", len(one), one)
	}
}

func TestCut(t *testing.T) {
	for _, tc := range []struct {
		in    string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"longer", 5, "longe\n[cut: 5 of 6 bytes shown]"},
		{"éé", 3, "é\n[cut: 2 of 4 bytes shown]"},
		{"é", 0, "\n[cut: 0 of 2 bytes shown]"},
	} {
		if got := conversation.Cut(tc.in, tc.limit); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.in, got, tc.want)
		}
	}
}
