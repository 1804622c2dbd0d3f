package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/ues/env"
	"github.com/weft-engine/weft/nodes/ues/uestest"
)

// attic is a shelf that outlives processes.
type attic struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (a *attic) Load(name string) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if data, ok := a.files[name]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

func (a *attic) Save(name string, data []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.files == nil {
		a.files = map[string][]byte{}
	}
	a.files[name] = data
	return nil
}

// simulated is one process with simulated environments. They begin with uestest.Scenario.
func simulated(t *testing.T, text string, store engine.Store, shelf env.Shelf) life {
	t.Helper()
	sp, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(text)}, "_world.json": {Data: []byte(uestest.Scenario)}}, ".", spec.Options{})
	if err := list.Err(); err != nil {
		t.Fatal(list.Sorted())
	}
	vault := &secret.Vault{Getenv: func(string) (string, bool) { return "", false }}
	keeper := &env.Keeper{Now: uestest.Wall, Wait: uestest.Wait, Shelf: shelf, Vault: vault}
	t.Cleanup(func() { _ = keeper.Close() })
	program, found := compile.Program(sp, nodes.Types(nodes.Deps{UES: keeper, Now: uestest.Wall, Vault: vault}))
	if err := found.Err(); err != nil {
		t.Fatal(found.Sorted())
	}
	ids := 0
	return life{program: program, runner: &local.Runner{
		Store: store, Clock: local.Wall{}, Owner: "owner", Vault: vault,
		NewID: func() string { ids++; return fmt.Sprint("run", ids) }, Rand: func() float64 { return 0 },
	}}
}

func (l life) main(ctx context.Context) (local.Result, error) {
	return l.runner.Run(ctx, l.program, local.Start{Thread: "th", Graph: "main"})
}

const inSimulatedTime = `
name: simulated
clock: ues
environment: {scenario: {file: _world.json}}
graphs:
  main:
    state: {began: {type: string}, woke: {type: string, default: ""}, decided: {type: string, default: ""}, moved: {type: string, default: ""}}
    start: begin
    nodes:
      begin: {set: {began: "{{ string(run.now) }}"}, next: [sleep, ask, move]}
      sleep: {wait: {for: 3h}, set: {woke: "{{ output.at }}"}}
      ask: {interrupt: {allow: [accept, ignore], title: "Well?", timeout: {after: 2h, as: ignore}}, set: {decided: "{{ output.response }}"}}
      move: {ues_advance: {by: MOVE}, set: {moved: "{{ output.to }}"}}
`

