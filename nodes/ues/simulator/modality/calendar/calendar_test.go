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

func bench() *modalitytest.Bench { return modalitytest.New(calendar.Kind()) }

const (
	hour   = `"start":"2025-01-16T10:00:00Z","end":"2025-01-16T11:00:00Z"`
	weekly = `"recurrence":{"frequency":"weekly","days_of_week":["thursday"]}`
)

// create is a payload of a new event.
func create(id, more string) string {
	return fmt.Sprintf(`{"operation":"create","event_id":%q,"title":"T",%s%s}`, id, hour, more)
}

func TestRules(t *testing.T) {
	t.Parallel()
	rule := func(r string) string { return create("e", `,"recurrence":{`+r+`}`) }
	for payload, want := range map[string]string{
		`{"operation":"create"}`:                                                                 "title is required for create operation",
		`{"operation":"create","title":"T"}`:                                                     "start is required for create operation",
		`{"operation":"create","title":"T","start":0}`:                                           "end is required for create operation",
		`{"operation":"create","title":"T","start":1,"end":1}`:                                   "end time must be after start time",
		`{"operation":"update"}`:                                                                 "event_id is required for update operation",
		`{"operation":"delete","event_id":""}`:                                                   "event_id is required for delete operation",
		`{"operation":"update","event_id":"e","start":2,"end":1}`:                                "end time must be after start time",
		`{"operation":"respond","event_id":"e"}`:                                                 "attendee_email is required for respond operation",
		`{"operation":"respond","event_id":"e","attendee_email":"a@x.io"}`:                       "response is required for respond operation",
		create("e", `,"organizer":"nobody"`):                                                     "Invalid organizer email format: nobody",
		rule(`"frequency":"daily","end_type":"until"`):                                           "end_date required when end_type is 'until'",
		rule(`"frequency":"daily","end_type":"until","end_date":"2025-01-16"`):                   "recurrence end_date must be after start date",
		rule(`"frequency":"daily","end_type":"count"`):                                           "count required when end_type is 'count'",
		rule(`"frequency":"weekly"`):                                                             "days_of_week required for weekly recurrence",
		rule(`"frequency":"monthly"`):                                                            "day_of_month required for monthly recurrence",
		rule(`"frequency":"yearly","day_of_month":1`):                                            "month_of_year required for yearly recurrence",
		rule(`"frequency":"yearly","month_of_year":1`):                                           "day_of_month required for yearly recurrence",
		rule(`"frequency":"hourly"`):                                                             "decode: recurrence.frequency: Input should be 'daily', 'weekly', 'monthly' or 'yearly'",
		rule(`"frequency":"daily","interval":0`):                                                 "decode: recurrence.interval: Input should be greater than or equal to 1",
		rule(`"frequency":"daily","count":0`):                                                    "decode: recurrence.count: Input should be greater than or equal to 1",
		rule(`"frequency":"daily","day_of_month":32`):                                            "decode: recurrence.day_of_month: Input should be less than or equal to 31",
		rule(`"frequency":"weekly","days_of_week":["monday","monday"]`):                          "decode: recurrence.days_of_week: Value error, days_of_week cannot contain duplicates",
		create("e", `,"attendees":[{"email":"nobody"}]`):                                         "decode: attendees.0.email: Value error, Invalid email format: nobody",
		create("e", `,"reminders":[{"minutes_before":-1}]`):                                      "decode: reminders.0.minutes_before: Input should be greater than or equal to 0",
		create("e", `,"status":"maybe"`):                                                         "decode: status: Input should be 'confirmed', 'tentative' or 'cancelled'",
		create("e", `,"recurrence_scope":"some"`):                                                "decode: recurrence_scope: Input should be 'this', 'this_and_future' or 'all'",
		`{"operation":"update","event_id":"X"}`:                                                  "Event X not found",
		`{"operation":"delete","event_id":"X"}`:                                                  "Event X not found",
		`{"operation":"respond","event_id":"X","attendee_email":"a@x.io","response":"accepted"}`: "Event X not found",
	} {
		bench().Refuses(t, payload, want)
	}
	b := bench()
	b.MustApply(t, create("e", `,"attendees":[{"email":"A@x.io"}]`))
	b.Refuses(t, `{"operation":"respond","event_id":"e","attendee_email":"b@x.io","response":"accepted"}`, "Attendee b@x.io not found in event e")
	b.MustApply(t, create("u", `,"recurrence":{"frequency":"daily","end_type":"until","end_date":"2025-02-01"}`))
	b.Refuses(t, `{"operation":"update","event_id":"u","recurrence_scope":"this_and_future","recurrence_id":"soon"}`, "Invalid isoformat string: 'soon'")
}

