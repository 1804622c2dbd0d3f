package sms_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/sms"
)

// phone has four messages, m1 to m4, at 9, 8, 7 and 6 o'clock.
func phone(t *testing.T) *modalitytest.Bench {
	t.Helper()
	var messages []string
	for i, m := range []string{
		`"thread_id":"t1","from_number":"+15551230001","to_numbers":["+15550000000"],"direction":"incoming","body":"The REPORT"`,
		`"thread_id":"t1","from_number":"+15550000000","to_numbers":["+15551230001"],"direction":"outgoing","body":"b","is_read":true,"delivery_status":"delivered"`,
		`"thread_id":"t2","from_number":"+15551230002","to_numbers":["+15550000000","+15551230001"],"direction":"incoming","body":"c","message_type":"rcs","attachments":[{"filename":"f","size":1,"mime_type":"a/b"}]`,
		`"thread_id":"t2","from_number":"+15551230001","to_numbers":["+15550000000"],"direction":"incoming","body":"d","is_deleted":true,"is_spam":true`,
	} {
		messages = append(messages, fmt.Sprintf(`"m%d":{"message_id":"m%d","sent_at":"2025-01-15T0%d:00:00Z",%s}`, i+1, i+1, 9-i, m))
	}
	return modalitytest.Load(t, sms.Kind(), `{"last_updated":0,"user_phone_number":"+15550000000","messages":{`+strings.Join(messages, ",")+`}}`)
}

func TestQuery(t *testing.T) {
	t.Parallel()
	b := phone(t)
	for _, c := range []struct{ query, want string }{
		{``, "m1 m2 m3 m4"},
		{`"thread_id":"t1"`, "m1 m2"},
		{`"thread_id":"t"`, ""},
		{`"from_number":"+15551230001"`, "m1 m4"},
		{`"from_number":"(555) 123-0001"`, "m1 m4"},
		{`"from_number":"123"`, ""},
		{`"to_number":"+15551230001"`, "m2 m3"},
		{`"body_contains":"report"`, "m1"},
		{`"message_type":"rcs"`, "m3"},
		{`"direction":"outgoing"`, "m2"},
		{`"is_read":false`, "m1 m3 m4"},
		{`"has_attachments":true`, "m3"},
		{`"has_attachments":false`, "m1 m2 m3 m4"},
		{`"delivery_status":"delivered"`, "m2"},
		{`"is_deleted":false`, "m1 m2 m3"},
		{`"is_spam":true`, "m1 m2 m3 m4"},
		{`"sent_after":"2025-01-15T07:00:00Z"`, "m1 m2 m3"},
		{`"sent_before":"2025-01-15T07:00:00Z"`, "m3 m4"},
		{`"sent_after":"2025-01-15T07:00:00.000001Z"`, "m1 m2"},
		{`"sort_by":"sent_at"`, "m1 m2 m3 m4"},
		{`"sort_by":"sent_at","sort_order":"asc"`, "m4 m3 m2 m1"},
		{`"sort_by":"from_number","sort_order":"asc"`, "m2 m1 m4 m3"},
		{`"sort_by":"direction","sort_order":"desc"`, "m2 m1 m3 m4"},
		{`"sort_by":"bogus","sort_order":"asc"`, "m1 m2 m3 m4"},
		{`"sort_order":"asc"`, "m1 m2 m3 m4"},
		{`"sort_by":"sent_at","sort_order":"asc","limit":2,"offset":1`, "m3 m2"},
	} {
		status, text := b.Call(t, "POST", "/sms/query", "{"+c.query+"}")
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
	}
	b.Expect(t, "POST /sms/query", `{"offset":4,"is_spam":true,"from_number":"555 123 0001","thread_id":null}`, 200, `{"modality_type":"sms","messages":[],"total_count":2,
		"returned_count":0,"query":{"offset":4,"is_spam":true,"from_number":"+15551230001","sort_order":"desc"}}`)
	b.Expect(t, "POST /sms/query", `{"sent_after":"2025-01-15T07:00:00"}`, 500, `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"TypeError"}`)
	for _, bad := range []string{`{"limit":0}`, `{"direction":"up"}`, `{"message_type":"mms"}`, `{"delivery_status":"x"}`, `{"from_number":5}`} {
		if status, text := b.Call(t, "POST", "/sms/query", bad); status != 422 {
			t.Errorf("%s: %d %s", bad, status, text)
		}
	}
}

