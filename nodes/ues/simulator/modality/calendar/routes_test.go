package calendar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality/calendar"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
)

// found is what a query answers: status, and titles with their starts where several
// events have the same title.
func found(t *testing.T, b *modalitytest.Bench, query string) (int, string) {
	t.Helper()
	status, text := b.Call(t, "POST", "/calendar/query", query)
	answer, _ := modalitytest.Plain(t, text).(map[string]any)
	list, _ := answer["events"].([]any)
	var got []string
	for _, e := range list {
		event, _ := e.(map[string]any)
		title := fmt.Sprint(event["title"])
		if strings.HasPrefix(title, "R") {
			title += "@" + fmt.Sprint(event["start"])
		}
		got = append(got, title)
	}
	return status, strings.Join(got, " ")
}

func diary(t *testing.T) *modalitytest.Bench {
	t.Helper()
	b := bench()
	for i, e := range []string{
		`"title":"A","start":"2025-01-17T15:00:00Z","end":"2025-01-17T16:00:00Z","status":"tentative","location":"Room 1"`,
		`"title":"B","start":"2025-01-16T10:00:00Z","end":"2025-01-20T10:00:00Z","calendar_id":"work","description":"in the ROOM"`,
		`"title":"C","start":"2025-01-17T12:00:00+01:00","end":"2025-01-17T13:00:00+01:00","attendees":[{"email":"a@x.io"}]`,
	} {
		b.MustApply(t, fmt.Sprintf(`{"operation":"create","event_id":"e%d",%s}`, i, e))
	}
	return b
}

