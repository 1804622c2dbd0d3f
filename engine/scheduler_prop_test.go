package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
)

// layered is a random graph of layers of parallel nodes, with what its state must be
// in the end: worked out here, without the scheduler.
type layered struct {
	program *engine.Program
	log     []any
	total   int
	most    int
	calls   int
}

// genLayered draws a graph. Nodes are declared in a random order, so declared order,
// layer order and arrival order all differ.
func genLayered(t *rapid.T, tb testing.TB) layered {
	layers := rapid.IntRange(1, 4).Draw(t, "layers")
	var names []string
	layer := map[string]int{}
	for l := range layers {
		for i := range rapid.IntRange(1, 4).Draw(t, "width") {
			name := fmt.Sprintf("l%d_%d", l, i)
			names, layer[name] = append(names, name), l
		}
	}
	declared := rapid.Permutation(names).Draw(t, "declared")
	nodes := make([]*engine.Node, 0, len(declared)+1)
	nodes = append(nodes, &engine.Node{Name: "start"})
	of := func(l int) []int {
		var out []int
		for i, name := range declared {
			if layer[name] == l {
				out = append(out, i+1)
			}
		}
		return out
	}
	nodes[0].Next = []engine.Edge{{To: of(0)}}
	out := layered{}
	perLayer := make([][]any, layers)
	for _, name := range declared {
		l := layer[name]
		n := &engine.Node{Name: name, Set: []engine.Assign{
			{Name: "log", Value: value(tb, "{{ output }}")},
			{Name: "total", Value: value(tb, "{{ 1 }}")},
			{Name: "most", Value: value(tb, "{{ "+fmt.Sprint(len(name)+l)+" }}")},
		}}
		out.total++
		out.most = max(out.most, len(name)+l)
		if l+1 < layers {
			n.Next = []engine.Edge{{To: of(l + 1)}}
		}
		kind := rapid.SampledFrom([]string{"call", "once", "pure", "each", "graph", "nap"}).Draw(t, "kind")
		switch kind {
		case "call":
			n.Plan = probe{label: name}
			perLayer[l] = append(perLayer[l], name)
			out.calls++
		case "once":
			n.Plan = probe{label: name, effect: engine.EffectOnce}
			perLayer[l] = append(perLayer[l], name)
			out.calls++
		case "nap":
			n.Plan = nap{time.Minute}
			perLayer[l] = append(perLayer[l], "rested")
		case "pure":
			n.Set[0].Value = value(tb, name)
			perLayer[l] = append(perLayer[l], name)
		case "graph":
			n.Plan = inner{"sub"}
			n.Set[0].Value = value(tb, "{{ output.log }}")
			perLayer[l] = append(perLayer[l], "s1", "s2")
			out.calls += 2
		case "each":
			n.Plan = probe{label: name}
			n.ForEach = &engine.ForEach{In: expression(tb, "[1, 2, 3]"), As: "item", Index: "index", MaxParallel: rapid.IntRange(0, 3).Draw(t, "max")}
			perLayer[l] = append(perLayer[l], name, name, name)
			out.calls += 3
		}
		nodes = append(nodes, n)
	}
	out.log = []any{}
	for _, l := range perLayer {
		out.log = append(out.log, l...)
	}
	fields := []*engine.Field{appended("log"), {Name: "total", Reduce: engine.Sum, Default: 0, Has: true}, {Name: "most", Reduce: engine.Max, Default: 0, Has: true}}
	sub := graphOf("sub", []*engine.Field{appended("log")},
		&engine.Node{Name: "s1", Plan: probe{label: "s1"}, Set: set(tb, "log", "{{ output }}"), Next: []engine.Edge{{To: []int{1}}}},
		&engine.Node{Name: "s2", Plan: probe{label: "s2"}, Set: set(tb, "log", "{{ output }}")},
	)
	out.program = program(graphOf("g", fields, nodes...), sub)
	return out
}

// scramble runs a world to its end, answering what is outstanding in a random order.
func scramble(t *rapid.T, w *world, each func()) {
	w.start("g", nil)
	for !w.s.Closed() {
		each()
		if len(w.todo) == 0 {
			t.Fatalf("nothing to do, status %s", w.s.Status())
		}
		i := rapid.IntRange(0, len(w.todo)-1).Draw(t, "next")
		e := w.todo[i]
		w.todo = slices.Delete(slices.Clone(w.todo), i, i+1)
		if timer, ok := e.(*engine.SetTimer); ok {
			w.now = later(w.now, timer.At)
			w.feed(&engine.TimerFired{At: w.now, Timer: timer.Timer, Target: timer.Target})
		} else if ev := w.answer(e); ev != nil {
			w.feed(ev)
		}
	}
	each()
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func TestAnyArrivalOrderGivesTheSameState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := genLayered(rt, t)
		w := newWorld(t, g.program)
		scramble(rt, w, func() {})
		want := map[string]any{"log": g.log, "total": g.total, "most": g.most}
		if diff := cmp.Diff(want, w.s.State()); diff != "" {
			rt.Fatalf("state (-want +got):\n%s", diff)
		}
		if len(w.calls) != g.calls {
			rt.Fatalf("%d calls, want %d: %v", len(w.calls), g.calls, w.calls)
		}
	})
}

