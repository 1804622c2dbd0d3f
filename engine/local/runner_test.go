package local_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

var epoch = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// outside is a world with effects that can be counted.
type outside struct {
	mu      sync.Mutex
	done    map[string]int // calls that had their effect, by key
	results map[string]any
	looks   bool // it can tell whether a call happened
	fail    func(call engine.Call) error
}

func newOutside() *outside { return &outside{done: map[string]int{}, results: map[string]any{}} }

func (o *outside) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	if err := ctx.Err(); err != nil {
		return engine.Result{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail != nil {
		if err := o.fail(call); err != nil {
			return engine.Result{}, err
		}
	}
	o.done[call.Key]++
	o.results[call.Key] = fmt.Sprintf("%v done", call.Request)
	return engine.Result{Value: o.results[call.Key]}, nil
}

// looking is an outside that settles calls in doubt.
type looking struct{ *outside }

func (l looking) Lookup(_ context.Context, call engine.Call) (engine.Result, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, ok := l.results[call.Key]
	return engine.Result{Value: v}, ok, nil
}

func (o *outside) handler() engine.Handler {
	if o.looks {
		return looking{o}
	}
	return o
}

// act is a plan that makes one call.
type act struct {
	o      *outside
	label  string
	effect engine.Effect
	retry  *engine.Retry
}

func (p act) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		return &engine.Perform{
			Handler: p.o.handler(), Label: p.label, Request: p.label, Effect: p.effect, Retry: p.retry,
			Cache: func() string { return p.label },
		}, nil
	})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	if out.Err != nil {
		return engine.Move{}, out.Err
	}
	return engine.Finish(out.Value), nil
}

// ask is a plan that asks a human.
type ask struct{ after time.Duration }

func (p ask) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		return &engine.Ask{After: p.after, Request: engine.InterruptRequest{
			Title: "well?", Allow: []engine.Response{engine.Respond, engine.Ignore}, Default: engine.Ignore,
		}}, nil
	})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	return engine.Finish(string(out.Answer.Response) + " " + out.Answer.Text), nil
}

// clock is a time that jumps to whatever is waited for.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Wait(until time.Time) (<-chan struct{}, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until.After(c.now) {
		c.now = until
	}
	come := make(chan struct{})
	close(come)
	return come, func() {}
}

func runner(store engine.Store) *local.Runner {
	n := 0
	return &local.Runner{
		Store: store, Clock: &clock{now: epoch}, Owner: "test", Rand: func() float64 { return 0.5 },
		NewID: func() string { n++; return fmt.Sprintf("id%d", n) },
	}
}

var env = expr.NewEnv(map[string]*shape.Type{"output": {}, "error": {}, "log": {}, "run": {}, "memory": {}, "input": {}})

func logged(t testing.TB) []engine.Assign {
	t.Helper()
	var list diag.List
	v := expr.CompileValue(&source.Value{Kind: source.String, Text: "{{ output }}"}, env, &list)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return []engine.Assign{{Name: "log", Value: v}}
}

// chain is a graph of nodes one after another, each of whose output is logged.
func chain(t testing.TB, plans ...engine.Plan) *engine.Program {
	t.Helper()
	g := &engine.Graph{Name: "g", Steps: 1000, Fields: []*engine.Field{{Name: "log", Reduce: engine.Append, Default: []any{}, Has: true}}}
	for i, p := range plans {
		n := &engine.Node{Name: fmt.Sprintf("n%d", i), Index: i, Plan: p, Set: logged(t)}
		if i+1 < len(plans) {
			n.Next = []engine.Edge{{To: []int{i + 1}}}
		}
		g.Nodes = append(g.Nodes, n)
	}
	return &engine.Program{Name: "test", Hash: fmt.Sprintf("%x", sha256.Sum256([]byte("{}"))), Bundle: []byte("{}"), Graphs: []*engine.Graph{g}}
}

