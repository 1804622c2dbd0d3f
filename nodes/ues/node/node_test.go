package node_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
	"github.com/weft-engine/weft/nodes/ues"
	"github.com/weft-engine/weft/nodes/ues/env"
	"github.com/weft-engine/weft/nodes/ues/node"
	"github.com/weft-engine/weft/nodes/ues/uestest"
)

type data = map[string]any

// world is a keeper whose thread has a world of uestest.Scenario.
type world struct {
	keeper *env.Keeper
	types  build.Types
}

func newWorld(t *testing.T) *world {
	t.Helper()
	k := &env.Keeper{Now: uestest.Wall, Wait: uestest.Wait, IDs: uestest.IDs, Vault: &secret.Vault{}}
	t.Cleanup(func() { _ = k.Close() })
	return &world{k, build.Types{Nodes: []build.NodeType{node.Type(k), node.AdvanceType(k)}, Environment: env.Compile}}
}

func (w *world) admin(t *testing.T) *ues.Client {
	t.Helper()
	e, err := w.keeper.Open(t.Context(), "thread", env.Target{Place: &env.Place{Scenario: []byte(uestest.Scenario)}})
	if err != nil {
		t.Fatal(err)
	}
	return e.Admin
}

// root is a spec with one node.
func root(t *testing.T, config string) *source.Value {
	t.Helper()
	v, list := spec.Decode([]byte("environment: {scenario: "+uestest.Scenario+"}\ngraphs:\n  main:\n    state: {x: {}}\n    start: n\n    nodes:\n      n: {"+config+"}\n"), "spec.yaml")
	if list.HasErrors() {
		t.Fatal(config, list.Sorted())
	}
	return v
}

func (w *world) run(t *testing.T, config string, scope data) (any, *nodetest.Run, error) {
	t.Helper()
	r := &nodetest.Run{Plan: nodetest.Plan(t, w.types, root(t, config), "main", "n").Plan, Scope: scope}
	out, err := r.Do(t)
	return out, r, err
}

func (w *world) do(t *testing.T, config string, scope data) data {
	t.Helper()
	out, _, err := w.run(t, config, scope)
	if err != nil {
		t.Fatalf("%s: %v", config, err)
	}
	fields, _ := out.(data)
	return fields
}

// What an assessment begins with, and again for the next one.
func TestAWorldIsSetUpAndTakenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		if got := w.do(t, `ues: {clear: {time: "2026-01-01T00:00:00Z"}}`, nil); got["time"] != "2026-01-01T00:00:00Z" {
			t.Fatal(got)
		}
		got := w.do(t, `ues: {import: "{{ x }}"}`, data{"x": data{"scenario": uestest.Data(t), "strict_modalities": false}})
		if diff := cmp.Diff(data{"events": 2, "modalities": []any{"calendar", "chat", "email", "sms"}, "warnings": []any{}}, got); diff != "" {
			t.Error(diff)
		}
		for range 2 { // the second does no harm
			if got := w.do(t, `ues: {start: {}}`, nil); got["time"] != "2026-01-28T06:00:00Z" {
				t.Fatal(got)
			}
		}
		w.do(t, `ues: {inject: {action: chat.send, args: {role: user, content: "{{ x }}"}}}`, data{"x": "Sort my mail."})
		want := data{
			"time": "2026-01-28T06:00:00Z", "email": data{"total_emails": 1, "total_threads": 0, "unread": 1, "draft_count": 0},
			"sms": data{"total_messages": 0, "total_conversations": 0, "unread": 0}, "calendar": data{"event_count": 1, "calendar_count": 1, "events_today": 0},
			"chat": data{"total_messages": 1, "conversation_count": 1},
		}
		if diff := cmp.Diff(want, w.do(t, `ues: {summary: {}}`, nil)); diff != "" {
			t.Error(diff)
		}
		w.do(t, `ues: {stop: {}}`, nil)
	}
	if _, _, err := w.run(t, `ues: {import: "{{ x }}"}`, data{"x": "no scenario"}); err == nil {
		t.Error("a text was imported")
	}
}

func TestAScenarioInPlaceIsData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(t, `ues: {stop: {}}`, nil)
	scenario := strings.Replace(uestest.Scenario, "At noon?", "{{ not.an.expression }}", 1)
	w.do(t, "ues: {import: "+scenario+"}", nil)
	if box, err := w.admin(t).Email().State(t.Context()); err != nil || box.Emails["m1"].BodyText != "{{ not.an.expression }}" {
		t.Errorf("%q, %v", box.Emails["m1"].BodyText, err)
	}
}

