package world_test

import (
	"strings"
	"testing"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

const file = `{
  "metadata": {"ues_version": "1.2.0", "scenario_version": "1", "created_at": "2026-01-28T06:00:00", "author": "me", "description": null},
  "environment": {
    "time_state": {"current_time": "2026-01-28T06:00:00", "time_scale": 2, "is_paused": false, "auto_advance": false, "last_wall_time_update": "2026-01-28T06:00:00Z"},
    "modality_states": {"fax": {}, "email": {"modality_type": "email", "last_updated": "2026-01-28T05:00:00", "update_count": 3, "texts": ["old"], "unknown": 1}}
  },
  "events": {"events": [
    {"event_id": "mine", "scheduled_time": "2026-01-28T07:00:00+01:00", "modality": "email", "created_at": "2026-01-28T05:00:00Z",
     "data": {"timestamp": "2026-01-28T06:00:00", "text": "second"}, "metadata": {"k": [1, 2.50, "ü"]}, "agent_id": "them"},
    {"scheduled_time": "2026-01-28T05:30:00Z", "modality": "email", "created_at": "2026-01-28T05:00:00Z", "priority": 7,
     "data": {"timestamp": "2026-01-28T05:30:00Z", "text": "first"}},
    {"scheduled_time": "2026-01-28T05:00:00Z", "modality": "email", "created_at": "2026-01-28T05:00:00Z", "status": "executed",
     "executed_at": "2026-01-28T05:10:00Z", "data": {"timestamp": "2026-01-28T05:00:00Z", "text": "old"}}
  ]}
}`

// scenario reads a file, changed by pairs of old and new text.
func scenario(t testing.TB, text string, changes ...string) (world.Scenario, []field.Error) {
	t.Helper()
	doc, err := ordered.ParseObject([]byte(strings.NewReplacer(changes...).Replace(text)))
	if err != nil {
		t.Fatal(err)
	}
	r := field.Read(doc)
	return world.ReadScenario(r), r.Errors()
}

func TestLoad(t *testing.T) {
	b := newBench()
	b.plan(t, 1, "gone")
	s, errs := scenario(t, file)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	l, err := b.Load(s, false)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "loaded", l, world.Loaded{
		Modalities: []string{"email"}, Skipped: []string{"fax"},
		Warnings: []string{
			"Skipped unknown modality type: 'fax'",
			"Scenario was created with UES version 1.2.0, which may not be fully compatible with current version",
			"1 events in scenario are scheduled before environment time (2026-01-28T06:00:00+00:00) and will not execute",
		},
	})
	same(t, "history", b.history(), []string{"old executed", "first pending", "second pending"})
	if b.Queue().Find("mine") != nil {
		t.Error("an event kept its id")
	}
	if err := b.Start(false, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Advance(1); err != nil {
		t.Fatal(err)
	}
	same(t, "state", b.texts(), []string{"old", "first", "second"})
	if _, err := b.Load(s, false); refusal(err) != "409 Cannot load scenario while simulation is running. Call stop() first." {
		t.Errorf("while running: %v", err)
	}
}

func TestExportComesBack(t *testing.T) {
	a := newBench()
	s, _ := scenario(t, file)
	if _, err := a.Load(s, false); err != nil {
		t.Fatal(err)
	}
	text := string(a.AppendScenario(nil, "author", ""))
	for _, part := range []string{
		`"executed_at":"2026-01-28T05:10:00Z"`, `"scheduled_time":"2026-01-28T07:00:00+01:00"`, `"metadata":{"k":[1,2.5,"ü"]}`,
		`"author":"author","description":null`, `"time_scale":2.0`, `"agent_id":"them"`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the export lacks %s: %s", part, text)
		}
	}
	b := newBench()
	again, errs := scenario(t, text)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if _, err := b.Load(again, true); err != nil {
		t.Fatal(err)
	}
	got := string(b.AppendScenario(nil, "author", ""))
	if blankIDs(got) != blankIDs(text) {
		t.Errorf("the second export differs:\n%s\n%s", got, text)
	}
}

// blankIDs hides the ids that every import makes anew.
func blankIDs(s string) string {
	var out []string
	for _, part := range strings.Split(s, `"event_id":"`)[1:] {
		_, rest, _ := strings.Cut(part, `"`)
		out = append(out, rest)
	}
	return strings.Join(out, "*")
}

func TestFilesThatAreRefused(t *testing.T) {
	tests := []struct{ name, from, to, want string }{
		{"unknown modality, strictly", "", "", "400 Unknown modality type: 'fax'. Use strict=False to skip unknown modalities."},
		{"another modality inside", `"modality_type": "email"`, `"modality_type": "sms"`, "400 Modality key 'email' does not match modality_type 'sms'"},
		{"a state without a time", `"last_updated": "2026-01-28T05:00:00",`, "", "400 1 validation error for EmailState\nlast_updated"},
		{"an event without a modality", `"modality": "email", "created_at": "2026-01-28T05:00:00Z", "priority"`, `"created_at": "2026-01-28T05:00:00Z", "priority"`, "400 1 validation error for SimulatorEvent\nmodality"},
		{"an event of no modality", `"modality": "email", "created_at": "2026-01-28T05:00:00Z", "priority"`, `"modality": "pager", "created_at": "2026-01-28T05:00:00Z", "priority"`, "400 Unknown modality type: 'pager'"},
		{"a payload without text", `, "text": "first"`, "", "400 1 validation error for EmailInput\ntext"},
		{"a status that is none", `"status": "executed"`, `"status": "done"`, "400 1 validation error for SimulatorEvent\nstatus"},
	}
	for _, tt := range tests {
		b := newBench()
		b.plan(t, 1, "stays")
		changes := []string{}
		if tt.from != "" {
			changes = []string{tt.from, tt.to}
		}
		s, errs := scenario(t, file, changes...)
		if len(errs) > 0 {
			t.Errorf("%s: %v", tt.name, errs)
			continue
		}
		_, err := b.Load(s, tt.from == "")
		if got := refusal(err); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		same(t, tt.name+": the queue", b.history(), []string{"stays pending"})
	}
}