func TestQuery(t *testing.T) {
	t.Parallel()
	b := diary(t)
	for query, want := range map[string]string{
		`{}`:                               "B C A",
		`{"sort_order":"desc"}`:            "A C B",
		`{"sort_by":"end"}`:                "C A B",
		`{"sort_by":"status"}`:             "B C A",
		`{"sort_by":"title"}`:              "A B C",
		`{"calendar_ids":["work"]}`:        "B",
		`{"calendar_ids":["other"]}`:       "",
		`{"calendar_ids":[]}`:              "B C A",
		`{"search":"ROOM"}`:                "B A",
		`{"status":"tentative"}`:           "A",
		`{"has_attendees":true}`:           "C",
		`{"has_attendees":false}`:          "B A",
		`{"recurring":true}`:               "",
		`{"recurring":false}`:              "B C A",
		`{"start":"2025-01-17T16:00:00Z"}`: "B A",
		`{"start":"2025-01-17T16:00:01Z"}`: "B",
		`{"end":"2025-01-17T11:00:00Z"}`:   "B C",
		`{"end":"2025-01-17T10:59:59Z"}`:   "B",
		`{"start":"2025-01-18T00:00:00Z","end":"2025-01-19T00:00:00Z"}`: "B",
		`{"limit":1,"offset":1}`: "C",
	} {
		if status, got := found(t, b, query); status != 200 || got != want {
			t.Errorf("%s: %d %s, want %s", query, status, got, want)
		}
	}
	b.Expect(t, "POST /calendar/query", `{"limit":1,"offset":3}`, 200, `{"modality_type":"calendar","events":[],"count":0,"total_count":3}`)
	b.Expect(t, "POST /calendar/query", `{"status":"maybe"}`, 422, `{"error":"Validation Error","detail":[{"type":"literal_error","loc":["body","status"],
		"msg":"Input should be 'confirmed', 'tentative' or 'cancelled'","input":"maybe","ctx":{"expected":"'confirmed', 'tentative' or 'cancelled'"}}]}`)
	b.Expect(t, "POST /calendar/query", `{"start":"2025-01-17T16:00:00"}`, 500, `{"detail":"Failed to query calendar events: can't compare offset-naive and offset-aware datetimes"}`)
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, span, want string }{
		{`"frequency":"daily","interval":2`, `"start":"2025-01-15T00:00:00Z","end":"2025-01-20T00:00:00Z"`, "R@2025-01-16T10:00:00+02:00 R@2025-01-18T10:00:00+02:00 R@2025-01-20T10:00:00+02:00"},
		{`"frequency":"daily","interval":2`, `"start":"2025-01-17T00:00:00Z","end":"2025-01-20T00:00:00Z"`, "R@2025-01-17T10:00:00+02:00 R@2025-01-19T10:00:00+02:00"},
		{`"frequency":"weekly","days_of_week":["monday"]`, `"start":"2025-01-15T00:00:00Z","end":"2025-01-31T00:00:00Z"`, "R@2025-01-16T10:00:00+02:00 R@2025-01-23T10:00:00+02:00 R@2025-01-30T10:00:00+02:00"},
		{`"frequency":"monthly","day_of_month":31`, `"start":"2025-01-31T00:00:00Z","end":"2025-04-01T00:00:00Z"`, "R@2025-01-31T10:00:00+02:00 R@2025-02-28T10:00:00+02:00 R@2025-03-28T10:00:00+02:00"},
		{`"frequency":"yearly","day_of_month":1,"month_of_year":1`, `"start":"2028-02-29T00:00:00Z","end":"2029-12-01T00:00:00Z"`, "R@2028-02-29T10:00:00+02:00 R@2029-02-28T10:00:00+02:00"},
		{`"frequency":"daily","end_type":"count","count":2`, `"start":"2025-02-01T00:00:00Z","end":"2025-02-09T00:00:00Z"`, "R@2025-02-01T10:00:00+02:00 R@2025-02-02T10:00:00+02:00"},
		{`"frequency":"daily","end_type":"until","end_date":"2025-01-17"`, `"start":"2025-01-15T00:00:00Z","end":"2025-01-20T00:00:00Z"`, "R@2025-01-16T10:00:00+02:00 R@2025-01-17T10:00:00+02:00"},
		{`"frequency":"daily","interval":1000000`, `"start":"2025-01-15T00:00:00Z","end":"2025-01-20T00:00:00Z"`, "R@2025-01-16T10:00:00+02:00"},
	} {
		b := bench()
		b.MustApply(t, `{"operation":"create","event_id":"r","title":"R","start":"2025-01-16T10:00:00+02:00","end":"2025-01-16T11:30:00+02:00","recurrence":{`+c.rule+`}}`)
		if status, got := found(t, b, `{"expand_recurring":true,`+c.span+`}`); status != 200 || got != c.want {
			t.Errorf("%s in %s: %d\n got %s\nwant %s", c.rule, c.span, status, got, c.want)
		}
	}
	b := diary(t)
	b.MustApply(t, `{"operation":"create","event_id":"r","title":"R","start":"2025-01-16T10:00:00Z","end":"2025-01-16T11:30:00Z","recurrence":{"frequency":"daily"}}`)
	b.MustApply(t, `{"operation":"delete","event_id":"r","recurrence_id":"2025-01-17"}`)
	if _, got := found(t, b, `{"expand_recurring":true,"start":"2025-01-16T00:00:00Z","end":"2025-01-18T00:00:00Z"}`); got != "B R@2025-01-16T10:00:00+00:00 C A R@2025-01-18T10:00:00+00:00" {
		t.Errorf("mixed: %s", got)
	}
	if _, got := found(t, b, `{"expand_recurring":true,"start":"2025-01-16T12:00:00Z"}`); got != "B C A" {
		t.Errorf("one bound does not expand: %s", got)
	}
	b.Expect(t, "POST /calendar/query", `{"expand_recurring":true,"start":"2025-01-16T00:00:00Z","end":"9999-12-31T00:00:00Z"}`, 400,
		`{"detail":"more than 20000 occurrences; ask for a shorter range"}`)
}

