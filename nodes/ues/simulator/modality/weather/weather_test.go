package weather_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/weather"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

func bench() *modalitytest.Bench { return modalitytest.New(weather.Kind()) }

// dumped compares the state in scenario form, whatever the order of members.
func dumped(t *testing.T, b *modalitytest.Bench, want string) {
	t.Helper()
	if diff := cmp.Diff(modalitytest.Plain(t, want), modalitytest.Plain(t, b.Dump())); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

const fresh = `{"modality_type":"weather","last_updated":"2025-01-15T09:00:00Z","update_count":0,"locations":{},"max_history_per_location":100}`

// bare is the smallest report, as it is given and as it is kept.
func bare(lat, lon float64) (given, kept string) {
	given = fmt.Sprintf(`{"lat":%g,"lon":%g,"timezone":"Z","timezone_offset":0}`, lat, lon)
	at := string(ordered.Append(nil, ordered.Float(lat))) + `,"lon":` + string(ordered.Append(nil, ordered.Float(lon)))
	return given, `{"lat":` + at + `,"timezone":"Z","timezone_offset":0,"current":null,"minutely":null,"hourly":null,"daily":null,"alerts":null}`
}

// full is a report with everything in it; kept is what is kept of it.
const (
	full = `{"lat":40.71,"lon":-74,"timezone":"America/New_York","timezone_offset":-18000,"extra":1,
		"current":{"dt":100,"sunrise":1,"sunset":2,"temp":293.15,"feels_like":290,"pressure":1013,"humidity":60,"dew_point":283.15,"uvi":3,"clouds":20,
			"visibility":10000,"wind_speed":10,"wind_deg":180,"weather":[{"id":801,"main":"Clouds","description":"few clouds","icon":"02d","extra":1}]},
		"minutely":[{"dt":100,"precipitation":0}],
		"hourly":[{"dt":100,"temp":273.15,"feels_like":"270","pressure":1013.0,"humidity":60,"dew_point":283,"uvi":0,"clouds":20,"wind_speed":5,"wind_deg":1,
			"wind_gust":20,"weather":[],"pop":0.5,"rain":{"1h":2}}],
		"daily":[{"dt":100,"sunrise":1,"sunset":2,"moonrise":3,"moonset":4,"moon_phase":0.25,"summary":"fine",
			"temp":{"day":293.15,"min":283.15,"max":303.15,"night":284,"eve":290,"morn":285},"feels_like":{"day":293.15,"night":284,"eve":290,"morn":285},
			"pressure":1013,"humidity":60,"dew_point":283.15,"wind_speed":10,"wind_deg":90,"weather":[],"clouds":5,"pop":1,"snow":0.5,"uvi":2}],
		"alerts":[{"sender_name":"NWS","event":"Wind","start":1,"end":2,"description":"Much wind","tags":["wind"]}]}`
	kept = `{"lat":40.71,"lon":-74.0,"timezone":"America/New_York","timezone_offset":-18000,
		"current":{"dt":100,"sunrise":1,"sunset":2,"temp":293.15,"feels_like":290.0,"pressure":1013,"humidity":60,"dew_point":283.15,"uvi":3.0,"clouds":20,
			"visibility":10000,"wind_speed":10.0,"wind_deg":180,"wind_gust":null,"weather":[{"id":801,"main":"Clouds","description":"few clouds","icon":"02d"}]},
		"minutely":[{"dt":100,"precipitation":0.0}],
		"hourly":[{"dt":100,"temp":273.15,"feels_like":270.0,"pressure":1013,"humidity":60,"dew_point":283.0,"uvi":0.0,"clouds":20,"visibility":null,"wind_speed":5.0,
			"wind_deg":1,"wind_gust":20.0,"weather":[],"pop":0.5,"rain":{"1h":2.0},"snow":null}],
		"daily":[{"dt":100,"sunrise":1,"sunset":2,"moonrise":3,"moonset":4,"moon_phase":0.25,"summary":"fine",
			"temp":{"day":293.15,"min":283.15,"max":303.15,"night":284.0,"eve":290.0,"morn":285.0},"feels_like":{"day":293.15,"night":284.0,"eve":290.0,"morn":285.0},
			"pressure":1013,"humidity":60,"dew_point":283.15,"wind_speed":10.0,"wind_deg":90,"wind_gust":null,"weather":[],"clouds":5,"pop":1.0,"rain":null,"snow":0.5,"uvi":2.0}],
		"alerts":[{"sender_name":"NWS","event":"Wind","start":1,"end":2,"description":"Much wind","tags":["wind"]}]}`
)

func payload(lat, lon float64, report, more string) string {
	return fmt.Sprintf(`{"latitude":%g,"longitude":%g,"report":%s%s}`, lat, lon, report, more)
}

func TestUpdates(t *testing.T) {
	t.Parallel()
	b := bench()
	dumped(t, b, fresh)
	first, firstKept := bare(40.71, -74)
	b.MustApply(t, payload(40.712, -74.004, first, `,"timestamp":"2025-01-15T10:00:00Z"`))
	one := b.Dump()
	dumped(t, b, `{"modality_type":"weather","last_updated":"2025-01-15T10:00:00Z","update_count":1,"locations":{"40.71,-74.00":{"latitude":40.712,"longitude":-74.004,
		"current_report":`+firstKept+`,"first_seen":"2025-01-15T10:00:00Z","last_updated":"2025-01-15T10:00:00Z","update_count":1,
		"report_history":[{"timestamp":"2025-01-15T10:00:00Z","report":`+firstKept+`}]}},"max_history_per_location":100}`)
	b.MustApply(t, payload(40.71, -74, full, `,"timestamp":"2025-01-15T11:00:00Z"`))
	two := b.Dump()
	dumped(t, b, `{"modality_type":"weather","last_updated":"2025-01-15T11:00:00Z","update_count":2,"locations":{"40.71,-74.00":{"latitude":40.712,"longitude":-74.004,
		"current_report":`+kept+`,"first_seen":"2025-01-15T10:00:00Z","last_updated":"2025-01-15T11:00:00Z","update_count":2,
		"report_history":[{"timestamp":"2025-01-15T10:00:00Z","report":`+firstKept+`},{"timestamp":"2025-01-15T11:00:00Z","report":`+kept+`}]}},"max_history_per_location":100}`)
	other, _ := bare(-0.001, 0)
	b.MustApply(t, payload(-0.001, 0, other, ""))
	if dump := b.Dump(); !strings.Contains(dump, `"-0.00,0.00":{`) {
		t.Errorf("the key of a place near zero: %s", dump)
	}
	for i, want := range []struct{ action, dump string }{{"remove_location", two}, {"restore_previous", one}} {
		if action := b.Undo(t); action != want.action || b.Dump() != want.dump {
			t.Errorf("undo %d: %s, %s", i, action, b.Dump())
		}
	}
	if action := b.Undo(t); action != "remove_location" {
		t.Errorf("last undo: %s", action)
	}
	dumped(t, b, fresh)
	b.MustApply(t, payload(1, 1, `{"lat":1,"lon":1,"timezone":"Z","timezone_offset":0}`, ""))
	b.State.Clear(b.Moment())
	dumped(t, b, fresh)
}

func TestPayload(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, payload(40.71, -74, full, `,"timestamp":"2025-01-15T10:00:00Z","input_id":"i","more":1`))
	want := `{"modality_type":"weather","timestamp":"2025-01-15T10:00:00Z","input_id":"i","latitude":40.71,"longitude":-74.0,"report":` +
		string(modalitytest.MustObject(kept).AppendJSON(nil)) + `}`
	if got := string(b.Last.AppendJSON(nil)); got != want {
		t.Errorf("payload\n got %s\nwant %s", got, want)
	}
}

