package sms_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/sms"
)

const (
	me  = "+15550000000"
	amy = "+15551230001"
	bob = "+15551230002"
)

func bench() *modalitytest.Bench { return modalitytest.New(sms.Kind()) }

// message is a payload of a new message.
func message(from, to, more string) string {
	return fmt.Sprintf(`{"operation":"receive_message","from_number":%q,"to_numbers":["%s"],"body":"hi"%s}`, from, to, more)
}

func TestRules(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		`{}`:                           "decode: operation: Field required",
		`{"operation":"fax"}`:          "decode: operation: Input should be 'send_message', 'receive_message', 'update_delivery_status', 'add_reaction', 'remove_reaction', 'edit_message', 'delete_message', 'create_group', 'update_group', 'add_participant', 'remove_participant', 'leave_group' or 'update_conversation'",
		`{"operation":"send_message"}`: "Operation 'send_message' requires from_number",
		`{"operation":"send_message","from_number":"1"}`:                                "Operation 'send_message' requires to_numbers",
		`{"operation":"receive_message","from_number":"1","to_numbers":["2"]}`:          "Operation 'receive_message' requires body",
		`{"operation":"update_delivery_status"}`:                                        "Operation 'update_delivery_status' requires message_id",
		`{"operation":"update_delivery_status","message_id":"m"}`:                       "Operation 'update_delivery_status' requires new_status",
		`{"operation":"update_delivery_status","message_id":"m","new_status":"sent"}`:   "Operation 'update_delivery_status' requires new_status to be one of: delivered, read, failed",
		`{"operation":"update_delivery_status","message_id":"m","new_status":"x"}`:      "decode: new_status: Input should be 'sending', 'sent', 'delivered', 'failed' or 'read'",
		`{"operation":"add_reaction","message_id":"m","phone_number":"1"}`:              "Operation 'add_reaction' requires emoji",
		`{"operation":"remove_reaction","message_id":"m","phone_number":"1"}`:           "Operation 'remove_reaction' requires reaction_id",
		`{"operation":"edit_message","message_id":"m"}`:                                 "Operation 'edit_message' requires new_body",
		`{"operation":"delete_message"}`:                                                "Operation 'delete_message' requires message_id",
		`{"operation":"create_group","creator_number":"1","participant_numbers":["1"]}`: "Operation 'create_group' requires at least 2 participant_numbers",
		`{"operation":"update_group"}`:                                                  "Operation 'update_group' requires thread_id",
		`{"operation":"add_participant","thread_id":"t"}`:                               "Operation 'add_participant' requires phone_number",
		`{"operation":"update_conversation","thread_id":"t"}`:                           "Operation 'update_conversation' requires at least one of: pin, mute, archive, mark_all_read, draft_message",
		`{"operation":"delete_message","message_id":"no"}`:                              "Message no not found",
		`{"operation":"add_reaction","message_id":"no","phone_number":"1","emoji":"x"}`: "Message no not found",
		`{"operation":"leave_group","thread_id":"no"}`:                                  "Conversation no not found",
		message(amy, me, `,"thread_id":"no"`):                                           "Conversation no not found",
		message(amy, me, `,"message_type":"mms"`):                                       "decode: message_type: Input should be 'sms' or 'rcs'",
	} {
		bench().Refuses(t, payload, want)
	}
}

