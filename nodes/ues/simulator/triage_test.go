package simulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// triage is a scenario of the form that contract section 8.3 describes: 7 mails in the
// inbox, 42 to come, with its threads, times and priorities. The texts are invented.
func triage(paused bool) string {
	emails, inbox := &ordered.Map{}, []any{}
	received := []string{"27T22:15", "27T23:40", "28T04:55", "28T05:00", "28T04:12", "28T05:30", "28T05:45"}
	for i, at := range received {
		id := mailID(i + 1)
		emails.Set(id, ordered.NewMap(
			member("message_id", id), member("thread_id", threadOf(i+1)), member("from_address", "sam.rivera@example.com"),
			member("to_addresses", []any{"alex.thompson@meridiantech.example"}), member("subject", "Subject "+id),
			member("body_text", "Text of "+id), member("sent_at", "2026-01-"+at+":00Z"), member("received_at", "2026-01-"+at+":00Z"),
			member("priority", priorityOf(i+1)),
		))
		inbox = append(inbox, id)
	}
	threads := &ordered.Map{}
	for id, first := range map[string]string{"thread_weekend_plans": "email_001", "thread_prod_incident": "email_003"} {
		threads.Set(id, ordered.NewMap(
			member("thread_id", id), member("subject", "Subject "+first), member("participant_addresses", []any{"sam.rivera@example.com"}),
			member("message_ids", []any{first}), member("created_at", "2026-01-27T22:15:00Z"), member("last_message_at", "2026-01-27T22:15:00Z"),
			member("message_count", ordered.Int(1)), member("unread_count", ordered.Int(1)),
		))
	}
	states := ordered.NewMap(
		member("email", ordered.NewMap(
			member("modality_type", "email"), member("last_updated", "2026-01-28T06:00:00Z"), member("update_count", ordered.Int(0)),
			member("emails", emails), member("threads", threads), member("folders", ordered.NewMap(member("inbox", inbox))),
			member("labels", &ordered.Map{}), member("drafts", &ordered.Map{}),
			member("user_email_address", "alex.thompson@meridiantech.example"),
		)),
		member("sms", ordered.NewMap(
			member("modality_type", "sms"), member("last_updated", "2026-01-28T06:00:00Z"), member("messages", &ordered.Map{}),
			member("conversations", &ordered.Map{}), member("user_phone_number", "+15550100000"),
		)),
		member("calendar", ordered.NewMap(member("modality_type", "calendar"), member("calendars", &ordered.Map{}), member("events", &ordered.Map{}))),
		member("chat", ordered.NewMap(member("modality_type", "chat"), member("last_updated", "2026-01-28T06:00:00Z"), member("messages", []any{}),
			member("conversations", &ordered.Map{}))),
	)
	scenario := ordered.NewMap(
		member("metadata", ordered.NewMap(member("ues_version", "0.1.0"), member("scenario_version", "1"),
			member("created_at", "2026-01-28T06:00:00+00:00"), member("author", "tests"), member("description", "mail to sort"))),
		member("environment", ordered.NewMap(
			member("time_state", ordered.NewMap(member("current_time", "2026-01-28T06:00:00+00:00"), member("time_scale", ordered.Float(1)),
				member("is_paused", paused), member("auto_advance", false), member("last_wall_time_update", "2026-01-28T06:00:00+00:00"))),
			member("modality_states", states))),
		member("events", ordered.NewMap(member("events", mails()))),
	)
	return string(ordered.Append(nil, ordered.NewMap(member("scenario", scenario), member("strict_modalities", false))))
}

func member(name string, value any) ordered.Member { return ordered.Member{Name: name, Value: value} }

func mailID(n int) string { return fmt.Sprintf("email_%03d", n) }

// threadOf is the thread of a mail: four threads have several, all others one.
func threadOf(n int) string {
	for thread, members := range map[string][]int{
		"thread_weekend_plans": {1, 31, 48}, "thread_prod_incident": {3, 13, 18, 19, 24, 34},
		"thread_acme_feature": {10, 15, 25, 28, 38, 46}, "thread_acme_internal": {20, 39},
	} {
		if slices.Contains(members, n) {
			return thread
		}
	}
	return fmt.Sprintf("thread_%03d", n)
}

func priorityOf(n int) string {
	switch n {
	case 3, 13, 18, 24, 34:
		return "high"
	}
	return "normal"
}

// perHour is how many mails come in each of the twelve hours.
var perHour = []int{2, 3, 5, 6, 4, 4, 2, 4, 5, 3, 2, 2}

// mails are the events of the scenario.
func mails() []any {
	var events []any
	n := 8
	for hour, count := range perHour {
		for i := range count {
			minute := 20 + 6*i
			if n == 49 {
				minute = 30
			}
			at := fmt.Sprintf("2026-01-28T%02d:%02d:00Z", 6+hour, minute)
			events = append(events, mailEvent(n, at))
			n++
		}
	}
	return events
}

