package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// epoch is when every run of these tests starts.
var epoch = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// probe is a plan that makes one call and gives its result.
type probe struct {
	label  string
	effect engine.Effect
	retry  *engine.Retry
}

func (p probe) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		return &engine.Perform{Label: p.label, Request: in.Scope["item"], Effect: p.effect, Retry: p.retry}, nil
	})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	if out.Err != nil {
		return engine.Move{}, out.Err
	}
	return engine.Finish(out.Value), nil
}

// question is a plan that asks a human and gives what was answered.
type question struct {
	after time.Duration
}

func (q question) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		return &engine.Ask{After: q.after, Request: engine.InterruptRequest{
			Title: "well?", Allow: []engine.Response{engine.Respond, engine.Ignore}, Default: engine.Ignore,
		}}, nil
	})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	return engine.Finish(map[string]any{"response": string(out.Answer.Response), "text": out.Answer.Text}), nil
}

// nap is a plan that waits.
type nap struct{ d time.Duration }

func (n nap) Next(in *engine.Invocation) (engine.Move, error) {
	_, wait, err := in.Do(func() (engine.Op, error) { return &engine.Sleep{For: n.d}, nil })
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	return engine.Finish("rested"), nil
}

// inner is a plan that runs another graph.
type inner struct{ graph string }

func (i inner) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		return &engine.RunGraph{Graph: i.graph, Input: map[string]any{}}, nil
	})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	if out.Err != nil {
		return engine.Move{}, out.Err
	}
	return engine.Finish(out.Value), nil
}

// graphOf numbers the nodes of a graph and gives it room.
func graphOf(name string, fields []*engine.Field, nodes ...*engine.Node) *engine.Graph {
	for i, n := range nodes {
		n.Index = i
	}
	return &engine.Graph{Name: name, Fields: fields, Nodes: nodes, Steps: 1000}
}

func program(graphs ...*engine.Graph) *engine.Program {
	return &engine.Program{Name: "test", Hash: "h", Graphs: graphs}
}

func set(t testing.TB, field, text string) []engine.Assign {
	t.Helper()
	return []engine.Assign{{Name: field, Value: value(t, text)}}
}

func value(t testing.TB, text string) *expr.Value {
	t.Helper()
	var list diag.List
	v := expr.CompileValue(&source.Value{Kind: source.String, Text: text}, env, &list)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return v
}

// env has every name that these tests use, of any type.
var env = expr.NewEnv(map[string]*shape.Type{
	"input": {}, "output": {}, "error": {}, "item": {}, "index": {}, "run": {}, "memory": {},
	"log": {}, "total": {}, "most": {}, "seen": {}, "answer": {}, "n": {}, "items": {},
})

// world answers effects at once, in the order they come.
type world struct {
	t      testing.TB
	s      *engine.Scheduler
	now    time.Time
	events []engine.Event
	todo   []engine.EffectRequest
	calls  []string // labels of the calls that were made
	result func(*engine.Invoke) engine.Event
}

func newWorld(t testing.TB, p *engine.Program) *world {
	return &world{t: t, s: engine.NewScheduler(p, "th"), now: epoch}
}

func (w *world) start(graph string, input map[string]any) {
	w.feed(&engine.RunStarted{At: w.now, Run: "r1", Graph: graph, Spec: "h", Input: input})
}

func (w *world) feed(ev engine.Event) {
	w.t.Helper()
	effects, err := w.s.Step(ev)
	if err != nil {
		w.t.Fatalf("%s: %v", ev.Kind(), err)
	}
	w.events = append(w.events, ev)
	w.todo = append(w.todo, effects...)
}

// run answers every call until only humans and timers are waited for.
func (w *world) run() {
	w.t.Helper()
	for len(w.todo) > 0 {
		e := w.todo[0]
		w.todo = w.todo[1:]
		if ev := w.answer(e); ev != nil {
			w.feed(ev)
		}
	}
}

