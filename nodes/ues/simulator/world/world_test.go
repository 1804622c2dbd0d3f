package world_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// refusal is the status and the text of an error, "" for none.
func refusal(err error) string {
	if err == nil {
		return ""
	}
	r := (*world.Refusal)(nil)
	if !errors.As(err, &r) {
		return "no refusal: " + err.Error()
	}
	return fmt.Sprintf("%d %s", r.Status, r.Text)
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// history is the status and error of every event, in queue order.
func (b *bench) history() []string {
	var out []string
	for e := range b.Queue().All() {
		line := e.Input.(*note).text + " " + e.Status().String()
		if e.Error != "" {
			line += ": " + e.Error
		}
		out = append(out, line)
	}
	return out
}

func TestTimeNeedsARunningSimulation(t *testing.T) {
	b := newBench()
	_, err := b.Advance(1)
	expect(t, "advance", refusal(err), "400 Cannot advance time: simulation is not running")
	_, err = b.SetTime(at(1))
	expect(t, "set", refusal(err), "400 Cannot set time: simulation is not running")
	_, err = b.SkipToNext()
	expect(t, "skip", refusal(err), "400 Cannot skip to next event: simulation is not running")
	_, err = b.Undo(1)
	expect(t, "undo", refusal(err), "409 Simulation is not running. Start simulation first.")
	_, err = b.Redo(1)
	expect(t, "redo", refusal(err), "409 Simulation is not running. Start simulation first.")
	if out := b.act(t, "a"); out.Error != "" || len(b.texts()) != 1 {
		t.Errorf("an action while stopped: %+v", out)
	}
}

func TestAdvanceRunsWhatIsDue(t *testing.T) {
	b := running(t)
	for i, text := range []string{"c", "a", "fail", "late"} {
		b.plan(t, []int{2, 1, 2, 9}[i], text)
	}
	a, err := b.Advance(2)
	if err != nil || len(a.Ran) != 3 || a.Failed != 1 || a.Now != at(2) || *a.Next != at(9) {
		t.Fatalf("advanced %+v: %v", a, err)
	}
	same(t, "order", b.texts(), []string{"a", "c"})
	same(t, "history", b.history(), []string{"a executed", "c executed", "fail failed: TypeError: it failed", "late pending"})
	for e := range b.Queue().All() {
		if ran := e.Status() != queue.Pending; e.HasRun != ran || ran && e.Executed != at(2) {
			t.Errorf("%s ran at %v", e.ID, e.Executed)
		}
	}
	if last := b.State("email").(*notes).LastUpdated; last != at(2) {
		t.Errorf("state is of %v", last)
	}
}

func TestAdvanceAtTheLimits(t *testing.T) {
	b := running(t)
	tests := map[float64]string{
		1e18: "500 Failed to advance time: Python int too large to convert to C int",
		1e14: "500 Failed to advance time: days=1157407407; must have magnitude <= 999999999",
		8e13: "500 Failed to advance time: date value out of range",
		3e11: "500 Failed to advance time: date value out of range",
	}
	for seconds, want := range tests {
		_, err := b.Advance(seconds)
		expect(t, fmt.Sprint(seconds), refusal(err), want)
	}
	a, err := b.Advance(0.0000005)
	if err != nil || a.Now != at(0) {
		t.Errorf("half a microsecond: %+v %v", a, err)
	}
	if a, _ = b.Advance(1e-6); a.Now.Micros() != at(0).Micros()+1 {
		t.Errorf("a microsecond: %v", a.Now)
	}
}

func TestPauseAndHolds(t *testing.T) {
	b := running(t)
	b.plan(t, 1, "a")
	b.Pause()
	_, err := b.Advance(1)
	expect(t, "paused", refusal(err), "400 Cannot advance time while paused")
	if _, err := b.SkipToNext(); err != nil || len(b.texts()) != 1 {
		t.Errorf("skip while paused: %v", err)
	}
	if _, err := b.SetTime(at(5)); err != nil {
		t.Errorf("set while paused: %v", err)
	}
	b.Resume()
	h, err := b.Hold("", 60, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Advance(1)
	expect(t, "held", refusal(err), "409 Time advancement blocked by 1 active hold(s)")
	for _, reason := range []string{"r1", "r2", "r3", "r4"} {
		if _, err := b.Hold(reason, 30, "agent"); err != nil {
			t.Fatal(err)
		}
	}
	const want = "409 Time advancement blocked by 5 active hold(s): r1, r2, r3 (and 1 more)"
	_, err = b.SetTime(at(9))
	expect(t, "held by five", refusal(err), want)
	_, err = b.SkipToNext()
	expect(t, "skip while held", refusal(err), want)
	b.wall = b.wall.Add(30 * time.Second) // four expire
	if err := b.Release(h.ID); err != nil {
		t.Fatal(err)
	}
	expect(t, "release again", refusal(b.Release(h.ID)),
		"404 Hold "+h.ID+" not found. It may have already expired or been released.")
	if _, err := b.Advance(1); err != nil || len(b.Holds()) != 0 {
		t.Errorf("after all holds: %v", err)
	}
}

func TestJumpsForward(t *testing.T) {
	b := running(t)
	b.plan(t, 1, "a")
	b.plan(t, 2, "b")
	b.plan(t, 3, "c")
	j, err := b.SetTime(at(2))
	if err != nil || j.Skipped != 2 {
		t.Fatalf("jumped %+v: %v", j, err)
	}
	const why = "skipped: Time jumped from 2026-01-28 06:00:00+00:00 to 2026-01-28 06:00:02+00:00"
	same(t, "history", b.history(), []string{"a " + why, "b " + why, "c pending"})
	b.plan(t, 2, "now")
	if j, _ := b.SetTime(at(2)); j.Skipped != 0 {
		t.Error("setting the clock to now skipped something")
	}
	_, err = b.SetTime(mustTime("2026-01-28T09:00:00"))
	expect(t, "naive", refusal(err), "500 Failed to set time: can't compare offset-naive and offset-aware datetimes")
}

func TestJumpsBackward(t *testing.T) {
	b := running(t)
	for i, text := range []string{"a", "b", "c", "skipped"} {
		b.plan(t, i+1, text)
	}
	if _, err := b.Advance(3); err != nil {
		t.Fatal(err)
	}
	b.act(t, "acted") // at 3, after everything
	if _, err := b.SetTime(at(4)); err != nil {
		t.Fatal(err)
	}
	j, err := b.SetTime(at(1))
	if err != nil || j.RolledBack != 3 || j.Reset != 1 {
		t.Fatalf("jumped %+v: %v", j, err)
	}
	same(t, "state", b.texts(), []string{"a"})
	same(t, "history", b.history(), []string{"a executed", "b pending", "acted pending", "c pending", "skipped pending"})
	if b.CanRedo() {
		t.Error("what was rolled back can be redone")
	}
	if _, err := b.Advance(10); err != nil {
		t.Fatal(err)
	}
	same(t, "state after running again", b.texts(), []string{"a", "b", "acted", "c", "skipped"})
}

// TestJumpsBackwardOverLateExecutions: what ran after events that are rolled back, but
// was scheduled before them, stays applied.
func TestJumpsBackwardOverLateExecutions(t *testing.T) {
	b := newBench()
	now := at(5)
	b.Clear(&now)
	b.loaded(t, `{"scheduled_time":"2026-01-28T06:00:01Z","created_at":"2026-01-28T06:00:00Z","modality":"email",
		"data":{"timestamp":"2026-01-28T06:00:01Z","text":"past"}}`)
	if err := b.Start(false, 1); err != nil {
		t.Fatal(err)
	}
	b.act(t, "future")
	if a, err := b.SkipToNext(); err != nil || a.Now != at(1) {
		t.Fatalf("skipped %+v: %v", a, err)
	}
	if _, err := b.Advance(9); err != nil {
		t.Fatal(err)
	}
	same(t, "state", b.texts(), []string{"future", "past"})
	if _, err := b.SetTime(at(2)); err != nil {
		t.Fatal(err)
	}
	same(t, "state after going back", b.texts(), []string{"past"})
	same(t, "history", b.history(), []string{"past executed", "future pending"})
	if done, err := b.Undo(5); err != nil || len(done) != 1 {
		t.Errorf("undone %+v: %v", done, err)
	}
}

func TestSkipToAnEventInThePast(t *testing.T) {
	b := running(t)
	b.plan(t, 5, "a")
	b.plan(t, 9, "b")
	if _, err := b.Advance(5); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Undo(1); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := b.Start(false, 1); err != nil {
		t.Fatal(err)
	}
	b.SetTime(at(7)) //nolint:errcheck // only the clock matters
	a, err := b.SkipToNext()
	if err != nil || a.Previous != at(7) || a.Now != at(5) || len(a.Ran) != 1 || *a.Next != at(9) {
		t.Errorf("skipped %+v: %v", a, err)
	}
}

func TestUndoAndRedo(t *testing.T) {
	b := running(t)
	for _, text := range []string{"a", "mute", "b"} {
		b.act(t, text)
	}
	before := b.texts()
	done, err := b.Undo(1)
	if err != nil || len(done) != 1 || done[0].Action != "remove_note" {
		t.Fatalf("undone %+v: %v", done, err)
	}
	same(t, "history", b.history(), []string{"a executed", "mute executed", "b executed"})
	if done, err := b.Redo(9); err != nil || len(done) != 1 || b.CanRedo() {
		t.Fatalf("redone %+v: %v", done, err)
	}
	same(t, "after redo", b.texts(), before)
	b.Undo(1) //nolint:errcheck // checked above
	b.act(t, "c")
	if done, _ := b.Redo(1); len(done) != 0 {
		t.Error("a new execution did not end what can be redone")
	}
	b.act(t, "stuck")
	_, err = b.Undo(5)
	if text := refusal(err); !strings.HasPrefix(text, "500 Undo failed: Undo failed for event ") || !strings.HasSuffix(text, ": it is stuck") {
		t.Errorf("stuck: %s", text)
	}
}

func TestReset(t *testing.T) {
	b := running(t)
	b.act(t, "stuck")
	for i, text := range []string{"a", "b", "fail"} {
		b.plan(t, i+1, text)
	}
	b.Cancel(b.plan(t, 3, "cancelled")) //nolint:errcheck // seen below
	if _, err := b.Advance(3); err != nil {
		t.Fatal(err)
	}
	b.act(t, "acted")
	r := b.Reset()
	same(t, "reset", []any{r.Events, r.Undone, len(r.Errors)}, []any{6, 3, 1})
	expect(t, "text", r.Text(),
		"Reset complete: reversed 3 state changes, reset 6 events to pending status. Warning: 1 undo errors occurred.")
	if b.Running() || b.Clock().Now != at(3) || b.CanUndo() || b.CanRedo() || b.Queue().Count(queue.Pending) != 6 {
		t.Errorf("after reset: %v", b.history())
	}
}

func TestClear(t *testing.T) {
	b := running(t)
	b.plan(t, 1, "a")
	b.act(t, "b")
	b.Hold("", 60, "") //nolint:errcheck // seen below
	to := at(-100)
	c := b.Clear(&to)
	same(t, "cleared", c, world.Cleared{Events: 2, Modalities: 1})
	if b.Running() || b.Clock().Now != to || b.Queue().Len() != 0 || len(b.texts()) != 0 || len(b.Holds()) != 0 || b.CanUndo() {
		t.Errorf("after clear: %v", b.history())
	}
	if last := b.State("email").(*notes).LastUpdated; last != to {
		t.Errorf("state is of %v", last)
	}
}

func TestStartChecksEverything(t *testing.T) {
	b := newBench()
	b.act(t, "invalid")
	bad := b.loaded(t, `{"scheduled_time":"2026-01-28T05:00:00Z","created_at":"2026-01-28T06:00:00Z","modality":"email","status":"failed","data":{"timestamp":"2026-01-28T05:00:00","text":"bad"}}`)
	got := refusal(b.Start(false, 1))
	want := "400 Cannot start simulation with validation errors: ['" + strings.Join([]string{
		"Environment: modality \\'email\\': there is an invalid note",
		"EventQueue: Event " + bad + ": scheduled_time cannot be before created_at",
		"EventQueue: Event " + bad + ": Invalid input data: a note must not be bad",
		"EventQueue: Event " + bad + ": executed_at must be set for status failed",
		"EventQueue: Event " + bad + ": error_message must be set for failed events",
	}, "', '") + "']"
	if strings.ReplaceAll(got, `"`, `'`) != strings.ReplaceAll(strings.ReplaceAll(want, `\'`, `'`), `"`, `'`) {
		t.Errorf("start:\n%s\nwant\n%s", got, want)
	}
	if b.Running() {
		t.Error("it runs all the same")
	}
}

// loaded imports one event in place of all and gives its new id.
func (b *bench) loaded(t *testing.T, text string) string {
	t.Helper()
	doc, err := ordered.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.LoadEvents([]*ordered.Map{doc}, false); err != nil {
		t.Fatal(err)
	}
	for e := range b.Queue().All() {
		return e.ID
	}
	return ""
}

// TestStartByHand: started without auto-advance, the clock stands still, although it tells
// the mode of the start before.
func TestStartByHand(t *testing.T) {
	b := newBench()
	for _, tt := range []struct {
		auto  bool
		moved int
	}{{true, 10}, {false, 10}, {true, 20}} {
		if err := b.Start(tt.auto, 10); err != nil {
			t.Fatal(err)
		}
		b.Resume() // counts from here
		b.wall = b.wall.Add(time.Second)
		b.Tick()
		if b.Moving() != tt.auto || b.Clock().Now != at(tt.moved) || !b.Clock().Auto {
			t.Errorf("auto %v: moving %v, %v", tt.auto, b.Moving(), b.Clock())
		}
		b.Stop()
	}
}

// TestPauseOfAFile: a pause that came with a scenario is lifted by a manual start; one
// that somebody ordered is not.
func TestPauseOfAFile(t *testing.T) {
	env := world.Environment{Now: at(0), Scale: 1, Paused: true, Wall: at(0), States: &ordered.Table[*ordered.Map]{}}
	tests := []struct {
		name   string
		act    func(b *bench)
		auto   bool
		paused bool
	}{
		{"from the file", func(*bench) {}, false, false},
		{"from the file, automatic time", func(*bench) {}, true, true},
		{"ordered since", func(b *bench) { b.Pause() }, false, true},
		{"lifted and ordered since", func(b *bench) { b.Resume(); b.Pause() }, false, true},
	}
	for _, tt := range tests {
		b := newBench()
		if _, err := b.LoadEnvironment(env, world.HistoricIgnore, false); err != nil {
			t.Fatal(err)
		}
		if !b.Clock().Paused {
			t.Errorf("%s: not paused after the import", tt.name)
		}
		tt.act(b)
		if err := b.Start(tt.auto, 1); err != nil {
			t.Fatal(err)
		}
		if b.Clock().Paused != tt.paused {
			t.Errorf("%s: paused %v", tt.name, b.Clock().Paused)
		}
	}
}

func TestMissingModality(t *testing.T) {
	b := newBench()
	env := world.Environment{Now: at(0), Scale: 1, Wall: at(0), States: &ordered.Table[*ordered.Map]{}}
	if _, err := b.LoadEnvironment(env, world.HistoricIgnore, false); err != nil {
		t.Fatal(err)
	}
	out := b.act(t, "a")
	expect(t, "action", out.Error, `KeyError: "Modality 'email' not found in environment. Available modalities: []"`)
	id := b.plan(t, 1, "b")
	if problems := b.Problems(); !slices.Contains(problems, "Event "+id+" references non-existent modality 'email'") {
		t.Errorf("problems: %v", problems)
	}
}

func TestDraftsThatAreRefused(t *testing.T) {
	b := newBench()
	naive := mustTime("2026-01-29T00:00:00")
	tests := []struct {
		name string
		d    world.Draft
		want string
	}{
		{
			"past",
			world.Draft{At: at(-1), Modality: "email"},
			"409 Cannot schedule event in the past. Current time: 2026-01-28T06:00:00+00:00, scheduled: 2026-01-28T05:59:59+00:00",
		},
		{
			"naive",
			world.Draft{At: naive, Modality: "email"},
			"500 Failed to create event: can't compare offset-naive and offset-aware datetimes",
		},
		{
			"unknown",
			world.Draft{At: at(1), Modality: "fax"},
			"404 Unknown modality: fax. Supported modalities: email, sms, chat, calendar, location, weather, time",
		},
	}
	for _, tt := range tests {
		tt.d.Data = data("x")
		_, err := b.Draft(tt.d)
		expect(t, tt.name, refusal(err), tt.want)
	}
	_, err := b.Draft(world.Draft{At: at(1), Modality: "email", Data: &ordered.Map{}})
	if text := refusal(err); !strings.HasPrefix(text, "422 Invalid data for email modality: 1 validation error for EmailInput\ntext\n  Field required") {
		t.Errorf("field level: %s", text)
	}
	e, err := b.Draft(world.Draft{At: at(1), Modality: "email", Data: data("bad")})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "rule level", refusal(b.Schedule(e)), "400 Invalid event: ['Invalid input data: a note must not be bad']")
	if b.Queue().Len() != 0 {
		t.Error("something was scheduled")
	}
}