// What waits for time waits for simulated time: timers fire and questions time out when
// the run itself moves it, and nothing waits for the machine's clock.
func TestRunsLiveInSimulatedTime(t *testing.T) {
	for by, want := range map[string]map[string]any{
		"4h":   {"woke": "2026-01-28T10:00:00Z", "decided": "ignore"},
		"150m": {"woke": "", "decided": "ignore"},
		"1h":   {"woke": "", "decided": ""},
	} {
		l := simulated(t, strings.Replace(inSimulatedTime, "MOVE", by, 1), inmem.New(), nil)
		res, err := l.main(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want["woke"] != "" {
			if res.Status != engine.Done {
				t.Errorf("%s: %s", by, res.Status)
			}
			got := map[string]any{"woke": res.State["woke"], "decided": res.State["decided"]}
			if diff := cmp.Diff(want, got); diff != "" || res.State["began"] != "2026-01-28T06:00:00Z" {
				t.Errorf("%s: began %v\n%s", by, res.State["began"], diff)
			}
			continue
		}
		wake := uestest.Begin.Add(3 * time.Hour)
		if want["decided"] == "" {
			wake = uestest.Begin.Add(2 * time.Hour)
		}
		if res.Status != engine.Parked || res.Wake == nil || !res.Wake.Equal(wake) || len(res.Interrupts) != map[bool]int{true: 1}[want["decided"] == ""] {
			t.Errorf("%s: %s until %v, %d questions", by, res.Status, res.Wake, len(res.Interrupts))
		}
	}
}

const busyDay = `
name: everything
clock: ues
environment: {scenario: {file: _world.json}}
tools:
  answer:
    description: Answers.
    parameters: {type: object, required: [id], properties: {id: {type: string}}}
    ues: {action: email.reply, args: {message_id: "{{ args.id }}", body_text: Gladly.}}
  plan:
    description: Plans.
    parameters: {type: object, properties: {title: {type: string}}}
    ues: {action: calendar.create, args: {title: "{{ args.title }}", start: "2026-01-29T10:00:00Z", end: "2026-01-29T11:00:00Z"}}
  say:
    description: Says.
    parameters: {type: object, properties: {content: {type: string}}}
    ues: {action: chat.send}
graphs:
  main:
    state:
      cursor: {type: object, additionalProperties: true, default: {}}
      mails: {type: array, items: {type: string}, default: []}
      made: {type: object, additionalProperties: true, default: {}}
      counts: {type: object, additionalProperties: true, default: {}}
      acts: {type: array, items: {type: string}, default: []}
    output: {mails: "{{ mails }}", counts: "{{ counts }}", acts: "{{ acts }}", time: "{{ run.now }}"}
    start: look
    nodes:
      look: {ues: {collect: {}}, set: {cursor: "{{ output.cursor }}"}, next: invite}
      invite: {ues: {inject: {action: email.receive, args: {from_address: eve@company.com, to_addresses: [me@company.com], subject: Party, body_text: Come!}}}, next: expect}
      expect:
        ues: {schedule: {time: "2026-01-28T07:10:00Z", modality: chat, data: {operation: send_message, role: user, content: "Well?"}}}
        next: guest
      guest: {ues: {create_key: {name: Guest}}, set: {made: "{{ output }}"}, next: move}
      move: {ues_advance: {by: 1h}, next: answer}
      answer: {tool: {name: answer, args: {id: m1}}, next: plan}
      plan: {tool: {name: plan, args: {title: Lunch}}, next: say}
      say: {tool: {name: say, args: {content: Done.}}, next: again}
      again: {tool: {name: say, args: {content: Done.}}, next: rest}
      rest: {ues_advance: {until: "2026-01-28T08:00:00Z"}, next: count}
      count:
        ues: {summary: {}}
        set: {counts: "{{ {emails: output.email.total_emails, entries: output.calendar.event_count, messages: output.chat.total_messages} }}"}
        next: collect
      collect:
        ues: {collect: {since: "{{ cursor }}"}}
        set:
          mails: "{{ map(output.emails, .subject) }}"
          acts: "{{ map(output.events, .action) }}"
        next: drop
      drop: {ues: {revoke_key: "{{ made.key_id }}"}}
`

// A process dies at each of its appends; another goes on with what was kept of thread and
// world. Whatever the point: each act once, time moved once, and nobody is asked.
func TestDeathInASimulatedWorld(t *testing.T) {
	want := map[string]any{
		"mails":  []any{"Party", "Numbers", "Re: Lunch?", "Re: Numbers"},
		"counts": map[string]any{"emails": 5, "entries": 2, "messages": 3},
		"acts":   []any{"email.receive", "email.send", "calendar.create", "chat.send_message", "chat.send_message", "email.receive", "chat.send_message", "email.receive"},
		"time":   "2026-01-28T08:00:00Z",
	}
	for _, after := range []bool{false, true} {
		for at := int32(1); ; at++ {
			store, shelf := inmem.New(), &attic{}
			first, died := simulated(t, busyDay, mortalUntil(store, at, after), shelf).main(t.Context())
			if died != nil && !errors.Is(died, errDead) {
				t.Fatalf("after %v at %d: %v", after, at, died)
			}
			if died == nil {
				checkDay(t, fmt.Sprintf("without a death (after %v)", after), first, want)
				checkNoSecret(t, store)
				break
			}
			l := simulated(t, busyDay, store, shelf)
			res, err := l.runner.Resume(t.Context(), l.program, "th")
			switch {
			case errors.Is(err, engine.ErrNotFound):
				res, err = l.main(t.Context())
			case errors.Is(err, engine.ErrFinished):
				res, err = l.runner.Show(t.Context(), l.program, "th")
			}
			if err != nil {
				t.Fatalf("after %v at %d, again: %v", after, at, err)
			}
			checkDay(t, fmt.Sprintf("after %v at %d", after, at), res, want)
		}
	}
}

func checkDay(t *testing.T, name string, res local.Result, want map[string]any) {
	t.Helper()
	if res.Status != engine.Done {
		t.Errorf("%s: %s, failure %v, interrupts %v", name, res.Status, res.Failure, res.Interrupts)
		return
	}
	got, _ := res.Output.(map[string]any)
	acts, _ := got["acts"].([]any)
	if len(acts) != len(want["acts"].([]any)) {
		t.Errorf("%s: acts %v", name, acts)
	}
	for _, field := range []string{"mails", "counts", "time"} {
		if diff := cmp.Diff(want[field], got[field]); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", name, field, diff)
		}
	}
}

// checkNoSecret looks for what could be a secret in the journal: 64 hexadecimal digits
// that are not the hash of the spec.
func checkNoSecret(t *testing.T, store engine.Store) {
	t.Helper()
	for rec, err := range store.Read(t.Context(), "th", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if text := string(rec.Data); strings.Contains(text, "ues-key:") {
			if run := longestHex(text); run >= 64 {
				t.Errorf("event %d holds a secret: %s", rec.Seq, text)
			}
		}
	}
}

func longestHex(text string) int {
	most, n := 0, 0
	for _, r := range text {
		if strings.ContainsRune("0123456789abcdef", r) {
			n++
		} else {
			n = 0
		}
		most = max(most, n)
	}
	return most
}
