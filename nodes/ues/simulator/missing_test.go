package simulator_test

import (
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// TestMissingModalities is contract section 9.4: after an import only what was imported
// exists.
func TestMissingModalities(t *testing.T) {
	c := serve(t, fresh(t, simulator.Options{}))
	empty := strings.Replace(triage(false), `"modality_states":{"email":`, `"modality_states":{"x":`, 1)
	doc := c.must(200, "POST", "/scenario/import/full", empty)
	if pick(t, doc, "modalities_loaded") != `["sms","calendar","chat"]` || pick(t, doc, "modalities_skipped") != `["x"]` {
		t.Fatalf("import: %s", doc)
	}
	for _, path := range []string{"GET /email/state", "POST /email/query", "GET /location/state", "GET /weather/state", "POST /location/query", "GET /contacts/state", "POST /contacts/query"} {
		method, path, _ := strings.Cut(path, " ")
		body := ""
		if method == "POST" {
			body = "{}"
		}
		if text := c.must(500, method, path, body); text != `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"KeyError"}` {
			t.Errorf("%s: %s", path, text)
		}
	}
	acted := c.must(200, "POST", "/email/receive", mail)
	if pick(t, acted, "status") != "failed" || !strings.Contains(pick(t, acted, "message"), "KeyError: \"Modality 'email' not found in environment. Available modalities: ['sms', 'calendar', 'chat']\"") {
		t.Errorf("action: %s", acted)
	}
	later := strings.Replace(mail, "{", `{"operation":"receive",`, 1)
	c.must(200, "POST", "/events", `{"scheduled_time":"2026-01-28T07:00:00Z","modality":"email","data":`+later+`}`)
	if text := c.must(400, "POST", "/simulation/start", "{}"); !strings.Contains(text, "references non-existent modality 'email'") {
		t.Errorf("start: %s", text)
	}
	if text := c.must(200, "POST", "/simulation/clear", ""); pick(t, text, "modalities_cleared") != "3" {
		t.Errorf("clear: %s", text)
	}
	if text := c.must(200, "GET", "/environment/modalities", ""); pick(t, text, "count") != "3" {
		t.Errorf("modalities: %s", text)
	}
}