func TestActions(t *testing.T) {
	t.Parallel()
	b := bench()
	answer := func(path, body string, status int, want string) {
		t.Helper()
		code, text := b.Call(t, "POST", "/calendar/"+path, body)
		got, _ := modalitytest.Plain(t, text).(map[string]any)
		delete(got, "event_id")
		if diff := cmp.Diff(modalitytest.Plain(t, want), any(got)); code != status || diff != "" {
			t.Errorf("%s %s: %d (-want +got):\n%s", path, body, code, diff)
		}
	}
	done := func(status, message string) string {
		return fmt.Sprintf(`{"scheduled_time":"2025-01-15T09:00:00Z","status":%q,"message":%q,"modality":"calendar"}`, status, message)
	}
	answer("create", `{"title":"T",`+hour+`,"attendees":[{"email":"Bob@x.io","response":"accepted"}]}`, 200, done("executed", "Created calendar event: T (calendar_event_id: id-2)"))
	answer("update", `{"event_id":"id-2","title":"U","description":null}`, 200, done("executed", "Updated calendar event: id-2"))
	answer("update", `{"event_id":"nope","title":"x"}`, 200, done("executed", "Updated calendar event: nope"))
	answer("respond", `{"event_id":"id-2","attendee_email":"BOB@x.io","response":"declined","comment":"no"}`, 200, done("executed", "Responded to event id-2: BOB@x.io -> declined"))
	b.Holds(t, "events/id-2/attendees", `[{"email":"bob@x.io","display_name":null,"optional":false,"response":"declined","comment":"no"}]`, "events/id-2/title", `"U"`, "update_count", "3")
	answer("respond", `{"event_id":"id-2","attendee_email":"amy@x.io","response":"accepted"}`, 200, done("failed", "Failed to respond to event: ValueError: Attendee amy@x.io not found in event id-2"))
	answer("respond", `{"event_id":"no","attendee_email":"amy@x.io","response":"accepted"}`, 200, done("failed", "Failed to respond to event: ValueError: Event no not found"))
	answer("delete", `{"event_id":"id-2"}`, 200, done("executed", "Deleted calendar event: id-2"))
	answer("delete", `{"event_id":"id-2"}`, 200, done("executed", "Deleted calendar event: id-2"))
	want := []string{
		`calendar.event_created {"event_id":"id-2","title":"T","start_time":"2025-01-16T10:00:00+00:00"}`, `calendar.event_updated {"event_id":"id-2","title":"U"}`,
		`calendar.event_updated {"event_id":"id-2"}`, `calendar.event_deleted {"event_id":"id-2"}`,
	}
	if diff := cmp.Diff(want, b.Notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"create", `{"title":"",` + hour + `}`, 400, `{"detail":"title is required for create operation"}`},
		{"create", `{"title":"x","start":5,"end":5}`, 400, `{"detail":"end time must be after start time"}`},
		{"create", `{"title":"x",` + hour + `,"recurrence":{"frequency":"weekly"}}`, 400, `{"detail":"days_of_week required for weekly recurrence"}`},
		{"create", `{"title":"x","start":"2025-01-16T10:00:00","end":"2025-01-16T11:00:00Z"}`, 500, `{"detail":"Failed to create calendar event: can't compare offset-naive and offset-aware datetimes"}`},
		{"create", `{"title":"x",` + hour + `,"attendees":[{"email":"nobody"}]}`, 500, `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"TypeError"}`},
		{"create", `{"title":"x",` + hour + `,"recurrence":{"frequency":"weekly","days_of_week":["monday","monday"]}}`, 500, `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"TypeError"}`},
		{"create", `{}`, 422, `{"error":"Validation Error","detail":[{"type":"missing","loc":["body","title"],"msg":"Field required","input":{}},
			{"type":"missing","loc":["body","start"],"msg":"Field required","input":{}},{"type":"missing","loc":["body","end"],"msg":"Field required","input":{}}]}`},
		{"update", `{"title":"x"}`, 422, `{"error":"Validation Error","detail":[{"type":"missing","loc":["body","event_id"],"msg":"Field required","input":{"title":"x"}}]}`},
		{"update", `{"event_id":"e","start":2,"end":1}`, 400, `{"detail":"end time must be after start time"}`},
		{"respond", `{"event_id":"e","attendee_email":"a@x.io","response":"yes"}`, 422, `{"error":"Validation Error","detail":[{"type":"literal_error","loc":["body","response"],
			"msg":"Input should be 'accepted', 'declined', 'tentative' or 'needs-action'","input":"yes","ctx":{"expected":"'accepted', 'declined', 'tentative' or 'needs-action'"}}]}`},
	} {
		b.Expect(t, "POST /calendar/"+c.path, c.body, c.status, c.want)
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, create("e", ""))
	_, text := b.Call(t, "GET", "/calendar/state", "")
	full, _ := modalitytest.Plain(t, text).(map[string]any)
	event, _ := full["events"].(map[string]any)["e"].(map[string]any)
	if event["start"] != "2025-01-16T10:00:00+00:00" || event["updated_at"] != "2025-01-15T09:00:00+00:00" || full["last_updated"] != "2025-01-15T09:00:00Z" {
		t.Errorf("times: %v", full)
	}
	delete(full, "events")
	want := `{"modality_type":"calendar","last_updated":"2025-01-15T09:00:00Z","update_count":1,"default_calendar_id":"primary","user_timezone":"UTC",
		"calendars":{"primary":{"calendar_id":"primary","name":"Personal","color":"#4285f4","visible":true,"created_at":"2026-11-20T10:00:00+00:00",
		"updated_at":"2025-01-15T09:00:00+00:00","event_ids":["e"],"default_reminders":[]}},"calendar_count":1,"event_count":1}`
	if diff := cmp.Diff(modalitytest.Plain(t, want), any(full)); diff != "" {
		t.Errorf("full (-want +got):\n%s", diff)
	}
	b.Expect(t, "GET /calendar/state?compact=true", "", 200, `{"modality_type":"calendar","last_updated":"2025-01-15T09:00:00+00:00","update_count":1,"default_calendar_id":"primary",
		"user_timezone":"UTC","calendars":{"primary":{"calendar_id":"primary","name":"Personal","color":"#4285f4","visible":true,"event_count":1}},"calendar_count":1,"event_count":1}`)
	b.State = nil
	b.Expect(t, "GET /calendar/state", "", 500, `{"detail":"Failed to get calendar state: \"Modality 'calendar' not found in environment. Available modalities: ['calendar']\""}`)
	if status, text := b.Call(t, "POST", "/calendar/update", `{"event_id":"e"}`); status != 200 || !strings.Contains(text, `"status":"failed"`) {
		t.Errorf("update without calendars: %d %s", status, text)
	}
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
	compact(`{"summary":"No events","total_events":0,"calendar_count":1,"today_count":0,"current_event":null,"next_event":null}`)
	for i, e := range []string{
		`"start":"2025-01-15T08:00:00Z","end":"2025-01-15T09:30:00Z","location":"Room"`, `"start":"2025-01-15T12:00:00Z","end":"2025-01-15T13:00:00Z"`,
		`"start":"2025-01-15T10:00:00Z","end":"2025-01-15T10:00:01Z"`, `"start":"2025-01-16T10:00:00Z","end":"2025-01-16T10:00:01Z"`, `"start":"2025-02-16T10:00:00Z","end":"2025-02-16T10:00:01Z"`,
	} {
		b.MustApply(t, fmt.Sprintf(`{"operation":"create","event_id":"e%d","title":"E%d",%s}`, i, i, e))
	}
	compact(`{"summary":"3 events today, 4 this week","total_events":5,"calendar_count":1,"today_count":3,"current_event":{"title":"E0","ends_in":"in 30 minutes","location":"Room"},
		"next_event":{"title":"E2","starts_in":"in 1 hour","start_time":"2025-01-15T10:00:00+00:00"},
		"upcoming_today":[{"title":"E2","start_time":"10:00","starts_in":"in 1 hour"},{"title":"E1","start_time":"12:00","starts_in":"in 3 hours"}]}`)
}

