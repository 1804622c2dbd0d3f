package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/ingest"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/engine/trigger"
	"github.com/weft-engine/weft/nodes"
)

const listener = `
name: listener
tools:
  note:
    description: Has an effect.
    parameters: {type: object, required: [text], properties: {text: {type: string}}}
    ues: {}
    effect: once
triggers:
  mail:
    webhook: {}
    graph: main
    input: {text: "{{ event.text }}"}
    thread: "conversation-{{ event.from }}"
    when_open: WHEN
graphs:
  main:
    input: {type: object, required: [text], properties: {text: {type: string}}}
    start: look
    nodes:
      look: {tool: {name: note, args: {text: "{{ input.text }}"}}, next: [{when: 'input.text contains "?"', to: ask}, {to: end}]}
      ask: {interrupt: {allow: [respond], title: "{{ input.text }}"}, next: end}
`

// mailbox is a source whose cursor is how many events were given.
type mailbox struct {
	mu     sync.Mutex
	events []trigger.Event
	chunk  int
	fails  error
	sign   string
	polls  int
}

func (m *mailbox) receive(key, from, text string) {
	m.events = append(m.events, trigger.Event{Key: key, Data: map[string]any{"from": from, "text": text}})
}

func (m *mailbox) Sign() string { return m.sign }

// Poll gives the last event again, as mailboxes do.
func (m *mailbox) Poll(_ context.Context, cursor string) (trigger.Batch, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.polls++
	if m.fails != nil {
		return trigger.Batch{}, m.fails
	}
	var from int
	_, _ = fmt.Sscan(cursor, &from)
	to := min(from+m.chunk, len(m.events))
	return trigger.Batch{Events: m.events[max(0, from-1):to], Cursor: fmt.Sprint(to), More: to < len(m.events)}, nil
}

// notes is the world that runs have an effect on.
type notes struct {
	mu    sync.Mutex
	texts []string
	keys  map[string]bool
	down  bool
}

func (n *notes) Op(call chat.ToolCall, _ map[string]any) (engine.Op, any, error) {
	return &engine.Perform{Handler: n, Request: call.Args["text"]}, nil, nil
}

func (n *notes) Handle(_ context.Context, call engine.Call) (engine.Result, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down {
		return engine.Result{}, &engine.Failure{Class: engine.Permanent, Message: "the world is down"}
	}
	n.texts, n.keys[call.Key] = append(n.texts, call.Request.(string)), true
	return engine.Result{Value: "noted"}, nil
}

func (n *notes) Lookup(_ context.Context, call engine.Call) (engine.Result, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return engine.Result{Value: "noted"}, n.keys[call.Key], nil
}

// listening is a spec with a trigger, its mailbox and its world.
type listening struct {
	program *engine.Program
	box     *mailbox
	world   *notes
}

func listen(t testing.TB, when string) *listening {
	t.Helper()
	sp, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(strings.ReplaceAll(listener, "WHEN", when))}}, ".", spec.Options{})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	l := &listening{box: &mailbox{chunk: 2}, world: &notes{keys: map[string]bool{}}}
	types := nodes.Types(nodes.Deps{})
	types.Backends = []build.BackendType{{Name: "ues", Build: func(*build.Scope, *engine.Tool, *source.Value) build.Backend { return build.Backend{Backend: l.world} }}}
	types.Sources = []build.SourceType{{Name: "webhook", Build: func(*build.Scope, *source.Value) build.Source { return build.Source{Source: l.box} }}}
	if l.program, list = compile.Program(sp, types); list.HasErrors() {
		t.Fatal(list.Err())
	}
	return l
}

// pass is one pass by a process of its own.
func (l *listening) pass(t testing.TB, store engine.Store, owner string, force bool) (ingest.Report, []string, error) {
	return l.passWith(t, store, owner, ingest.Options{Force: force})
}

func (l *listening) passWith(t testing.TB, store engine.Store, owner string, o ingest.Options) (ingest.Report, []string, error) {
	t.Helper()
	var told []string
	ids := 0
	i := &ingest.Ingester{
		Store: store, Program: l.program, Owner: owner, Now: time.Now, Parallel: 1,
		Runner: &local.Runner{
			Store: store, Clock: local.Wall{}, Owner: owner, NewID: func() string { ids++; return fmt.Sprint(owner, ids) }, Rand: func() float64 { return 0 },
		},
		Pinned: func(context.Context, engine.Head) (*engine.Program, error) { return l.program, nil },
		Tell:   func(i ingest.Item) { told = append(told, fmt.Sprint(i.Key, " ", i.Outcome, " ", i.Status)) },
	}
	r, err := i.Pass(t.Context(), "mail", o)
	return r, told, err
}

