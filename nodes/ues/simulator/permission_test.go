package simulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// vocabulary is the contract's table 4.4.
const vocabulary = `
time: read advance set skip scale pause resume
environment: read list validate
events: list create execute batch read delete summary
simulation: start stop status reset clear undo redo hold release holds
scenario: export import
webhooks: create list read update delete test deliveries pause resume
email: state query send receive read unread star unstar archive delete label unlabel move
sms: state query send receive read unread delete react conversation
chat: state query send delete clear
calendar: state query create update delete respond calendars:list calendars:create calendars:update calendars:delete calendars:default
location: state query update
weather: state query update
contacts: state query create update delete block unblock favorite unfavorite group:add group:remove merge
keys: create list read revoke
logs: read clear
`

// endpoints is the contract's section 5: method, path, permission.
const endpoints = `
GET /simulator/time time:read
POST /simulator/time/advance time:advance
POST /simulator/time/set time:set
POST /simulator/time/skip-to-next time:skip
POST /simulator/time/set-scale time:scale
POST /simulator/time/pause time:pause
POST /simulator/time/resume time:resume
POST /simulation/start simulation:start
POST /simulation/stop simulation:stop
GET /simulation/status simulation:status
POST /simulation/reset simulation:reset
POST /simulation/clear simulation:clear
POST /simulation/undo simulation:undo
POST /simulation/redo simulation:redo
POST /simulation/hold simulation:hold
POST /simulation/release/{hold_id} simulation:release
GET /simulation/holds simulation:holds
GET /scenario/export/environment scenario:export
GET /scenario/export/events scenario:export
GET /scenario/export/full scenario:export
POST /scenario/import/environment scenario:import
POST /scenario/import/events scenario:import
POST /scenario/import/full scenario:import
POST /keys keys:create
GET /keys keys:list
GET /keys/{key_id} keys:read
DELETE /keys/{key_id} keys:revoke
GET /access-logs logs:read
GET /access-logs/stats logs:read
POST /access-logs/clear logs:clear
GET /environment/state environment:read
GET /environment/modalities environment:list
POST /environment/validate environment:validate
GET /events events:list
POST /events events:create
POST /events/immediate events:execute
POST /events/batch events:batch
GET /events/next events:read
GET /events/summary events:summary
GET /events/{event_id} events:read
DELETE /events/{event_id} events:delete
GET /email/state email:state
POST /email/query email:query
POST /email/send email:send
POST /email/receive email:receive
POST /email/read email:read
POST /email/unread email:unread
POST /email/star email:star
POST /email/unstar email:unstar
POST /email/archive email:archive
POST /email/delete email:delete
POST /email/label email:label
POST /email/unlabel email:unlabel
POST /email/move email:move
GET /sms/state sms:state
POST /sms/query sms:query
POST /sms/send sms:send
POST /sms/receive sms:receive
POST /sms/read sms:read
POST /sms/unread sms:unread
POST /sms/delete sms:delete
POST /sms/react sms:react
POST /sms/conversation sms:conversation
GET /chat/state chat:state
POST /chat/query chat:query
POST /chat/send chat:send
POST /chat/delete chat:delete
POST /chat/clear chat:clear
GET /calendar/state calendar:state
POST /calendar/query calendar:query
POST /calendar/create calendar:create
POST /calendar/update calendar:update
POST /calendar/delete calendar:delete
POST /calendar/respond calendar:respond
GET /calendar/calendars calendar:calendars:list
POST /calendar/calendars/create calendar:calendars:create
POST /calendar/calendars/update calendar:calendars:update
POST /calendar/calendars/delete calendar:calendars:delete
POST /calendar/calendars/set-default calendar:calendars:default
GET /location/state location:state
POST /location/query location:query
POST /location/update location:update
GET /weather/state weather:state
POST /weather/query weather:query
POST /weather/update weather:update
GET /contacts/state contacts:state
POST /contacts/query contacts:query
POST /contacts/create contacts:create
POST /contacts/update contacts:update
POST /contacts/delete contacts:delete
POST /contacts/block contacts:block
POST /contacts/unblock contacts:unblock
POST /contacts/favorite contacts:favorite
POST /contacts/unfavorite contacts:unfavorite
POST /contacts/group/add contacts:group:add
POST /contacts/group/remove contacts:group:remove
POST /contacts/merge contacts:merge
POST /webhooks webhooks:create
GET /webhooks webhooks:list
GET /webhooks/{webhook_id} webhooks:read
PATCH /webhooks/{webhook_id} webhooks:update
DELETE /webhooks/{webhook_id} webhooks:delete
POST /webhooks/{webhook_id}/test webhooks:test
GET /webhooks/{webhook_id}/deliveries webhooks:deliveries
POST /webhooks/{webhook_id}/pause webhooks:pause
POST /webhooks/{webhook_id}/resume webhooks:resume
`

