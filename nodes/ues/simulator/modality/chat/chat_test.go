package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality/chat"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
)

func bench() *modalitytest.Bench { return modalitytest.New(chat.Kind()) }

// say is a payload of a message of the conversation "c".
func say(id, role, content, more string) string {
	return fmt.Sprintf(`{"role":%q,"content":%q,"message_id":%q,"conversation_id":"c"%s}`, role, content, id, more)
}

func TestRules(t *testing.T) {
	t.Parallel()
	b := bench()
	for payload, want := range map[string]string{
		`{"content":"x"}`:                             "Operation 'send_message' requires role",
		`{"role":"user"}`:                             "Operation 'send_message' requires content",
		`{"operation":"delete_message"}`:              "Operation 'delete_message' requires message_id",
		`{"operation":"shout"}`:                       "decode: operation: Input should be 'send_message', 'delete_message' or 'clear_conversation'",
		`{"role":"system"}`:                           "decode: role: Input should be 'user' or 'assistant'",
		`{"role":"user","content":"  "}`:              "decode: content: Value error, Content cannot be empty",
		`{"role":"user","content":[]}`:                "decode: content: Value error, Content list cannot be empty",
		`{"role":"user","content":[{"a":1}]}`:         "decode: content: Value error, Content block 0 must have a 'type' field",
		`{"role":"user","content":[{"type":"text"}]}`: "decode: content: Value error, Content block 0 of type 'text' must have a 'text' field",
		`{"role":"user","content":[{"type":"text","text":"x"},{"type":"image"}]}`: "decode: content: Value error, Content block 1 of type 'image' must have a 'source' field",
		`{"role":"user","content":[{"type":"audio","source":"url"}]}`:             "decode: content: Value error, Content block 0 with source 'url' must have a 'url' field",
		`{"role":"user","content":[{"type":"video","source":"base64"}]}`:          "decode: content: Value error, Content block 0 with source 'base64' must have a 'data' field",
		`{"role":"user","content":5}`:                                             "decode: content.str: Input should be a valid string",
		`{"role":"user","content":["a"]}`:                                         "decode: content.str: Input should be a valid string",
		`{"role":"user","content":"x","conversation_id":" "}`:                     "decode: conversation_id: Value error, Conversation ID cannot be empty",
		`{"role":"user","content":"x","metadata":[]}`:                             "decode: metadata: Input should be a valid dictionary",
	} {
		b.Refuses(t, payload, want)
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, `{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":"url","url":"u","x":1.50}],"metadata":{"b":1,"a":2}}`)
	b.Holds(t, "messages", `[{"message_id":"id-2","conversation_id":"default","role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":"url","url":"u","x":1.5}],
		"timestamp":"2025-01-15T09:00:00Z","metadata":{"b":1,"a":2}}]`,
		"conversations", `{"default":{"conversation_id":"default","created_at":"2025-01-15T09:00:00Z","last_message_at":"2025-01-15T09:00:00Z","message_count":1,"participant_roles":["user"]}}`)
	b.Payload(t, `{"modality_type":"chat","timestamp":"2025-01-15T09:00:00Z","input_id":"id-1","operation":"send_message","role":"user",
		"content":[{"type":"text","text":"hi"},{"type":"image","source":"url","url":"u","x":1.5}],"message_id":"id-2","conversation_id":"default","metadata":{"b":1,"a":2}}`)
}