func TestBadPayloads(t *testing.T) {
	t.Parallel()
	report := func(more string) string { return `{"lat":1,"lon":1,"timezone":"Z","timezone_offset":0` + more + `}` }
	for _, c := range []struct{ payload, want string }{
		{`{"latitude":1,"longitude":1}`, "decode: report: Field required"},
		{`{"longitude":1,"report":` + report("") + `}`, "decode: latitude: Field required"},
		{payload(91, 1, report(""), ""), "decode: latitude: Input should be less than or equal to 90"},
		{payload(1, -181, report(""), ""), "decode: longitude: Input should be greater than or equal to -180"},
		{payload(1, 1, `[]`, ""), "decode: report: Input should be a valid dictionary or object to extract fields from"},
		{payload(1, 1, `{"lat":1,"lon":1,"timezone":"Z"}`, ""), "decode: report.timezone_offset: Field required"},
		{payload(1, 1, report(`,"current":{}`), ""), "decode: report.current.dt: Field required"},
		{payload(1, 1, report(`,"hourly":[1]`), ""), "decode: report.hourly.0: Input should be a valid dictionary or object to extract fields from"},
		{
			payload(1, 1, report(`,"minutely":[{"dt":1.5,"precipitation":1}]`), ""),
			"decode: report.minutely.0.dt: Input should be a valid integer, got a number with a fractional part",
		},
		{payload(1, 1, report(`,"minutely":[{"dt":1,"precipitation":NaN}]`), ""), "decode: report.minutely.0.precipitation: Input should be a finite number"},
		{payload(1, 1, report(`,"alerts":{}`), ""), "decode: report.alerts: Input should be a valid list"},
		{
			payload(1, 1, strings.Replace(full, `"1h":2`, `"1h":"x"`, 1), ""),
			"decode: report.hourly.0.rain.1h: Input should be a valid number, unable to parse string as a number",
		},
		{payload(1, 1, strings.Replace(full, `"main":"Clouds",`, ``, 1), ""), "decode: report.current.weather.0.main: Field required"},
		{payload(1, 1, strings.Replace(full, `"max":303.15,`, ``, 1), ""), "decode: report.daily.0.temp.max: Field required"},
		{payload(2, 1, report(""), ""), "Report latitude 1.0 doesn't match input latitude 2.0"},
		{payload(1, 1.02, report(""), ""), "Report longitude 1.0 doesn't match input longitude 1.02"},
	} {
		b := bench()
		if err := b.Apply(c.payload); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.payload, err, c.want)
		}
		dumped(t, b, fresh)
	}
	bench().MustApply(t, payload(1.005, 0.995, report(""), ""))
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	b := bench()
	for i := range 120 {
		b.MustApply(t, payload(1, 1, fmt.Sprintf(`{"lat":1,"lon":1,"timezone":"z%d","timezone_offset":0}`, i), ""))
	}
	b.MustApply(t, payload(2, 2, `{"lat":2,"lon":2,"timezone":"other","timezone_offset":0}`, ""))
	dump := b.Dump()
	for i, want := range map[int]bool{19: false, 20: true, 119: true} {
		if got := strings.Contains(dump, fmt.Sprintf(`"timezone":"z%d"`, i)); got != want {
			t.Errorf("report %d is kept: %v", i, got)
		}
	}
	if n := strings.Count(dump, `"timestamp"`); n != 101 || b.State.Problems() != nil {
		t.Errorf("%d reports, %v", n, b.State.Problems())
	}
	modalitytest.Reloaded(t, b)
	for range 121 {
		b.Undo(t)
	}
	dumped(t, b, fresh)
}