func TestSnapshots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	keys := func(v any) string {
		states, _ := v.(data)["states"].(data)
		var out []string
		for _, name := range []string{"email", "sms", "calendar", "chat", "contacts", "location", "weather"} {
			if state, ok := states[name].(data); ok {
				out = append(out, fmt.Sprint(state["modality_type"]))
			}
		}
		return strings.Join(out, " ")
	}
	if got := keys(w.do(t, `ues: {snapshot: []}`, nil)); got != "email sms calendar chat" {
		t.Errorf("all: %s", got)
	}
	if got := keys(w.do(t, `ues: {snapshot: [chat]}`, nil)); got != "chat" {
		t.Errorf("one: %s", got)
	}
	for _, name := range []string{"weather", "../keys"} { // one that this world lacks, and none at all
		if _, _, err := w.run(t, `ues: {snapshot: ["`+name+`"]}`, nil); err == nil {
			t.Errorf("%s has a state", name)
		}
	}
}

// What is new is told once, also when it bears the very time of the last look.
func TestCollectTellsEachThingOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	subjects := func(out data) (got []string) {
		for list, id := range map[string]string{"emails": "subject", "sms": "body", "calendar_events": "title"} {
			for _, item := range out[list].([]any) {
				got = append(got, fmt.Sprint(item.(data)[id]))
			}
		}
		return got
	}
	look := func(cursor any) (data, any) {
		config := `ues: {collect: {}}`
		if cursor != nil {
			config = `ues: {collect: {since: "{{ x }}"}}`
		}
		out := w.do(t, config, data{"x": cursor})
		return out, out["cursor"]
	}
	first, cursor := look(nil)
	if got := subjects(first); got != nil || len(first["events"].([]any)) != 0 {
		t.Errorf("a first look tells %v", got)
	}
	receive := func(subject string) {
		w.do(t, `ues: {inject: {action: email.receive, args: {from_address: a@b.io, to_addresses: [me@company.com], subject: "{{ x }}", body_text: x}}}`, data{"x": subject})
	}
	for _, step := range []struct {
		do   func()
		want []string
		acts int
	}{
		{func() { receive("one") }, []string{"one"}, 1}, // at the time of the look before
		{func() {}, nil, 0},
		{func() { receive("two") }, []string{"two"}, 1}, // again at that time
		{func() { w.do(t, `ues_advance: {by: 1h}`, nil) }, []string{"Numbers"}, 1},
		{func() {
			w.do(t, `ues: {inject: {action: calendar.create, args: {title: Lunch, start: "2026-01-28T12:00:00Z", end: "2026-01-28T13:00:00Z"}}}`, nil)
		}, []string{"Lunch"}, 1},
		{func() {
			w.do(t, `ues: {inject: {action: calendar.update, args: {event_id: e1, title: Talk}}}`, nil)
			w.do(t, `ues: {inject: {action: sms.receive, args: {from_number: "+15550100009", to_numbers: ["+15550100000"], body: Hello}}}`, nil)
		}, []string{"Hello"}, 2},
		{func() {}, nil, 0},
	} {
		step.do()
		var out data
		out, cursor = look(cursor)
		if diff := cmp.Diff(step.want, subjects(out)); diff != "" || len(out["events"].([]any)) != step.acts {
			t.Errorf("%v: %d acts %s", step.want, len(out["events"].([]any)), diff)
		}
	}
	out, _ := look("2026-01-28T07:00:00Z")
	if got := strings.Join(subjects(out), " "); !strings.Contains(got, "Numbers") || !strings.Contains(got, "Lunch") || strings.Contains(got, "one") || strings.Contains(got, "Talk") {
		t.Errorf("since an instant: %s", got)
	}
	for _, bad := range []any{7, data{"time": "soon"}, "soon"} {
		if _, _, err := w.run(t, `ues: {collect: {since: "{{ x }}"}}`, data{"x": bad}); err == nil {
			t.Errorf("%v is a cursor", bad)
		}
	}
}