// view is what can be seen of a scheduler: compared to tell two apart.
func view(s *engine.Scheduler) string {
	text := fmt.Sprintf("%s closed=%v state=%v open=%d", s.Status(), s.Closed(), s.State(), len(s.Open()))
	for _, e := range s.Outstanding() {
		switch e := e.(type) {
		case *engine.Invoke:
			text += fmt.Sprintf("\ninvoke %v %s key=%s attempt=%d intended=%v", e.Target, e.Perform.Label, e.Call.Key, e.Call.Attempt, e.Intended)
		case *engine.SetTimer:
			text += fmt.Sprintf("\ntimer %v %v %s", e.Timer, e.Target, e.At)
		case *engine.Raise:
			text += fmt.Sprintf("\nraise %v %s", e.Target, e.Request.ID)
		case *engine.Close:
			text += fmt.Sprintf("\nclose %s", e.Status)
		default:
			text += fmt.Sprintf("\n%T", e)
		}
	}
	return text
}

// through returns an event as it comes back from a store.
func through(t testing.TB, ev engine.Event) engine.Event {
	t.Helper()
	rec, err := engine.EncodeEvent(ev)
	if err != nil {
		t.Fatal(err)
	}
	blobs := map[engine.Hash][]byte{}
	for _, b := range rec.Blobs {
		blobs[b.Hash] = b.Data
	}
	out, err := engine.DecodeEvent(rec, func(h engine.Hash) ([]byte, error) { return blobs[h], nil })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestReplayOfAnyPrefixGivesTheSameEffects(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := genLayered(rt, t)
		w := newWorld(t, g.program)
		views := map[int]string{}
		scramble(rt, w, func() { views[len(w.events)] = view(w.s) })
		again := engine.NewScheduler(g.program, "th")
		for i, ev := range w.events {
			if _, err := again.Step(through(t, ev)); err != nil {
				rt.Fatal(err)
			}
			if want, ok := views[i+1]; ok {
				if diff := cmp.Diff(want, view(again)); diff != "" {
					rt.Fatalf("after %d events (-live +replay):\n%s", i+1, diff)
				}
			}
		}
	})
}

func TestSnapshotAndTheEventsAfterGiveTheSame(t *testing.T) {
	taken := 0
	rapid.Check(t, func(rt *rapid.T) {
		g := genLayered(rt, t)
		w := newWorld(t, g.program)
		scramble(rt, w, func() {})
		live := engine.NewScheduler(g.program, "th")
		var short *engine.Scheduler
		for i, ev := range w.events {
			if _, err := live.Step(through(t, ev)); err != nil {
				rt.Fatal(err)
			}
			if short != nil {
				if _, err := short.Step(through(t, ev)); err != nil {
					rt.Fatalf("event %d (%s) after a snapshot: %v", i+1, ev.Kind(), err)
				}
				if diff := cmp.Diff(view(live), view(short)); diff != "" {
					rt.Fatalf("after %d events (-whole +snapshot):\n%s", i+1, diff)
				}
			}
			data, _, ok, err := live.Snapshot()
			if err != nil {
				rt.Fatal(err)
			}
			if !ok {
				continue
			}
			taken++
			if short, ok, err = engine.Restore(g.program, "th", data, nil); err != nil || !ok {
				rt.Fatal(ok, err)
			}
			if diff := cmp.Diff(view(live), view(short)); diff != "" {
				rt.Fatalf("restored after %d events (-whole +snapshot):\n%s", i+1, diff)
			}
		}
	})
	if taken == 0 {
		t.Error("no snapshot was ever taken")
	}
}

func TestEffectsAreTheSameByteForByte(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := genLayered(rt, t)
		w := newWorld(t, g.program)
		scramble(rt, w, func() {})
		list := func() (out []string) {
			s := engine.NewScheduler(g.program, "th")
			for _, ev := range w.events {
				effects, err := s.Step(ev)
				if err != nil {
					rt.Fatal(err)
				}
				for _, e := range effects {
					out = append(out, fmt.Sprintf("%T %+v", e, strip(e)))
				}
			}
			return out
		}
		if diff := cmp.Diff(list(), list()); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// strip leaves the functions and pointers out of an effect.
func strip(e engine.EffectRequest) any {
	if i, ok := e.(*engine.Invoke); ok {
		return fmt.Sprint(i.Target, i.Perform.Label, i.Call.Key, i.Call.Attempt)
	}
	return e
}
