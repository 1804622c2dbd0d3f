package simulator_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// deeds are calls of every action endpoint that makes an event. A word in angle brackets
// stands for a value that an earlier call gave; the last column says which value a call
// gives: a name, and how to find it in the state of the modality.
var deeds = []struct{ path, body, gives string }{
	{"/weather/update", `{"latitude":1,"longitude":2,"report":{"lat":1,"lon":2,"timezone":"UTC","timezone_offset":0}}`, ""},
	{"/location/update", `{"latitude":1,"longitude":2,"named_location":"Home"}`, ""},
	{"/location/update", `{"latitude":3,"longitude":4}`, ""},
	{"/email/receive", `{"from_address":"a@x.io","to_addresses":["user@example.com"],"subject":"s","body_text":"b","thread_id":"t"}`, "mail emails"},
	{"/email/send", `{"from_address":"user@example.com","to_addresses":["a@x.io"],"subject":"s","body_text":"b","thread_id":"t"}`, ""},
	{"/email/read", `{"message_ids":["<mail>"]}`, ""},
	{"/email/unread", `{"message_ids":["<mail>","no"]}`, ""},
	{"/email/star", `{"message_ids":["<mail>"]}`, ""},
	{"/email/unstar", `{"message_ids":["<mail>"]}`, ""},
	{"/email/label", `{"message_ids":["<mail>"],"labels":["x","y"]}`, ""},
	{"/email/unlabel", `{"message_ids":["<mail>"],"labels":["x"]}`, ""},
	{"/email/archive", `{"message_ids":["<mail>"]}`, ""},
	{"/email/move", `{"message_ids":["<mail>"],"folder":"mine"}`, ""},
	{"/email/delete", `{"message_ids":["<mail>"]}`, ""},
	{"/sms/receive", `{"from_number":"5551230001","to_numbers":["+15550000000"],"body":"hi"}`, "sms messages"},
	{"/sms/send", `{"from_number":"+15550000000","to_numbers":["5551230001"],"body":"ho","attachments":[{"filename":"f","size":1,"mime_type":"a/b"}]}`, "thread conversations"},
	{"/sms/react", `{"message_id":"<sms>","phone_number":"+15550000000","emoji":"x"}`, ""},
	{"/sms/read", `{"message_ids":["<sms>"]}`, ""},
	{"/sms/unread", `{"message_ids":["<sms>"]}`, ""},
	{"/sms/delete", `{"message_ids":["<sms>"]}`, ""},
	{"/sms/conversation", `{"thread_id":"<thread>","pin":true,"mark_all_read":true,"draft_message":"d"}`, ""},
	{"/chat/send", `{"role":"user","content":"one"}`, "chat messages/0/message_id"},
	{"/chat/send", `{"role":"assistant","content":[{"type":"text","text":"two"}],"conversation_id":"c"}`, ""},
	{"/chat/delete", `{"message_id":"<chat>"}`, ""},
	{"/chat/clear", `{"conversation_id":"c"}`, ""},
	{"/chat/send", `{"role":"user","content":"three"}`, ""},
	{"/calendar/create", `{"title":"T","start":"2025-01-16T10:00:00Z","end":"2025-01-16T11:00:00Z","attendees":[{"email":"a@x.io"}],"recurrence":{"frequency":"daily"}}`, "event events"},
	{"/calendar/respond", `{"event_id":"<event>","attendee_email":"a@x.io","response":"accepted"}`, ""},
	{"/calendar/update", `{"event_id":"<event>","title":"U","recurrence_scope":"this_and_future","recurrence_id":"2025-01-20"}`, ""},
	{"/calendar/delete", `{"event_id":"<event>","recurrence_scope":"all"}`, ""},
	{"/contacts/create", `{"first_name":"A","identifiers":[{"identifier_type":"phone","value":"5551230001"}]}`, "amy contacts"},
	{"/contacts/create", `{"last_name":"B","identifiers":[{"identifier_type":"email","value":"b@x.io"}],"groups":["g"]}`, "bob contacts"},
	{"/contacts/update", `{"contact_id":"<amy>","nickname":"N","add_groups":["h"]}`, ""},
	{"/contacts/block", `{"contact_id":"<amy>"}`, ""},
	{"/contacts/unblock", `{"contact_id":"<amy>"}`, ""},
	{"/contacts/favorite", `{"contact_id":"<amy>"}`, ""},
	{"/contacts/unfavorite", `{"contact_id":"<amy>"}`, ""},
	{"/contacts/group/add", `{"contact_id":"<amy>","group_name":"k"}`, ""},
	{"/contacts/group/remove", `{"contact_id":"<amy>","group_name":"h"}`, ""},
	{"/contacts/merge", `{"primary_contact_id":"<amy>","secondary_contact_id":"<bob>"}`, ""},
	{"/contacts/create", `{"nickname":"C","identifiers":[{"identifier_type":"handle","value":"c"}]}`, "carl contacts"},
	{"/contacts/delete", `{"contact_id":"<carl>"}`, ""},
}