func TestPass(t *testing.T) {
	l, store := listen(t, "queue"), inmem.New()
	l.box.receive("1", "ann", "Hello")
	l.box.receive("2", "ben", "Lunch?")
	l.box.receive("3", "ann", "One more")
	l.box.receive("3", "ann", "One more") // a source may say a thing twice
	l.box.receive("4", "ben", "Or dinner")
	r, told, err := l.pass(t, store, "a", false)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1 ran done", "2 ran parked", "3 ran done", "4 waits "}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.New != 4 || r.Ran != 3 || r.Waiting != 1 {
		t.Errorf("%+v", r)
	}
	if r, told, err = l.pass(t, store, "b", false); err != nil || r.New != 0 || !slices.Equal(told, []string{"4 waits "}) {
		t.Errorf("nothing is new: %+v %v %v", r, told, err)
	}
	var open engine.Head
	for h, err := range store.Threads(t.Context(), engine.Filter{Interrupt: true}) {
		if err != nil {
			t.Fatal(err)
		}
		open = h
	}
	runner := &local.Runner{Store: store, Clock: local.Wall{}, Owner: "human", NewID: func() string { return "x" }, Rand: func() float64 { return 0 }}
	answer := engine.Answer{Interrupt: open.Summary.Interrupts[0].ID, Response: engine.Respond, Text: "yes"}
	if _, err := runner.Resume(t.Context(), l.program, open.Thread, answer); err != nil {
		t.Fatal(err)
	}
	if r, told, err = l.pass(t, store, "c", false); err != nil || r.Waiting != 0 || !slices.Equal(told, []string{"4 ran done"}) {
		t.Errorf("after the answer: %+v %v %v", r, told, err)
	}
	if diff := cmp.Diff([]string{"Hello", "Lunch?", "One more", "Or dinner"}, l.world.texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhenOpen(t *testing.T) {
	for when, want := range map[string][]string{
		"queue":     {"1 ran parked", "2 waits "},
		"skip":      {"1 ran parked", "2 skipped ", "3 skipped "},
		"supersede": {"1 ran parked", "2 ran parked", "3 ran done"},
	} {
		l := listen(t, when)
		l.box.chunk = 9
		l.box.receive("1", "ann", "Lunch?")
		l.box.receive("2", "ann", "Dinner?")
		l.box.receive("3", "ann", "Forget it")
		_, told, err := l.pass(t, inmem.New(), "a", false)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
}

// A process that makes a pass dies at each of its appends; others go on. Every event
// is handled once, in order.
func TestPassesThatDie(t *testing.T) {
	for _, after := range []bool{false, true} {
		for at := int32(1); ; at++ {
			l, store := listen(t, "supersede"), inmem.New()
			l.box.receive("1", "ann", "one")
			l.box.receive("2", "ben", "two")
			l.box.receive("3", "ann", "three?")
			l.box.receive("4", "ann", "four")
			_, _, died := l.pass(t, mortalUntil(store, at, after), "a", false)
			if died != nil && !errors.Is(died, errDead) {
				t.Fatalf("after %v at %d: %v", after, at, died)
			}
			for range 2 { // by the same owner: leases end with their process
				if _, _, err := l.pass(t, store, "a", false); err != nil {
					t.Fatalf("after %v at %d: %v", after, at, err)
				}
			}
			if got := slices.Sorted(slices.Values(l.world.texts)); !slices.Equal(got, []string{"four", "one", "three?", "two"}) {
				t.Fatalf("after %v at %d: %v", after, at, l.world.texts)
			}
			if ann := slices.DeleteFunc(l.world.texts, func(s string) bool { return s == "two" }); !slices.Equal(ann, []string{"one", "three?", "four"}) {
				t.Fatalf("after %v at %d: %v", after, at, ann)
			}
			if died == nil && at > 40 {
				break
			}
		}
	}
}

// held is a store in which a thread is driven by somebody else when it is first asked for.
type held struct {
	engine.Store
	thread engine.ThreadID
	times  int
}

func (h *held) Acquire(ctx context.Context, id engine.ThreadID, owner string) (engine.Head, error) {
	if id == h.thread && h.times > 0 {
		h.times--
		return engine.Head{}, engine.ErrLeased
	}
	return h.Store.Acquire(ctx, id, owner)
}

// A process dies in the middle of a run, and somebody else drives the thread for a moment
// when the next pass comes to it. The run that has begun is the only one.
func TestPassBesideADriver(t *testing.T) {
	for at := int32(1); ; at++ {
		l, store := listen(t, "queue"), inmem.New()
		l.box.receive("1", "ann", "one")
		_, _, died := l.pass(t, mortalUntil(store, at, true), "a", false)
		for range 2 {
			if _, _, err := l.pass(t, &held{Store: store, thread: "conversation-ann", times: 1}, "a", false); err != nil {
				t.Fatalf("at %d: %v", at, err)
			}
		}
		if diff := cmp.Diff([]string{"one"}, l.world.texts); diff != "" {
			t.Errorf("at %d (-want +got):\n%s", at, diff)
		}
		if died == nil {
			return
		}
	}
}

func TestPassesSideBySide(t *testing.T) {
	l, store := listen(t, "queue"), inmem.New()
	for i := range 50 {
		l.box.receive(fmt.Sprint(i), fmt.Sprint("from", i%10), fmt.Sprint("text", i))
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for done := false; !done; {
				r, _, err := l.pass(t, store, fmt.Sprint("p", i), false)
				if err != nil {
					t.Error(err)
				}
				done = !r.Busy
			}
		})
	}
	wg.Wait()
	if n := len(l.world.texts); n != 50 {
		t.Errorf("%d effects of 50 events", n)
	}
}

