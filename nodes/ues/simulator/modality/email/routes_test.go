package email_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/email"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// part is the JSON text of a member of an object.
func part(v any, name string) string {
	m, _ := v.(*ordered.Map)
	x, _ := m.Get(name)
	return string(ordered.Append(nil, x))
}

func mailbox(t *testing.T) *modalitytest.Bench {
	t.Helper()
	b := bench()
	for i, m := range []string{
		`"message_id":"m1","from_address":"Zoe@x.io","to_addresses":["u@x.io"],"cc_addresses":["k@x.io"],"subject":"Beta","body_text":"The REPORT","thread_id":"t"`,
		`"message_id":"m2","from_address":"amy@x.io","to_addresses":["u@x.io","v@x.io"],"subject":"alpha","body_text":"b","attachments":[{"filename":"f","size":1,"mime_type":"a/b"}]`,
		`"message_id":"m3","from_address":"bob@x.io","to_addresses":["u@x.io"],"subject":"Beta","body_text":"c","thread_id":"t"`,
		`"message_id":"m4","from_address":"amy@x.io","to_addresses":["u@x.io"],"subject":"gamma","body_text":"d"`,
	} {
		b.MustApply(t, fmt.Sprintf(`{"operation":"receive","timestamp":"2025-01-15T0%d:00:00Z",%s}`, 9-i, m))
	}
	b.MustApply(t, `{"operation":"mark_read","message_ids":["m2"]}`)
	b.MustApply(t, `{"operation":"star","message_ids":["m3"]}`)
	b.MustApply(t, `{"operation":"add_label","message_ids":["m1","m3"],"labels":["work"]}`)
	b.MustApply(t, `{"operation":"add_label","message_ids":["m3"],"labels":["urgent"]}`)
	b.MustApply(t, `{"operation":"move","message_ids":["m1","m4"],"folder":"p"}`)
	return b
}

func TestQuery(t *testing.T) {
	t.Parallel()
	b := mailbox(t)
	for _, c := range []struct{ query, ids string }{
		{``, "m1 m2 m3 m4"},
		{`"folder":"p"`, "m1 m4"},
		{`"folder":"nope"`, ""},
		{`"folder":"p","thread_id":"t"`, "m1"},
		{`"thread_id":"t"`, "m1 m3"},
		{`"thread_id":"no"`, ""},
		{`"is_read":true`, "m2"},
		{`"is_starred":false`, "m1 m2 m4"},
		{`"has_attachments":true`, "m2"},
		{`"from_address":"ZOE@"`, "m1"},
		{`"to_address":"V@X"`, "m2"},
		{`"to_address":"k@x"`, ""},
		{`"subject_contains":"BET"`, "m1 m3"},
		{`"body_contains":"report"`, "m1"},
		{`"labels":["work"]`, "m1 m3"},
		{`"labels":["work","urgent"]`, "m3"},
		{`"labels":["none"]`, ""},
		{`"received_after":"2025-01-15T07:00:00Z"`, "m1 m2 m3"},
		{`"received_after":"2025-01-15T07:00:00.000001Z"`, "m1 m2"},
		{`"received_before":"2025-01-15T07:00:00Z"`, "m3 m4"},
		{`"received_after":"2025-01-15T07:00:00Z","received_before":"2025-01-15T08:00:00Z"`, "m2 m3"},
		{`"priority":"high"`, "m1 m2 m3 m4"},
		{`"sent_after":"2099-01-01T00:00:00Z","sent_before":"1999-01-01T00:00:00Z"`, "m1 m2 m3 m4"},
		{`"sort_by":"date"`, "m1 m2 m3 m4"},
		{`"sort_by":"date","sort_order":"asc"`, "m4 m3 m2 m1"},
		{`"sort_by":"from","sort_order":"asc"`, "m1 m2 m4 m3"},
		{`"sort_by":"from","sort_order":"desc"`, "m3 m2 m4 m1"},
		{`"sort_by":"subject","sort_order":"asc"`, "m1 m3 m2 m4"},
		{`"sort_by":"received_at","sort_order":"asc"`, "m1 m2 m3 m4"},
		{`"sort_by":"bogus","sort_order":"asc"`, "m1 m2 m3 m4"},
	} {
		b.Expect(t, "POST /email/query", "{"+c.query+"}", 200, query(c.query, b, strings.Fields(c.ids)...))
	}
}

