package location_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/location"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

func bench() *modalitytest.Bench { return modalitytest.New(location.Kind()) }

// dumped compares the state in scenario form, whatever the order of members.
func dumped(t *testing.T, b *modalitytest.Bench, want string) {
	t.Helper()
	if diff := cmp.Diff(modalitytest.Plain(t, want), modalitytest.Plain(t, b.Dump())); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

const fresh = `{"modality_type":"location","last_updated":"2025-01-15T09:00:00Z","update_count":0,"current_latitude":null,"current_longitude":null,
	"current_address":null,"current_named_location":null,"current_altitude":null,"current_accuracy":null,"current_speed":null,"current_bearing":null,
	"location_history":[],"max_history_size":100}`

func TestUpdates(t *testing.T) {
	t.Parallel()
	b := bench()
	dumped(t, b, fresh)
	b.MustApply(t, `{"timestamp":"2025-01-15T10:00:00Z","latitude":1,"longitude":-2.5,"address":"A 1","named_location":"Home","altitude":-3,"accuracy":0,"speed":4,"bearing":360}`)
	home := b.Dump()
	b.MustApply(t, `{"timestamp":"2025-01-15T11:00:00Z","latitude":"3","longitude":4}`)
	dumped(t, b, `{"modality_type":"location","last_updated":"2025-01-15T11:00:00Z","update_count":2,"current_latitude":3.0,"current_longitude":4.0,
		"current_address":null,"current_named_location":null,"current_altitude":null,"current_accuracy":null,"current_speed":null,"current_bearing":null,
		"location_history":[{"timestamp":"2025-01-15T10:00:00Z","latitude":1.0,"longitude":-2.5,"address":"A 1","named_location":"Home","altitude":-3.0,
		"accuracy":0.0,"speed":4.0,"bearing":360.0}],"max_history_size":100}`)
	if action := b.Undo(t); action != "restore_previous" || b.Dump() != home {
		t.Errorf("first undo: %s, %s", action, b.Dump())
	}
	if action := b.Undo(t); action != "clear_current" {
		t.Errorf("second undo: %s", action)
	}
	dumped(t, b, fresh)
	b.MustApply(t, `{"latitude":1,"longitude":1}`)
	b.State.Clear(b.Moment())
	dumped(t, b, fresh)
}

func TestPayload(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, `{"timestamp":"2025-01-15T10:00:00Z","input_id":"i","latitude":1,"longitude":2,"address":null,"bearing":"90","more":1}`)
	want := `{"modality_type":"location","timestamp":"2025-01-15T10:00:00Z","input_id":"i","latitude":1.0,"longitude":2.0,"address":null,` +
		`"named_location":null,"altitude":null,"accuracy":null,"speed":null,"bearing":90.0}`
	if got := string(b.Last.AppendJSON(nil)); got != want {
		t.Errorf("payload %s", got)
	}
}

func TestBadPayloads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ payload, want string }{
		{`{"longitude":1}`, "decode: latitude: Field required"},
		{`{"latitude":1}`, "decode: longitude: Field required"},
		{`{"latitude":"x","longitude":1}`, "decode: latitude: Input should be a valid number, unable to parse string as a number"},
		{`{"latitude":90.1,"longitude":1}`, "decode: latitude: Value error, Latitude must be between -90 and 90, got 90.1"},
		{`{"latitude":-91,"longitude":1}`, "decode: latitude: Value error, Latitude must be between -90 and 90, got -91.0"},
		{`{"latitude":1,"longitude":181}`, "decode: longitude: Value error, Longitude must be between -180 and 180, got 181.0"},
		{`{"latitude":1,"longitude":1,"accuracy":-0.5}`, "decode: accuracy: Value error, Accuracy must be non-negative, got -0.5"},
		{`{"latitude":1,"longitude":1,"speed":-1}`, "decode: speed: Value error, Speed must be non-negative, got -1.0"},
		{`{"latitude":1,"longitude":1,"bearing":361}`, "decode: bearing: Value error, Bearing must be between 0 and 360, got 361.0"},
		{`{"latitude":1,"longitude":1,"bearing":-1}`, "decode: bearing: Value error, Bearing must be between 0 and 360, got -1.0"},
		{`{"latitude":1,"longitude":1,"altitude":Infinity}`, "decode: altitude: Input should be a finite number"},
		{`{"latitude":NaN,"longitude":1}`, "decode: latitude: Input should be a finite number"},
		{`{"latitude":1,"longitude":1,"address":5}`, "decode: address: Input should be a valid string"},
	} {
		b := bench()
		if err := b.Apply(c.payload); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.payload, err, c.want)
		}
		dumped(t, b, fresh)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	b := bench()
	for i := range 130 {
		b.Now, _ = b.Now.AddMicros(1e6)
		b.MustApply(t, fmt.Sprintf(`{"latitude":0,"longitude":%d}`, i))
	}
	dump := b.Dump()
	for i, want := range map[int]bool{28: false, 29: true, 128: true} {
		if got := strings.Contains(dump, fmt.Sprintf(`"longitude":%d.0,`, i)); got != want {
			t.Errorf("position %d is kept: %v", i, got)
		}
	}
	if n := strings.Count(dump, `"timestamp"`); n != 100 || b.State.Problems() != nil {
		t.Errorf("%d former positions, %v", n, b.State.Problems())
	}
	modalitytest.Reloaded(t, b)
	for range 130 {
		b.Undo(t)
	}
	dumped(t, b, fresh)
}

