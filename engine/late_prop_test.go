package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
)

// genHasty draws a graph whose run, nodes and graphs may be late at any time.
func genHasty(t *rapid.T, tb testing.TB) *engine.Program {
	limit := func() time.Duration {
		return time.Duration(rapid.SampledFrom([]int{0, 1, 2, 5}).Draw(t, "minutes")) * time.Minute
	}
	leaf := func(name string) *engine.Node {
		n := &engine.Node{Name: name, Timeout: limit()}
		retry := &engine.Retry{Attempts: 2, Backoff: time.Minute}
		switch rapid.SampledFrom([]string{"call", "once", "each", "nap", "question", "memory", "pure"}).Draw(t, "kind") {
		case "call":
			n.Plan = probe{label: name, retry: retry}
		case "once":
			n.Plan = probe{label: name, effect: engine.EffectOnce, retry: retry}
		case "each":
			n.Plan = probe{label: name, effect: engine.EffectOnce, retry: retry}
			n.ForEach = &engine.ForEach{In: expression(tb, "1..3"), As: "item", Index: "index", MaxParallel: rapid.IntRange(0, 2).Draw(t, "max")}
		case "nap":
			n.Plan = nap{time.Minute}
		case "question":
			n.Plan = question{after: 3 * time.Minute}
		case "memory":
			n.Plan, n.Memory = probe{label: name}, []*engine.Memory{{Name: "prefs"}}
		}
		if rapid.Bool().Draw(t, "catches") {
			n.OnError = &engine.Catch{}
		}
		return n
	}
	sub := graphOf("sub", nil, leaf("s0"), leaf("s1"), leaf("s2"))
	sub.Nodes[0].Next = []engine.Edge{{To: []int{1, 2}}}
	top := graphOf("g", nil, leaf("a"), leaf("b"), &engine.Node{Name: "in", Plan: inner{"sub"}, Timeout: limit()}, leaf("c"))
	top.Nodes[0].Next = []engine.Edge{{To: []int{1, 2}}}
	top.Nodes[1].Next = []engine.Edge{{To: []int{3}}}
	top.Nodes[2].OnError = &engine.Catch{}
	top.Timeout = 3 * limit()
	return program(top, sub)
}

// wanted names an effect that is to be carried out.
func wanted(e engine.EffectRequest) string {
	switch e := e.(type) {
	case *engine.Invoke:
		return fmt.Sprintf("%v invoke %d", e.Target, e.Call.Attempt)
	case *engine.SetTimer:
		return fmt.Sprintf("%v timer %d %s", e.Target, e.Timer, e.At.Format(time.RFC3339))
	case *engine.Raise:
		return fmt.Sprintf("%v raise", e.Target)
	case *engine.Load:
		return fmt.Sprintf("%v load", e.Target)
	default:
		return fmt.Sprintf("%T", e)
	}
}

// diary keeps what a runner would have to do, from effects and events alone.
type diary struct {
	*world
	open map[string]engine.EffectRequest
}

// happens feeds an event that an effect led to, and carries out what needs no waiting.
func (d *diary) happens(of engine.EffectRequest, ev engine.Event) {
	if of != nil {
		delete(d.open, wanted(of))
	}
	d.feed(ev)
	for len(d.todo) > 0 {
		e := d.todo[0]
		d.todo = d.todo[1:]
		switch e := e.(type) {
		case *engine.Abort:
			for name, o := range d.open {
				timer, is := o.(*engine.SetTimer)
				if strings.HasPrefix(name, fmt.Sprintf("%v ", e.Target)) && (e.Target != engine.Target{} || is && timer.Timer == engine.RunTimer) {
					delete(d.open, name)
				}
			}
		case *engine.Raise:
			d.feed(&engine.InterruptRaised{At: d.now, Target: e.Target, Request: e.Request})
		case *engine.Load:
			d.feed(&engine.MemoryRead{At: d.now, Target: e.Target})
		case *engine.Close:
			d.feed(&engine.RunEnded{At: d.now, Status: e.Status, Failure: e.Failure})
		default:
			d.open[wanted(e)] = e
		}
	}
}