func (w *world) answer(e engine.EffectRequest) engine.Event {
	switch e := e.(type) {
	case *engine.Invoke:
		if e.Perform.Effect == engine.EffectOnce {
			w.feed(&engine.CallStarted{At: w.now, Target: e.Target, Attempt: e.Call.Attempt, Label: e.Perform.Label})
		}
		w.calls = append(w.calls, e.Perform.Label)
		if w.result != nil {
			return w.result(e)
		}
		return &engine.CallDone{At: w.now, Target: e.Target, Value: e.Perform.Label}
	case *engine.Raise:
		return &engine.InterruptRaised{At: w.now, Target: e.Target, Request: e.Request}
	case *engine.Close:
		return &engine.RunEnded{At: w.now, Status: e.Status, Failure: e.Failure}
	default:
		return nil
	}
}

func appended(name string) *engine.Field {
	return &engine.Field{Name: name, Reduce: engine.Append, Default: []any{}, Has: true}
}

func TestParallelBranchesJoin(t *testing.T) {
	g := graphOf("g", []*engine.Field{appended("log")},
		&engine.Node{Name: "a", Next: []engine.Edge{{To: []int{1, 2}}}},
		&engine.Node{Name: "b", Plan: probe{label: "b"}, Set: set(t, "log", "{{ output }}"), Next: []engine.Edge{{To: []int{4}}}},
		&engine.Node{Name: "c", Plan: probe{label: "c"}, Set: set(t, "log", "{{ output }}"), Next: []engine.Edge{{To: []int{3}}}},
		&engine.Node{Name: "d", Plan: probe{label: "d"}, Set: set(t, "log", "{{ output }}"), Next: []engine.Edge{{To: []int{4}}}},
		&engine.Node{Name: "e", Join: []int{1, 3}, Set: set(t, "log", "e")},
	)
	w := newWorld(t, program(g))
	w.start("g", nil)
	w.run()
	if got, want := fmt.Sprint(w.s.State()["log"]), "[b c d e]"; got != want {
		t.Errorf("log = %s, want %s", got, want)
	}
	if w.s.Status() != engine.Done || !w.s.Closed() {
		t.Errorf("status %s, closed %v", w.s.Status(), w.s.Closed())
	}
}

func TestJoinThatCannotHappenSaysWhichNodeIsMissing(t *testing.T) {
	g := graphOf("g", nil,
		&engine.Node{Name: "a", Next: []engine.Edge{{To: []int{1}}}},
		&engine.Node{Name: "b", Join: []int{0, 2}},
		&engine.Node{Name: "c"},
	)
	w := newWorld(t, program(g))
	w.start("g", nil)
	w.run()
	_, failure := w.s.Output()
	if failure == nil || failure.Message != `node "b" waits for "c", which did not run` {
		t.Errorf("failure = %v", failure)
	}
}

func TestTwoWritersWithoutReducerFail(t *testing.T) {
	g := graphOf("g", []*engine.Field{{Name: "n"}},
		&engine.Node{Name: "a", Next: []engine.Edge{{To: []int{1, 2}}}},
		&engine.Node{Name: "b", Set: set(t, "n", "{{ 1 }}")},
		&engine.Node{Name: "c", Set: set(t, "n", "{{ 2 }}")},
	)
	w := newWorld(t, program(g))
	w.start("g", nil)
	w.run()
	_, failure := w.s.Output()
	if failure == nil || failure.Message != `nodes "b" and "c" both write "n" in one step: give the field a reducer` {
		t.Errorf("failure = %v", failure)
	}
}

func TestLoopStopsAtItsLimit(t *testing.T) {
	g := graphOf("g", []*engine.Field{{Name: "n", Reduce: engine.Sum, Default: 0, Has: true}},
		&engine.Node{Name: "a", Set: set(t, "n", "{{ 1 }}"), Next: []engine.Edge{{To: []int{0}}}},
	)
	g.Steps = 50
	w := newWorld(t, program(g))
	w.start("g", nil)
	w.run()
	if w.s.Status() != engine.Limited || w.s.State()["n"] != 50 {
		t.Errorf("status %s, n %v", w.s.Status(), w.s.State()["n"])
	}
}

