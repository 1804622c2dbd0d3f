package clockprefs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/clockprefs"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality/modalitytest"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

func bench() *modalitytest.Bench { return modalitytest.New(clockprefs.Kind()) }

// dumped compares the state in scenario form, whatever the order of members.
func dumped(t *testing.T, b *modalitytest.Bench, want string) {
	t.Helper()
	if diff := cmp.Diff(modalitytest.Plain(t, want), modalitytest.Plain(t, b.Dump())); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

const fresh = `{"modality_type":"time","last_updated":"2025-01-15T09:00:00Z","update_count":0,"timezone":"UTC","format_preference":"12h",
	"date_format":null,"locale":null,"week_start":null,"settings_history":[],"max_history_size":50}`

func TestEveryInputReplacesAllSettings(t *testing.T) {
	t.Parallel()
	b := bench()
	dumped(t, b, fresh)
	b.MustApply(t, `{"timestamp":"2025-01-15T10:00:00Z","timezone":"Europe/Zurich","format_preference":"24h","date_format":"DD.MM.YYYY","locale":"de_CH","week_start":"monday"}`)
	b.MustApply(t, `{"timestamp":"2025-01-15T11:00:00Z","timezone":"America/New_York","format_preference":"12h"}`)
	dumped(t, b, `{"modality_type":"time","last_updated":"2025-01-15T11:00:00Z","update_count":2,"timezone":"America/New_York","format_preference":"12h",
		"date_format":null,"locale":null,"week_start":null,"settings_history":[
		{"timestamp":"2025-01-15T09:00:00Z","timezone":"UTC","format_preference":"12h","date_format":null,"locale":null,"week_start":null},
		{"timestamp":"2025-01-15T10:00:00Z","timezone":"Europe/Zurich","format_preference":"24h","date_format":"DD.MM.YYYY","locale":"de_CH","week_start":"monday"}],
		"max_history_size":50}`)
	for range 2 {
		if action := b.Undo(t); action != "restore_previous" {
			t.Errorf("undo: %s", action)
		}
	}
	dumped(t, b, fresh)
	b.MustApply(t, `{"timezone":"Asia/Tokyo","format_preference":"24h"}`)
	b.State.Clear(b.Moment())
	dumped(t, b, fresh)
}

func TestPayload(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, `{"timestamp":"2025-01-15T10:00:00Z","input_id":"i","timezone":"Europe/Zurich","format_preference":"24h","locale":"de_CH","more":1}`)
	want := `{"modality_type":"time","timestamp":"2025-01-15T10:00:00Z","input_id":"i","timezone":"Europe/Zurich","format_preference":"24h",` +
		`"date_format":null,"locale":"de_CH","week_start":null}`
	if got := string(b.Last.AppendJSON(nil)); got != want {
		t.Errorf("payload %s", got)
	}
}

func TestBadPayloads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ payload, want string }{
		{`{"format_preference":"12h"}`, "decode: timezone: Field required"},
		{`{"timezone":"UTC"}`, "decode: format_preference: Field required"},
		{`{"timezone":1,"format_preference":"12h"}`, "decode: timezone: Input should be a valid string"},
		{`{"timezone":"Mars/Base","format_preference":"12h"}`, "decode: timezone: Value error, Invalid timezone: Mars/Base"},
		{`{"timezone":"","format_preference":"12h"}`, "decode: timezone: Value error, Invalid timezone: "},
		{`{"timezone":"Local","format_preference":"12h"}`, "decode: timezone: Value error, Invalid timezone: Local"},
		{`{"timezone":"../../etc/passwd","format_preference":"12h"}`, "decode: timezone: Value error, Invalid timezone: ../../etc/passwd"},
		{`{"timezone":"/etc/localtime","format_preference":"12h"}`, "decode: timezone: Value error, Invalid timezone: /etc/localtime"},
		{`{"timezone":"Europe","format_preference":"12h"}`, "decode: timezone: Value error, Invalid timezone: Europe"},
		{`{"timezone":"UTC","format_preference":"13h"}`, "decode: format_preference: Input should be '12h' or '24h'"},
		{`{"timezone":"UTC","format_preference":null}`, "decode: format_preference: Input should be '12h' or '24h'"},
		{
			`{"timezone":"UTC","format_preference":"12h","date_format":"YY"}`,
			"decode: date_format: Input should be 'MM/DD/YYYY', 'DD/MM/YYYY', 'YYYY-MM-DD', 'YYYY/MM/DD', 'DD.MM.YYYY' or 'DD-MM-YYYY'",
		},
		{`{"timezone":"UTC","format_preference":"12h","week_start":"friday"}`, "decode: week_start: Input should be 'sunday' or 'monday'"},
		{`{"timezone":"UTC","format_preference":"12h","locale":1}`, "decode: locale: Input should be a valid string"},
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
	zones := []string{"Europe/Paris", "Asia/Tokyo", "America/New_York"}
	for i := range 60 {
		b.Now, _ = b.Now.AddMicros(1e6)
		b.MustApply(t, fmt.Sprintf(`{"timezone":%q,"format_preference":"24h","locale":"l%d"}`, zones[i%3], i))
	}
	dump := b.Dump()
	if n := strings.Count(dump, `"timestamp"`); n != 50 {
		t.Errorf("%d former settings", n)
	}
	for i, want := range map[int]bool{8: false, 9: true, 58: true} {
		if got := strings.Contains(dump, fmt.Sprintf(`"locale":"l%d"`, i)); got != want {
			t.Errorf("settings %d are kept: %v", i, got)
		}
	}
	if got := b.State.Problems(); got != nil {
		t.Errorf("problems %v", got)
	}
	modalitytest.Reloaded(t, b)
	for range 60 {
		b.Undo(t)
	}
	dumped(t, b, fresh)
}