func TestDeliver(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, message(amy, me, `,"timestamp":"2025-01-15T08:00:00Z","message_id":"ignored","attachments":[{"filename":"f","size":1,"mime_type":"a/b"}],"group_name":"g"`))
	b.Holds(t, "messages", `{"id-3":{"message_id":"id-3","thread_id":"id-2","from_number":"+15551230001","to_numbers":["+15550000000"],"body":"hi",
		"attachments":[{"filename":"f","size":1,"mime_type":"a/b","attachment_id":"id-4","thumbnail_url":null,"duration":null}],"reactions":[],"message_type":"sms",
		"direction":"incoming","sent_at":"2025-01-15T08:00:00Z","delivered_at":null,"read_at":null,"is_read":false,"delivery_status":"sent","edited_at":null,
		"is_deleted":false,"replied_to_message_id":null,"is_spam":false}}`,
		"conversations", `{"id-2":{"thread_id":"id-2","conversation_type":"one_on_one","participants":[
		{"phone_number":"+15550000000","is_admin":false,"joined_at":"2025-01-15T08:00:00Z","left_at":null},
		{"phone_number":"+15551230001","is_admin":false,"joined_at":"2025-01-15T08:00:00Z","left_at":null}],
		"group_name":"g","group_photo_url":null,"created_at":"2025-01-15T08:00:00Z","created_by":null,"last_message_at":"2025-01-15T08:00:00Z",
		"message_count":1,"unread_count":1,"is_pinned":false,"is_muted":false,"is_archived":false,"draft_message":null}}`)
	b.Payload(t, `{"modality_type":"sms","timestamp":"2025-01-15T08:00:00Z","input_id":"id-1","operation":"receive_message","from_number":"+15551230001",
		"to_numbers":["+15550000000"],"body":"hi","message_type":"sms","attachments":[{"filename":"f","size":1,"mime_type":"a/b","thumbnail_url":null,"duration":null}],
		"thread_id":null,"replied_to_message_id":null,"message_id":"ignored","new_status":null,"delivered_at":null,"read_at":null,"phone_number":null,"emoji":null,
		"reaction_id":null,"new_body":null,"delete_for_everyone":false,"group_name":"g","creator_number":null,"participant_numbers":null,"group_photo_url":null,
		"added_by":null,"removed_by":null,"is_admin":false,"pin":null,"mute":null,"archive":null,"mark_all_read":null,"draft_message":null,"mute_until":null}`)

	// The same people, whoever writes; what the user writes is read.
	b.MustApply(t, `{"operation":"receive_message","from_number":"`+me+`","to_numbers":["`+amy+`","`+amy+`"],"body":""}`)
	b.Holds(t, "messages/id-6/thread_id", `"id-2"`, "messages/id-6/direction", `"outgoing"`, "messages/id-6/is_read", "true",
		"conversations/id-2/message_count", "2", "conversations/id-2/unread_count", "1")
	// Three people are a group.
	b.MustApply(t, `{"operation":"send_message","from_number":"`+amy+`","to_numbers":["`+bob+`","`+me+`"],"body":"x"}`)
	b.Holds(t, "conversations/id-8/conversation_type", `"group"`)
	// A given thread counts even when the people differ.
	b.MustApply(t, message(bob, me, `,"thread_id":"id-2"`))
	b.Holds(t, "conversations/id-2/message_count", "3")
	b.MustApply(t, message(me, me, ""))
	b.Holds(t, "conversations/id-13/conversation_type", `"one_on_one"`)
}

// TestOlderForm has payloads as scenarios and events of an older version carry them.
func TestOlderForm(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, `{"action":"receive_message","message_data":{"from_number":"`+amy+`","to_numbers":["`+me+`"],"body":"yo"}}`)
	b.Holds(t, "messages/id-3/body", `"yo"`)
	b.Payload(t, `{"modality_type":"sms","timestamp":"2025-01-15T09:00:00Z","input_id":"id-1","action":"receive_message",
		"message_data":{"from_number":"+15551230001","to_numbers":["+15550000000"],"body":"yo"},"delivery_update_data":null,"reaction_data":null,
		"edit_data":null,"delete_data":null,"group_data":null,"participant_data":null,"conversation_update_data":null}`)
	b.MustApply(t, `{"action":"add_reaction","reaction_data":{"message_id":"id-3","phone_number":"1","emoji":"x"}}`)
	b.Holds(t, "messages/id-3/reactions", `[{"reaction_id":"id-5","message_id":"id-3","phone_number":"1","emoji":"x","timestamp":"2025-01-15T09:00:00Z"}]`)
	b.Refuses(t, `{"action":"fax"}`, "decode: action: Input should be 'send_message', 'receive_message', 'update_delivery_status', 'add_reaction', "+
		"'remove_reaction', 'edit_message', 'delete_message', 'create_group', 'update_group', 'add_participant', 'remove_participant', 'leave_group' or 'update_conversation'")
}

