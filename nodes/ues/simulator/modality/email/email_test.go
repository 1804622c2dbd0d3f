package email_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality/email"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
)

const compose = `"from_address":"a@x.io","to_addresses":["user@example.com"],"subject":"Hi","body_text":"Text"`

func bench() *modalitytest.Bench { return modalitytest.New(email.Kind()) }

func receive(t *testing.T, b *modalitytest.Bench, id, more string) {
	t.Helper()
	b.MustApply(t, fmt.Sprintf(`{"operation":"receive",%s,"message_id":%q%s}`, compose, id, more))
}

// at gives the part of a dump at a path of names.
func at(t *testing.T, b *modalitytest.Bench, path ...string) any {
	t.Helper()
	v := modalitytest.Plain(t, b.Dump())
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("no object at %v", path)
		}
		v = m[p]
	}
	return v
}

func expect(t *testing.T, b *modalitytest.Bench, want string, path ...string) {
	t.Helper()
	if diff := cmp.Diff(modalitytest.Plain(t, want), at(t, b, path...)); diff != "" {
		t.Errorf("%v (-want +got):\n%s", path, diff)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ payload, want string }{
		{`{"operation":"receive"}`, "Operation 'receive' requires from_address"},
		{`{"operation":"send","from_address":""}`, "Operation 'send' requires from_address"},
		{`{"operation":"send","from_address":"a@x.io","to_addresses":[]}`, "Operation 'send' requires to_addresses"},
		{`{"operation":"send","from_address":"a@x.io","to_addresses":["b@x.io"]}`, "Operation 'send' requires subject"},
		{`{"operation":"send","from_address":"a@x.io","to_addresses":["b@x.io"],"subject":"s","body_text":""}`, "Operation 'send' requires body_text"},
		{`{"operation":"reply",` + compose + `}`, "Operation 'reply' requires in_reply_to"},
		{`{"operation":"forward",` + compose + `}`, "Operation 'forward' requires in_reply_to"},
		{`{"operation":"send_draft"}`, "Operation 'send_draft' requires message_id"},
		{`{"operation":"mark_read"}`, "Operation 'mark_read' requires message_id or message_ids"},
		{`{"operation":"move","message_id":"m"}`, "Operation 'move' requires folder"},
		{`{"operation":"add_label","message_id":"m"}`, "Operation 'add_label' requires labels"},
		{`{"operation":"remove_label","message_id":"m","labels":[]}`, "Operation 'remove_label' requires labels"},
		{`{"operation":"receive",` + compose + `,"cc_addresses":["Bob <b@x.io>"]}`, "Invalid email address format: 'Bob <b@x.io>'"},
		{`{"operation":"receive",` + compose + `,"bcc_addresses":["b@x"]}`, "Invalid email address format: 'b@x'"},
		{`{"operation":"receive",` + compose + `,"reply_to_address":"b@x.i"}`, "Invalid email address format: 'b@x.i'"},
		{`{"operation":"reply",` + compose + `,"in_reply_to":"no"}`, "Cannot reply to non-existent email: no"},
		{`{"operation":"forward",` + compose + `,"in_reply_to":"no"}`, "Cannot forward non-existent email: no"},
		{`{"operation":"send_draft","message_id":"no"}`, "Draft not found: no"},
		{`{"operation":"eat"}`, "decode: operation: Input should be 'receive', 'send', 'reply', 'reply_all', 'forward', 'save_draft', " +
			"'send_draft', 'mark_read', 'mark_unread', 'star', 'unstar', 'archive', 'delete', 'add_label', 'remove_label', 'move', 'mark_spam' or 'mark_not_spam'"},
		{`{"operation":"receive","priority":"urgent"}`, "decode: priority: Input should be 'high', 'normal' or 'low'"},
		{`{"operation":"receive","to_addresses":[1]}`, "decode: to_addresses.0: Input should be a valid string"},
	} {
		b := bench()
		before := b.Dump()
		if err := b.Apply(c.payload); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.payload, err, c.want)
		}
		if b.Dump() != before {
			t.Errorf("%s: changed the state", c.payload)
		}
	}
}