func TestOuterShape(t *testing.T) {
	tests := []struct{ from, to, want string }{
		{`"ues_version": "1.2.0",`, "", "metadata.ues_version: Field required"},
		{`"time_scale": 2`, `"time_scale": 0`, "environment.time_state.time_scale: Input should be greater than 0"},
		{`"time_scale": 2`, `"time_scale": Infinity`, "environment.time_state.time_scale: Input should be a finite number"},
		{`"is_paused": false,`, "", "environment.time_state.is_paused: Field required"},
		{`{"fax": {}`, `{"fax": 5`, "environment.modality_states.fax: Input should be a valid dictionary"},
		{`{"events": [`, `{"events": [7,`, "events.events.0: Input should be a valid dictionary"},
		{`"current_time": "2026-01-28T06:00:00"`, `"current_time": "soon"`, "environment.time_state.current_time: Input should be a valid datetime or date, input is too short"},
	}
	for _, tt := range tests {
		_, errs := scenario(t, file, tt.from, tt.to)
		if len(errs) != 1 || errs[0].Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.to, errs, tt.want)
		}
	}
}

func TestHistoricEvents(t *testing.T) {
	s, _ := scenario(t, file, `"current_time": "2026-01-28T06:00:00"`, `"current_time": "2026-01-28T06:00:10"`)
	tests := map[string][]string{
		world.HistoricIgnore: {"a executed", "b pending", "c pending"},
		world.HistoricDelete: {"a executed", "c pending"},
		world.HistoricApply:  {"a executed", "b executed", "c pending"},
	}
	for how, want := range tests {
		b := running(t)
		b.plan(t, 1, "a")
		b.plan(t, 2, "b")
		b.plan(t, 20, "c")
		if _, err := b.Advance(1); err != nil {
			t.Fatal(err)
		}
		b.Stop()
		l, err := b.LoadEnvironment(s.Environment, how, false)
		if err != nil || l.Historic != 1 || b.CanUndo() {
			t.Errorf("%s: %+v %v", how, l, err)
		}
		same(t, how, b.history(), want)
		warned := strings.Contains(strings.Join(l.Warnings, " "),
			"1 events scheduled before environment time (2026-01-28T06:00:10+00:00) will be ignored (never execute)")
		if warned != (how == world.HistoricIgnore) {
			t.Errorf("%s warned: %v", how, l.Warnings)
		}
	}
}

func TestMerge(t *testing.T) {
	b := newBench()
	b.plan(t, 100, "mine")
	s, _ := scenario(t, file)
	l, err := b.LoadEvents(s.Events, true)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "merged", l, world.LoadedEvents{Loaded: 3, Merged: 3, Previous: 1, Historic: 1})
	s, _ = scenario(t, file)
	if l, err = b.LoadEvents(s.Events, false); err != nil {
		t.Fatal(err)
	}
	same(t, "replaced", l, world.LoadedEvents{Loaded: 3, Previous: 4, Historic: 1})
	same(t, "history", b.history(), []string{"old executed", "first pending", "second pending"})
}

// TestContinue goes on where an import would begin again.
func TestContinue(t *testing.T) {
	b := newBench()
	s, _ := scenario(t, file, `"fax": {}, `, "", `"is_paused": false`, `"is_paused": true`)
	if err := b.Continue(s, world.Left{FilePaused: true}); err != nil {
		t.Fatal(err)
	}
	same(t, "history", b.history(), []string{"old executed", "first pending", "second pending"})
	same(t, "left", b.Left(), world.Left{FilePaused: true})
	if b.Queue().Find("mine") == nil {
		t.Error("an event lost its id")
	}
	for e := range b.Queue().All() {
		if e.ID == "" {
			t.Errorf("%+v has no id", e)
		}
	}
	if err := b.Start(false, 1); err != nil || b.Clock().Paused {
		t.Errorf("%v, %+v", err, b.Clock())
	}
	if err := b.Continue(s, world.Left{}); refusal(err) != "409 Cannot load scenario while simulation is running. Call stop() first." {
		t.Errorf("while running: %v", err)
	}
	paused := newBench()
	if err := paused.Continue(s, world.Left{Running: true}); err != nil || !paused.Running() || !paused.Clock().Paused {
		t.Errorf("%v, %+v", err, paused.Clock())
	}
	for _, change := range [][]string{{`"text": "first"`, `"text": 7`}, {`"email": {`, `"fax": {`}} {
		s, _ := scenario(t, file, change...)
		if err := newBench().Continue(s, world.Left{}); err == nil {
			t.Errorf("%v goes on", change)
		}
	}
}