func TestWalk(t *testing.T) {
	t.Parallel()
	b := bench()
	const later = `,"timestamp":"2025-01-15T10:00:00Z"`
	b.Walk(t, []modalitytest.Step{
		modalitytest.Do(message(amy, me, `,"message_type":"rcs"`), "remove_message", "conversations/id-2/unread_count", "1"),
		modalitytest.Do(message(me, amy, ""), "remove_message", "messages/id-5/direction", `"outgoing"`),
		modalitytest.Do(`{"operation":"update_delivery_status","message_id":"id-5","new_status":"delivered"`+later+`}`, "restore_delivery_status",
			"messages/id-5/delivery_status", `"delivered"`, "messages/id-5/delivered_at", `"2025-01-15T10:00:00Z"`),
		modalitytest.Do(`{"operation":"update_delivery_status","message_id":"id-5","new_status":"read"`+later+`}`, "restore_delivery_status",
			"messages/id-5/delivery_status", `"read"`, "messages/id-5/read_at", `"2025-01-15T10:00:00Z"`),
		modalitytest.Do(`{"operation":"update_delivery_status","message_id":"id-3","new_status":"read"}`, "restore_delivery_status",
			"messages/id-3/delivery_status", `"sent"`, "messages/id-3/is_read", `true`, "conversations/id-2/unread_count", "1"),
		modalitytest.Do(`{"operation":"update_delivery_status","message_id":"id-3","new_status":"failed"}`, "restore_delivery_status", "messages/id-3/delivery_status", `"failed"`),
		modalitytest.Do(`{"operation":"add_reaction","message_id":"id-3","phone_number":"1","emoji":"x"}`, "remove_added_reaction", "messages/id-3/reactions",
			`[{"reaction_id":"id-11","message_id":"id-3","phone_number":"1","emoji":"x","timestamp":"2025-01-15T09:00:00Z"}]`),
		modalitytest.Do(`{"operation":"remove_reaction","message_id":"id-3","phone_number":"1","reaction_id":"id-11"}`, "restore_reaction", "messages/id-3/reactions", `[]`),
		modalitytest.Do(`{"operation":"remove_reaction","message_id":"id-3","phone_number":"1","reaction_id":"id-11"}`, "noop"),
		modalitytest.Do(`{"operation":"edit_message","message_id":"id-3","new_body":"new"`+later+`}`, "restore_message_body",
			"messages/id-3/body", `"new"`, "messages/id-3/edited_at", `"2025-01-15T10:00:00Z"`),
		modalitytest.Do(`{"operation":"delete_message","message_id":"id-3"}`, "restore_message_deleted", "messages/id-3/is_deleted", `true`),
		modalitytest.Do(`{"operation":"create_group","creator_number":"`+me+`","participant_numbers":["`+bob+`","`+me+`"],"group_name":"G","group_photo_url":"p"}`, "remove_group",
			"conversations/id-17/conversation_type", `"group"`, "conversations/id-17/created_by", `"`+me+`"`, "conversations/id-17/group_name", `"G"`, "conversations/id-17/group_photo_url", "null",
			"conversations/id-17/participants", `[{"phone_number":"`+bob+`","is_admin":false,"joined_at":"2025-01-15T09:00:00Z","left_at":null},
				{"phone_number":"`+me+`","is_admin":true,"joined_at":"2025-01-15T09:00:00Z","left_at":null}]`),
		modalitytest.Do(`{"operation":"update_group","thread_id":"id-17","group_photo_url":"q"}`, "restore_group_settings",
			"conversations/id-17/group_name", `"G"`, "conversations/id-17/group_photo_url", `"q"`),
		modalitytest.Do(message(bob, me, ""), "remove_message", "conversations/id-17/message_count", "1"),
		modalitytest.Do(`{"operation":"add_participant","thread_id":"id-17","phone_number":"`+amy+`","is_admin":true}`, "remove_added_participant"),
		modalitytest.Do(message(amy, me+`","`+bob, ""), "remove_message", "conversations/id-17/message_count", "2"),
		modalitytest.Do(`{"operation":"remove_participant","thread_id":"id-17","phone_number":"`+amy+`"`+later+`}`, "restore_participant"),
		modalitytest.Do(message(amy, me+`","`+bob, ""), "remove_message", "conversations/id-17/message_count", "3"), // who left still counts
		modalitytest.Do(`{"operation":"remove_participant","thread_id":"id-17","phone_number":"nobody"}`, "noop"),
		modalitytest.Do(`{"operation":"leave_group","thread_id":"id-17"`+later+`}`, "restore_participant", "conversations/id-17/participants",
			`[{"phone_number":"`+bob+`","is_admin":false,"joined_at":"2025-01-15T09:00:00Z","left_at":null},
			{"phone_number":"`+me+`","is_admin":true,"joined_at":"2025-01-15T09:00:00Z","left_at":"2025-01-15T10:00:00Z"},
			{"phone_number":"`+amy+`","is_admin":true,"joined_at":"2025-01-15T09:00:00Z","left_at":"2025-01-15T10:00:00Z"}]`),
		modalitytest.Do(`{"operation":"update_conversation","thread_id":"id-17","pin":true,"mute":true,"archive":true,"draft_message":"d","mute_until":0}`, "restore_conversation_settings",
			"conversations/id-17/is_pinned", "true", "conversations/id-17/is_muted", "true", "conversations/id-17/is_archived", "true", "conversations/id-17/draft_message", `"d"`),
		modalitytest.Do(`{"operation":"update_conversation","thread_id":"id-17","pin":false,"draft_message":"","mark_all_read":true`+later+`}`, "restore_conversation_settings",
			"conversations/id-17/is_pinned", "false", "conversations/id-17/draft_message", `null`, "conversations/id-17/unread_count", "0",
			"messages/id-20/is_read", "true", "messages/id-20/read_at", `"2025-01-15T10:00:00Z"`),
		modalitytest.Do(`{"operation":"update_conversation","thread_id":"id-17","mark_all_read":false}`, "restore_conversation_settings"),
	})
	b = bench()
	b.MustApply(t, message(amy, me, ""))
	b.Refuses(t, `{"operation":"edit_message","message_id":"id-3","new_body":"new"}`, "Can only edit RCS messages")
}

