package weather_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/weather"
)

const done = `{"event_id":"id-2","scheduled_time":"2025-01-15T09:00:00Z","status":"executed","message":"Weather updated for location (40.71, -74.0)","modality":"weather"}`

func TestUpdateRoute(t *testing.T) {
	t.Parallel()
	b := bench()
	b.Expect(t, "POST /weather/update", payload(40.71, -74, full, `,"timestamp":"1999-01-01T00:00:00Z"`), 200, done)
	if diff := cmp.Diff([]string{`weather.updated {"latitude":40.71,"longitude":-74.0}`}, b.Notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	before := b.Dump()
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"latitude":1,"longitude":1}`, 422, `{"error":"Validation Error","detail":[{"type":"missing","loc":["body","report"],"msg":"Field required","input":{"latitude":1,"longitude":1}}]}`},
		{payload(90.5, 1, `{"lat":90,"lon":1,"timezone":"Z","timezone_offset":0}`, ""), 422, `{"error":"Validation Error","detail":[{"type":"less_than_equal",
			"loc":["body","latitude"],"msg":"Input should be less than or equal to 90","input":90.5,"ctx":{"le":90.0}}]}`},
		{payload(1, 1, `{"lat":1,"lon":1,"timezone":"Z","timezone_offset":0,"current":7}`, ""), 422, `{"error":"Validation Error","detail":[{"type":"model_attributes_type",
			"loc":["body","report","current"],"msg":"Input should be a valid dictionary or object to extract fields from","input":7}]}`},
		{payload(1, 2, `{"lat":1,"lon":1,"timezone":"Z","timezone_offset":0}`, ""), 500, `{"detail":"Failed to update weather: 400: Invalid event data: ` +
			`Invalid event: [\"Invalid input data: Report longitude 1.0 doesn't match input longitude 2.0\"]"}`},
	} {
		b.Expect(t, "POST /weather/update", c.body, c.status, c.want)
	}
	if b.Dump() != before || len(b.Notices) != 1 {
		t.Error("a refused update did something")
	}
}