func TestReceive(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, `{"operation":"receive","timestamp":"2025-01-15T08:00:00Z",`+compose+`,"cc_addresses":["c@x.io"],"labels":["ignored"]}`)
	expect(t, b, `{"id-2":{"message_id":"id-2","thread_id":"thread-id-2","from_address":"a@x.io","to_addresses":["user@example.com"],
		"cc_addresses":["c@x.io"],"bcc_addresses":[],"reply_to_address":null,"subject":"Hi","body_text":"Text","body_html":null,
		"attachments":[],"in_reply_to":null,"references":[],"sent_at":"2025-01-15T08:00:00Z","received_at":"2025-01-15T08:00:00Z",
		"is_read":false,"is_starred":false,"priority":"normal","folder":"inbox","labels":[]}}`, "emails")
	expect(t, b, `{"thread-id-2":{"thread_id":"thread-id-2","subject":"Hi","participant_addresses":["a@x.io","c@x.io","user@example.com"],
		"message_ids":["id-2"],"created_at":"2025-01-15T08:00:00Z","last_message_at":"2025-01-15T08:00:00Z","message_count":1,"unread_count":1}}`, "threads")
	expect(t, b, `["id-2"]`, "folders", "inbox")
	expect(t, b, `"2025-01-15T08:00:00Z"`, "last_updated")
	if diff := cmp.Diff(modalitytest.Plain(t, `{"modality_type":"email","timestamp":"2025-01-15T08:00:00Z","input_id":"id-1","operation":"receive",
		"message_id":"id-2","message_ids":null,"from_address":"a@x.io","to_addresses":["user@example.com"],"cc_addresses":["c@x.io"],"bcc_addresses":null,
		"reply_to_address":null,"subject":"Hi","body_text":"Text","body_html":null,"attachments":null,"thread_id":"thread-id-2","in_reply_to":null,
		"references":null,"priority":"normal","folder":null,"labels":["ignored"],"is_draft":false}`), modalitytest.Plain(t, string(b.Last.AppendJSON(nil)))); diff != "" {
		t.Errorf("written back (-want +got):\n%s", diff)
	}
}

func TestReceiveOverwrites(t *testing.T) {
	t.Parallel()
	b := bench()
	receive(t, b, "m1", `,"thread_id":"t"`)
	receive(t, b, "m2", `,"thread_id":"t"`)
	receive(t, b, "m1", `,"thread_id":"u","priority":"high"`)
	expect(t, b, `["m1","m2","m1"]`, "folders", "inbox")
	expect(t, b, `"high"`, "emails", "m1", "priority")
	b.Expect(t, "POST /email/query", `{"thread_id":"t","limit":1000}`, 200, query(`"thread_id":"t","limit":1000`, b, "m2"))
	b.Expect(t, "POST /email/query", `{"priority":"low"}`, 200, query(`"priority":"low"`, b, "m1", "m2"))
	if got := b.State.Problems(); got != nil {
		t.Errorf("problems %v", got)
	}
}

// query is the answer of a query that finds the given messages.
func query(echo string, b *modalitytest.Bench, ids ...string) string {
	list := make([]string, len(ids))
	dump := modalitytest.MustObject(b.Dump())
	emails, _ := dump.Get("emails")
	for i, id := range ids {
		list[i] = part(emails, id)
	}
	if echo != "" {
		echo += ","
	}
	if !strings.Contains(echo, `"offset"`) {
		echo += `"offset":0,`
	}
	if !strings.Contains(echo, `"sort_order"`) {
		echo += `"sort_order":"desc",`
	}
	return fmt.Sprintf(`{"modality_type":"email","emails":[%s],"total_count":%d,"returned_count":%d,"query":{%s}}`,
		strings.Join(list, ","), len(ids), len(ids), strings.TrimSuffix(echo, ","))
}

// TestLargeRequests has requests that name the same things many times, and too many.
func TestLargeRequests(t *testing.T) {
	t.Parallel()
	b := bench()
	receive(t, b, "m1", "")
	ids := strings.Repeat(`"m1",`, 200_000)
	before := b.Dump()
	b.MustApply(t, `{"operation":"move","folder":"f","message_ids":[`+ids+`"no"]}`)
	expect(t, b, `["m1"]`, "folders", "f")
	b.Undo(t)
	var labels strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&labels, `"l%d",`, i%100_000)
	}
	b.MustApply(t, `{"operation":"add_label","message_id":"m1","labels":[`+labels.String()+`"x"]}`)
	b.MustApply(t, `{"operation":"remove_label","message_id":"m1","labels":[`+labels.String()+`"y"]}`)
	expect(t, b, `["x"]`, "emails", "m1", "labels")
	b.Undo(t)
	b.Undo(t)
	if b.Dump() != before {
		t.Error("undone, the mailbox is not as before")
	}
	b.Refuses(t, `{"operation":"add_label","message_ids":["a","b","c","d","e","f"],"labels":[`+labels.String()+`"x"]}`,
		"Operation 'add_label' with 200001 labels for 6 emails is more than 1000000 in all")
}