func TestCreate(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, `{"operation":"create","title":"T",`+hour+`,"calendar_id":"my-work","attendees":[{"email":"Bob@X.io"}],"organizer":"Me@X.io","recurrence_exceptions":["2025-01-23"],
		"reminders":[{"minutes_before":10}],"attachments":[{"filename":"f","size":0,"mime_type":"a/b"}],`+weekly+`}`)
	b.Holds(t, "events", `{"id-3":{"event_id":"id-3","calendar_id":"my-work","title":"T","start":"2025-01-16T10:00:00Z","end":"2025-01-16T11:00:00Z","all_day":false,"timezone":"UTC",
		"description":null,"location":null,"status":"confirmed","organizer":"Me@X.io","attendees":[{"email":"bob@x.io","display_name":null,"optional":false,"response":"needs-action","comment":null}],
		"recurrence":{"frequency":"weekly","interval":1,"days_of_week":["thursday"],"day_of_month":null,"month_of_year":null,"end_type":"never","end_date":null,"count":null},
		"recurrence_exceptions":[],"recurrence_id":null,"parent_event_id":null,"reminders":[{"minutes_before":10,"type":"notification"}],"color":null,"visibility":"default","transparency":"opaque",
		"attachments":[{"filename":"f","size":0,"mime_type":"a/b","url":null,"data":null,"attachment_id":"id-2"}],"conference_link":null,
		"created_at":"2025-01-15T09:00:00Z","updated_at":"2025-01-15T09:00:00Z","deleted_at":null}}`,
		"calendars/my-work", `{"calendar_id":"my-work","name":"My-Work","color":"#4285f4","visible":true,"created_at":"2026-11-20T10:00:00Z","updated_at":"2025-01-15T09:00:00Z",
		"event_ids":["id-3"],"default_reminders":[]}`)
	b.Undo(t)
	b.Holds(t, "events", "{}", "calendars/my-work", "null")
	b.MustApply(t, create("e", ""))
	b.Payload(t, `{"modality_type":"calendar","timestamp":"2025-01-15T09:00:00Z","input_id":"id-4","operation":"create","event_id":"e","calendar_id":"primary","recurrence_scope":"this",
		"title":"T","description":null,"start":"2025-01-16T10:00:00Z","end":"2025-01-16T11:00:00Z","all_day":false,"timezone":"UTC","location":null,"status":"confirmed","organizer":null,
		"attendees":null,"recurrence":null,"recurrence_exceptions":null,"recurrence_id":null,"reminders":null,"color":null,"visibility":"default","transparency":"opaque",
		"attachments":null,"conference_link":null,"attendee_email":null,"response":null,"response_comment":null}`)
	b.MustApply(t, create("e", `,"calendar_id":"other","color":"red"`)) // overwrites
	b.Holds(t, "events/e/color", `"red"`, "calendars/primary/event_ids", `["e"]`, "calendars/other/event_ids", `["e"]`)
}

