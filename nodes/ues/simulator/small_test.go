package simulator_test

import (
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

const report = `{"lat":47.37,"lon":8.54,"timezone":"Europe/Zurich","timezone_offset":3600}`

// TestSmallModalities lives with contacts, weather, location and time over HTTP: act,
// take everything back, do it again, export it and go on elsewhere.
func TestSmallModalities(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	c := serve(t, sim)
	c.must(200, "POST", "/simulation/clear", `{"reset_time_to":"2025-01-15T09:00:00+00:00"}`)
	c.must(200, "POST", "/simulation/start", "{}")
	before := c.must(200, "GET", "/environment/state", "")
	created := c.must(200, "POST", "/contacts/create", `{"first_name":"Ann","identifiers":[{"identifier_type":"phone","value":"555-010-0001"}]}`)
	ann := pick(t, c.must(200, "GET", "/events/"+pick(t, created, "event_id"), ""), "data/contact_id")
	deeds := []struct{ path, body, message, action string }{
		{"/contacts/favorite", `{"contact_id":"` + ann + `"}`, "Contact " + ann + " favorited successfully", "restore_favorite_state"},
		{"/contacts/group/add", `{"contact_id":"` + ann + `","group_name":"g"}`, "Contact " + ann + " added to group 'g' successfully", "restore_group_membership"},
		{"/weather/update", `{"latitude":47.37,"longitude":8.54,"report":` + report + `}`, "Weather updated for location (47.37, 8.54)", "remove_location"},
		{"/weather/update", `{"latitude":47.37,"longitude":8.54,"report":` + report + `}`, "Weather updated for location (47.37, 8.54)", "restore_previous"},
		{"/location/update", `{"latitude":47.37,"longitude":8.54}`, "Location updated to (47.37, 8.54)", "clear_current"},
		{"/location/update", `{"latitude":1,"longitude":2}`, "Location updated to (1.0, 2.0)", "restore_previous"},
		{"/contacts/delete", `{"contact_id":"` + ann + `"}`, "Contact " + ann + " deleted successfully", "restore_contact"},
	}
	for _, d := range deeds {
		if text := c.must(200, "POST", d.path, d.body); pick(t, text, "status") != "executed" || pick(t, text, "message") != d.message {
			t.Errorf("%s: %s", d.path, text)
		}
	}
	c.must(200, "POST", "/events/immediate", `{"modality":"time","data":{"timezone":"Europe/Zurich","format_preference":"24h"}}`)
	c.must(200, "POST", "/simulator/time/advance", `{"seconds":1}`)
	after := c.must(200, "GET", "/environment/state", "")
	for at, want := range map[string]string{
		"modalities/time/timezone": "Europe/Zurich", "modalities/contacts/contacts": "{}", "modalities/contacts/update_count": "4",
		"modalities/weather/locations/47.37,8.54/update_count": "2", "modalities/location/location_history/0/latitude": "47.37",
	} {
		if got := pick(t, after, at); got != want {
			t.Errorf("%s is %s, want %s", at, got, want)
		}
	}
	undone := c.must(200, "POST", "/simulation/undo", `{"count":100}`)
	actions := []string{"delete_contact"}
	for _, d := range deeds {
		actions = append(actions, d.action)
	}
	actions = append(actions, "restore_previous") // of the time
	for i, want := range actions {
		if got := pick(t, undone, str("undone_events/%d/action", len(actions)-1-i)); got != want {
			t.Errorf("action %d: %s, want %s", i, got, want)
		}
	}
	if got := c.must(200, "GET", "/environment/state", ""); strings.SplitN(got, "modalities", 2)[1] != strings.SplitN(before, "modalities", 2)[1] {
		t.Errorf("after undoing everything\n got %s\nwant %s", got, before)
	}
	c.must(200, "POST", "/simulation/redo", `{"count":100}`)
	if got := c.must(200, "GET", "/environment/state", ""); got != after {
		t.Errorf("after doing everything again\n got %s\nwant %s", got, after)
	}
	elsewhere := serve(t, fresh(t, simulator.Options{}))
	elsewhere.must(200, "POST", "/scenario/import/full", c.must(200, "GET", "/scenario/export/full", ""))
	if got := elsewhere.must(200, "GET", "/environment/state", ""); got != after {
		t.Errorf("imported\n got %s\nwant %s", got, after)
	}
	if text := elsewhere.must(200, "POST", "/environment/validate", ""); pick(t, text, "valid") != "true" {
		t.Errorf("validation: %s", text)
	}
}

// TestSmallModalitiesRefuse has the ways in which these modalities say no over HTTP.
func TestSmallModalitiesRefuse(t *testing.T) {
	sim := fresh(t, simulator.Options{})
	c := serve(t, sim)
	for _, p := range []probe{
		{"", "POST", "/contacts/block", `{"contact_id":"no"}`, 200, "Failed to block contact: ValueError: Contact not found: no"},
		{"", "POST", "/contacts/create", `{"identifiers":[{"identifier_type":"email","value":"x"}]}`, 422, "The request data failed validation"},
		{"", "POST", "/contacts/merge", `{"primary_contact_id":"a","secondary_contact_id":"a"}`, 400, "Invalid Value"},
		{"", "POST", "/weather/update", `{"latitude":1,"longitude":8.54,"report":` + report + `}`, 500, "Failed to update weather: 400: Invalid event data: Invalid event: "},
		{"", "POST", "/weather/update", `{"latitude":91,"longitude":8.54,"report":` + report + `}`, 422, "less_than_equal"},
		{"", "POST", "/weather/query", `{"lat":1,"lon":1}`, 200, "No weather data for this location"},
		{"", "POST", "/location/update", `{"latitude":91,"longitude":0}`, 422, "Invalid location data: 1 validation error for LocationInput"},
		{
			"", "POST", "/events/immediate", `{"modality":"time","data":{"timezone":"Mars/Base","format_preference":"24h"}}`, 422,
			"Invalid data for time modality: 1 validation error for TimeInput\\ntimezone\\n  Value error, Invalid timezone: Mars/Base",
		},
		{"", "POST", "/events/immediate", `{"modality":"location","data":{"latitude":0,"longitude":181}}`, 422, "Longitude must be between -180 and 180, got 181.0"},
		{
			"", "POST", "/events/immediate", `{"modality":"weather","data":{"latitude":1,"longitude":8.54,"report":` + report + `}}`, 400,
			"Invalid event: [\\\"Invalid input data: Report latitude 47.37 doesn't match input latitude 1.0\\\"]",
		},
		{"", "POST", "/events/immediate", `{"modality":"contacts","data":{}}`, 404, "Unknown modality: contacts"},
		{"contacts:state", "POST", "/contacts/group/add", `{}`, 403, "Required permission: contacts:group:add"},
		{"contacts:group:*", "POST", "/contacts/merge", `{}`, 403, "Required permission: contacts:merge"},
	} {
		p.check(t, c.as(sim, p.as))
	}
}