func TestRetriesBackOffAndThenFail(t *testing.T) {
	retry := &engine.Retry{Attempts: 3, Backoff: time.Second, MaxBackoff: 10 * time.Second}
	g := graphOf("g", []*engine.Field{{Name: "n"}},
		&engine.Node{
			Name: "a", Plan: probe{label: "a", retry: retry},
			OnError: &engine.Catch{Set: set(t, "n", "{{ error.class + ': ' + error.message }}")},
		},
	)
	w := newWorld(t, program(g))
	w.result = func(e *engine.Invoke) engine.Event {
		return &engine.CallFailed{At: w.now, Target: e.Target, Jitter: 1, Failure: engine.Failure{Class: engine.Transient, Message: "busy"}}
	}
	w.start("g", nil)
	w.run()
	var pauses []time.Duration
	for w.s.Status() == engine.Parked {
		at := *w.s.Summary().Wake
		pauses = append(pauses, at.Sub(w.now))
		w.now = at
		w.feed(&engine.TimerFired{At: at, Timer: engine.RetryTimer, Target: engine.Target{ID: 3}})
		w.run()
	}
	if fmt.Sprint(pauses) != "[1s 2s]" || len(w.calls) != 3 {
		t.Errorf("pauses %v, calls %v", pauses, w.calls)
	}
	if w.s.Status() != engine.Done || w.s.State()["n"] != "transient: busy" {
		t.Errorf("status %s, n %v", w.s.Status(), w.s.State()["n"])
	}
}

func TestInterruptWaitsAndDeadlineDecides(t *testing.T) {
	g := graphOf("g", []*engine.Field{{Name: "answer"}},
		&engine.Node{Name: "ask", Plan: question{after: 72 * time.Hour}, Set: set(t, "answer", "{{ output.response + ':' + output.text }}")},
	)
	for name, c := range map[string]struct {
		event func(open *engine.InterruptRequest) engine.Event
		want  string
	}{
		"a human answers": {func(open *engine.InterruptRequest) engine.Event {
			return &engine.InterruptAnswered{At: epoch, Answer: engine.Answer{Interrupt: open.ID, Response: engine.Respond, Text: "yes"}}
		}, "respond:yes"},
		"time runs out": {func(*engine.InterruptRequest) engine.Event {
			return &engine.TimerFired{At: epoch.Add(72 * time.Hour), Timer: engine.DeadlineTimer, Target: engine.Target{ID: 3}}
		}, "ignore:"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, program(g))
			w.start("g", nil)
			w.run()
			open := w.s.Open()
			if w.s.Status() != engine.Parked || len(open) != 1 || !open[0].Due.Equal(epoch.Add(72*time.Hour)) {
				t.Fatalf("status %s, open %+v", w.s.Status(), open)
			}
			w.feed(c.event(open[0]))
			w.run()
			if got := w.s.State()["answer"]; got != c.want {
				t.Errorf("answer = %v, want %s", got, c.want)
			}
		})
	}
}

func TestAnswersThatDoNotFitAreRefused(t *testing.T) {
	g := graphOf("g", nil, &engine.Node{Name: "ask", Plan: question{}})
	w := newWorld(t, program(g))
	w.start("g", nil)
	w.run()
	id := w.s.Open()[0].ID
	for _, c := range []struct {
		answer engine.Answer
		want   string
	}{
		{engine.Answer{Interrupt: id, Response: engine.Accept}, `the answer is refused: "accept" is not allowed here; allowed: respond, ignore`},
		{engine.Answer{Interrupt: id, Response: engine.Respond, Text: " "}, "the answer is refused: respond needs a text"},
		{engine.Answer{Interrupt: "other", Response: engine.Ignore}, `interrupt "other" is not open: not found`},
	} {
		if _, err := w.s.CheckAnswer(c.answer); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.answer, err, c.want)
		}
	}
	if w.s.Status() != engine.Parked {
		t.Errorf("status %s after refused answers", w.s.Status())
	}
}