func TestQuery(t *testing.T) {
	t.Parallel()
	b := bench()
	for i := range 4 {
		b.MustApply(t, payload(1, 1, fmt.Sprintf(`{"lat":1,"lon":1,"timezone":"z%d","timezone_offset":0}`, i), ""))
	}
	report := func(i int) string {
		return fmt.Sprintf(`{"lat":1.0,"lon":1.0,"timezone":"z%d","timezone_offset":0,"current":null,"minutely":null,"hourly":null,"daily":null,"alerts":null}`, i)
	}
	all := report(0) + "," + report(1) + "," + report(2) + "," + report(3)
	unknown := `{"reports":[],"count":0,"total_count":0,"error":"No weather data for this location"}`
	for _, c := range []struct{ query, want string }{
		{`"lat":1,"lon":1`, `{"reports":[` + all + `],"count":4,"total_count":4,"error":null}`},
		{`"lat":"1.004","lon":0.996`, `{"reports":[` + all + `],"count":4,"total_count":4,"error":null}`},
		{`"lat":1.006,"lon":1`, unknown},
		{`"lat":500,"lon":-500`, unknown},
		{`"lat":1,"lon":1,"limit":2,"offset":1`, `{"reports":[` + report(1) + "," + report(2) + `],"count":2,"total_count":4,"error":null}`},
		{`"lat":1,"lon":1,"offset":4`, `{"reports":[],"count":0,"total_count":4,"error":null}`},
		{`"lat":1,"lon":1,"from_time":99999999999,"to_time":1,"limit":null`, `{"reports":[` + all + `],"count":4,"total_count":4,"error":null}`},
		{`"lat":1,"lon":1,"limit":1,"units":"metric","exclude":[]`, `{"reports":[` + report(0) + `],"count":1,"total_count":4,"error":null}`},
		{
			`"lat":1,"lon":1,"limit":1,"exclude":["current","alerts","minutely","current"]`,
			`{"reports":[{"lat":1.0,"lon":1.0,"timezone":"z0","timezone_offset":0,"hourly":null,"daily":null}],"count":1,"total_count":4,"error":null}`,
		},
	} {
		b.Expect(t, "POST /weather/query", "{"+c.query+"}", 200, c.want)
	}
	for _, bad := range []string{
		`{}`, `{"lat":1}`, `{"lat":"x","lon":1}`, `{"lat":1,"lon":1,"exclude":["now"]}`, `{"lat":1,"lon":1,"exclude":"current"}`, `{"lat":1,"lon":1,"units":"si"}`,
		`{"lat":1,"lon":1,"limit":0}`, `{"lat":1,"lon":1,"offset":-1}`, `{"lat":1,"lon":1,"from_time":"x"}`,
	} {
		if status, text := b.Call(t, "POST", "/weather/query", bad); status != 422 {
			t.Errorf("%s: %d %s", bad, status, text)
		}
	}
	_, two := bare(2, 2)
	modalitytest.Load(t, weather.Kind(), scenario()).Expect(t, "POST /weather/query", `{"lat":2,"lon":2}`, 200, `{"reports":[`+two+`],"count":1,"total_count":1,"error":null}`)
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for units, changes := range map[string][]string{
		"standard": nil,
		"metric": {
			`"temp":293.15`, `"temp":20.0`, `"feels_like":290.0,"pressure"`, `"feels_like":16.85,"pressure"`, `"dew_point":283.15`, `"dew_point":10.0`,
			`"temp":273.15`, `"temp":0.0`, `"feels_like":270.0`, `"feels_like":-3.15`, `"dew_point":283.0`, `"dew_point":9.85`,
			`"day":293.15`, `"day":20.0`, `"min":283.15`, `"min":10.0`, `"max":303.15`, `"max":30.0`, `"night":284.0`, `"night":10.85`,
			`"eve":290.0`, `"eve":16.85`, `"morn":285.0`, `"morn":11.85`,
		},
		"imperial": {
			`"temp":293.15`, `"temp":68.0`, `"feels_like":290.0,"pressure"`, `"feels_like":62.33,"pressure"`, `"dew_point":283.15`, `"dew_point":50.0`,
			`"temp":273.15`, `"temp":32.0`, `"feels_like":270.0`, `"feels_like":26.33`, `"dew_point":283.0`, `"dew_point":49.73`,
			`"day":293.15`, `"day":68.0`, `"min":283.15`, `"min":50.0`, `"max":303.15`, `"max":86.0`, `"night":284.0`, `"night":51.53`,
			`"eve":290.0`, `"eve":62.33`, `"morn":285.0`, `"morn":53.33`, `"wind_speed":10.0`, `"wind_speed":22.37`, `"wind_speed":5.0`, `"wind_speed":11.18`,
			`"wind_gust":20.0`, `"wind_gust":44.74`,
		},
	} {
		b := bench()
		b.MustApply(t, payload(40.71, -74, full, ""))
		before := b.Dump()
		b.Expect(t, "POST /weather/query", `{"lat":40.71,"lon":-74,"units":"`+units+`"}`, 200,
			`{"reports":[`+strings.NewReplacer(changes...).Replace(kept)+`],"count":1,"total_count":1,"error":null}`)
		b.Expect(t, "POST /weather/query", `{"lat":40.71,"lon":-74,"exclude":["daily","hourly"]}`, 200,
			`{"reports":[`+without(t, kept, "daily", "hourly")+`],"count":1,"total_count":1,"error":null}`)
		if b.Dump() != before {
			t.Errorf("%s: a query changed the state", units)
		}
	}
}

// without is an object without members.
func without(t *testing.T, text string, names ...string) string {
	t.Helper()
	doc := modalitytest.MustObject(text)
	for _, n := range names {
		doc.Delete(n)
	}
	return string(doc.AppendJSON(nil))
}