// order is the order of the messages' ids in the state.
func order(t *testing.T, b *modalitytest.Bench) string {
	t.Helper()
	var ids []string
	list, _ := b.At(t, "messages").([]any)
	for _, m := range list {
		id, _ := m.(map[string]any)["message_id"].(string)
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

// TestOrder has messages of the same time in order of arrival, where the original has
// them in that of their random ids.
func TestOrder(t *testing.T) {
	t.Parallel()
	b := bench()
	for _, m := range []string{`z",10`, `y",10`, `x",5`, `w",10`, `v",7`} {
		id, at, _ := strings.Cut(m, `",`)
		b.MustApply(t, say(id, "user", "x", `,"timestamp":`+at))
	}
	if got := order(t, b); got != "x v z y w" {
		t.Errorf("order %s", got)
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	b := bench()
	b.Walk(t, []modalitytest.Step{
		modalitytest.Do(say("a", "user", "x", ""), "remove_message", "conversations/c/message_count", "1"),
		modalitytest.Do(say("b", "assistant", "y", `,"timestamp":"2025-01-15T10:00:00Z"`), "remove_message", "conversations/c/participant_roles", `["assistant","user"]`),
		modalitytest.Do(say("a", "user", "again", ""), "remove_message", "conversations/c/message_count", "3", "conversations/c/last_message_at", `"2025-01-15T09:00:00Z"`),
		modalitytest.Do(`{"operation":"delete_message","message_id":"a"}`, "restore_message", "conversations/c/message_count", "2"),
		modalitytest.Do(`{"operation":"delete_message","message_id":"b"}`, "restore_message", "conversations/c/message_count", "1",
			"conversations/c/participant_roles", `["assistant","user"]`, "conversations/c/last_message_at", `"2025-01-15T09:00:00Z"`),
		modalitytest.Do(`{"operation":"delete_message","message_id":"b"}`, "noop", "update_count", "6"),
		modalitytest.Do(`{"role":"user","content":"elsewhere"}`, "remove_message", "conversations/default/message_count", "1"),
		modalitytest.Do(`{"operation":"clear_conversation","conversation_id":"c"}`, "restore_conversation", "conversations/c", "null"),
		modalitytest.Do(`{"operation":"clear_conversation","conversation_id":"c"}`, "noop"),
	})
}

func TestHistoryLimit(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, chat.Kind(), `{"last_updated":0,"max_history_size":2}`)
	for _, id := range []string{"a", "b", "c"} {
		b.MustApply(t, say(id, "user", "x", ""))
	}
	b.MustApply(t, `{"role":"user","content":"other"}`)
	if got := order(t, b); !strings.HasPrefix(got, "b c id-") {
		t.Errorf("order %s", got)
	}
	b.Holds(t, "conversations/c/message_count", "3")
	for range 2 {
		b.Undo(t)
	}
	if got := order(t, b); got != "a b" {
		t.Errorf("order after undo %s", got)
	}
}

const scenario = `{"last_updated":"2026-01-28T06:00:00","max_history_size":3,"default_conversation_id":"main","messages":[
 {"message_id":"m1","role":"user","content":"late","timestamp":"2026-01-28T06:00:00Z"},
 {"message_id":"m2","conversation_id":"c","role":"assistant","content":[{"type":"text","text":"early"}],"timestamp":"2026-01-28T05:00:00","metadata":{"k":1}},
 {"message_id":"m2","conversation_id":"c","role":"user","content":"same id","timestamp":"2026-01-28T05:00:00Z"}],
"conversations":{"c":{"created_at":0,"last_message_at":"2026-01-28T05:30:00Z","message_count":1,"participant_roles":["user","user"]},
 "empty":{"conversation_id":"empty","created_at":0,"last_message_at":0,"participant_roles":["user"]}}}`

func TestLoad(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, chat.Kind(), scenario)
	modalitytest.Reloaded(t, b)
	if got := order(t, b); got != "m1 m2 m2" {
		t.Errorf("order %s", got)
	}
	want := []string{
		"Messages not in chronological order at index 1", "Conversation c metadata count 1 doesn't match actual count 2",
		"Conversation c metadata roles {'user'} don't match actual roles {'assistant', 'user'}",
		"Conversation c metadata last_message_at doesn't match actual last message timestamp",
		"Conversation empty metadata roles {'user'} don't match actual roles set()",
	}
	if diff := cmp.Diff(want, b.State.Problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	b.MustApply(t, say("m3", "user", "x", `,"timestamp":"2026-01-28T05:30:00Z"`))
	if got := order(t, b); got != "m2 m2 m3 m1" {
		t.Errorf("order after a message %s", got)
	}
	b.Undo(t)
	if got := order(t, b); got != "m1 m2 m2" {
		t.Errorf("order after undo %s", got)
	}
	b.State.Clear(b.Moment())
	b.Holds(t, "messages", "[]", "conversations", "{}", "default_conversation_id", `"main"`)
	_, errs := chat.Load(modalitytest.MustObject(`{"messages":[{}],"conversations":{"c":{}}}`), b.Moment())
	var got []string
	for _, e := range errs {
		got = append(got, e.Where())
	}
	if diff := cmp.Diff(strings.Fields("last_updated messages.0.role messages.0.content messages.0.timestamp conversations.c.created_at conversations.c.last_message_at"), got); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

func TestReversible(t *testing.T) {
	t.Parallel()
	draw := func(t *rapid.T) string {
		return fmt.Sprintf(`{"operation":%q,"role":%q,"content":"x","message_id":%q,"conversation_id":%q,"timestamp":%d}`,
			rapid.SampledFrom([]string{"send_message", "send_message", "send_message", "delete_message", "clear_conversation"}).Draw(t, "operation"),
			rapid.SampledFrom([]string{"user", "assistant"}).Draw(t, "role"), rapid.SampledFrom([]string{"m1", "m2", "m3", "m4"}).Draw(t, "id"),
			rapid.SampledFrom([]string{"c", "default", "d"}).Draw(t, "conversation"), rapid.IntRange(0, 4).Draw(t, "time"))
	}
	for name, open := range map[string]func(testing.TB) *modalitytest.Bench{
		"empty":    func(testing.TB) *modalitytest.Bench { return bench() },
		"scenario": func(t testing.TB) *modalitytest.Bench { return modalitytest.Load(t, chat.Kind(), scenario) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modalitytest.Reversible(t, open, draw)
		})
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	b := bench()
	for i, m := range []string{
		`"role":"user","content":"Hello WORLD"`, `"role":"assistant","content":[{"type":"text","text":"the world"},{"type":"image","source":"x"}]`,
		`"role":"user","content":"bye","conversation_id":"a"`,
	} {
		b.MustApply(t, fmt.Sprintf(`{"message_id":"m%d","timestamp":"2025-01-15T0%d:00:00Z",%s}`, i+1, i+6, m))
	}
	for _, c := range []struct{ query, want, shown string }{
		{``, "m1 m2 m3", "m1 m2 m3"},
		{`"conversation_id":"default"`, "m1 m2", "m1 m2 m3"},
		{`"role":"user"`, "m1 m3", "m1 m2 m3"},
		{`"since":"2025-01-15T07:00:00Z"`, "m2 m3", "m1 m2 m3"},
		{`"until":"2025-01-15T07:00:00Z"`, "m1 m2", "m1 m2 m3"},
		{`"search":"world"`, "m1 m2", "m1 m2 m3"},
		{`"search":"x"`, "", "m1 m2 m3"},
		{`"role":"user","sort_order":"desc"`, "m3 m1", "m1 m2 m3"},
		{`"limit":1,"offset":1`, "m2", "m1 m2 m3"},
		{`"sort_by":"role"`, "m2 m1 m3", "m2 m1 m3"}, // without a filter the state is sorted too
		{`"sort_by":"bogus"`, "m2 m1 m3", "m2 m1 m3"},
		{`"sort_by":"conversation_id"`, "m3 m2 m1", "m3 m2 m1"},
		{`"sort_order":"desc","limit":1`, "m3", "m3 m2 m1"},
		{`"sort_order":null`, "m1 m2 m3", "m1 m2 m3"},
		{`"sort_order":"desc"`, "m3 m2 m1", "m3 m2 m1"},
	} {
		status, text := b.Call(t, "POST", "/chat/query", "{"+c.query+"}")
		answer, _ := modalitytest.Plain(t, text).(map[string]any)
		var got []string
		list, _ := answer["messages"].([]any)
		for _, m := range list {
			id, _ := m.(map[string]any)["message_id"].(string)
			got = append(got, id)
		}
		if status != 200 || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %d %v, want %s", c.query, status, got, c.want)
		}
		if got := order(t, b); got != c.shown {
			t.Errorf("%s: the state shows %s, want %s", c.query, got, c.shown)
		}
	}
	if got := b.State.Problems(); len(got) == 0 || got[0] != "Messages not in chronological order at index 1" {
		t.Errorf("problems of a reversed state: %v", got)
	}
	b.MustApply(t, `{"operation":"delete_message","message_id":"m2"}`)
	if got := order(t, b); got != "m3 m1" {
		t.Errorf("after a deletion %s", got)
	}
	b.MustApply(t, `{"role":"user","content":"x","message_id":"m4"}`)
	if got := order(t, b); got != "m1 m3 m4" {
		t.Errorf("after the next message %s", got)
	}
	b.Expect(t, "POST /chat/query", `{"role":"assistant"}`, 200, `{"modality_type":"chat","messages":[],"total_count":0,"returned_count":0,
		"query":{"role":"assistant","offset":0,"sort_by":"timestamp","sort_order":"asc"}}`)
	b.Expect(t, "POST /chat/query", `{"since":"2025-01-15T07:00:00"}`, 500, `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"TypeError"}`)
	if status, _ := b.Call(t, "POST", "/chat/query", `{"role":"system"}`); status != 422 {
		t.Errorf("role system: %d", status)
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	b := bench()
	done := func(event int, message string) string {
		return fmt.Sprintf(`{"event_id":"id-%d","scheduled_time":"2025-01-15T09:00:00Z","status":"executed","message":%q,"modality":"chat"}`, event, message)
	}
	b.Expect(t, "POST /chat/send", `{"role":"user","content":"hello","conversation_id":"user-assistant"}`, 200, done(3, "Chat message sent from user"))
	if diff := cmp.Diff([]string{`chat.message {"conversation_id":"user-assistant","role":"user","preview":"hello"}`}, b.Notices); diff != "" {
		t.Error(diff)
	}
	b.Expect(t, "GET /chat/state", "", 200, `{"modality_type":"chat","current_time":"2025-01-15T09:00:00Z","conversations":{"user-assistant":{"conversation_id":"user-assistant",
		"created_at":"2025-01-15T09:00:00Z","last_message_at":"2025-01-15T09:00:00Z","message_count":1,"participant_roles":["user"]}},"messages":[{"message_id":"id-2",
		"conversation_id":"user-assistant","role":"user","content":"hello","timestamp":"2025-01-15T09:00:00Z","metadata":{}}],"total_message_count":1,"conversation_count":1,"max_history_size":1000}`)
	b.Expect(t, "GET /chat/state?compact=yes", "", 200, `{"modality_type":"chat","last_updated":"2025-01-15T09:00:00+00:00","update_count":1,"conversations":{"user-assistant":{
		"conversation_id":"user-assistant","created_at":"2025-01-15T09:00:00Z","last_message_at":"2025-01-15T09:00:00Z","message_count":1,"participant_roles":["user"]}},
		"total_message_count":1,"conversation_count":1}`)
	b.Expect(t, "POST /chat/delete", `{"message_id":"no"}`, 200, done(5, "Deleted message no"))
	b.Expect(t, "POST /chat/delete", `{"message_id":"id-2"}`, 200, done(7, "Deleted message id-2"))
	b.Expect(t, "POST /chat/clear", `{}`, 200, done(9, "Cleared conversation default"))
	b.Expect(t, "POST /chat/clear", `{"conversation_id":"user-assistant"}`, 200, done(11, "Cleared conversation user-assistant"))
	b.Holds(t, "conversations", "{}", "update_count", "5")
	b.Expect(t, "POST /chat/send", `{"role":"user","content":"   "}`, 500, `{"detail":"Failed to send chat message: 1 validation error for ChatInput\ncontent\n  Value error, Content cannot be empty `+
		`[type=value_error, input_value='   ', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.10/v/value_error"}`)
	b.Expect(t, "POST /chat/send", `{"role":"user","content":5}`, 422, `{"error":"Validation Error","detail":[
		{"type":"string_type","loc":["body","content","str"],"msg":"Input should be a valid string","input":5},
		{"type":"list_type","loc":["body","content","list[dict[str,any]]"],"msg":"Input should be a valid list","input":5}]}`)
	for _, path := range []string{"send", "clear"} {
		body := `{"role":"user","content":"x","conversation_id":" "}`
		if status, text := b.Call(t, "POST", "/chat/"+path, body); status != 500 || !strings.Contains(text, "Conversation ID cannot be empty") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	b.State = nil
	b.Expect(t, "GET /chat/state", "", 500, `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"KeyError"}`)
}

func TestCompact(t *testing.T) {
	t.Parallel()
	b := bench()
	compact := func(want string) {
		t.Helper()
		if diff := cmp.Diff(modalitytest.Plain(t, want), modalitytest.Plain(t, string(b.State.AppendCompact(nil, b.Moment())))); diff != "" {
			t.Errorf("compact (-want +got):\n%s", diff)
		}
	}
	compact(`{"summary":"No messages","message_count":0,"conversation_count":0,"last_user_message":null,"last_assistant_message":null}`)
	b.MustApply(t, say("a", "user", strings.Repeat("x", 151), ""))
	compact(`{"summary":"1 message in 1 conversation","message_count":1,"conversation_count":1,"last_user_message":"` + strings.Repeat("x", 150) + `...","last_assistant_message":null}`)
	b.MustApply(t, `{"role":"user","content":"newer"}`)
	b.MustApply(t, `{"role":"assistant","content":[{"type":"text","text":"one"},{"type":"image","source":"x"},{"type":"text","text":"two"}]}`)
	compact(`{"summary":"3 messages in 2 conversations","message_count":3,"conversation_count":2,"last_user_message":"newer","last_assistant_message":"one two"}`)
}

func FuzzDecode(f *testing.F) {
	f.Add(say("a", "user", "x", `,"timestamp":0`))
	f.Add(`{"role":"user","timestamp":0,"content":[{"type":"text","text":"x"}]}`)
	f.Add(scenario)
	f.Fuzz(func(t *testing.T, text string) { modalitytest.Fuzz(t, chat.Kind(), text) })
}

// TestHostile is the property of modalitytest.Hostile.
func TestHostile(t *testing.T) {
	t.Parallel()
	modalitytest.Hostile(t, chat.Kind(), scenario, say("a", "user", "x", `,"timestamp":0,"metadata":{"a":1}`), `{"role":"user","timestamp":0,"content":[{"type":"text","text":"x"}]}`)
}