func TestCallInDoubtAsksAHuman(t *testing.T) {
	g := graphOf("g", []*engine.Field{{Name: "n"}},
		&engine.Node{Name: "send", Plan: probe{label: "send_email", effect: engine.EffectOnce}, Set: set(t, "n", "{{ output }}")},
	)
	for _, c := range []struct {
		answer engine.Answer
		calls  int
		status engine.Status
		n      any
	}{
		{engine.Answer{Response: engine.Accept}, 2, engine.Done, "send_email"},
		{engine.Answer{Response: engine.Respond, Text: "it is in Sent"}, 1, engine.Done, "it is in Sent"},
		{engine.Answer{Response: engine.Ignore}, 1, engine.Failed, nil},
	} {
		t.Run(string(c.answer.Response), func(t *testing.T) {
			w := newWorld(t, program(g))
			w.result = func(e *engine.Invoke) engine.Event {
				return &engine.CallInDoubt{At: w.now, Target: e.Target, Reason: "killed"}
			}
			w.start("g", nil)
			w.run()
			open := w.s.Open()
			if len(open) != 1 || open[0].Kind != "uncertain" || open[0].Title != "Did send_email happen?" {
				t.Fatalf("open %+v", open)
			}
			w.result = nil
			c.answer.Interrupt = open[0].ID
			w.feed(&engine.InterruptAnswered{At: w.now, Answer: c.answer})
			w.run()
			if len(w.calls) != c.calls || w.s.Status() != c.status || w.s.State()["n"] != c.n {
				t.Errorf("calls %v, status %s, n %v", w.calls, w.s.Status(), w.s.State()["n"])
			}
		})
	}
}

func TestForEachKeepsOrderAndBounds(t *testing.T) {
	g := graphOf("g", []*engine.Field{{Name: "log"}},
		&engine.Node{
			Name: "each", Plan: probe{label: "x"}, Set: set(t, "log", "{{ output }}"),
			ForEach: &engine.ForEach{In: expression(t, "input.items"), As: "item", Index: "index", MaxParallel: 2},
		},
	)
	w := newWorld(t, program(g))
	w.start("g", map[string]any{"items": []any{"a", "b", "c"}})
	if got := len(w.todo); got != 2 {
		t.Fatalf("%d calls at once, want 2", got)
	}
	last := w.todo[1].(*engine.Invoke)
	w.todo = w.todo[:1]
	w.result = func(e *engine.Invoke) engine.Event {
		return &engine.CallDone{At: w.now, Target: e.Target, Value: e.Perform.Request}
	}
	w.run()
	w.feed(w.result(last))
	w.run()
	if got := fmt.Sprint(w.s.State()["log"]); got != "[a b c]" {
		t.Errorf("log = %s", got)
	}
}