// permissions are the words of the vocabulary.
func permissions() []string {
	var all []string
	for row := range strings.SplitSeq(strings.TrimSpace(vocabulary), "\n") {
		resource, words, _ := strings.Cut(row, ": ")
		for word := range strings.FieldsSeq(words) {
			all = append(all, resource+":"+word)
		}
	}
	return all
}

// visit asks for an endpoint with a key, in process.
func visit(sim *simulator.Simulator, secret, method, path string) int {
	body := ""
	if method != http.MethodGet {
		body = "{}"
	}
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if secret != "" {
		r.Header.Set("X-API-Key", secret)
	}
	w := httptest.NewRecorder()
	sim.ServeHTTP(w, r)
	return w.Code
}

// TestEveryEndpointAgainstEveryPermission: a key with one permission opens the endpoints
// of this permission and no other.
func TestEveryEndpointAgainstEveryPermission(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	all := permissions()
	wildcards := []string{"*", "*:read", "email", "", ":*", "calendar:calendars:*"}
	for _, p := range all {
		resource, _, _ := strings.Cut(p, ":")
		if w := resource + ":*"; !slices.Contains(wildcards, w) {
			wildcards = append(wildcards, w)
		}
	}
	asked := append(slices.Clone(all), wildcards...)
	for _, held := range asked {
		_, secret, err := sim.Keys().Create("one", []string{held}, "")
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.SplitSeq(strings.TrimSpace(endpoints), "\n") {
			f := strings.Fields(row)
			path := strings.NewReplacer("{", "", "}", "").Replace(f[1])
			prefix, isWild := strings.CutSuffix(held, ":*")
			may := held == "*" || held == f[2] || isWild && prefix != "" && strings.HasPrefix(f[2], prefix+":")
			status := visit(sim, secret, f[0], path)
			if may == (status == 403) || status == 401 || status == 404 && !strings.Contains(f[1], "{") && f[1] != "/events/next" {
				t.Errorf("a key with %q on %s %s: %d", held, f[0], f[1], status)
			}
		}
	}
}

// TestNobodyWithoutAKey: every endpoint asks for a key.
func TestNobodyWithoutAKey(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	for row := range strings.SplitSeq(strings.TrimSpace(endpoints), "\n") {
		f := strings.Fields(row)
		for _, secret := range []string{"", "nonsense"} {
			if status := visit(sim, secret, f[0], f[1]); status != 401 {
				t.Errorf("%s %s with key %q: %d", f[0], f[1], secret, status)
			}
		}
	}
}

// TestTheTableIsTheContracts: the endpoints that are declared are those of the contract,
// with its permissions; every permission has an endpoint.
func TestTheTableIsTheContracts(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	w := httptest.NewRecorder()
	sim.ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	var doc struct {
		Paths map[string]map[string]struct{ Description string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var declared []string
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if path == "/" || path == "/health" {
				continue
			}
			permission := strings.TrimSuffix(strings.TrimPrefix(op.Description, "Needs the permission "), ".")
			declared = append(declared, strings.ToUpper(method)+" "+path+" "+permission)
		}
	}
	want := strings.Split(strings.TrimSpace(endpoints), "\n")
	for _, row := range want {
		if !slices.Contains(declared, row) {
			t.Errorf("not declared: %s", row)
		}
	}
	for _, row := range declared {
		if !slices.Contains(want, row) {
			t.Errorf("not in the contract: %s", row)
		}
	}
	for _, p := range permissions() {
		if !strings.Contains(endpoints, " "+p+"\n") {
			t.Errorf("no endpoint needs %s", p)
		}
	}
}