// TestOneReport keeps as little as can be kept.
func TestOneReport(t *testing.T) {
	t.Parallel()
	for _, most := range []string{"1", "0", "-5"} {
		b := modalitytest.Load(t, weather.Kind(), `{"last_updated":0,"max_history_per_location":`+most+`}`)
		for i := range 3 {
			b.MustApply(t, payload(1, 1, fmt.Sprintf(`{"lat":1,"lon":1,"timezone":"z%d","timezone_offset":0}`, i), ""))
		}
		if dump := b.Dump(); strings.Count(dump, `"timestamp"`) != 1 || strings.Count(dump, `"timezone":"z2"`) != 2 {
			t.Errorf("at most %s: %s", most, dump)
		}
	}
}

// scenario has a place with a full history, and one with its current report only.
func scenario() string {
	_, one := bare(1, 1)
	_, two := bare(2, 2)
	return `{"last_updated":"2025-01-15T08:00:00","max_history_per_location":2,"openweather_api_key":null,"locations":{
	"2.00,2.00":{"latitude":2,"longitude":2,"current_report":` + two + `,"first_seen":"2025-01-15T06:00:00","last_updated":"2025-01-15T07:00:00Z"},
	"1.00,1.00":{"latitude":1,"longitude":1,"current_report":` + one + `,"first_seen":"2025-01-15T06:00:00Z","last_updated":"2025-01-15T07:30:00Z","update_count":5,
	"report_history":[{"timestamp":"2025-01-15T07:00:00Z","report":` + one + `},{"timestamp":"2025-01-15T07:30:00Z","report":` + one + `}]}}}`
}