func TestQueryPaging(t *testing.T) {
	t.Parallel()
	b := mailbox(t)
	want := func(q string, ids ...string) string {
		return strings.Replace(query(q, b, ids...), fmt.Sprintf(`"total_count":%d`, len(ids)), `"total_count":4`, 1)
	}
	b.Expect(t, "POST /email/query", `{"limit":2,"offset":1}`, 200, want(`"limit":2,"offset":1`, "m2", "m3"))
	b.Expect(t, "POST /email/query", `{"offset":9}`, 200, want(`"offset":9`))
	b.Expect(t, "POST /email/query", `{"sort_order":null}`, 200, strings.Replace(want("", "m1", "m2", "m3", "m4"), `,"sort_order":"desc"`, "", 1))
	b.Expect(t, "POST /email/query", `{"limit":"5","is_read":1,"thread_id":null}`, 200, query(`"limit":5,"is_read":true`, b, "m2"))
	for _, bad := range []string{`{"limit":0}`, `{"limit":1001}`, `{"offset":-1}`, `{"is_read":"maybe"}`, `{"labels":"x"}`, `{"received_after":"x"}`, `{"sort_order":"up"}`} {
		if status, text := b.Call(t, "POST", "/email/query", bad); status != 422 {
			t.Errorf("%s: %d %s", bad, status, text)
		}
	}
	b.Expect(t, "POST /email/query", `{"received_after":"2025-01-15T07:00:00"}`, 500,
		`{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"TypeError"}`)
	b.Expect(t, "POST /email/query", `{"received_after":"2025-01-15T07:00:00","folder":"trash"}`, 200,
		query(`"received_after":"2025-01-15T07:00:00","folder":"trash"`, b))
}