func expression(t testing.TB, text string) *expr.Expr {
	t.Helper()
	var list diag.List
	x := expr.CompileExpr(&source.Value{Kind: source.String, Text: text}, env, &list)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestNodeTimeoutDropsWhatIsUnderWay(t *testing.T) {
	sub := graphOf("sub", nil, &engine.Node{Name: "ask", Plan: question{}})
	g := graphOf("g", []*engine.Field{{Name: "n"}},
		&engine.Node{
			Name: "in", Plan: inner{"sub"}, Timeout: time.Hour,
			OnError: &engine.Catch{Set: set(t, "n", "{{ error.class }}")},
		},
	)
	w := newWorld(t, program(g, sub))
	w.start("g", nil)
	w.run()
	if len(w.s.Open()) != 1 || w.s.Open()[0].Node != "g/in/sub/ask" {
		t.Fatalf("open %+v", w.s.Open())
	}
	w.feed(&engine.TimerFired{At: epoch.Add(time.Hour), Timer: engine.NodeTimer, Target: engine.Target{ID: 2}})
	w.run()
	if w.s.Status() != engine.Done || w.s.State()["n"] != "timeout" || len(w.s.Open()) != 0 {
		t.Errorf("status %s, n %v, open %v", w.s.Status(), w.s.State()["n"], w.s.Open())
	}
}

func TestCanceledRunAcceptsNothingMore(t *testing.T) {
	g := graphOf("g", nil, &engine.Node{Name: "ask", Plan: question{}})
	w := newWorld(t, program(g))
	w.start("g", nil)
	w.run()
	id := w.s.Open()[0].ID
	w.feed(&engine.RunCanceled{At: w.now, By: "ann", Reason: "no need"})
	w.run()
	if _, failure := w.s.Output(); w.s.Status() != engine.Canceled || failure.Message != "canceled by ann: no need" {
		t.Errorf("status %s, failure %v", w.s.Status(), failure)
	}
	if _, err := w.s.Step(&engine.InterruptAnswered{At: w.now, Answer: engine.Answer{Interrupt: id, Response: engine.Ignore}}); err == nil {
		t.Error("an answer was taken after the end")
	}
}

func TestSecondRunGoesOnFromTheThreadsState(t *testing.T) {
	g := graphOf("g", []*engine.Field{appended("log")},
		&engine.Node{Name: "a", Set: set(t, "log", "{{ run.id }}")},
	)
	w := newWorld(t, program(g))
	w.start("g", nil)
	w.run()
	w.feed(&engine.RunStarted{At: w.now, Run: "r2", Graph: "g", Spec: "h"})
	w.run()
	if got := fmt.Sprint(w.s.State()["log"]); got != "[r1 r2]" {
		t.Errorf("log = %s", got)
	}
}

// TestSubGraphsDoNotShareTheListTheyWereGiven: both branches append to the list of
// their caller, each to its own.
func TestSubGraphsDoNotShareTheListTheyWereGiven(t *testing.T) {
	branch := func(name string) *engine.Graph {
		return graphOf(name, []*engine.Field{appended("log")},
			&engine.Node{Name: "a", Plan: probe{label: name}, Set: set(t, "log", "{{ output }}"), Next: []engine.Edge{{To: []int{1}}}},
			&engine.Node{Name: "b", Plan: probe{label: name}, Set: set(t, "log", "{{ output }}")},
		)
	}
	g := graphOf("g", []*engine.Field{appended("log"), {Name: "seen", Reduce: engine.Append}},
		&engine.Node{Name: "one", Set: set(t, "log", "{{ ['a', 'b', 'c'] }}"), Next: []engine.Edge{{To: []int{1}}}},
		&engine.Node{Name: "two", Set: set(t, "log", "{{ ['d', 'e'] }}"), Next: []engine.Edge{{To: []int{2, 3}}}},
		&engine.Node{Name: "left", Plan: handing{"x"}, Set: set(t, "seen", "{{ [output.log] }}")},
		&engine.Node{Name: "right", Plan: handing{"y"}, Set: set(t, "seen", "{{ [output.log] }}")},
	)
	w := newWorld(t, program(g, branch("x"), branch("y")))
	w.start("g", nil)
	w.run()
	if got, want := fmt.Sprint(w.s.State()["seen"]), "[[a b c d e x x] [a b c d e y y]]"; got != want {
		t.Errorf("seen = %s, want %s", got, want)
	}
}

// handing is a plan that runs another graph on the caller's log.
type handing struct{ graph string }

func (h handing) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		return &engine.RunGraph{Graph: h.graph, Input: map[string]any{"log": in.Scope["log"]}}, nil
	})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	return engine.Finish(out.Value), nil
}