func TestWalk(t *testing.T) {
	t.Parallel()
	b := bench()
	const later = `,"timestamp":"2025-01-15T10:00:00Z"`
	b.Walk(t, []modalitytest.Step{
		modalitytest.Do(create("e", `,"status":"tentative","visibility":"private","transparency":"transparent","description":"d","attendees":[{"email":"a@x.io"}]`), "remove_event",
			"events/e/status", `"tentative"`),
		modalitytest.Do(`{"operation":"update","event_id":"e","title":"New","start":"2025-01-16T12:00:00Z","all_day":true,"timezone":"Mars","recurrence_exceptions":["x"]`+later+`}`, "restore_event",
			"events/e/title", `"New"`, "events/e/start", `"2025-01-16T12:00:00Z"`, "events/e/end", `"2025-01-16T11:00:00Z"`, "events/e/all_day", "false", "events/e/timezone", `"UTC"`,
			"events/e/status", `"confirmed"`, "events/e/visibility", `"default"`, "events/e/transparency", `"opaque"`, "events/e/description", `"d"`,
			"events/e/updated_at", `"2025-01-15T10:00:00Z"`, "events/e/recurrence_exceptions", `["x"]`),
		modalitytest.Do(`{"operation":"respond","event_id":"e","attendee_email":"A@X.io","response":"declined","response_comment":"busy"`+later+`}`, "restore_attendee_response",
			"events/e/attendees", `[{"email":"a@x.io","display_name":null,"optional":false,"response":"declined","comment":"busy"}]`),
		modalitytest.Do(`{"operation":"respond","event_id":"e","attendee_email":"a@x.io","response":"accepted","response_comment":""}`, "restore_attendee_response",
			"events/e/attendees", `[{"email":"a@x.io","display_name":null,"optional":false,"response":"accepted","comment":"busy"}]`),
		modalitytest.Do(`{"operation":"update","event_id":"e","attendees":[],"reminders":[{"minutes_before":5,"type":"both"}],"organizer":"o@x.io","color":"c","conference_link":"l","location":"r","recurrence_exceptions":["y"]}`,
			"restore_event", "events/e/attendees", "[]", "events/e/reminders", `[{"minutes_before":5,"type":"both"}]`, "events/e/organizer", `"o@x.io"`, "events/e/location", `"r"`,
			"events/e/recurrence_exceptions", `["x","y"]`),
		modalitytest.Do(create("s", `,"recurrence":{"frequency":"daily","end_type":"until","end_date":"2025-03-01"}`), "remove_event"),
		modalitytest.Do(`{"operation":"update","event_id":"s","title":"Whole","recurrence_id":"2025-01-20"}`, "restore_event", "events/s/title", `"Whole"`, "events/s/recurrence_exceptions", "[]"),
		modalitytest.Do(`{"operation":"update","event_id":"s","title":"All","recurrence_scope":"all"}`, "restore_event", "events/s/title", `"All"`),
		modalitytest.Do(`{"operation":"update","event_id":"s","title":"No","recurrence_scope":"this_and_future"}`, "noop", "events/s/title", `"All"`),
		modalitytest.Do(`{"operation":"update","event_id":"s","title":"Rest","recurrence_scope":"this_and_future","recurrence_id":"2025-02-01"}`, "restore_event_remove_split",
			"events/s/title", `"All"`, "events/s/recurrence_exceptions", `["2025-02-01"]`, "events/s/recurrence/end_date", `"2025-01-31"`,
			"events/id-11/title", `"Rest"`, "events/id-11/start", `"2025-01-16T10:00:00Z"`, "events/id-11/recurrence_exceptions", `[]`, "events/id-11/recurrence/end_date", `"2025-01-31"`,
			"calendars/primary/event_ids", `["e","id-11","s"]`),
		modalitytest.Do(`{"operation":"delete","event_id":"s","recurrence_id":"2025-01-21"}`, "remove_exception", "events/s/recurrence_exceptions", `["2025-01-21","2025-02-01"]`),
		modalitytest.Do(`{"operation":"delete","event_id":"s","recurrence_scope":"this_and_future"}`, "noop"),
		modalitytest.Do(`{"operation":"delete","event_id":"s","recurrence_scope":"this_and_future","recurrence_id":"2025-01-25"}`, "restore_event_remove_split",
			"events/id-15/title", `"All"`, "events/s/recurrence/end_date", `"2025-01-24"`),
		modalitytest.Do(`{"operation":"delete","event_id":"s","recurrence_scope":"all"}`, "restore_deleted_event", "events/s", "null", "calendars/primary/event_ids", `["e","id-11","id-15"]`),
		modalitytest.Do(`{"operation":"delete","event_id":"e"`+later+`}`, "restore_deleted_event", "events/e", "null", "calendars/primary/updated_at", `"2025-01-15T10:00:00Z"`),
	})
}

// TestDeleteNothing has the deletion that does nothing, is counted, and cannot be undone.
func TestDeleteNothing(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, create("s", ","+weekly))
	b.MustApply(t, `{"operation":"delete","event_id":"s"}`)
	if len(b.Undos) != 1 {
		t.Errorf("%d undos, want 1", len(b.Undos))
	}
	b.Holds(t, "update_count", "2", "events/s/recurrence_exceptions", "[]")
}

