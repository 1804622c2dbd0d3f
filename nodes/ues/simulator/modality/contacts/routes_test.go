package contacts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality/contacts"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// found are the three people of the book as queries show them.
var found = map[string]string{
	"a": `{"contact_id":"a","first_name":"Ann","last_name":"Ames","display_name":null,"nickname":"Annie","resolved_display_name":"Ann Ames",
		"identifiers":[{"identifier_type":"email","value":"ann@x.io"},{"identifier_type":"phone","value":"+15550100001","label":"home"}],
		"company":"Acme","job_title":null,"addresses":[{"street":"S 1","city":"C"}],"birthday":"1990-02-28","notes":"likes tea","photo_url":null,
		"is_favorite":false,"is_blocked":false,"groups":["family","work"],"created_at":"2025-01-01T00:00:00+00:00","updated_at":"2025-01-02T00:00:00+02:00"}`,
	"b": `{"contact_id":"b","first_name":null,"last_name":null,"display_name":"Bob B.","nickname":null,"resolved_display_name":"Bob B.",
		"identifiers":[{"identifier_type":"email","value":"bob@x.io"}],"company":null,"job_title":"Baker",
		"addresses":[{"street":"S 1","city":"C"},{"country":"CH"}],"birthday":null,"notes":null,"photo_url":null,
		"is_favorite":true,"is_blocked":false,"groups":["family"],"created_at":"2025-01-01T00:00:00+00:00","updated_at":"2025-01-03T00:00:00+00:00"}`,
	"c": `{"contact_id":"c","first_name":null,"last_name":null,"display_name":null,"nickname":null,"resolved_display_name":"(555) 010-0003",
		"identifiers":[{"identifier_type":"phone","value":"(555) 010-0003"}],"company":null,"job_title":null,"addresses":[],"birthday":null,"notes":null,
		"photo_url":null,"is_favorite":false,"is_blocked":true,"groups":[],"created_at":"2025-01-01T00:00:00+00:00","updated_at":"2025-01-04T00:00:00+00:00"}`,
}

func TestQuery(t *testing.T) {
	t.Parallel()
	b := loaded(t)
	for _, c := range []struct{ query, ids string }{
		{``, "a b c"},
		{`"search_text":"AN"`, "a"},
		{`"search_text":"annie"`, "a"},
		{`"search_text":"bOb b"`, "b"},
		{`"search_text":"acme"`, "a"},
		{`"search_text":"baker"`, "b"},
		{`"search_text":"TEA"`, "a"},
		{`"search_text":"@x.io"`, "a b"},
		{`"search_text":"010"`, "a c"},
		{`"search_text":"family"`, ""},
		{`"search_text":"S 1"`, ""},
		{`"group":"family"`, "a b"},
		{`"group":"Family"`, ""},
		{`"is_favorite":true`, "b"},
		{`"is_favorite":false`, "a c"},
		{`"is_blocked":true`, "c"},
		{`"is_blocked":false,"is_favorite":false`, "a"},
		{`"has_phone":true`, "a c"},
		{`"has_phone":false`, "b"},
		{`"has_email":true`, "a b"},
		{`"has_email":false`, "c"},
		{`"identifier_type":"email","identifier_value":"bob@x.io"`, "b"},
		{`"identifier_type":"email","identifier_value":"BOB@x.io"`, ""},
		{`"identifier_type":"phone","identifier_value":"+15550100001"`, "a"},
		{`"identifier_type":"phone"`, "a b c"},
		{`"identifier_value":"nobody"`, "a b c"},
		{`"group":"family","has_phone":true`, "a"},
	} {
		b.Expect(t, "POST /contacts/query", "{"+c.query+"}", 200, answer(c.query, c.ids, 0))
	}
	b.Expect(t, "POST /contacts/query", `{"identifier_type":"phone","identifier_value":"(555) 010-0001"}`, 200,
		answer(`"identifier_type":"phone","identifier_value":"+15550100001"`, "a", 0))
	b.Expect(t, "POST /contacts/query", `{"limit":1,"offset":1,"group":null,"sort_by":"name"}`, 200, answer(`"limit":1,"offset":1`, "b", 3))
	b.Expect(t, "POST /contacts/query", `{"offset":7}`, 200, answer(`"offset":7`, "", 3))
	for _, bad := range []string{
		`{"limit":0}`, `{"limit":1001}`, `{"offset":-1}`, `{"search_text":1}`, `{"group":[]}`, `{"is_favorite":"x"}`, `{"has_phone":2}`, `{"identifier_type":{}}`,
	} {
		if status, text := b.Call(t, "POST", "/contacts/query", bad); status != 422 {
			t.Errorf("%s: %d %s", bad, status, text)
		}
	}
}