// TestManyPeople has a thread of more people than are looked through one by one.
func TestManyPeople(t *testing.T) {
	t.Parallel()
	b := bench()
	var dumps []string
	for i := range 40 {
		dumps = append(dumps, b.Dump())
		receive(t, b, fmt.Sprintf("m%d", i), fmt.Sprintf(`,"thread_id":"t","cc_addresses":["p%02d@x.io","p%02d@x.io"]`, i, i/2))
	}
	people, _ := at(t, b, "threads", "t", "participant_addresses").([]any)
	if len(people) != 42 || people[0] != "a@x.io" || people[1] != "p00@x.io" || people[40] != "p39@x.io" {
		t.Errorf("%d people: %v", len(people), people)
	}
	for _, before := range slices.Backward(dumps) {
		b.Undo(t)
		if diff := cmp.Diff(before, b.Dump()); diff != "" {
			t.Fatalf("undo (-want +got):\n%s", diff)
		}
	}
}

func TestReplyAndForward(t *testing.T) {
	t.Parallel()
	b := bench()
	receive(t, b, "m1", `,"thread_id":"t","references":["m0"],"attachments":[{"filename":"f","size":1,"mime_type":"a/b","attachment_id":"a1"}]`)
	b.MustApply(t, `{"operation":"reply",`+compose+`,"message_id":"m2","in_reply_to":"m1","thread_id":"other","references":["no"]}`)
	expect(t, b, `"t"`, "emails", "m2", "thread_id")
	expect(t, b, `["m0","m1"]`, "emails", "m2", "references")
	expect(t, b, `"sent"`, "emails", "m2", "folder")
	expect(t, b, `true`, "emails", "m2", "is_read")
	expect(t, b, `1`, "threads", "t", "unread_count")
	expect(t, b, `["m1","m2"]`, "threads", "t", "message_ids")
	if got := string(b.Last.AppendJSON(nil)); !strings.Contains(got, `"thread_id":"other"`) {
		t.Errorf("a reply's payload keeps its thread_id: %s", got)
	}
	b.MustApply(t, `{"operation":"forward",`+compose+`,"message_id":"m3","in_reply_to":"m1"}`)
	expect(t, b, `"thread-m3"`, "emails", "m3", "thread_id")
	expect(t, b, `["m1"]`, "emails", "m3", "references")
	expect(t, b, `[{"filename":"f","size":1,"mime_type":"a/b","content_id":null,"attachment_id":"a1"}]`, "emails", "m3", "attachments")
}

func TestDrafts(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, `{"operation":"save_draft",`+compose+`,"message_id":"d"}`)
	expect(t, b, `["d"]`, "folders", "drafts")
	expect(t, b, `{}`, "threads")
	b.MustApply(t, `{"operation":"star","message_id":"d"}`)
	expect(t, b, `true`, "drafts", "d", "is_starred")
	b.MustApply(t, `{"operation":"send_draft","message_id":"d"}`)
	expect(t, b, `{}`, "drafts")
	expect(t, b, `["d"]`, "folders", "sent")
	expect(t, b, `true`, "emails", "d", "is_read")
	expect(t, b, `{}`, "threads")
}

