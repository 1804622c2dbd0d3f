package simulator_test

import (
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// probe is one request and what its answer must have.
type probe struct {
	as                 string // the key: empty is the admin's, "-" none, otherwise the permissions of a new one
	method, path, body string
	status             int
	has                string // a part of the answer
}

// TestProbes is the table of contract section 11.3; what takes more than single requests
// stands in tests of its own (12: TestGoldenTrace, which lifts the pause on purpose).
func TestProbes(t *testing.T) {
	const start = "/simulation/start"
	load := probe{"", "POST", "/scenario/import/full", triage(false), 200, `"events_loaded":42`}
	run := probe{"", "POST", start, "{}", 200, `"status":"running"`}
	toUser := `{"from_number":"+15551230001","to_numbers":["+15550000000"],"body":"x"}`
	fromUser := `{"from_number":"+15550000000","to_numbers":["+15551230001"],"body":"x"}`
	tests := map[string][]probe{
		"1 no key":             {{"-", "GET", "/email/state", "", 401, "API key required"}},
		"2 wildcard":           {{"email:*", "GET", "/email/state", "", 200, "emails"}},
		"3 other permission":   {{"email:state", "POST", "/email/query", "{}", 403, "Permission denied. Required permission: email:query"}},
		"4 nested wildcard":    {{"calendar:calendars:*", "GET", "/calendar/calendars", "", 200, "primary"}, {"calendar:calendars:*", "GET", "/calendar/state", "", 403, "calendar:state"}},
		"7 advance, stopped":   {{"", "POST", "/simulator/time/advance", `{"seconds":1}`, 400, "Cannot advance time: simulation is not running"}},
		"8 bad advances":       {run, {"", "POST", "/simulator/time/advance", `{"seconds":0}`, 422, "greater_than"}, {"", "POST", "/simulator/time/advance", `{"seconds":-1}`, 422, "greater_than"}, {"", "POST", "/simulator/time/advance", `{}`, 422, "missing"}},
		"9 start twice":        {run, {"", "POST", start, "{}", 409, "Simulation is already running"}},
		"10 import, running":   {run, {"", "POST", "/scenario/import/full", triage(false), 409, "Cannot load scenario while simulation is running. Call stop() first."}},
		"13 inclusive":         {load, {"", "POST", "/email/receive", mail, 200, "executed"}, {"", "POST", "/email/query", `{"received_after":"2026-01-28T06:00:00+00:00"}`, 200, `"total_count":1`}},
		"16 folders":           {load, {"", "POST", "/email/move", `{"message_ids":["email_001"],"folder":"projects"}`, 200, "Moved 1 email(s) to projects"}, {"", "POST", "/email/delete", `{"message_ids":["email_001"]}`, 200, "Deleted 1 email(s)"}, {"", "GET", "/email/state", "", 200, `"trash":["email_001"]`}, {"", "GET", "/email/state", "", 200, `"projects":[]`}},
		"17 primary calendar":  {{"", "POST", "/calendar/create", `{"title":"T","start":"2026-01-28T12:00:00Z","end":"2026-01-28T13:00:00Z"}`, 200, "executed"}, {"", "POST", "/calendar/query", `{"calendar_ids":["primary"]}`, 200, `"count":1`}},
		"18 unknown attendee":  {{"", "POST", "/calendar/respond", `{"event_id":"e","attendee_email":"a@b.cd","response":"accepted"}`, 200, `"status":"failed"`}},
		"19 one conversation":  {{"", "POST", "/sms/receive", toUser, 200, "executed"}, {"", "POST", "/sms/receive", toUser, 200, "executed"}, {"", "GET", "/sms/state", "", 200, `"message_count":2,"unread_count":2`}},
		"20 the answer to it":  {{"", "POST", "/sms/receive", toUser, 200, "executed"}, {"", "POST", "/sms/receive", toUser, 200, "executed"}, {"", "POST", "/sms/send", fromUser, 200, "executed"}, {"", "GET", "/sms/state", "", 200, `"message_count":3,"unread_count":2`}, {"", "GET", "/sms/state", "", 200, `"total_conversation_count":1`}},
		"21 past event":        {load, {"", "POST", "/events", `{"scheduled_time":"2026-01-28T05:00:00Z","modality":"email","data":{}}`, 409, "Cannot schedule event in the past"}},
		"22 contacts event":    {{"", "POST", "/events", `{"scheduled_time":"2090-01-28T05:00:00Z","modality":"contacts","data":{}}`, 404, "Unknown modality: contacts. Supported modalities: email, sms, chat, calendar, location, weather, time"}},
		"23 bad address":       {{"", "POST", "/events", `{"scheduled_time":"2090-01-28T05:00:00Z","modality":"email","data":{"operation":"receive","from_address":"bad","to_addresses":["a@b.cd"],"subject":"s","body_text":"b"}}`, 400, `Invalid event: [\"Invalid input data: Invalid email address format: 'bad'\"]`}},
		"24 skipped":           {load, run, {"", "POST", "/simulator/time/set", `{"target_time":"2026-01-28T07:00:00Z"}`, 200, `"skipped_events":2`}, {"", "GET", "/events?status=skipped", "", 200, `"total":2`}},
		"28 no such status":    {{"", "GET", "/events?status=bogus", "", 400, "Invalid status: bogus. Must be one of: pending, executed, failed, skipped, cancelled"}},
		"naive query":          {{"", "GET", "/events?start_time=2026-01-28T05:00:00", "", 500, `"type":"TypeError"`}},
		"a space for a plus":   {{"", "GET", "/events?start_time=2026-01-28T05:00:00+00:00", "", 422, "query"}},
		"empty mail, original": {{"", "POST", "/email/receive", `{"from_address":"a@b.cd","to_addresses":["a@b.cd"],"subject":"","body_text":"b"}`, 500, "requires subject"}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim := fresh(t, simulator.Options{})
			c := serve(t, sim)
			for _, s := range steps {
				s.check(t, c.as(sim, s.as))
			}
		})
	}
}