// answer is the answer of a query; total 0 is the number of ids.
func answer(echo, ids string, total int) string {
	list := strings.Fields(ids)
	n := len(list)
	for i, id := range list {
		list[i] = found[id]
	}
	if total == 0 {
		total = n
	}
	if !strings.Contains(echo, "offset") {
		echo = strings.TrimPrefix(echo+`,"offset":0`, ",")
	}
	return fmt.Sprintf(`{"modality_type":"contacts","contacts":[%s],"total_count":%d,"returned_count":%d,"query":{%s}}`, strings.Join(list, ","), total, n, echo)
}

func TestActions(t *testing.T) {
	t.Parallel()
	b := loaded(t)
	for i, c := range []struct{ path, body, message, notice, path2, want string }{
		{
			"create", `{"identifiers":[{"identifier_type":"phone","value":"555 010 0009"}],"contact_id":"mine"}`, "Contact created successfully",
			`contacts.created {"contact_id":"id-3"}`, "id-3.identifiers", `[{"identifier_type":"phone","value":"+15550100009","label":null}]`,
		},
		{
			"update", `{"contact_id":"a","company":"B","add_groups":["g"],"remove_groups":["work"]}`, "Contact a updated successfully",
			`contacts.updated {"contact_id":"a"}`, "a.groups", `["family","g"]`,
		},
		{"block", `{"contact_id":"a"}`, "Contact a blocked successfully", `contacts.blocked {"contact_id":"a"}`, "a.is_blocked", "true"},
		{"unblock", `{"contact_id":"a"}`, "Contact a unblocked successfully", `contacts.unblocked {"contact_id":"a"}`, "a.is_blocked", "false"},
		{"favorite", `{"contact_id":"a"}`, "Contact a favorited successfully", `contacts.updated {"contact_id":"a"}`, "a.is_favorite", "true"},
		{"unfavorite", `{"contact_id":"a"}`, "Contact a unfavorited successfully", `contacts.updated {"contact_id":"a"}`, "a.is_favorite", "false"},
		{
			"group/add", `{"contact_id":"c","group_name":"x y"}`, "Contact c added to group 'x y' successfully",
			`contacts.updated {"contact_id":"c"}`, "c.groups", `["x y"]`,
		},
		{
			"group/remove", `{"contact_id":"c","group_name":"x y"}`, "Contact c removed from group 'x y' successfully",
			`contacts.updated {"contact_id":"c"}`, "c.groups", `[]`,
		},
		{
			"merge", `{"primary_contact_id":"a","secondary_contact_id":"b"}`, "Contacts merged successfully (primary: a)",
			`contacts.merged {"primary_contact_id":"a","secondary_contact_id":"b"}`, "a.display_name", `"Bob B."`,
		},
		{"delete", `{"contact_id":"c"}`, "Contact c deleted successfully", `contacts.deleted {"contact_id":"c"}`, "c", "null"},
	} {
		b.Notices = nil
		event := 2*i + 3
		if i == 0 {
			event = 2
		}
		b.Expect(t, "POST /contacts/"+c.path, c.body, 200, fmt.Sprintf(
			`{"event_id":"id-%d","scheduled_time":"2025-01-15T09:00:00Z","status":"executed","message":%q,"modality":"contacts"}`, event, c.message))
		if diff := cmp.Diff([]string{c.notice}, b.Notices); diff != "" {
			t.Errorf("%s: notices (-want +got):\n%s", c.path, diff)
		}
		expect(t, b, c.want, append([]string{"contacts"}, strings.Split(c.path2, ".")...)...)
	}
}

func TestCreateTakesAllFields(t *testing.T) {
	t.Parallel()
	b := bench()
	b.Expect(t, "POST /contacts/create", `{"first_name":"F","last_name":"L","display_name":"D","nickname":"N","company":"C","job_title":"J","birthday":"2000-01-02",
		"notes":"no","photo_url":"u","identifiers":[{"identifier_type":"email","value":"f@x.io","label":"l"}],"addresses":[{"postal_code":"1"}],
		"is_favorite":true,"is_blocked":true,"groups":["g"]}`, 200,
		`{"event_id":"id-2","scheduled_time":"2025-01-15T09:00:00Z","status":"executed","message":"Contact created successfully","modality":"contacts"}`)
	expect(t, b, `{"id-3":{"contact_id":"id-3","first_name":"F","last_name":"L","display_name":"D","nickname":"N",
		"identifiers":[{"identifier_type":"email","value":"f@x.io","label":"l"}],"company":"C","job_title":"J",
		"addresses":[{"street":null,"city":null,"state":null,"postal_code":"1","country":null,"label":null}],"birthday":"2000-01-02","notes":"no","photo_url":"u",
		"is_favorite":true,"is_blocked":true,"groups":["g"],"created_at":"2025-01-15T09:00:00Z","updated_at":"2025-01-15T09:00:00Z"}}`, "contacts")
}