func TestMarking(t *testing.T) {
	t.Parallel()
	b := bench()
	receive(t, b, "m1", `,"thread_id":"t"`)
	receive(t, b, "m2", `,"thread_id":"t"`)
	steps := []struct {
		payload, action string
		want            map[string]string // dotted path to JSON
	}{
		{`{"operation":"mark_read","message_ids":["m1","no","m1"]}`, "restore_read_states", map[string]string{"threads.t.unread_count": "1", "emails.m1.is_read": "true"}},
		{`{"operation":"mark_unread","message_id":"m1"}`, "restore_read_states", map[string]string{"threads.t.unread_count": "2"}},
		{`{"operation":"star","message_id":"m1","message_ids":["m2"]}`, "restore_starred_states", map[string]string{"emails.m1.is_starred": "false", "emails.m2.is_starred": "true"}},
		{`{"operation":"unstar","message_id":"m2"}`, "restore_starred_states", map[string]string{"emails.m2.is_starred": "false"}},
		{`{"operation":"archive","message_id":"m1"}`, "restore_folders", map[string]string{"folders.archive": `["m1"]`, "folders.inbox": `["m2"]`, "emails.m1.folder": `"archive"`}},
		{`{"operation":"mark_spam","message_id":"m1"}`, "restore_folders", map[string]string{"folders.spam": `["m1"]`, "folders.archive": `[]`}},
		{`{"operation":"mark_not_spam","message_id":"m1"}`, "restore_folders", map[string]string{"folders.inbox": `["m2","m1"]`}},
		{`{"operation":"delete","message_id":"m1"}`, "restore_folders", map[string]string{"folders.trash": `["m1"]`, "threads.t.unread_count": "2"}},
		{`{"operation":"move","message_ids":["m1","m2"],"folder":"projects"}`, "restore_folders", map[string]string{"folders.projects": `["m1","m2"]`}},
		{`{"operation":"add_label","message_ids":["m1"],"labels":["a","b","a"]}`, "restore_labels_after_add", map[string]string{"labels": `{"a":["m1"],"b":["m1"]}`, "emails.m1.labels": `["a","b"]`}},
		{`{"operation":"remove_label","message_ids":["m1"],"labels":["a","c"]}`, "restore_labels_after_remove", map[string]string{"labels": `{"a":[],"b":["m1"]}`, "emails.m1.labels": `["b"]`}},
		{`{"operation":"delete","message_id":"no"}`, "noop", map[string]string{"folders.trash": "[]"}},
	}
	var dumps []string
	for _, s := range steps {
		dumps = append(dumps, b.Dump())
		b.MustApply(t, s.payload)
		for path, want := range s.want {
			expect(t, b, want, strings.Split(path, ".")...)
		}
	}
	expect(t, b, "14", "update_count")
	for i, s := range slices.Backward(steps) {
		if action := b.Undo(t); action != s.action {
			t.Errorf("undo of %s: action %s, want %s", s.payload, action, s.action)
		}
		if diff := cmp.Diff(dumps[i], b.Dump()); diff != "" {
			t.Errorf("undo of %s (-want +got):\n%s", s.payload, diff)
		}
	}
}

func TestUndoActions(t *testing.T) {
	t.Parallel()
	for operation, want := range map[string]string{
		"receive": "remove_email_and_thread", "send": "remove_email_and_thread", "forward": "remove_email_and_thread",
		"reply": "remove_email_restore_thread", "reply_all": "remove_email_restore_thread", "save_draft": "remove_draft",
	} {
		b := bench()
		receive(t, b, "m1", "")
		b.MustApply(t, `{"operation":"`+operation+`",`+compose+`,"in_reply_to":"m1"}`)
		if got := b.Undo(t); got != want {
			t.Errorf("%s: %s, want %s", operation, got, want)
		}
	}
}

// TestReversible is the property of modalitytest.Reversible, from an empty mailbox and
// from one of a scenario with all kinds of gaps.
func TestReversible(t *testing.T) {
	t.Parallel()
	draw := func(t *rapid.T) string {
		ids := rapid.SampledFrom([]string{"m1", "m2", "m3", "e1", "d1", "no"})
		list := rapid.SliceOfN(ids, 1, 3).Draw(t, "ids")
		switch op := rapid.SampledFrom([]string{
			"receive", "send", "reply", "reply_all", "forward", "save_draft", "send_draft", "mark_read", "mark_unread", "star", "unstar",
			"archive", "delete", "mark_spam", "mark_not_spam", "move", "add_label", "remove_label",
		}).Draw(t, "operation"); op {
		case "receive", "send", "reply", "reply_all", "forward", "save_draft":
			more := ""
			if rapid.Bool().Draw(t, "given id") {
				more += fmt.Sprintf(`,"message_id":%q`, list[0])
			}
			if rapid.Bool().Draw(t, "given thread") {
				more += fmt.Sprintf(`,"thread_id":%q`, rapid.SampledFrom([]string{"t1", "t2", "t3"}).Draw(t, "thread"))
			}
			return fmt.Sprintf(`{"operation":%q,%s,"in_reply_to":%q%s}`, op, compose, ids.Draw(t, "parent"), more)
		default:
			return fmt.Sprintf(`{"operation":%q,"message_id":%q,"message_ids":["%s"],"folder":%q,"labels":["%s"]}`, op, list[0], strings.Join(list, `","`),
				rapid.SampledFrom([]string{"inbox", "p", "q"}).Draw(t, "folder"), strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3).Draw(t, "labels"), `","`))
		}
	}
	for name, open := range map[string]func(testing.TB) *modalitytest.Bench{
		"empty":    func(testing.TB) *modalitytest.Bench { return bench() },
		"scenario": func(t testing.TB) *modalitytest.Bench { return modalitytest.Load(t, email.Kind(), scenario) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modalitytest.Reversible(t, open, draw)
		})
	}
}