func TestReversible(t *testing.T) {
	t.Parallel()
	draw := func(t *rapid.T) string {
		return fmt.Sprintf(`{"timezone":%q,"format_preference":%q,"date_format":%s,"locale":%s,"week_start":%s}`,
			rapid.SampledFrom([]string{"UTC", "Europe/Zurich", "Asia/Tokyo"}).Draw(t, "zone"),
			rapid.SampledFrom([]string{"12h", "24h"}).Draw(t, "format"),
			rapid.SampledFrom([]string{"null", `"YYYY-MM-DD"`}).Draw(t, "date"),
			rapid.SampledFrom([]string{"null", `"de"`, `""`}).Draw(t, "locale"),
			rapid.SampledFrom([]string{"null", `"sunday"`}).Draw(t, "week"))
	}
	for name, doc := range map[string]string{"fresh": fresh, "scenario": scenario} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modalitytest.Reversible(t, func(t testing.TB) *modalitytest.Bench { return modalitytest.Load(t, clockprefs.Kind(), doc) }, draw)
		})
	}
}

// scenario is at the end of a short history.
const scenario = `{"modality_type":"time","last_updated":"2025-01-15T08:00:00","timezone":"Asia/Tokyo","format_preference":"24h","max_history_size":2,"more":true,
	"settings_history":[{"timestamp":"2025-01-15T06:00:00","timezone":"UTC","format_preference":"12h"},
	{"timestamp":"2025-01-15T07:00:00Z","timezone":"Europe/Paris","format_preference":"24h","date_format":"YYYY-MM-DD"}]}`

func TestLoad(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, clockprefs.Kind(), scenario)
	dumped(t, b, `{"modality_type":"time","last_updated":"2025-01-15T08:00:00Z","update_count":0,"timezone":"Asia/Tokyo","format_preference":"24h",
		"date_format":null,"locale":null,"week_start":null,"settings_history":[
		{"timestamp":"2025-01-15T06:00:00Z","timezone":"UTC","format_preference":"12h","date_format":null,"locale":null,"week_start":null},
		{"timestamp":"2025-01-15T07:00:00Z","timezone":"Europe/Paris","format_preference":"24h","date_format":"YYYY-MM-DD","locale":null,"week_start":null}],
		"max_history_size":2}`)
	b = modalitytest.Load(t, clockprefs.Kind(), `{"last_updated":"2025-01-15T09:00:00Z"}`)
	dumped(t, b, fresh)
	for _, c := range []struct{ doc, want string }{
		{`{}`, "last_updated: Field required"},
		{`{"last_updated":"2025-01-15T09:00:00Z","modality_type":"email"}`, "modality_type: Input should be 'time'"},
		{`{"last_updated":"2025-01-15T09:00:00Z","format_preference":"x"}`, "format_preference: Input should be '12h' or '24h'"},
		{`{"last_updated":"2025-01-15T09:00:00Z","settings_history":[{}]}`, "settings_history.0.timestamp: Field required"},
		{`{"last_updated":"2025-01-15T09:00:00Z","settings_history":{}}`, "settings_history: Input should be a valid list"},
	} {
		_, errs := clockprefs.Load(modalitytest.MustObject(c.doc), b.Moment())
		if len(errs) == 0 || errs[0].Error() != c.want {
			t.Errorf("%s: %v, want %s", c.doc, errs, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	b := modalitytest.Load(t, clockprefs.Kind(), `{"last_updated":"2025-01-15T08:00:00Z","timezone":"Mars/Base","max_history_size":1,"settings_history":[
		{"timestamp":"2025-01-15T07:00:00Z","timezone":"UTC","format_preference":"12h"},{"timestamp":"2025-01-15T06:00:00Z","timezone":"UTC","format_preference":"12h"}]}`)
	want := []string{
		"Invalid timezone: Mars/Base", "Settings history not in chronological order at index 1", "Settings history size (2) exceeds maximum (1)",
	}
	if diff := cmp.Diff(want, b.State.Problems()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if got := bench().State.Problems(); got != nil {
		t.Errorf("problems of fresh settings: %v", got)
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	b := bench()
	b.MustApply(t, `{"timezone":"Europe/Zurich","format_preference":"24h","locale":"de_CH"}`)
	want := `{"summary":"Timezone Europe/Zurich, 24h format","timezone":"Europe/Zurich","format_preference":"24h","date_format":null,"locale":"de_CH","week_start":null}`
	if got := string(b.State.AppendCompact(nil, b.Moment())); got != want {
		t.Errorf("compact %s", got)
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
	f.Add(`{"timestamp":0,"timezone":"Europe/Zurich","format_preference":"24h","date_format":"DD.MM.YYYY","week_start":"monday"}`)
	f.Add(scenario)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := ordered.ParseObject([]byte(text))
		if err != nil {
			return
		}
		b := bench()
		if in, errs := clockprefs.Decode(doc, b.Moment()); len(errs) == 0 {
			reread(t, in)
			_, _ = b.State.Apply(in, b.Moment())
			modalitytest.Reloaded(t, b)
		}
		if s, errs := clockprefs.Load(doc, b.Moment()); len(errs) == 0 {
			b.State = s
			s.Problems()
			modalitytest.Reloaded(t, b)
		}
	})
}

// reread checks that a payload that was written decodes to the same payload.
func reread(t *testing.T, in modality.Input) {
	t.Helper()
	text := string(in.AppendJSON(nil))
	again, errs := clockprefs.Decode(modalitytest.MustObject(text), bench().Moment())
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
	doc := modalitytest.MustObject(`{"timestamp":0,"timezone":"Europe/Zurich","format_preference":"24h"}`)
	in, errs := clockprefs.Decode(doc, m)
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