func TestActions(t *testing.T) {
	t.Parallel()
	b := bench()
	done := func(id int, message string) string {
		return fmt.Sprintf(`{"event_id":"id-%d","scheduled_time":"2025-01-15T09:00:00Z","status":"executed","message":%q,"modality":"email"}`, id, message)
	}
	b.Expect(t, "POST /email/receive", `{`+compose+`,"sent_at":"2030-01-01T00:00:00Z"}`, 200, done(2, "Email received successfully"))
	b.Expect(t, "POST /email/send", `{`+compose+`,"attachments":[{"filename":"f","size":1,"mime_type":"a/b"}]}`, 200, done(6, "Email sent successfully"))
	expect(t, b, `["id-3"]`, "folders", "inbox")
	expect(t, b, `"2025-01-15T09:00:00Z"`, "emails", "id-3", "received_at")
	want := []string{
		`email.received {"email_id":"id-2","from":"a@x.io","subject":"Hi"}`,
		`email.sent {"email_id":"id-6","to":["user@example.com"],"subject":"Hi"}`,
	}
	if diff := cmp.Diff(want, b.Notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	for i, c := range []struct{ path, more, message string }{
		{"read", "", "Marked 2 email(s) as read"},
		{"unread", "", "Marked 2 email(s) as unread"},
		{"star", "", "Starred 2 email(s)"},
		{"unstar", "", "Unstarred 2 email(s)"},
		{"archive", "", "Archived 2 email(s)"},
		{"delete", "", "Deleted 2 email(s)"},
		{"label", `,"labels":["a"]`, "Added 1 label(s) to 2 email(s)"},
		{"unlabel", `,"labels":["a","b"]`, "Removed 2 label(s) from 2 email(s)"},
		{"move", `,"folder":"x y"`, "Moved 2 email(s) to x y"},
	} {
		b.Expect(t, "POST /email/"+c.path, `{"message_ids":["id-3","nope"]`+c.more+`}`, 200, done(9+2*i, c.message))
	}
	expect(t, b, `["id-3"]`, "folders", "x y")
}

func TestActionErrors(t *testing.T) {
	t.Parallel()
	b := bench()
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{
			"send", `{` + strings.Replace(compose, "a@x.io", "bad", 1) + `}`, 500,
			`{"detail":"Failed to send email: 400: Invalid event data: Invalid event: [\"Invalid input data: Invalid email address format: 'bad'\"]"}`,
		},
		{
			"receive", `{` + strings.Replace(compose, "Hi", "", 1) + `}`, 500,
			`{"detail":"Failed to receive email: 400: Invalid event data: Invalid event: [\"Invalid input data: Operation 'receive' requires subject\"]"}`,
		},
		{"read", `{"message_ids":[]}`, 422, `{"error":"Validation Error","detail":[{"type":"too_short","loc":["body","message_ids"],
			"msg":"List should have at least 1 item after validation, not 0","input":[],"ctx":{"field_type":"List","min_length":1,"actual_length":0}}]}`},
		{"move", `{"message_ids":["m"]}`, 422, `{"error":"Validation Error","detail":[{"type":"missing","loc":["body","folder"],"msg":"Field required","input":{"message_ids":["m"]}}]}`},
		{"receive", `{` + compose + `,"attachments":[{"filename":"f","size":0,"mime_type":"a/b"}]}`, 422, `{"error":"Validation Error","detail":[{"type":"greater_than",
			"loc":["body","attachments",0,"size"],"msg":"Input should be greater than 0","input":0,"ctx":{"gt":0}}]}`},
	} {
		b.Expect(t, "POST /email/"+c.path, c.body, c.status, c.want)
	}
	b.State = nil
	absent := `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"KeyError"}`
	b.Expect(t, "GET /email/state", "", 500, absent)
	b.Expect(t, "POST /email/query", "{}", 500, absent)
	b.Expect(t, "POST /email/star", `{"message_ids":["m"]}`, 200, `{"event_id":"id-8","scheduled_time":"2025-01-15T09:00:00Z","status":"failed",
		"message":"Failed to star email(s): KeyError: no such modality","modality":"email"}`)
}