func TestContainers(t *testing.T) {
	t.Parallel()
	b := bench()
	info := func(id, name, color string, visible bool, events int) string {
		return fmt.Sprintf(`{"calendar_id":%q,"name":%q,"color":%q,"visible":%v,"event_count":%d,"created_at":"2026-11-20T10:00:00+00:00","updated_at":"2026-11-20T10:00:00+00:00"}`, id, name, color, visible, events)
	}
	ok := func(message, calendar string) string {
		return fmt.Sprintf(`{"status":"success","message":%q,"calendar":%s}`, message, calendar)
	}
	for _, c := range []struct {
		call, body string
		status     int
		want       string
	}{
		{"GET /calendar/calendars", "", 200, `{"calendars":[` + info("primary", "Personal", "#4285f4", true, 0) + `],"count":1,"default_calendar_id":"primary"}`},
		{"POST /calendar/calendars/create", `{"calendar_id":"w","name":"Work","visible":false}`, 200, ok("Created calendar: Work", info("w", "Work", "#4285f4", false, 0))},
		{"POST /calendar/calendars/create", `{"calendar_id":"w","name":"Again"}`, 400, `{"detail":"Calendar 'w' already exists"}`},
		{"POST /calendar/calendars/create", `{"calendar_id":"x"}`, 422, `{"error":"Validation Error","detail":[{"type":"missing","loc":["body","name"],"msg":"Field required","input":{"calendar_id":"x"}}]}`},
		{"POST /calendar/calendars/update", `{"calendar_id":"w","name":"Job","color":"red","visible":true}`, 200, ok("Updated calendar: Job", info("w", "Job", "red", true, 0))},
		{"POST /calendar/calendars/update", `{"calendar_id":"no"}`, 404, `{"detail":"Calendar 'no' not found"}`},
		{"POST /calendar/calendars/set-default", `{"calendar_id":"w"}`, 200, ok("Set default calendar to: Job", info("w", "Job", "red", true, 0))},
		{"POST /calendar/calendars/set-default", `{"calendar_id":"no"}`, 404, `{"detail":"Calendar 'no' not found"}`},
		{"POST /calendar/calendars/delete", `{"calendar_id":"w"}`, 400, `{"detail":"Cannot delete default calendar"}`},
		{"POST /calendar/calendars/delete", `{"calendar_id":"no"}`, 404, `{"detail":"Calendar 'no' not found"}`},
	} {
		b.Expect(t, c.call, c.body, c.status, c.want)
	}
	b.MustApply(t, create("e", ""))
	b.MustApply(t, create("f", `,"calendar_id":"w"`))
	b.Expect(t, "POST /calendar/calendars/delete", `{"calendar_id":"primary"}`, 200, ok("Deleted calendar: Personal", "null"))
	b.Holds(t, "events/e", "null", "events/f/title", `"T"`, "calendars/primary", "null", "default_calendar_id", `"w"`, "update_count", "2")
}