func TestHistoryLimit(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, sms.Kind(), `{"last_updated":0,"max_messages_per_conversation":2,"user_phone_number":"`+me+`"}`)
	for i := range 4 {
		b.MustApply(t, message(amy, me, fmt.Sprintf(`,"timestamp":%d`, 100-i)))
	}
	messages, _ := b.At(t, "messages").(map[string]any)
	if len(messages) != 2 {
		t.Errorf("%d messages, want 2", len(messages))
	}
	b.Holds(t, "conversations/id-2/message_count", "4")
	if diff := cmp.Diff([]string{"Conversation id-2 message_count (4) doesn't match actual count (2)"}, b.State.Problems()); diff != "" {
		t.Error(diff)
	}
	for range 4 {
		b.Undo(t)
	}
	b.Holds(t, "messages", "{}", "conversations", "{}")
}

const scenario = `{"last_updated":"2026-01-28T06:00:00","user_phone_number":"5550000000","max_messages_per_conversation":3,
"messages":{"m1":{"thread_id":"t1","from_number":"+15551230001","to_numbers":["5550000000"],"body":"one","direction":"incoming","sent_at":"2026-01-28T05:00:00Z"},
"m2":{"message_id":"m2","thread_id":"t2","from_number":"5550000000","to_numbers":["+15551230001"],"body":"two","direction":"outgoing","sent_at":"2026-01-28T04:00:00Z","message_type":"rcs",
 "reactions":[{"reaction_id":"r","message_id":"m2","phone_number":"1","emoji":"x","timestamp":0}],"attachments":[{"filename":"f","size":1,"mime_type":"a/b","attachment_id":"a"}]}},
"conversations":{"t1":{"conversation_type":"one_on_one","participants":[{"phone_number":"5550000000","joined_at":0},{"phone_number":"+15551230001","joined_at":0}],
 "created_at":"2026-01-28T05:00:00Z","last_message_at":"2026-01-28T05:00:00Z","message_count":1,"unread_count":1},
"t3":{"conversation_type":"group","participants":[],"created_at":0,"last_message_at":0}}}`