func TestRunParksAndResumes(t *testing.T) {
	o := newOutside()
	p := chain(t, act{o: o, label: "a"}, ask{}, act{o: o, label: "b", effect: engine.EffectOnce})
	r := runner(inmem.New())
	res, err := r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != engine.Parked || len(res.Interrupts) != 1 {
		t.Fatalf("%+v", res)
	}
	id := res.Interrupts[0].ID
	if _, err := r.Resume(t.Context(), p, "th", engine.Answer{Interrupt: id, Response: engine.Accept}); !errors.Is(err, engine.ErrRefused) {
		t.Errorf("a response that is not allowed: %v", err)
	}
	res, err = r.Resume(t.Context(), p, "th", engine.Answer{Interrupt: id, Response: engine.Respond, Text: "yes", By: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	want := []any{"a done", "respond yes", "b done"}
	if diff := cmp.Diff(want, res.State["log"]); diff != "" || res.Status != engine.Done {
		t.Errorf("status %s, log (-want +got):\n%s", res.Status, diff)
	}
	var late *local.AnsweredError
	_, err = r.Resume(t.Context(), p, "th", engine.Answer{Interrupt: id, Response: engine.Ignore})
	if !errors.As(err, &late) || late.Answer.By != "ann" || !errors.Is(err, engine.ErrConflict) {
		t.Errorf("a second answer: %v", err)
	}
}

func TestTwoAnswersAtOnceOneWins(t *testing.T) {
	o := newOutside()
	p := chain(t, ask{}, act{o: o, label: "b", effect: engine.EffectOnce})
	r := runner(inmem.New())
	res, err := r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"})
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 8)
	for i := range 8 {
		go func() {
			_, err := r.Resume(context.Background(), p, "th", engine.Answer{Interrupt: res.Interrupts[0].ID, Response: engine.Respond, Text: "x", By: fmt.Sprint(i)})
			errs <- err
		}()
	}
	won := 0
	for range 8 {
		if err := <-errs; err == nil {
			won++
		} else if !errors.Is(err, engine.ErrConflict) {
			t.Errorf("the loser is told %v", err)
		}
	}
	if won != 1 || len(o.done) != 1 {
		t.Errorf("%d answers won, %d effects", won, len(o.done))
	}
}

func TestTransientFailuresAreRetriedInSimulatedTime(t *testing.T) {
	o := newOutside()
	tries := 0
	o.fail = func(engine.Call) error {
		if tries++; tries < 3 {
			return &engine.Failure{Class: engine.Transient, Message: "busy"}
		}
		return nil
	}
	p := chain(t, act{o: o, label: "a", effect: engine.EffectOnce, retry: &engine.Retry{Attempts: 3, Backoff: 10 * time.Second, MaxBackoff: time.Minute}})
	r := runner(inmem.New())
	res, err := r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"})
	if err != nil {
		t.Fatal(err)
	}
	// Jitter 0.5: three quarters of 10 s and of 20 s.
	if took := r.Clock.Now().Sub(epoch); res.Status != engine.Done || tries != 3 || took != 22500*time.Millisecond {
		t.Errorf("status %s after %d tries, %s", res.Status, tries, took)
	}
}

func TestUncertainOnceCallIsLookedUp(t *testing.T) {
	for _, c := range []struct {
		name     string
		looks    bool
		happened bool
		status   engine.Status
		effects  int
	}{
		{"looked up and found", true, true, engine.Done, 1},
		{"looked up and not found, no retry", true, false, engine.Failed, 0},
		{"cannot be looked up", false, true, engine.Parked, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOutside()
			o.looks = c.looks
			o.fail = func(call engine.Call) error {
				if c.happened {
					o.done[call.Key]++
					o.results[call.Key] = "a done"
				}
				return &engine.Failure{Class: engine.Uncertain, Message: "connection lost"}
			}
			p := chain(t, act{o: o, label: "a", effect: engine.EffectOnce})
			res, err := runner(inmem.New()).Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"})
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != c.status || len(o.done) != c.effects {
				t.Errorf("status %s, effects %v, failure %v", res.Status, o.done, res.Failure)
			}
			if c.status == engine.Parked && res.Interrupts[0].Kind != "uncertain" {
				t.Errorf("interrupt %+v", res.Interrupts[0])
			}
		})
	}
}