const scenario = `{"events":{
 "e1":{"event_id":"e1","calendar_id":"c","title":"One","start":"2026-01-28T10:00:00","end":"2026-01-28T11:00:00+02:00","attendees":[{"email":"A@x.io"}]},
 "e2":{"event_id":"e2","calendar_id":"gone","title":"Two","start":0,"end":10,"parent_event_id":"p","recurrence":{"frequency":"daily","end_date":"2027-01-01"},"recurrence_exceptions":["b","a","a"]}},
"calendars":{"c":{"calendar_id":"c","name":"C","event_ids":["e1","x"],"default_reminders":[{"minutes_before":1}]}},"default_calendar_id":"c","user_timezone":"Europe/Vienna"}`

func TestLoad(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, calendar.Kind(), scenario)
	modalitytest.Reloaded(t, b)
	b.Holds(t, "events/e1/start", `"2026-01-28T10:00:00Z"`, "events/e1/attendees", `[{"email":"a@x.io","display_name":null,"optional":false,"response":"needs-action","comment":null}]`,
		"events/e2/recurrence_exceptions", `["a","b"]`, "last_updated", `"2025-01-15T09:00:00Z"`)
	want := []string{
		"Event e1 has invalid time range: 2026-01-28 10:00:00+00:00 to 2026-01-28 11:00:00+02:00", "Event e2 references missing calendar gone",
		"Modified occurrence e2 references missing parent p", "Calendar c references missing event x",
	}
	if diff := cmp.Diff(want, b.State.Problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	b.State.Clear(b.Moment())
	b.Holds(t, "events", "{}", "default_calendar_id", `"c"`, "user_timezone", `"Europe/Vienna"`,
		"calendars", `{"primary":{"calendar_id":"primary","name":"Personal","color":"#4285f4","visible":true,"created_at":"2026-11-20T10:00:00Z","updated_at":"2026-11-20T10:00:00Z",
		"event_ids":[],"default_reminders":[]}}`)
	if got := modalitytest.Load(t, calendar.Kind(), `{"calendars":{}}`).At(t, "calendars/primary/name"); got != "Personal" {
		t.Errorf("without calendars: %v", got)
	}
	_, errs := calendar.Load(modalitytest.MustObject(`{"calendars":{"c":{}},"events":{"e":{}}}`), b.Moment())
	var got []string
	for _, e := range errs {
		got = append(got, e.Where())
	}
	if diff := cmp.Diff(strings.Fields("calendars.c.calendar_id calendars.c.name events.e.event_id events.e.calendar_id events.e.title events.e.start events.e.end"), got); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

func TestReversible(t *testing.T) {
	t.Parallel()
	draw := func(t *rapid.T) string {
		op := rapid.SampledFrom([]string{"create", "create", "update", "delete", "respond"}).Draw(t, "operation")
		more := ""
		if rapid.Bool().Draw(t, "recurring") {
			more += "," + rapid.SampledFrom([]string{weekly, `"recurrence":{"frequency":"daily","end_type":"until","end_date":"2025-03-01"}`}).Draw(t, "rule")
		}
		if op == "update" && rapid.Bool().Draw(t, "times") {
			more += "," + hour
		}
		scope := rapid.SampledFrom([]string{"this", "this_and_future", "all"}).Draw(t, "scope")
		// The one deletion that leaves no undo would make redo count less.
		if op != "create" || rapid.Bool().Draw(t, "occurrence") {
			more += `,"recurrence_id":"2025-01-23"`
		}
		if op == "create" {
			more += "," + hour
		}
		return fmt.Sprintf(`{"operation":%q,"event_id":%q,"title":"T","calendar_id":%q,"recurrence_scope":%q,"attendees":[{"email":"a@x.io"}],"attendee_email":"a@x.io","response":"accepted",
			"recurrence_exceptions":["2025-01-30"]%s}`, op, rapid.SampledFrom([]string{"a", "b", "c", "e1", "e2"}).Draw(t, "event"),
			rapid.SampledFrom([]string{"primary", "c", "new one"}).Draw(t, "calendar"), scope, more)
	}
	for name, open := range map[string]func(testing.TB) *modalitytest.Bench{
		"empty":    func(testing.TB) *modalitytest.Bench { return bench() },
		"scenario": func(t testing.TB) *modalitytest.Bench { return modalitytest.Load(t, calendar.Kind(), scenario) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modalitytest.Reversible(t, open, draw)
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(create("a", `,"timestamp":0,`+weekly))
	f.Add(scenario)
	f.Fuzz(func(t *testing.T, text string) { modalitytest.Fuzz(t, calendar.Kind(), text) })
}