func TestReversible(t *testing.T) {
	t.Parallel()
	draw := func(t *rapid.T) string {
		lat, lon := rapid.IntRange(0, 3).Draw(t, "lat"), rapid.IntRange(1, 2).Draw(t, "lon")
		return payload(float64(lat), float64(lon), fmt.Sprintf(`{"lat":%d,"lon":%d,"timezone":"z%d","timezone_offset":0}`, lat, lon, rapid.IntRange(0, 9).Draw(t, "zone")), "")
	}
	for name, doc := range map[string]string{"fresh": fresh, "scenario": scenario()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modalitytest.Reversible(t, func(t testing.TB) *modalitytest.Bench { return modalitytest.Load(t, weather.Kind(), doc) }, draw)
		})
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, weather.Kind(), scenario())
	modalitytest.Reloaded(t, b)
	_, one := bare(1, 1)
	_, two := bare(2, 2)
	dumped(t, b, `{"modality_type":"weather","last_updated":"2025-01-15T08:00:00Z","update_count":0,"max_history_per_location":2,"locations":{
		"2.00,2.00":{"latitude":2.0,"longitude":2.0,"current_report":`+two+`,"first_seen":"2025-01-15T06:00:00Z","last_updated":"2025-01-15T07:00:00Z","update_count":1,"report_history":[]},
		"1.00,1.00":{"latitude":1.0,"longitude":1.0,"current_report":`+one+`,"first_seen":"2025-01-15T06:00:00Z","last_updated":"2025-01-15T07:30:00Z","update_count":5,
		"report_history":[{"timestamp":"2025-01-15T07:00:00Z","report":`+one+`},{"timestamp":"2025-01-15T07:30:00Z","report":`+one+`}]}}}`)
	for _, c := range []struct{ doc, want string }{
		{`{}`, "last_updated: Field required"},
		{`{"last_updated":0,"modality_type":"time"}`, "modality_type: Input should be 'weather'"},
		{`{"last_updated":0,"locations":[]}`, "locations: Input should be a valid dictionary"},
		{`{"last_updated":0,"locations":{"k":{"latitude":1,"longitude":1,"first_seen":0,"last_updated":0}}}`, "locations.k.current_report: Field required"},
		{strings.Replace(scenario(), `"timezone":"Z"`, `"timezone":1`, 1), "locations.2.00,2.00.current_report.timezone: Input should be a valid string"},
	} {
		_, errs := weather.Load(modalitytest.MustObject(c.doc), b.Moment())
		if len(errs) == 0 || errs[0].Error() != c.want {
			t.Errorf("%s: %v, want %s", c.doc, errs, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, weather.Kind(), strings.Replace(scenario(), `"max_history_per_location":2`, `"max_history_per_location":1`, 1))
	want := []string{"Location 1.00,1.00 report history size (2) exceeds maximum (1)"}
	if diff := cmp.Diff(want, b.State.Problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if undo, err := b.State.Apply(nil, b.Moment()); err == nil || undo != nil {
		t.Errorf("a payload of nothing was applied: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(payload(40.71, -74, full, `,"timestamp":0`))
	f.Add(scenario())
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := ordered.ParseObject([]byte(text))
		if err != nil {
			return
		}
		b := bench()
		if in, errs := weather.Decode(doc, b.Moment()); len(errs) == 0 {
			reread(t, in)
			if in.Check() == nil {
				_, _ = b.State.Apply(in, b.Moment())
				b.State.AppendCompact(nil, b.Moment())
				modalitytest.Reloaded(t, b)
			}
		}
		if s, errs := weather.Load(doc, b.Moment()); len(errs) == 0 {
			b.State = s
			s.Problems()
			s.AppendCompact(nil, b.Moment())
			modalitytest.Reloaded(t, b)
		}
	})
}

// reread checks that a payload that was written decodes to the same payload.
func reread(t *testing.T, in modality.Input) {
	t.Helper()
	text := string(in.AppendJSON(nil))
	again, errs := weather.Decode(modalitytest.MustObject(text), bench().Moment())
	if len(errs) > 0 {
		t.Fatalf("%v in %s", errs, text)
	}
	if got := string(again.AppendJSON(nil)); got != text {
		t.Errorf("reread %s\ngave %s", text, got)
	}
}

func BenchmarkDecode(b *testing.B) {
	doc := modalitytest.MustObject(payload(40.71, -74, full, `,"timestamp":0`))
	m := bench().Moment()
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := weather.Decode(doc, m); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	world := bench()
	m := world.Moment()
	in, errs := weather.Decode(modalitytest.MustObject(payload(40.71, -74, full, `,"timestamp":0`)), m)
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := world.State.Apply(in, m); err != nil {
			b.Fatal(err)
		}
	}
}