// answered is the answer of an action that was executed, but for the event's id.
func answered(t *testing.T, b *modalitytest.Bench, path, body, status, message string) {
	t.Helper()
	code, text := b.Call(t, "POST", "/sms/"+path, body)
	got, _ := modalitytest.Plain(t, text).(map[string]any)
	delete(got, "event_id")
	want := map[string]any{"scheduled_time": "2025-01-15T09:00:00Z", "status": status, "message": message, "modality": "sms"}
	if diff := cmp.Diff(want, got); code != 200 || diff != "" {
		t.Errorf("/sms/%s %s: %d (-want +got):\n%s", path, body, code, diff)
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	b := bench()
	answered(t, b, "receive", `{"from_number":"(555) 123-0001","to_numbers":["555.000.0000"],"body":"`+strings.Repeat("é", 51)+`","sent_at":"2030-01-01T00:00:00Z"}`,
		"executed", "SMS message received successfully")
	answered(t, b, "send", `{"from_number":"+15550000000","to_numbers":["+15551230001"],"body":"","message_type":"rcs","replied_to_message_id":"id-4"}`,
		"executed", "SMS message sent successfully")
	b.Holds(t, "messages/id-4/from_number", `"+15551230001"`, "messages/id-4/sent_at", `"2025-01-15T09:00:00Z"`, "messages/id-7/thread_id", `"id-3"`,
		"messages/id-7/replied_to_message_id", `"id-4"`, "conversations/id-3/message_count", "2")
	want := []string{
		`sms.received {"message_id":"id-2","from":"+15551230001","preview":"` + strings.Repeat("é", 50) + `..."}`,
		`sms.sent {"message_id":"id-6","to":["+15551230001"],"preview":""}`,
	}
	if diff := cmp.Diff(want, b.Notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	answered(t, b, "react", `{"message_id":"id-4","phone_number":"5550000000","emoji":"👍"}`, "executed", "Added reaction '👍' to message")
	b.Holds(t, "messages/id-4/reactions", `[{"reaction_id":"id-10","message_id":"id-4","phone_number":"+15550000000","emoji":"👍","timestamp":"2025-01-15T09:00:00Z"}]`)
	answered(t, b, "react", `{"message_id":"no","phone_number":"1","emoji":"x"}`, "failed", "Failed to add reaction: ValueError: Message no not found")
	answered(t, b, "conversation", `{"thread_id":"id-3","pin":true,"mute":false,"archive":true,"mark_all_read":true,"draft_message":"x"}`, "executed",
		"Conversation pinned, unmuted, archived, marked all read, draft saved")
	answered(t, b, "conversation", `{"thread_id":"id-3","pin":false,"mute":true,"archive":false,"draft_message":""}`, "executed",
		"Conversation unpinned, muted, unarchived, draft cleared")
	answered(t, b, "conversation", `{"thread_id":"no","pin":true}`, "failed", "Failed to update conversation: ValueError: Conversation no not found")
	b.Expect(t, "POST /sms/conversation", `{"thread_id":"id-3"}`, 400,
		`{"detail":"At least one update field (pin, mute, archive, mark_all_read, draft_message) must be specified"}`)
}

// TestTogether has the endpoints that change all messages but record the first.
func TestTogether(t *testing.T) {
	t.Parallel()
	b := phone(t)
	start := b.Dump()
	answered(t, b, "read", `{"message_ids":["m1","no","m2","m3"]}`, "executed", "Marked 3 message(s) as read")
	b.Holds(t, "messages/m1/is_read", "true", "messages/m3/read_at", `"2025-01-15T09:00:00Z"`, "messages/m2/delivery_status", `"read"`, "messages/m1/delivery_status", `"sent"`)
	marked := b.Dump()
	b.Undo(t)
	if diff := cmp.Diff(start, b.Dump()); diff != "" {
		t.Errorf("undo of read (-want +got):\n%s", diff)
	}
	undo, err := b.State.Apply(b.Last, b.Moment())
	if err != nil {
		t.Fatal(err)
	}
	b.Undos = append(b.Undos, undo)
	if diff := cmp.Diff(marked, b.Dump()); diff != "" {
		t.Errorf("redo of read (-want +got):\n%s", diff)
	}
	answered(t, b, "unread", `{"message_ids":["m3","m2"]}`, "executed", "Marked 2 message(s) as unread")
	b.Undo(t)
	if diff := cmp.Diff(marked, b.Dump()); diff != "" {
		t.Errorf("undo of unread (-want +got):\n%s", diff)
	}
	answered(t, b, "unread", `{"message_ids":["m3","m2","m3"]}`, "executed", "Marked 3 message(s) as unread")
	b.Holds(t, "messages/m3/is_read", "false", "messages/m3/read_at", "null", "messages/m3/delivery_status", `"delivered"`, "messages/m3/delivered_at", `"2025-01-15T09:00:00Z"`,
		"messages/m2/is_read", "false", "messages/m2/delivery_status", `"read"`)
	answered(t, b, "delete", `{"message_ids":["m1","m2"]}`, "executed", "Deleted 2 message(s)")
	b.Holds(t, "messages/m1/is_deleted", "true", "messages/m2/is_deleted", "true")
	if !strings.Contains(string(b.Last.AppendJSON(nil)), `"operation":"delete_message"`) || !strings.Contains(string(b.Last.AppendJSON(nil)), `"message_id":"m1"`) {
		t.Errorf("recorded %s", b.Last.AppendJSON(nil))
	}
	answered(t, b, "delete", `{"message_ids":["no","m3"]}`, "failed", "Failed to delete messages: ValueError: Message no not found")
	b.Holds(t, "messages/m3/is_deleted", "true")
	b.Expect(t, "POST /sms/read", `{"message_ids":[]}`, 422, `{"error":"Validation Error","detail":[{"type":"too_short","loc":["body","message_ids"],
		"msg":"List should have at least 1 item after validation, not 0","input":[],"ctx":{"field_type":"List","min_length":1,"actual_length":0}}]}`)
}

func TestStates(t *testing.T) {
	t.Parallel()
	b := phone(t)
	b.MustApply(t, message(amy, me, ""))
	_, text := b.Call(t, "GET", "/sms/state", "")
	full, _ := modalitytest.Plain(t, text).(map[string]any)
	for _, moved := range []string{"messages", "conversations"} {
		if diff := cmp.Diff(b.At(t, moved), full[moved]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", moved, diff)
		}
		delete(full, moved)
	}
	if diff := cmp.Diff(modalitytest.Plain(t, `{"modality_type":"sms","current_time":"2025-01-15T09:00:00Z","user_phone_number":"+15550000000",
		"total_message_count":5,"unread_count":4,"total_conversation_count":1}`), any(full)); diff != "" {
		t.Errorf("full (-want +got):\n%s", diff)
	}
	b.Expect(t, "GET /sms/state?compact=true", "", 200, `{"modality_type":"sms","last_updated":"2025-01-15T09:00:00+00:00","update_count":1,"user_phone_number":"+15550000000",
		"conversations":{"id-3":{"thread_id":"id-3","participants":["+15550000000","+15551230001"],"message_count":1,"unread_count":1,
		"last_message_at":"2025-01-15T09:00:00+00:00","created_at":"2025-01-15T09:00:00+00:00"}},"total_conversations":1,"total_messages":5,"unread_total":1}`)
	if got := b.State.Summary(b.Moment()); got != "1 conversation, 1 unread" {
		t.Errorf("summary %q", got)
	}
	b.MustApply(t, `{"operation":"create_group","creator_number":"1","participant_numbers":["1","2"],"group_name":"G"}`)
	b.MustApply(t, message("1", "2", `,"timestamp":"2025-01-15T08:30:00Z"`))
	want := `{"summary":"2 conversations, 2 unread","conversation_count":2,"total_unread":2,"unread_conversations":[
		{"thread_id":"id-3","unread_count":1,"received_ago":"just now","participant":"+15551230001","last_message":"hi"},
		{"thread_id":"id-6","unread_count":1,"received_ago":"30 minutes ago","is_group":true,"group_name":"G","last_message":"hi"}]}`
	if diff := cmp.Diff(modalitytest.Plain(t, want), modalitytest.Plain(t, string(b.State.AppendCompact(nil, b.Moment())))); diff != "" {
		t.Errorf("compact (-want +got):\n%s", diff)
	}
	if got := bench().State.Summary(b.Moment()); got != "No conversations" {
		t.Errorf("summary %q", got)
	}
	b.State = nil
	for call, body := range map[string]string{"GET /sms/state": "", "POST /sms/query": "{}", "POST /sms/read": `{"message_ids":["m"]}`} {
		b.Expect(t, call, body, 500, `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"KeyError"}`)
	}
}

// TestHostile is the property of modalitytest.Hostile.
func TestHostile(t *testing.T) {
	t.Parallel()
	modalitytest.Hostile(t, sms.Kind(), scenario, message(amy, me, `,"timestamp":0,"attachments":[{"filename":"f","size":1,"mime_type":"a/b"}]`), `{"action":"receive_message","timestamp":0,"message_data":{"from_number":"1","to_numbers":["2"],"body":"yo"}}`)
}