func TestActionErrors(t *testing.T) {
	t.Parallel()
	b := loaded(t)
	before := b.Dump()
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"create", `{"identifiers":[]}`, 422, `{"error":"Validation Error","detail":[{"type":"too_short","loc":["body","identifiers"],
			"msg":"List should have at least 1 item after validation, not 0","input":[],"ctx":{"field_type":"List","min_length":1,"actual_length":0}}]}`},
		{"create", `{}`, 422, `{"error":"Validation Error","detail":[{"type":"missing","loc":["body","identifiers"],"msg":"Field required","input":{}}]}`},
		{"create", `{"identifiers":[{"identifier_type":" ","value":"v"},{"value":"v"}]}`, 422, `{"error":"Validation Error","detail":[{"type":"missing",
			"loc":["body","identifiers",1,"identifier_type"],"msg":"Field required","input":{"value":"v"}}]}`},
		{"create", `{"identifiers":[{"identifier_type":"email","value":"v"}]}`, 422, `{"error":"Validation Error","detail":"The request data failed validation",
			"validation_errors":[{"type":"value_error","loc":["body","identifiers",0,"value"],"msg":"Value error, Invalid email address: v","input":"v","ctx":{"error":{}}}]}`},
		{"update", `{"contact_id":"a","add_identifiers":[{"identifier_type":"x","value":""}]}`, 422, `{"error":"Validation Error","detail":"The request data failed validation",
			"validation_errors":[{"type":"value_error","loc":["body","add_identifiers",0,"value"],"msg":"Value error, Identifier value cannot be empty","input":"","ctx":{"error":{}}}]}`},
		{"update", `{"company":"C"}`, 422, `{"error":"Validation Error","detail":[{"type":"missing","loc":["body","contact_id"],"msg":"Field required","input":{"company":"C"}}]}`},
		{"block", `{"contact_id":1}`, 422, `{"error":"Validation Error","detail":[{"type":"string_type","loc":["body","contact_id"],"msg":"Input should be a valid string","input":1}]}`},
		{
			"merge", `{"primary_contact_id":"a","secondary_contact_id":"a"}`, 400,
			`{"error":"Invalid Value","detail":"primary_contact_id and secondary_contact_id must be different","type":"ValueError"}`,
		},
		{"delete", `{"contact_id":""}`, 400, `{"error":"Invalid Value","detail":"Operation 'delete_contact' requires contact_id","type":"ValueError"}`},
		{"group/add", `{"contact_id":"a","group_name":""}`, 400, `{"error":"Invalid Value","detail":"Operation 'add_to_group' requires group_name","type":"ValueError"}`},
	} {
		b.Expect(t, "POST /contacts/"+c.path, c.body, c.status, c.want)
	}
	if b.Dump() != before || b.Notices != nil {
		t.Error("a refused action did something")
	}
}

func TestFailedActions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, body, message string }{
		{
			"create", `{"identifiers":[{"identifier_type":"email","value":"ann@x.io"}]}`,
			"Failed to create contact: ValueError: Identifier email:ann@x.io already belongs to contact a (Ann Ames)",
		},
		{"update", `{"contact_id":"no"}`, "Failed to update contact: ValueError: Contact not found: no"},
		{"delete", `{"contact_id":"no"}`, "Failed to delete contact: ValueError: Contact not found: no"},
		{"block", `{"contact_id":"no"}`, "Failed to block contact: ValueError: Contact not found: no"},
		{"unblock", `{"contact_id":"no"}`, "Failed to unblock contact: ValueError: Contact not found: no"},
		{"favorite", `{"contact_id":"no"}`, "Failed to favorite contact: ValueError: Contact not found: no"},
		{"unfavorite", `{"contact_id":"no"}`, "Failed to unfavorite contact: ValueError: Contact not found: no"},
		{"group/add", `{"contact_id":"no","group_name":"g"}`, "Failed to add contact to group: ValueError: Contact not found: no"},
		{"group/remove", `{"contact_id":"no","group_name":"g"}`, "Failed to remove contact from group: ValueError: Contact not found: no"},
		{"merge", `{"primary_contact_id":"a","secondary_contact_id":"no"}`, "Failed to merge contacts: ValueError: Contact not found: no"},
	} {
		b := loaded(t)
		before := b.Dump()
		b.Expect(t, "POST /contacts/"+c.path, c.body, 200, fmt.Sprintf(
			`{"event_id":"id-2","scheduled_time":"2025-01-15T09:00:00Z","status":"failed","message":%q,"modality":"contacts"}`, c.message))
		if b.Dump() != before || b.Notices != nil {
			t.Errorf("%s: a failed action did something", c.path)
		}
	}
	b := bench()
	b.State = nil
	absent := `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"KeyError"}`
	b.Expect(t, "GET /contacts/state", "", 500, absent)
	b.Expect(t, "POST /contacts/query", "{}", 500, absent)
	b.Expect(t, "POST /contacts/block", `{"contact_id":"a"}`, 200, `{"event_id":"id-2","scheduled_time":"2025-01-15T09:00:00Z","status":"failed",
		"message":"Failed to block contact: KeyError: no such modality","modality":"contacts"}`)
}