func mailEvent(n int, at string) *ordered.Map {
	var reply, references any
	if thread := threadOf(n); !strings.HasSuffix(thread, fmt.Sprintf("_%03d", n)) && n != 10 && n != 20 {
		reply, references = "email_001", []any{"email_001"}
	}
	data := ordered.NewMap(
		member("modality_type", "email"), member("timestamp", at), member("operation", "receive"), member("message_id", mailID(n)),
		member("message_ids", nil), member("from_address", "sam.rivera@example.com"),
		member("to_addresses", []any{"alex.thompson@meridiantech.example"}), member("cc_addresses", nil), member("bcc_addresses", nil),
		member("reply_to_address", nil), member("subject", "Subject "+mailID(n)), member("body_text", "Text of "+mailID(n)),
		member("body_html", nil), member("attachments", nil), member("thread_id", threadOf(n)), member("in_reply_to", reply),
		member("references", references), member("priority", priorityOf(n)), member("folder", nil), member("labels", nil),
		member("is_draft", false),
	)
	return ordered.NewMap(
		member("event_id", fmt.Sprint("scenario-", n)), member("scheduled_time", at), member("modality", "email"), member("data", data),
		member("status", "pending"), member("created_at", "2026-01-28T06:00:00Z"), member("executed_at", nil), member("agent_id", nil),
		member("priority", ordered.Int(50)), member("error_message", nil), member("metadata", &ordered.Map{}),
	)
}

// TestGoldenTrace is the table of contract section 8.3.
func TestGoldenTrace(t *testing.T) {
	for name, paused := range map[string]bool{"not paused": false, "paused in the file": true} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, fresh(t, simulator.Options{}))
			c.must(200, "POST", "/simulation/clear", "")
			if got := pick(t, c.must(200, "POST", "/scenario/import/full", triage(paused)), "events_loaded"); got != "42" {
				t.Fatalf("%s events", got)
			}
			c.must(200, "POST", "/simulation/start", `{"auto_advance":false,"time_scale":1.0}`)
			golden := []struct {
				ran, total, threads, updates int
			}{
				{0, 7, 2, 0},
				{2, 9, 4, 2},
				{3, 12, 7, 5},
				{5, 17, 10, 10},
				{6, 23, 14, 16},
				{4, 27, 16, 20},
				{4, 31, 18, 24},
				{2, 33, 20, 26},
				{4, 37, 23, 30},
				{5, 42, 26, 35},
				{3, 45, 29, 38},
				{2, 47, 30, 40},
				{2, 49, 31, 42},
			}
			for turn, want := range golden {
				if turn > 0 {
					if got := pick(t, c.must(200, "POST", "/simulator/time/advance", `{"seconds":1}`), "events_executed"); got != "0" {
						t.Errorf("turn %d: %s ran in its first second", turn, got)
					}
					rest := c.must(200, "POST", "/simulator/time/advance", `{"seconds":3599}`)
					if got := pick(t, rest, "events_executed"); got != str("%d", want.ran) {
						t.Errorf("turn %d: %s ran, want %d", turn, got, want.ran)
					}
				}
				c.expectMail(turn, want.total, want.threads, want.updates)
			}
			if text := c.must(200, "POST", "/environment/validate", ""); pick(t, text, "valid") != "true" {
				t.Errorf("after all: %s", text)
			}
			for thread, want := range map[string]string{
				"thread_weekend_plans": `["email_001","email_031","email_048"]`,
				"thread_prod_incident": `["email_003","email_013","email_018","email_019","email_024","email_034"]`,
				"thread_acme_internal": `["email_020","email_039"]`,
			} {
				if got := pick(t, c.must(200, "GET", "/email/state", ""), "threads/"+thread+"/message_ids"); got != want {
					t.Errorf("%s: %s", thread, got)
				}
			}
			first := c.must(200, "GET", "/events?limit=1", "")
			if pick(t, first, "events/0/executed_at") != "2026-01-28T07:00:00Z" || pick(t, first, "events/0/scheduled_time") != "2026-01-28T06:20:00Z" {
				t.Errorf("first event: %s", first)
			}
		})
	}
}

func (c caller) expectMail(turn, total, threads, updates int) {
	c.tb.Helper()
	state := c.must(200, "GET", "/email/state", "")
	doc, err := ordered.ParseObject([]byte(state))
	if err != nil {
		c.tb.Fatal(err)
	}
	all, _ := doc.Get("threads")
	snapshot := c.must(200, "GET", "/environment/state", "")
	got := []string{
		pick(c.tb, state, "total_email_count"), pick(c.tb, state, "unread_count"), str("%d", all.(*ordered.Map).Len()),
		pick(c.tb, snapshot, "modalities/email/update_count"), pick(c.tb, snapshot, "current_time"),
	}
	want := []string{str("%d", total), str("%d", total), str("%d", threads), str("%d", updates), str("2026-01-28T%02d:00:00+00:00", 6+turn)}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		c.tb.Errorf("turn %d: %v, want %v", turn, got, want)
	}
}