func TestStates(t *testing.T) {
	t.Parallel()
	b := bench()
	b.Expect(t, "GET /weather/state", "", 200, `{"modality_type":"weather","last_updated":"2025-01-15T09:00:00Z","update_count":0,"locations":{},"location_count":0}`)
	b.MustApply(t, payload(40.71, -74, full, `,"timestamp":"2025-01-15T10:00:00Z"`))
	b.Expect(t, "GET /weather/state?compact=0", "", 200, `{"modality_type":"weather","last_updated":"2025-01-15T10:00:00Z","update_count":1,"locations":{"40.71,-74.00":{
		"latitude":40.71,"longitude":-74.0,"current_report":`+kept+`,"first_seen":"2025-01-15T10:00:00Z","last_updated":"2025-01-15T10:00:00Z","update_count":1,
		"report_history":[{"timestamp":"2025-01-15T10:00:00Z","report":`+kept+`}]}},"location_count":1}`)
	b.Expect(t, "GET /weather/state?compact=1", "", 200, `{"modality_type":"weather","last_updated":"2025-01-15T10:00:00+00:00","update_count":1,"locations":{"40.71,-74.00":{
		"latitude":40.71,"longitude":-74.0,"last_updated":"2025-01-15T10:00:00+00:00","current_report":`+kept+`,"report_count":1}},"location_count":1}`)
	if status, text := b.Call(t, "GET", "/weather/state?compact=maybe", ""); status != 422 {
		t.Errorf("compact=maybe: %d %s", status, text)
	}
	b.State = nil
	absent := `{"error":"Internal Server Error","detail":"An unexpected error occurred","type":"KeyError"}`
	b.Expect(t, "GET /weather/state", "", 500, absent)
	b.Expect(t, "POST /weather/query", `{"lat":1,"lon":1}`, 500, absent)
	b.Expect(t, "POST /weather/update", payload(40.71, -74, full, ""), 200, `{"event_id":"id-3","scheduled_time":"2025-01-15T09:00:00Z","status":"failed",
		"message":"Failed to update weather: KeyError: no such modality","modality":"weather"}`)
}

func TestCompact(t *testing.T) {
	t.Parallel()
	b := bench()
	check := func(want string) {
		t.Helper()
		if got := string(b.State.AppendCompact(nil, b.Moment())); got != want {
			t.Errorf("compact\n got %s\nwant %s", got, want)
		}
	}
	check(`{"summary":"No weather data","location_count":0,"current":null}`)
	b.MustApply(t, payload(40.71, -74, full, ""))
	check(`{"summary":"Weather data for 1 location","location_count":1,"current":{"location":"40.71,-74.00","latitude":40.71,"longitude":-74.0,` +
		`"condition":"few clouds","temperature_c":20.0,"temperature_f":68.0,"humidity_percent":60,"wind_speed_mps":10.0,"cloud_cover_percent":20}}`)
	b.MustApply(t, payload(1, 1, `{"lat":1,"lon":1,"timezone":"Z","timezone_offset":0}`, `,"timestamp":"2025-01-15T10:00:00Z"`))
	check(`{"summary":"Weather data for 2 locations","location_count":2,"current":null}`)
	calm := strings.NewReplacer(`"lat":40.71,"lon":-74`, `"lat":1,"lon":1`, `[{"id":801,"main":"Clouds","description":"few clouds","icon":"02d","extra":1}]`, `[]`).Replace(full)
	b.MustApply(t, payload(1, 1, calm, `,"timestamp":"2025-01-15T11:00:00Z"`))
	check(`{"summary":"Weather data for 2 locations","location_count":2,"current":{"location":"1.00,1.00","latitude":1.0,"longitude":1.0,` +
		`"condition":"Unknown","temperature_c":20.0,"temperature_f":68.0,"humidity_percent":60,"wind_speed_mps":10.0,"cloud_cover_percent":20}}`)
}