func TestStates(t *testing.T) {
	t.Parallel()
	b := bench()
	receive(t, b, "m1", `,"thread_id":"t"`)
	b.MustApply(t, `{"operation":"star","message_id":"m1"}`)
	thread := `{"t":{"thread_id":"t","subject":"Hi","participant_addresses":["a@x.io","user@example.com"],"message_ids":["m1"],
		"created_at":"2025-01-15T09:00:00Z","last_message_at":"2025-01-15T09:00:00Z","message_count":1,"unread_count":1}}`
	dump := modalitytest.MustObject(b.Dump())
	emails, _ := dump.Get("emails")
	b.Expect(t, "GET /email/state", "", 200, `{"modality_type":"email","current_time":"2025-01-15T09:00:00Z","user_email_address":"user@example.com",
		"emails":{"m1":`+part(emails, "m1")+`},"threads":`+thread+`,"folders":{"inbox":["m1"],"sent":[],"drafts":[],"trash":[],"spam":[],"archive":[]},
		"labels":{},"total_email_count":1,"unread_count":1,"starred_count":1}`)
	short := `{"modality_type":"email","current_time":"2025-01-15T09:00:00Z","user_email_address":"user@example.com",
		"statistics":{"total_emails":1,"total_threads":1,"total_unread":1,"total_starred":1,"total_drafts":0,"total_labels":0},
		"folders":{"inbox":{"message_count":1,"unread_count":1},"sent":{"message_count":0,"unread_count":0},"drafts":{"message_count":0,"unread_count":0},
		"trash":{"message_count":0,"unread_count":0},"spam":{"message_count":0,"unread_count":0},"archive":{"message_count":0,"unread_count":0}},"labels":{},
		"emails":{"m1":{"message_id":"m1","thread_id":"t","from_address":"a@x.io","to_addresses":["user@example.com"],"subject":"Hi","sent_at":"2025-01-15T09:00:00Z",
		"received_at":"2025-01-15T09:00:00Z","is_read":false,"is_starred":true,"folder":"inbox","has_attachments":false,"attachment_count":0,"body_preview":"Text"}},
		"threads":` + thread + `}`
	b.Expect(t, "GET /email/state?summary=true", "", 200, short)
	b.Expect(t, "GET /email/state?compact=1", "", 200, short)
	if status, _ := b.Call(t, "GET", "/email/state?summary=maybe", ""); status != 422 {
		t.Errorf("summary=maybe: %d", status)
	}
	b.Now = modalitytest.MustTime("2025-01-15T11:00:00Z")
	compact := modalitytest.Plain(t, string(b.State.AppendCompact(nil, b.Moment())))
	want := `{"summary":"1 unread, 1 total emails","unread_count":1,"total_count":1,"draft_count":0,"flagged_count":1,
		"recent_unread":[{"subject":"Hi","from":"a@x.io","received_ago":"2 hours ago","flagged":true}],"flagged_items":[{"subject":"Hi","from":"a@x.io","received_ago":"2 hours ago"}]}`
	if diff := cmp.Diff(modalitytest.Plain(t, want), compact); diff != "" {
		t.Errorf("compact (-want +got):\n%s", diff)
	}
	if got := bench().State.Summary(b.Moment()); got != "No emails" {
		t.Errorf("summary %q", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"operation":"receive",` + compose + `,"timestamp":0}`)
	f.Add(scenario)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := ordered.ParseObject([]byte(text))
		if err != nil {
			return
		}
		b := bench()
		if in, errs := email.Decode(doc, b.Moment()); len(errs) == 0 {
			reread(t, in)
			if in.Check() == nil {
				_, _ = b.State.Apply(in, b.Moment())
			}
		}
		if s, errs := email.Load(doc, b.Moment()); len(errs) == 0 {
			b.State = s
			s.Problems()
			modalitytest.Reloaded(t, b)
		}
	})
}

// reread checks that a payload that was written decodes to the same payload.
func reread(t *testing.T, in modality.Input) {
	t.Helper()
	text := string(in.AppendJSON(nil))
	again, errs := email.Decode(modalitytest.MustObject(text), bench().Moment())
	if len(errs) > 0 {
		t.Fatalf("%v in %s", errs, text)
	}
	if got := string(again.AppendJSON(nil)); got != text {
		t.Errorf("reread %s\ngave %s", text, got)
	}
}

func BenchmarkReceive(b *testing.B) {
	world := bench()
	m := world.Moment()
	n := 0
	for b.Loop() {
		n++
		if n%100_000 == 0 {
			world = bench()
		}
		in := &email.Input{
			From: new("a@x.io"), To: []string{"user@example.com"}, Subject: new("Hi"), BodyText: new("Text"), Operation: "receive", Priority: "normal",
			Head: modality.NewHead(m),
		}
		if err := in.Check(); err != nil {
			b.Fatal(err)
		}
		if _, err := world.State.Apply(in, m); err != nil {
			b.Fatal(err)
		}
	}
}

// TestHostile is the property of modalitytest.Hostile.
func TestHostile(t *testing.T) {
	t.Parallel()
	modalitytest.Hostile(t, email.Kind(), scenario, `{"operation":"receive","timestamp":0,`+compose+`,"attachments":[{"filename":"f","size":1,"mime_type":"a/b"}]}`, `{"operation":"move","timestamp":0,"message_ids":["a"],"folder":"f"}`)
}