// next draws what happens next: an answer, the end of a call, or the next timer.
func (d *diary) next(t *rapid.T) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name, e := range d.open {
			if timer, is := e.(*engine.SetTimer); (!is || timer == d.first()) && !yield(name) {
				return
			}
		}
	})
	open := d.s.Open()
	i := rapid.IntRange(0, len(names)+len(open)-1).Draw(t, "next")
	if i >= len(names) {
		r := open[i-len(names)]
		d.happens(nil, &engine.InterruptAnswered{At: d.now, Answer: engine.Answer{Interrupt: r.ID, Response: rapid.SampledFrom(r.Allow).Draw(t, "answer")}})
		return
	}
	switch e := d.open[names[i]].(type) {
	case *engine.SetTimer:
		d.now = later(d.now, e.At)
		ends := e.Timer == engine.NodeTimer || e.Timer == engine.RunTimer
		d.happens(e, &engine.TimerFired{At: d.now, Timer: e.Timer, Target: e.Target, Settle: ends})
	case *engine.Invoke:
		d.call(t, e)
	}
}

func (d *diary) first() (out *engine.SetTimer) {
	for _, e := range d.open {
		if timer, is := e.(*engine.SetTimer); is && (out == nil || timer.At.Before(out.At) || timer.At.Equal(out.At) && wanted(timer) < wanted(out)) {
			out = timer
		}
	}
	return out
}

func (d *diary) call(t *rapid.T, e *engine.Invoke) {
	once := e.Perform.Effect == engine.EffectOnce
	if once && !e.Intended {
		d.feed(&engine.CallStarted{At: d.now, Target: e.Target, Attempt: e.Call.Attempt, Label: e.Perform.Label})
		e.Intended = true
		return
	}
	ends := []engine.Event{
		&engine.CallDone{At: d.now, Target: e.Target, Value: 1},
		&engine.CallFailed{At: d.now, Target: e.Target, Failure: engine.Failure{Class: engine.Transient, Message: "busy"}},
		&engine.CallFailed{At: d.now, Target: e.Target, Failure: engine.Failure{Class: engine.Permanent, Message: "no"}},
	}
	if once {
		ends = append(ends, &engine.CallInDoubt{At: d.now, Target: e.Target, Reason: "lost"})
	}
	d.happens(e, rapid.SampledFrom(ends).Draw(t, "end"))
}

// TestEffectsAndWhatIsOutstandingAgree: a runner that was there all along does what one
// does that folds the journal, and whatever is late, the run comes to its end.
func TestEffectsAndWhatIsOutstandingAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := genHasty(rt, t)
		d := &diary{world: newWorld(t, p), open: map[string]engine.EffectRequest{}}
		d.happens(nil, &engine.RunStarted{At: epoch, Run: "r1", Graph: "g", Spec: "h"})
		for n := 0; !d.s.Closed(); n++ {
			if n > 500 {
				rt.Fatalf("it does not end: %s", view(d.s))
			}
			d.next(rt)
			var fold []string
			for _, e := range d.s.Outstanding() {
				fold = append(fold, wanted(e))
			}
			live := slices.Collect(func(yield func(string) bool) {
				for name := range d.open {
					if !yield(name) {
						return
					}
				}
			})
			slices.Sort(fold)
			slices.Sort(live)
			if diff := cmp.Diff(live, fold, cmp.Comparer(func(a, b []string) bool { return slices.Equal(a, b) })); diff != "" {
				rt.Fatalf("(-live +fold):\n%s", diff)
			}
		}
		again := engine.NewScheduler(p, "th")
		for _, ev := range d.events {
			if _, err := again.Step(through(t, ev)); err != nil {
				rt.Fatal(err)
			}
			data, _, ok, err := again.Snapshot()
			if err != nil {
				rt.Fatal(err)
			}
			if !ok {
				continue
			}
			short, ok, err := engine.Restore(p, "th", data, nil)
			if err != nil || !ok {
				rt.Fatal(ok, err)
			}
			if diff := cmp.Diff(view(again), view(short)); diff != "" {
				rt.Fatalf("(-whole +snapshot):\n%s", diff)
			}
		}
	})
}