func TestStates(t *testing.T) {
	t.Parallel()
	bench().Expect(t, "GET /contacts/state", "", 200,
		`{"modality_type":"contacts","current_time":"2025-01-15T09:00:00Z","contacts":{},"total_count":0,"favorites_count":0,"blocked_count":0,"groups":[]}`)
	bench().Expect(t, "GET /contacts/state?compact=true", "", 200, `{"modality_type":"contacts","last_updated":"2025-01-15T09:00:00+00:00","update_count":0,
		"total_contacts":0,"favorites_count":0,"blocked_count":0,"groups":{},"recent_contacts":[]}`)
	b := loaded(t)
	text := string(b.State.AppendCompact(nil, b.Moment()))
	status, full := b.Call(t, "GET", "/contacts/state?compact=no", "")
	doc := modalitytest.MustObject(full)
	shown, _ := doc.Get("contacts")
	if diff := cmp.Diff(at(t, b, "contacts"), modalitytest.Plain(t, string(ordered.Append(nil, shown)))); status != 200 || diff != "" {
		t.Errorf("status %d, contacts (-dump +state):\n%s", status, diff)
	}
	doc.Set("contacts", "…")
	if got := string(doc.AppendJSON(nil)); got != `{"modality_type":"contacts","current_time":"2025-01-15T09:00:00Z","contacts":"…",`+
		`"total_count":3,"favorites_count":1,"blocked_count":1,"groups":["family","work"]}` {
		t.Errorf("state %s", got)
	}
	short := `"modality_type":"contacts","last_updated":"2025-01-15T08:00:00+00:00","update_count":4,"total_contacts":3,"favorites_count":1,"blocked_count":1,
		"groups":{"family":2,"work":1},"recent_contacts":[{"name":"(555) 010-0003","updated_ago":"11 days ago"},{"name":"Bob B.","updated_ago":"12 days ago"},
		{"name":"Ann Ames","updated_ago":"13 days ago"}]}`
	b.Expect(t, "GET /contacts/state?compact=1", "", 200, `{`+short)
	if diff := cmp.Diff(modalitytest.Plain(t, `{"summary":"3 contacts, 1 favorite, 1 blocked",`+short), modalitytest.Plain(t, text)); diff != "" {
		t.Errorf("compact (-want +got):\n%s", diff)
	}
	if status, text := b.Call(t, "GET", "/contacts/state?compact=maybe", ""); status != 422 {
		t.Errorf("compact=maybe: %d %s", status, text)
	}
}

func TestRecentContacts(t *testing.T) {
	t.Parallel()
	b := bench()
	for i := range 7 {
		b.MustApply(t, fmt.Sprintf(`{"operation":"create_contact","nickname":"n%d","timestamp":"2025-01-15T08:5%d:00Z","identifiers":[{"identifier_type":"x","value":"%d"}]}`, i, i, i))
	}
	b.MustApply(t, `{"operation":"favorite_contact","contact_id":"id-2","timestamp":"2025-01-15T08:59:30Z"}`)
	_, text := b.Call(t, "GET", "/contacts/state?compact=true", "")
	_, list, _ := strings.Cut(text, `"recent_contacts":`)
	want := `[{"name":"n0","updated_ago":"just now"},{"name":"n6","updated_ago":"4 minutes ago"},{"name":"n5","updated_ago":"5 minutes ago"},` +
		`{"name":"n4","updated_ago":"6 minutes ago"},{"name":"n3","updated_ago":"7 minutes ago"}]}`
	if list != want {
		t.Errorf("recent contacts %s", list)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	b := bench()
	if got := b.State.Summary(b.Moment()); got != "No contacts" {
		t.Errorf("summary %q", got)
	}
	b.MustApply(t, `{"operation":"create_contact","identifiers":[{"identifier_type":"x","value":"v"}]}`)
	if got := b.State.Summary(b.Moment()); got != "1 contact" {
		t.Errorf("summary %q", got)
	}
}

// TestUnscheduled holds that POST /events does not take contacts.
func TestUnscheduled(t *testing.T) {
	t.Parallel()
	if !contacts.Kind().Unscheduled {
		t.Error("contacts can be scheduled")
	}
}