const scenario = `{"modality_type":"email","last_updated":"2026-01-28T06:00:00","update_count":3,
"emails":{
 "e1":{"message_id":"e1","thread_id":"t1","from_address":"a@x.io","to_addresses":["u@x.io"],"subject":"s","body_text":"b","sent_at":"2026-01-27T22:15:00+02:00","received_at":"2026-01-27T22:15:00Z"},
 "d1":{"message_id":"d1","thread_id":"t2","from_address":"u@x.io","to_addresses":["a@x.io"],"subject":"s","body_text":"b","sent_at":"2026-01-27T23:15:00Z","received_at":"2026-01-27T23:15:00Z","folder":"drafts"}},
"threads":{"t1":{"thread_id":"t1","subject":"s","created_at":"2026-01-27T22:15:00Z","last_message_at":"2026-01-27T22:15:00Z","message_ids":["e1"],"message_count":1}},
"folders":{"inbox":["e1","e1"],"drafts":["d1"]},
"labels":{"a":["e1"]},
"drafts":{"d1":{"message_id":"d1","thread_id":"t2","from_address":"u@x.io","to_addresses":["a@x.io"],"subject":"s","body_text":"b","sent_at":"2026-01-27T23:15:00Z","received_at":"2026-01-27T23:15:00Z","folder":"drafts"},
 "d2":{"message_id":"d2","thread_id":"t2","from_address":"u@x.io","to_addresses":["a@x.io"],"subject":"s","body_text":"b","sent_at":"2026-01-27T23:15:00Z","received_at":"2026-01-27T23:15:00Z","folder":"drafts"}},
"user_email_address":"u@x.io","unknown":1}`

func TestLoad(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, email.Kind(), scenario)
	modalitytest.Reloaded(t, b)
	expect(t, b, `{"inbox":["e1","e1"],"drafts":["d1"],"sent":[],"trash":[],"spam":[],"archive":[]}`, "folders")
	expect(t, b, `"2026-01-28T06:00:00Z"`, "last_updated")
	expect(t, b, `"2026-01-27T22:15:00+02:00"`, "emails", "e1", "sent_at")
	b.MustApply(t, `{"operation":"star","message_id":"d1"}`)
	expect(t, b, `false`, "drafts", "d1", "is_starred") // copies after an import
	b.State.Clear(b.Moment())
	expect(t, b, `"u@x.io"`, "user_email_address")
	expect(t, b, `0`, "update_count")
	expect(t, b, `{}`, "emails")
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	_, errs := email.Load(modalitytest.MustObject(`{"modality_type":"sms","emails":{"e":{"message_id":"e","sent_at":"x"}},"folders":{"inbox":"e"}}`), bench().Moment())
	var got []string
	for _, e := range errs {
		got = append(got, e.Where()+" "+e.Type)
	}
	want := []string{
		"modality_type literal_error", "last_updated missing", "emails.e.thread_id missing", "emails.e.from_address missing",
		"emails.e.to_addresses missing", "emails.e.subject missing", "emails.e.body_text missing", "emails.e.sent_at datetime_from_date_parsing",
		"emails.e.received_at missing", "folders.inbox list_type",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, email.Kind(), strings.NewReplacer(
		`"inbox":["e1","e1"]`, `"inbox":["e1","gone"],"other":["e1"]`, `"drafts":["d1"]}`, `"drafts":[]}`,
		`"labels":{"a":["e1"]}`, `"labels":{"a":["gone"]}`, `"message_ids":["e1"]`, `"message_ids":["e1","gone"]`,
	).Replace(scenario))
	want := []string{
		"Folder 'inbox' references non-existent email: gone", "Label 'a' references non-existent email: gone",
		"Thread 't1' references non-existent email: gone", "Email 'e1' in multiple folders", "Email 'd1' not in any folder",
	}
	if diff := cmp.Diff(want, b.State.Problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