// The acts of one key are told apart from those of all others, as action and parameters.
func TestCollectTellsTheActsOfOneAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.do(t, `ues: {create_key: {name: Guest, permissions: ["chat:send"]}}`, nil)
	w.do(t, `ues: {inject: {action: chat.send, args: {content: From outside}}}`, nil)
	w.do(t, `ues: {inject: {action: chat.send, args: {content: From the guest}}, at: {key: "{{ x }}"}}`, data{"x": made["key"]})
	out := w.do(t, `ues: {collect: {since: "2026-01-28T06:00:00Z", agent_id: "{{ x }}"}}`, data{"x": made["key_id"]})
	acts, _ := out["events"].([]any)
	if len(acts) != 1 {
		t.Fatal(acts)
	}
	act, _ := acts[0].(data)
	parameters, _ := act["parameters"].(data)
	if act["action"] != "chat.send_message" || act["agent_id"] != made["key_id"] || parameters["content"] != "From the guest" || parameters["operation"] != nil || parameters["modality_type"] != "chat" {
		t.Errorf("%v", act)
	}
	w.do(t, `ues: {revoke_key: "{{ x }}"}`, data{"x": made["key_id"]})
	if _, _, err := w.run(t, `ues: {query: {action: chat.query}, at: {key: "{{ x }}"}}`, data{"x": made["key"]}); err == nil {
		t.Error("a revoked key opens")
	}
}