func TestLoad(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, sms.Kind(), scenario)
	modalitytest.Reloaded(t, b)
	b.Holds(t, "messages/m1/message_id", `"m1"`, "conversations/t1/thread_id", `"t1"`)
	want := []string{
		"Message m2 references non-existent conversation t2", "Conversation t3 has no participants",
	}
	if diff := cmp.Diff(want, b.State.Problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	b.MustApply(t, message(amy, "5550000000", ""))
	b.Holds(t, "conversations/t1/message_count", "2")
	b.State.Clear(b.Moment())
	b.Holds(t, "user_phone_number", `"5550000000"`, "messages", "{}", "conversations", "{}", "update_count", "0")
	_, errs := sms.Load(modalitytest.MustObject(`{"messages":{"m":{}},"conversations":{"c":{"participants":[{}]}}}`), b.Moment())
	var got []string
	for _, e := range errs {
		got = append(got, e.Where())
	}
	if diff := cmp.Diff(strings.Fields(`last_updated messages.m.thread_id messages.m.from_number messages.m.to_numbers messages.m.body messages.m.direction messages.m.sent_at
		conversations.c.conversation_type conversations.c.participants.0.phone_number conversations.c.participants.0.joined_at
		conversations.c.created_at conversations.c.last_message_at user_phone_number`), got); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

func TestReversible(t *testing.T) {
	t.Parallel()
	draw := func(t *rapid.T) string {
		numbers := rapid.SampledFrom([]string{me, amy, bob, "5550000000"})
		ids := rapid.SampledFrom([]string{"m1", "m2", "no", "id-3", "id-6"})
		threads := rapid.SampledFrom([]string{"t1", "t3", "id-2", "no"})
		op := rapid.SampledFrom([]string{
			"send_message", "receive_message", "receive_message", "update_delivery_status", "add_reaction", "remove_reaction", "edit_message",
			"delete_message", "create_group", "update_group", "add_participant", "remove_participant", "leave_group", "update_conversation",
		}).Draw(t, "operation")
		payload := fmt.Sprintf(`{"operation":%q,"timestamp":%d,"from_number":%q,"to_numbers":["%s"],"body":"b","message_id":%q,"new_status":%q,"phone_number":%q,"emoji":"x",
			"reaction_id":"r","new_body":"n","creator_number":%q,"participant_numbers":["%s"],"group_name":"g","pin":%v,"mark_all_read":%v,"draft_message":""`,
			op, rapid.IntRange(0, 5).Draw(t, "time"), numbers.Draw(t, "from"), strings.Join(rapid.SliceOfN(numbers, 1, 3).Draw(t, "to"), `","`), ids.Draw(t, "message"),
			rapid.SampledFrom([]string{"delivered", "read", "failed"}).Draw(t, "status"), numbers.Draw(t, "phone"), me,
			strings.Join(rapid.SliceOfN(numbers, 2, 3).Draw(t, "people"), `","`), rapid.Bool().Draw(t, "pin"), rapid.Bool().Draw(t, "read"))
		if rapid.Bool().Draw(t, "in a thread") || !strings.HasSuffix(op, "_message") {
			payload += fmt.Sprintf(`,"thread_id":%q`, threads.Draw(t, "thread"))
		}
		return payload + "}"
	}
	for name, open := range map[string]func(testing.TB) *modalitytest.Bench{
		"empty":    func(testing.TB) *modalitytest.Bench { return bench() },
		"scenario": func(t testing.TB) *modalitytest.Bench { return modalitytest.Load(t, sms.Kind(), scenario) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modalitytest.Reversible(t, open, draw)
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(message(amy, me, `,"timestamp":0`))
	f.Add(`{"action":"receive_message","timestamp":0,"message_data":{"from_number":"1","to_numbers":["2"],"body":"yo"}}`)
	f.Add(scenario)
	f.Fuzz(func(t *testing.T, text string) { modalitytest.Fuzz(t, sms.Kind(), text) })
}