// as is the caller with another key.
func (c caller) as(sim *simulator.Simulator, permissions string) caller {
	switch permissions {
	case "":
		return c
	case "-":
		c.secret = ""
		return c
	}
	_, secret, err := sim.Keys().Create("probe", strings.Fields(permissions), "")
	if err != nil {
		c.tb.Fatal(err)
	}
	c.secret = secret
	return c
}

func (p probe) check(t *testing.T, c caller) {
	t.Helper()
	status, text := c.do(p.method, p.path, p.body)
	if status != p.status || !strings.Contains(text, p.has) {
		t.Errorf("%s %s %.100s: %d %.500s", p.method, p.path, p.body, status, text)
	}
}

// TestSendIntoAThread is probes 14 and 15.
func TestSendIntoAThread(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{}))
	c.must(200, "POST", "/scenario/import/full", triage(false))
	c.must(200, "POST", "/email/send", `{"from_address":"a@b.cd","to_addresses":["b@b.cd"],"subject":"s","body_text":"b","thread_id":"thread_weekend_plans"}`)
	state := c.must(200, "GET", "/email/state", "")
	sent := pick(t, state, "folders/sent/0")
	if got := pick(t, state, "threads/thread_weekend_plans/message_ids"); got != `["email_001","`+sent+`"]` {
		t.Errorf("thread: %s", got)
	}
	if pick(t, state, "threads/thread_weekend_plans/message_count") != "2" || pick(t, state, "threads/thread_weekend_plans/unread_count") != "1" ||
		pick(t, state, "emails/"+sent+"/is_read") != "true" {
		t.Errorf("state: %s", state)
	}
	text := c.must(200, "POST", "/email/read", `{"message_ids":["email_001","nope"]}`)
	if pick(t, text, "message") != "Marked 2 email(s) as read" {
		t.Errorf("read: %s", text)
	}
	if got := pick(t, c.must(200, "GET", "/email/state", ""), "threads/thread_weekend_plans/unread_count"); got != "0" {
		t.Errorf("%s unread", got)
	}
}