// TestContainersAndUndo mixes changes that cannot be undone with the undoing of others:
// nothing breaks, and what is listed is there.
func TestContainersAndUndo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := modalitytest.Load(t, calendar.Kind(), `{"calendars":{"a":{"calendar_id":"a","name":"A"},"b":{"calendar_id":"b","name":"B"},"c":{"calendar_id":"c","name":"C"}},"default_calendar_id":"z"}`)
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			event, box := rapid.SampledFrom([]string{"1", "2", "3"}).Draw(rt, "event"), rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "calendar")
			switch rapid.IntRange(0, 5).Draw(rt, "what") {
			case 0, 1:
				b.MustApply(t, create(event, fmt.Sprintf(`,"calendar_id":%q`, box)))
			case 2:
				_ = b.Apply(`{"operation":"delete","event_id":"` + event + `"}`)
			case 3:
				b.Call(t, "POST", "/calendar/calendars/delete", `{"calendar_id":"`+box+`"}`)
			case 4:
				b.Call(t, "POST", "/calendar/calendars/create", `{"calendar_id":"`+box+`","name":"n"}`)
			default:
				if len(b.Undos) > 0 {
					b.Undo(t)
				}
			}
			_, text := b.Call(t, "GET", "/calendar/state", "")
			full, _ := modalitytest.Plain(t, text).(map[string]any)
			events, _ := full["events"].(map[string]any)
			if fmt.Sprint(full["event_count"]) != fmt.Sprint(len(events)) {
				rt.Fatalf("event_count %v, %d events", full["event_count"], len(events))
			}
		}
	})
}

// TestHostile is the property of modalitytest.Hostile.
func TestHostile(t *testing.T) {
	t.Parallel()
	modalitytest.Hostile(t, calendar.Kind(), scenario, create("a", `,"timestamp":0,"attendees":[{"email":"a@x.io"}],"reminders":[{"minutes_before":1}],`+weekly))
}
