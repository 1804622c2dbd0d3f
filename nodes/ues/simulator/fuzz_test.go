package simulator_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// direct asks in process, without a connection.
func direct(sim *simulator.Simulator, method, path, body string) (int, string) {
	_, secret := sim.Admin()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("X-API-Key", secret)
	w := httptest.NewRecorder()
	sim.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// sound is what must hold after anything: every reading answers, in JSON.
func sound(t *testing.T, sim *simulator.Simulator) {
	t.Helper()
	for _, path := range []string{
		"/environment/state", "/environment/state?compact=true", "/events", "/scenario/export/full", "/simulation/status", "/events/summary",
	} {
		if status, text := direct(sim, "GET", path, ""); status != 200 || !json.Valid([]byte(text)) {
			t.Fatalf("%s: %d %s", path, status, text)
		}
	}
	if status, text := direct(sim, "POST", "/environment/validate", ""); status != 200 {
		t.Fatalf("validate: %d %s", status, text)
	}
}

// live moves time and undoes everything again.
func live(t *testing.T, sim *simulator.Simulator) {
	t.Helper()
	if status, _ := direct(sim, "POST", "/simulation/start", "{}"); status != 200 {
		return
	}
	direct(sim, "POST", "/simulator/time/skip-to-next", "")
	direct(sim, "POST", "/simulator/time/advance", `{"seconds":1e9}`)
	sound(t, sim)
	direct(sim, "POST", "/simulation/undo", `{"count":100}`)
	direct(sim, "POST", "/simulation/redo", `{"count":100}`)
	sound(t, sim)
	if status, text := direct(sim, "POST", "/simulation/reset", ""); status != 200 || !strings.Contains(text, `"undo_errors":[]`) {
		t.Fatalf("reset: %d %s", status, text)
	}
	sound(t, sim)
}

func fuzzed(t *testing.T) *simulator.Simulator {
	now := time.Date(2026, 1, 28, 6, 0, 0, 0, time.UTC)
	return fresh(t, simulator.Options{Now: func() time.Time { return now }})
}

// FuzzImport: whatever is imported, the answer is 200, 400 or 422, and the world stays
// sound; what was exported can be imported again.
func FuzzImport(f *testing.F) {
	head := `{"scenario":{"metadata":{"ues_version":"0.1.0","scenario_version":"1","created_at":"2026-01-28T06:00:00Z"},"environment":{` +
		`"time_state":{"current_time":"2026-01-28T06:00:00Z","time_scale":1.0,"is_paused":true,"auto_advance":false,"last_wall_time_update":"2026-01-28T06:00:00Z"},` +
		`"modality_states":{`
	const tail = `}},"events":{"events":[{"scheduled_time":"2026-01-28T07:00:00Z","modality":"email","created_at":"2026-01-28T06:00:00Z",` +
		`"data":{"timestamp":"2026-01-28T07:00:00Z","operation":"star","message_id":"m"}}]}}}`
	for _, state := range []string{
		`"email":{"last_updated":"2026-01-28T06:00:00Z","emails":{"m":{"message_id":"m","thread_id":"t","from_address":"a","to_addresses":[],"subject":"s","body_text":"b","sent_at":"2026-01-28T06:00:00Z","received_at":"2026-01-28T06:00:00Z"}},"folders":{"inbox":["m"]}}`,
		`"sms":{"last_updated":"2026-01-28T06:00:00Z","user_phone_number":"+1","messages":{"m":{"thread_id":"t","from_number":"1","to_numbers":["2"],"body":"b","direction":"incoming","sent_at":"2026-01-28T06:00:00Z"}},"conversations":{}}`,
		`"calendar":{"events":{"e":{"event_id":"e","calendar_id":"primary","title":"t","start":"2026-01-28T06:00:00Z","end":"2026-01-28T07:00:00Z"}}}`,
		`"chat":{"last_updated":"2026-01-28T06:00:00Z","messages":[{"message_id":"m","conversation_id":"c","role":"user","content":"x","timestamp":"2026-01-28T06:00:00Z"}]}`,
	} {
		f.Add(head + state + tail)
	}
	f.Add(`{"scenario":{"metadata":{},"environment":{},"events":[]}}`)
	f.Add(`{"scenario":{"metadata":{"ues_version":"","scenario_version":"","created_at":0},"environment":{"time_state":{"current_time":"9999-12-31T23:59:59Z","time_scale":1e-300,"is_paused":0,"auto_advance":"no","last_wall_time_update":1},"modality_states":{}},"events":{"events":[]}}}`)
	f.Fuzz(func(t *testing.T, body string) {
		sim := fuzzed(t)
		status, text := direct(sim, "POST", "/scenario/import/full", body)
		if status != 200 && status != 400 && status != 422 || !json.Valid([]byte(text)) {
			t.Fatalf("%d %s", status, text)
		}
		sound(t, sim)
		if status == 200 {
			_, export := direct(sim, "GET", "/scenario/export/full", "")
			if status, text := direct(fuzzed(t), "POST", "/scenario/import/full", export); status != 200 {
				t.Fatalf("what was exported is refused: %d %s\n%s", status, text, export)
			}
		}
		live(t, sim)
	})
}

// FuzzEvent: whatever is scheduled, the answer is one of the contract's, and the world
// stays sound when it happens.
func FuzzEvent(f *testing.F) {
	for _, data := range []string{
		`"email","data":{"operation":"receive","from_address":"a@b.cd","to_addresses":["a@b.cd"],"subject":"s","body_text":"b"}`,
		`"email","data":{"operation":"move","message_ids":["x"],"folder":"f"}`,
		`"sms","data":{"operation":"send_message","from_number":"+1","to_numbers":["+2","+3"],"body":""}`,
		`"sms","data":{"action":"receive_message","message_data":{"from_number":"1","to_numbers":["2"],"body":"x"}}`,
		`"sms","data":{"operation":"create_group","creator_number":"1","participant_numbers":["1","2"]}`,
		`"chat","data":{"operation":"send_message","role":"user","content":[{"type":"text","text":"t"}]}`,
		`"calendar","data":{"operation":"create","title":"t","start":"2026-01-28T10:00:00Z","end":"2026-01-28T11:00:00Z","recurrence":{"frequency":"daily"}}`,
		`"location","data":{"latitude":1,"longitude":2}`,
		`"time","data":{"timezone":"Europe/Berlin","format_preference":"24h"}`,
	} {
		f.Add(`{"scheduled_time":"2026-01-28T07:00:00Z","modality":` + data + `,"priority":7,"metadata":{"a":1}}`)
	}
	f.Fuzz(func(t *testing.T, body string) {
		sim := fuzzed(t)
		status, text := direct(sim, "POST", "/events", body)
		switch status {
		case 200, 400, 404, 409, 422:
		case 500:
			if !strings.Contains(text, "offset-naive") {
				t.Fatal(text)
			}
		default:
			t.Fatalf("%d %s", status, text)
		}
		if !json.Valid([]byte(text)) {
			t.Fatal(text)
		}
		sound(t, sim)
		if status == 200 {
			live(t, sim)
		}
	})
}