func TestPanicInAHandlerIsAFailure(t *testing.T) {
	o := newOutside()
	o.fail = func(engine.Call) error { panic("oh") }
	res, err := runner(inmem.New()).Run(t.Context(), chain(t, act{o: o, label: "a"}), local.Start{Thread: "th", Graph: "g"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != engine.Failed || res.Failure.Message != "a broke: oh" {
		t.Errorf("%s %v", res.Status, res.Failure)
	}
}

func TestStoppingIsNotCancelling(t *testing.T) {
	o := newOutside()
	ctx, stop := context.WithCancel(t.Context())
	o.fail = func(engine.Call) error { stop(); return nil }
	p := chain(t, act{o: o, label: "a", effect: engine.EffectOnce}, act{o: o, label: "b"})
	r := runner(inmem.New())
	res, err := r.Run(ctx, p, local.Start{Thread: "th", Graph: "g"})
	if !errors.Is(err, context.Canceled) || res.Status.Ended() {
		t.Fatalf("%v %s", err, res.Status)
	}
	o.fail = nil
	res, err = r.Resume(t.Context(), p, "th")
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != engine.Done || len(o.done) != 2 {
		t.Errorf("status %s, effects %v", res.Status, o.done)
	}
}

func TestNodeCacheSavesTheCall(t *testing.T) {
	o := newOutside()
	p := chain(t, act{o: o, label: "a"})
	p.Graphs[0].Nodes[0].Cache = &engine.Cache{TTL: time.Hour}
	r := runner(inmem.New())
	for _, thread := range []engine.ThreadID{"one", "two"} {
		res, err := r.Run(t.Context(), p, local.Start{Thread: thread, Graph: "g"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{"a done"}, res.State["log"]); diff != "" {
			t.Error(diff)
		}
	}
	if len(o.done) != 1 {
		t.Errorf("%d calls", len(o.done))
	}
	r.Clock.(*clock).now = epoch.Add(time.Hour)
	if _, err := r.Run(t.Context(), p, local.Start{Thread: "three", Graph: "g"}); err != nil {
		t.Fatal(err)
	}
	if len(o.done) != 2 {
		t.Errorf("%d calls after the cache expired", len(o.done))
	}
}

func TestForkEqualsAFreshRunWithTheSameEvents(t *testing.T) {
	o := newOutside()
	p := chain(t, act{o: o, label: "a"}, ask{}, act{o: o, label: "b"})
	r := runner(inmem.New())
	if _, err := r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"}); err != nil {
		t.Fatal(err)
	}
	fork, err := r.Fork(t.Context(), p, local.Fork{From: "th", To: "copy", Set: map[string]any{"log": []any{"changed"}}, By: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	if fork.Status != engine.Running && fork.Status != engine.Parked {
		t.Fatalf("the fork is %s", fork.Status)
	}
	res, err := r.Resume(t.Context(), p, "copy")
	if err != nil {
		t.Fatal(err)
	}
	res, err = r.Resume(t.Context(), p, "copy", engine.Answer{Interrupt: res.Interrupts[0].ID, Response: engine.Ignore})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"changed", "ignore ", "b done"}, res.State["log"]); diff != "" {
		t.Errorf("fork (-want +got):\n%s", diff)
	}
	first, err := r.Show(t.Context(), p, "th")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"a done"}, first.State["log"]); diff != "" {
		t.Errorf("the first thread was changed:\n%s", diff)
	}
}

func TestSecretsAreStruckFromTheJournal(t *testing.T) {
	vault := &secret.Vault{Getenv: func(string) (string, bool) { return "hunter2-hunter2", true }}
	if _, err := vault.Resolve(secret.Ref{Env: "KEY"}); err != nil {
		t.Fatal(err)
	}
	o := newOutside()
	p := chain(t, act{o: o, label: "echo hunter2-hunter2"})
	store := inmem.New()
	r := runner(store)
	r.Vault = vault
	res, err := r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"echo [secret] done"}, res.State["log"]); diff != "" {
		t.Error(diff)
	}
	for rec, err := range store.Read(t.Context(), "th", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(rec.Data), "hunter2") {
			t.Errorf("event %d holds the secret", rec.Seq)
		}
	}
}

func TestSecondRunWhileOneIsParkedIsRefused(t *testing.T) {
	p := chain(t, ask{})
	r := runner(inmem.New())
	if _, err := r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"}); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("a second run: %v", err)
	}
	if _, err := r.Fork(t.Context(), p, local.Fork{From: "th", To: "th"}); !errors.Is(err, engine.ErrConflict) || err.Error() != `thread "th" exists already: choose another name` {
		t.Errorf("a fork into a thread: %v", err)
	}
	if _, err := r.Cancel(t.Context(), p, "th", "ann", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"}); err != nil {
		t.Errorf("a run after the cancel: %v", err)
	}
}