// fill calls all deeds, one simulated second apart.
func fill(t *testing.T, c caller) {
	t.Helper()
	known := map[string]string{}
	for _, d := range deeds {
		body := d.body
		for name, value := range known {
			body = strings.ReplaceAll(body, "<"+name+">", value)
		}
		answer := c.must(200, "POST", d.path, body)
		if got := pick(t, answer, "status"); got != "executed" {
			t.Fatalf("%s %s: %s", d.path, body, answer)
		}
		if name, at, found := strings.Cut(d.gives, " "); found {
			state := c.must(200, "GET", d.path[:strings.Index(d.path[1:], "/")+1]+"/state", "")
			known[name] = pick(t, state, at)
			if !strings.Contains(at, "/") {
				known[name] = lastName(t, state, at)
			}
		}
		c.must(200, "POST", "/simulator/time/advance", `{"seconds":1}`)
	}
}

// lastName is the last name in an object of a JSON text.
func lastName(t *testing.T, text, at string) string {
	t.Helper()
	doc, err := ordered.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	v, _ := doc.Get(at)
	m, _ := v.(*ordered.Map)
	last := ""
	for name := range m.All() {
		last = name
	}
	return last
}

// states are the states of all modalities in scenario form, but for what tells the wall
// clock.
func states(t *testing.T, c caller) string {
	t.Helper()
	return pick(t, c.must(200, "GET", "/environment/state", ""), "modalities")
}

// TestFilledWorld acts through every endpoint, takes everything back, does it again, and
// carries the result into another server.
func TestFilledWorld(t *testing.T) {
	t.Parallel()
	c := serve(t, fresh(t, simulator.Options{}))
	c.must(200, "POST", "/simulation/start", "{}")
	before := states(t, c)
	fill(t, c)
	after := states(t, c)
	if got := pick(t, c.must(200, "POST", "/environment/validate", ""), "errors"); got != "[]" {
		t.Errorf("a filled world has problems: %s", got)
	}
	undone := c.must(200, "POST", "/simulation/undo", `{"count":100}`)
	if got, want := pick(t, undone, "undone_count"), strconv.Itoa(len(deeds)); got != want || pick(t, undone, "can_undo") != "false" {
		t.Errorf("%s undone, want %s", got, want)
	}
	same(t, "everything undone", states(t, c), before)
	c.must(200, "POST", "/simulation/redo", `{"count":100}`)
	same(t, "everything done again", states(t, c), after)

	scenario := c.must(200, "GET", "/scenario/export/full", "")
	other := serve(t, fresh(t, simulator.Options{}))
	other.must(200, "POST", "/scenario/import/full", scenario)
	same(t, "in another server", states(t, other), after)
	other.must(200, "POST", "/simulation/start", "{}")
	if got := pick(t, c.must(200, "POST", "/simulation/reset", ""), "events_undone"); got != strconv.Itoa(len(deeds)) {
		t.Errorf("reset undid %s", got)
	}
	same(t, "after a reset", states(t, c), before)
}

func same(t *testing.T, when, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	t.Errorf("%s the states differ:\n got …%.300s\nwant …%.300s", when, got[max(0, i-100):], want[max(0, i-100):])
}