// A ledger that is long is folded from a snapshot, and knows what it knew.
func TestLongLedger(t *testing.T) {
	l, store := listen(t, "queue"), inmem.New()
	l.box.chunk = 100
	for i := range 600 {
		l.box.receive(fmt.Sprint(i), fmt.Sprint("from", i), "Hello")
	}
	l.box.receive("ask", "ann", "Lunch?")
	l.box.receive("wait", "ann", "Hello")
	if r, _, err := l.pass(t, store, "a", false); err != nil || r.Ran != 601 || r.Waiting != 1 {
		t.Fatal(r, err)
	}
	var head engine.Head
	head, err := store.Acquire(t.Context(), ingest.LedgerID("listener", "mail"), "look")
	if err != nil || head.Snapshot == nil || head.SnapshotSeq != head.Seq {
		t.Fatalf("no snapshot at %d: %d, %v", head.Seq, head.SnapshotSeq, err)
	}
	if err := store.Append(t.Context(), engine.Batch{Thread: head.Thread, After: head.Seq, Owner: "look", Release: true}); err != nil {
		t.Fatal(err)
	}
	l.box.events = append(l.box.events, l.box.events[0], l.box.events[599])
	r, told, err := l.pass(t, store, "b", false)
	if err != nil || r.New != 0 || r.Waiting != 1 || !slices.Equal(told, []string{"wait waits "}) {
		t.Errorf("%+v %v %v", r, told, err)
	}
}

// When runs fail one after the other the rest is left, and what failed can be run again.
func TestRunsThatFail(t *testing.T) {
	l, store := listen(t, "queue"), inmem.New()
	l.box.chunk, l.world.down = 20, true
	for i := range 8 {
		l.box.receive(fmt.Sprint(i), fmt.Sprint("from", i), fmt.Sprint("text", i))
	}
	r, told, err := l.pass(t, store, "a", false)
	if err == nil || !strings.Contains(err.Error(), "5 runs in a row failed, so the rest waits for a later pass: the world is down") {
		t.Fatalf("error %v", err)
	}
	if r.New != 8 || r.Failed != 5 || r.Ran != 0 || r.Waiting != 3 || told[0] != "0 failed failed" {
		t.Fatalf("%+v %v", r, told)
	}
	l.world.down = false
	if r, _, err = l.pass(t, store, "a", false); err != nil || r.Ran != 3 || r.Waiting != 0 {
		t.Fatalf("the rest: %+v %v", r, err)
	}
	for range 2 {
		if r, _, err = l.passWith(t, store, "a", ingest.Options{Retry: true}); err != nil || r.Failed != 0 {
			t.Fatalf("again: %+v %v", r, err)
		}
	}
	if got := slices.Sorted(slices.Values(l.world.texts)); len(got) != 8 || len(slices.Compact(got)) != 8 {
		t.Errorf("effects %v", got)
	}
}

func TestPause(t *testing.T) {
	l, store := listen(t, "queue"), inmem.New()
	l.box.receive("1", "ann", "Hello")
	l.box.fails, l.box.sign = &trigger.Pause{Reason: "the login has expired", Mend: "Run `weft auth google`."}, "old"
	for range 2 {
		r, _, err := l.pass(t, store, "a", false)
		if err != nil || r.Paused == nil || r.Paused.Reason != "the login has expired" {
			t.Fatalf("%+v %v", r, err)
		}
	}
	if l.box.polls != 1 {
		t.Errorf("%d polls of a source that does not work", l.box.polls)
	}
	if _, _, err := l.pass(t, store, "a", true); err != nil || l.box.polls != 2 {
		t.Errorf("%d polls, forced: %v", l.box.polls, err)
	}
	l.box.fails, l.box.sign = nil, "new"
	if r, _, err := l.pass(t, store, "a", false); err != nil || r.Ran != 1 || r.Paused != nil {
		t.Errorf("after the login: %+v %v", r, err)
	}
	l.box.fails = errors.New("no network")
	if _, _, err := l.pass(t, store, "a", false); err == nil || !strings.Contains(err.Error(), "poll trigger mail: no network") {
		t.Errorf("error %v", err)
	}
}