func TestASecretIsNotInTheData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, r, err := w.run(t, `ues: {create_key: {name: Guest}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	value, err := w.keeper.Secret(out.(data)["key"].(string))
	if err != nil || len(value) != 64 {
		t.Fatal(value, err)
	}
	if text := fmt.Sprint(out, r.Ops[0].(*engine.Perform).Args); strings.Contains(text, value) {
		t.Errorf("the data has it: %s", text)
	}
	if got := fmt.Sprintf("%v %+v", out.(data)["permissions"], len(ues.UserPermissions())); !strings.HasSuffix(got, " 29") || !strings.Contains(got, "email:send") {
		t.Errorf("permissions %s", got)
	}
}

func TestTimeIsMovedInTwoParts(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]struct {
		parts string
		to    string
		ran   int
	}{
		`{by: 1h}`:                        {"1s 59m59s", "2026-01-28T07:00:00Z", 1},
		`{by: PT1H, apply: 0s}`:           {"1h0m0s", "2026-01-28T07:00:00Z", 1},
		`{by: "{{ x }}"}`:                 {"1s 1h59m58.5s", "2026-01-28T07:59:59.5Z", 2},
		`{by: 500ms}`:                     {"500ms", "2026-01-28T06:00:00.5Z", 0},
		`{by: 0s}`:                        {"", "2026-01-28T06:00:00Z", 0},
		`{until: "2026-01-28T07:15:00Z"}`: {"1s 1h14m59s", "2026-01-28T07:15:00Z", 1},
		`{until: "{{ date('2026-01-28T02:15:00-05:00') }}"}`: {"1s 1h14m59s", "2026-01-28T07:15:00Z", 1},
		`{until: "2020-01-01T00:00:00Z"}`:                    {"", "2026-01-28T06:00:00Z", 0},
		`{by: PT1H, phase: apply}`:                           {"1s", "2026-01-28T06:00:01Z", 0},
		`{by: PT0S, phase: apply}`:                           {"1s", "2026-01-28T06:00:01Z", 0},
		`{by: PT1H, phase: rest}`:                            {"59m59s", "2026-01-28T06:59:59Z", 0},
		`{by: PT1.9S, phase: rest}`:                          {"", "2026-01-28T06:00:00Z", 0},
		`{by: PT1H, phase: rest, apply: 30s}`:                {"59m30s", "2026-01-28T06:59:30Z", 0},
	} {
		w := newWorld(t)
		out, r, err := w.run(t, "ues_advance: "+config, data{"x": 2*time.Hour - 500*time.Millisecond})
		if err != nil {
			t.Fatalf("%s: %v", config, err)
		}
		var parts []string
		for _, op := range r.Ops[1:] {
			parts = append(parts, op.(*engine.Perform).Args.(data)["by"].(string))
		}
		got := out.(data)
		if strings.Join(parts, " ") != want.parts || got["to"] != want.to || got["events_executed"] != want.ran || len(got["events"].([]any)) != want.ran || got["from"] != "2026-01-28T06:00:00Z" {
			t.Errorf("%s: %v %v", config, parts, got)
		}
	}
	for _, config := range []string{`{by: "{{ x }}"}`, `{until: "{{ x }}"}`} {
		if _, _, err := newWorld(t).run(t, "ues_advance: "+config, data{"x": 7}); err == nil {
			t.Errorf("%s: 7 is taken", config)
		}
	}
}

// An advance that may have been made is settled by a look at the clock.
func TestAnAdvanceIsSettledByTheClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		moved time.Duration
		found bool
		err   bool
	}{
		"not made": {0, false, false}, "made": {time.Hour, true, false}, "made, and moved on": {2 * time.Hour, true, false}, "somebody else moved": {time.Minute, false, true},
	} {
		w := newWorld(t)
		_, r, err := w.run(t, `ues_advance: {by: 1h, apply: 0s}`, nil)
		if err != nil {
			t.Fatal(err)
		}
		op := r.Ops[1].(*engine.Perform)
		fresh := newWorld(t)
		admin := fresh.admin(t)
		if c.moved > 0 {
			if _, err := admin.Time().Advance(t.Context(), c.moved); err != nil {
				t.Fatal(err)
			}
		}
		again := nodetest.Plan(t, fresh.types, root(t, `ues_advance: {by: 1h, apply: 0s}`), "main", "n")
		move, err := again.Plan.Next(engine.NewInvocation(nil, engine.Outcome{Value: "2026-01-28T06:00:00Z"}))
		if err != nil || op.Effect != engine.EffectOnce || !again.Once {
			t.Fatal(move, err)
		}
		in := move.Op.(*engine.Perform)
		res, found, err := in.Handler.(engine.Looker).Lookup(t.Context(), engine.Call{Thread: "thread", Request: in.Request})
		if found != c.found || (err != nil) != c.err {
			t.Errorf("%s: %v %v", name, found, err)
		}
		if got, _ := res.Value.(data); name == "made" && (got["events_executed"] != 1 || got["to"] != "2026-01-28T07:00:00Z") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestScheduledEventsAreFoundAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const config = `ues: {schedule: {time: "{{ x }}", modality: chat, data: {operation: send_message, role: user, content: Hi}, priority: 7, agent_id: guest}}`
	scope := data{"x": uestest.Begin.Add(time.Minute)}
	n := nodetest.Plan(t, w.types, root(t, config), "main", "n")
	move, err := n.Plan.Next(engine.NewInvocation(scope))
	if err != nil || !n.Once {
		t.Fatal(err)
	}
	op := move.Op.(*engine.Perform)
	look := func() bool {
		_, found, err := op.Handler.(engine.Looker).Lookup(t.Context(), engine.Call{Thread: "thread", Request: op.Request})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if look() {
		t.Error("found before")
	}
	made := w.do(t, config, scope)
	if !look() {
		t.Error("not found")
	}
	id, _ := made["event_id"].(string)
	e, err := w.admin(t).Events().Get(t.Context(), id)
	if err != nil || e.Priority != 7 || *e.AgentID != "guest" || !e.ScheduledTime.Equal(uestest.Begin.Add(time.Minute)) {
		t.Errorf("%+v, %v", e, err)
	}
	if _, _, err := w.run(t, config, data{"x": uestest.Begin.Add(-time.Minute)}); err == nil || !strings.Contains(err.Error(), "past") {
		t.Errorf("an event in the past: %v", err)
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for config, want := range map[string]string{
		`ues: {query: {action: email.send, args: {}}}`:                        "ues/action",
		`ues: {inject: {action: email.query, args: {}}}`:                      "ues/action",
		`ues: {query: {action: email.query, args: {folder: "{{ nobody }}"}}}`: "expr/unknown-name",
		`ues_advance: {by: 1h, apply: 1000000000h}`:                           "spec/duration",
		`ues: {stop: {}, at: {url: "nowhere"}}`:                               "ues/address",
	} {
		_, findings := nodetest.Node(t, w.types, root(t, config), "main", "n")
		if len(findings) == 0 || findings[0].Code != diag.Code(want) {
			t.Errorf("%s: %v", config, findings)
		}
	}
}

func TestWhatOthersWroteIsUntrusted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for config, want := range map[string]bool{`ues: {collect: {}}`: true, `ues: {snapshot: []}`: true, `ues: {query: {action: time.get}}`: true, `ues: {summary: {}}`: false} {
		n := nodetest.Plan(t, w.types, root(t, config), "main", "n")
		if got := n.Output != nil && n.Output.Untrusted; got != want {
			t.Errorf("%s: untrusted %v", config, got)
		}
	}
}

func TestWithoutEnvironmentsNothingIsDone(t *testing.T) {
	t.Parallel()
	types := build.Types{Nodes: []build.NodeType{node.Type(nil), node.AdvanceType(nil)}, Environment: env.Compile}
	for _, config := range []string{`ues: {stop: {}}`, `ues_advance: {by: 1h}`} {
		r := &nodetest.Run{Plan: nodetest.Plan(t, types, root(t, config), "main", "n").Plan}
		_, err := r.Do(t)
		var f *engine.Failure
		if !errors.As(err, &f) || f.Class != engine.Permanent {
			t.Errorf("%s: %v", config, err)
		}
	}
}