// TestKeysEnd is probes 5 and 6.
func TestKeysEnd(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	c := serve(t, sim)
	made := c.must(201, "POST", "/keys", `{"name":"k","permissions":["*"]}`)
	id := pick(t, made, "key_id")
	c.must(200, "DELETE", "/keys/"+id, "")
	c.must(409, "DELETE", "/keys/"+id, "")
	caller{tb: t, url: c.url, secret: pick(t, made, "secret")}.must(401, "GET", "/simulator/time", "")
	admin, _ := sim.Admin()
	c.must(400, "DELETE", "/keys/"+admin, "")
}

// TestUndoAndReset is probes 25 and 26.
func TestUndoAndReset(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{}))
	c.must(200, "POST", "/scenario/import/full", triage(false))
	c.must(200, "POST", "/simulation/start", "{}")
	if got := pick(t, c.must(200, "POST", "/simulator/time/advance", `{"seconds":7200}`), "events_executed"); got != "5" {
		t.Fatalf("%s ran", got)
	}
	undone := c.must(200, "POST", "/simulation/undo", "")
	if pick(t, undone, "undone_events/0/action") != "remove_email_and_thread" || pick(t, undone, "can_redo") != "true" {
		t.Errorf("undone: %s", undone)
	}
	event := c.must(200, "GET", "/events/"+pick(t, undone, "undone_events/0/event_id"), "")
	if pick(t, event, "status") != "executed" || pick(t, c.must(200, "GET", "/email/state", ""), "total_email_count") != "11" {
		t.Errorf("event: %s", event)
	}
	c.must(200, "POST", "/simulation/redo", "{}")
	reset := c.must(200, "POST", "/simulation/reset", "")
	if pick(t, reset, "events_undone") != "5" || pick(t, reset, "cleared_events") != "42" {
		t.Errorf("reset: %s", reset)
	}
	status := c.must(200, "GET", "/simulation/status", "")
	if pick(t, status, "is_running") != "false" || pick(t, status, "current_time") != "2026-01-28T08:00:00+00:00" || pick(t, status, "pending_events") != "42" {
		t.Errorf("status: %s", status)
	}
	c.must(200, "POST", "/simulation/start", "{}")
	if got := pick(t, c.must(200, "POST", "/simulator/time/advance", `{"seconds":1}`), "events_executed"); got != "5" {
		t.Errorf("%s ran again", got)
	}
}

// TestExportIntoAFreshServer is probe 27.
func TestExportIntoAFreshServer(t *testing.T) {
	a, b := serve(t, fresh(t, simulator.Options{})), serve(t, fresh(t, simulator.Options{}))
	a.must(200, "POST", "/scenario/import/full", triage(false))
	a.must(200, "POST", "/simulation/start", "{}")
	a.must(200, "POST", "/simulator/time/advance", `{"seconds":36000}`)
	for path, body := range map[string]string{
		"/email/star": `{"message_ids":["email_003"]}`, "/sms/send": `{"from_number":"+15550100000","to_numbers":["+15550100001"],"body":"hi"}`,
		"/chat/send":       `{"role":"user","content":[{"type":"text","text":"ü"}]}`,
		"/calendar/create": `{"title":"T","start":"2026-01-28T12:00:00+02:00","end":"2026-01-28T13:00:00Z"}`,
	} {
		a.must(200, "POST", path, body)
	}
	export := a.must(200, "GET", "/scenario/export/full?author=me", "")
	c := b.must(200, "POST", "/scenario/import/full", export)
	if pick(t, c, "events_loaded") != "46" || pick(t, c, "warnings") != "[]" || pick(t, c, "scenario_metadata/author") != "me" {
		t.Errorf("import: %s", c)
	}
	if got, want := b.must(200, "GET", "/environment/state", ""), a.must(200, "GET", "/environment/state", ""); got != want {
		t.Errorf("states differ:\n%s\n%s", got, want)
	}
	if got, want := pick(t, b.must(200, "GET", "/events", ""), "events/5/event_id"), pick(t, a.must(200, "GET", "/events", ""), "events/5/event_id"); got == want {
		t.Error("an event kept its id")
	}
	b.must(200, "POST", "/simulation/start", "{}")
}