// scenario is a state with a full history and one coordinate only.
const scenario = `{"last_updated":"2025-01-15T08:00:00","current_latitude":1,"current_named_location":"Half","max_history_size":2,"more":1,
	"location_history":[{"timestamp":"2025-01-15T06:00:00","latitude":5,"longitude":6,"named_location":"Home","address":"A"},
	{"timestamp":"2025-01-15T07:00:00Z","latitude":7,"longitude":8,"speed":-9}]}`

func TestReversible(t *testing.T) {
	t.Parallel()
	draw := func(t *rapid.T) string {
		return fmt.Sprintf(`{"latitude":%d,"longitude":%d,"address":%s,"speed":%s}`,
			rapid.IntRange(-90, 90).Draw(t, "latitude"), rapid.IntRange(-180, 180).Draw(t, "longitude"),
			rapid.SampledFrom([]string{"null", `"A"`, `""`}).Draw(t, "address"), rapid.SampledFrom([]string{"null", "0", "1.5"}).Draw(t, "speed"))
	}
	for name, doc := range map[string]string{"fresh": fresh, "scenario": scenario} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modalitytest.Reversible(t, func(t testing.TB) *modalitytest.Bench { return modalitytest.Load(t, location.Kind(), doc) }, draw)
		})
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, location.Kind(), scenario)
	modalitytest.Reloaded(t, b)
	dumped(t, b, `{"modality_type":"location","last_updated":"2025-01-15T08:00:00Z","update_count":0,"current_latitude":1.0,"current_longitude":null,
		"current_address":null,"current_named_location":"Half","current_altitude":null,"current_accuracy":null,"current_speed":null,"current_bearing":null,
		"location_history":[
		{"timestamp":"2025-01-15T06:00:00Z","latitude":5.0,"longitude":6.0,"address":"A","named_location":"Home","altitude":null,"accuracy":null,"speed":null,"bearing":null},
		{"timestamp":"2025-01-15T07:00:00Z","latitude":7.0,"longitude":8.0,"address":null,"named_location":null,"altitude":null,"accuracy":null,"speed":-9.0,"bearing":null}],
		"max_history_size":2}`)
	if got := b.State.Summary(b.Moment()); got != "Location not set" {
		t.Errorf("summary %q", got)
	}
	b.MustApply(t, `{"latitude":0,"longitude":0}`)
	if got := b.State.Problems(); got != nil {
		t.Errorf("a new position mends the half one: %v", got)
	}
	for _, c := range []struct{ doc, want string }{
		{`{}`, "last_updated: Field required"},
		{`{"last_updated":"2025-01-15T09:00:00Z","modality_type":"email"}`, "modality_type: Input should be 'location'"},
		{`{"last_updated":"2025-01-15T09:00:00Z","location_history":[{"timestamp":0,"latitude":1}]}`, "location_history.0.longitude: Field required"},
		{`{"last_updated":"2025-01-15T09:00:00Z","location_history":[7]}`, "location_history.0: Input should be a valid dictionary or object to extract fields from"},
	} {
		_, errs := location.Load(modalitytest.MustObject(c.doc), b.Moment())
		if len(errs) == 0 || errs[0].Error() != c.want {
			t.Errorf("%s: %v, want %s", c.doc, errs, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		doc  string
		want []string
	}{
		{`{"last_updated":0}`, nil},
		{scenario, []string{"Latitude and longitude must both be set or both be null"}},
		{`{"last_updated":0,"current_latitude":91,"current_longitude":-181}`, []string{
			"Latitude must be between -90 and 90, got 91.0", "Longitude must be between -180 and 180, got -181.0",
		}},
		{`{"last_updated":0,"max_history_size":1,"location_history":[{"timestamp":2,"latitude":1,"longitude":1},{"timestamp":1,"latitude":1,"longitude":1}]}`, []string{
			"Location history not in chronological order at index 1", "Location history size (2) exceeds maximum (1)",
		}},
	} {
		b := modalitytest.Load(t, location.Kind(), c.doc)
		if diff := cmp.Diff(c.want, b.State.Problems()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.doc, diff)
		}
	}
}

func TestForeignPayload(t *testing.T) {
	t.Parallel()
	b := bench()
	if undo, err := b.State.Apply(nil, b.Moment()); err == nil || undo != nil {
		t.Errorf("a payload of nothing was applied: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"timestamp":0,"latitude":1,"longitude":-2.5,"address":"A 1","altitude":-3,"accuracy":0,"bearing":360}`)
	f.Add(scenario)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := ordered.ParseObject([]byte(text))
		if err != nil {
			return
		}
		b := bench()
		if in, errs := location.Decode(doc, b.Moment()); len(errs) == 0 {
			reread(t, in)
			_, _ = b.State.Apply(in, b.Moment())
			modalitytest.Reloaded(t, b)
		}
		if s, errs := location.Load(doc, b.Moment()); len(errs) == 0 {
			b.State = s
			s.Problems()
			s.Summary(b.Moment())
			modalitytest.Reloaded(t, b)
		}
	})
}

// reread checks that a payload that was written decodes to the same payload.
func reread(t *testing.T, in modality.Input) {
	t.Helper()
	text := string(in.AppendJSON(nil))
	again, errs := location.Decode(modalitytest.MustObject(text), bench().Moment())
	if len(errs) > 0 {
		t.Fatalf("%v in %s", errs, text)
	}
	if got := string(again.AppendJSON(nil)); got != text {
		t.Errorf("reread %s\ngave %s", text, got)
	}
}

func BenchmarkApply(b *testing.B) {
	world := bench()
	m := world.Moment()
	in, errs := location.Decode(modalitytest.MustObject(`{"timestamp":0,"latitude":1,"longitude":-2.5,"named_location":"Home"}`), m)
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
