package engine_test

import (
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
)

// lateGraph pays in a graph of its own, which has an hour, while it asks something else.
func lateGraph(t *testing.T) *engine.Program {
	sub := graphOf("sub", nil,
		&engine.Node{Name: "begin", Next: []engine.Edge{{To: []int{1, 2}}}},
		&engine.Node{Name: "pay", Plan: probe{label: "pay", effect: engine.EffectOnce}, Next: []engine.Edge{{To: []int{3}}}},
		&engine.Node{Name: "ask", Plan: question{}},
		&engine.Node{Name: "again", Plan: probe{label: "pay", effect: engine.EffectOnce}},
	)
	return program(sub, graphOf("g", []*engine.Field{{Name: "n"}}, &engine.Node{
		Name: "in", Plan: inner{"sub"}, Timeout: time.Hour,
		OnError: &engine.Catch{Set: set(t, "n", "{{ error.class }}")},
	}))
}

// TestTimeoutWaitsForACallThatMustNotBeMadeTwice: it is settled first, nothing begins
// in the meantime, and then the node ends late.
func TestTimeoutWaitsForACallThatMustNotBeMadeTwice(t *testing.T) {
	for name, settle := range map[string]func(w *world, at time.Time, target engine.Target){
		"done": func(w *world, at time.Time, target engine.Target) {
			w.feed(&engine.CallDone{At: at, Target: target, Value: "paid"})
		},
		"refused": func(w *world, at time.Time, target engine.Target) {
			w.feed(&engine.CallFailed{At: at, Target: target, Failure: engine.Failure{Class: engine.Permanent, Message: "no"}})
		},
		"in doubt": func(w *world, at time.Time, target engine.Target) {
			w.feed(&engine.CallInDoubt{At: at, Target: target, Reason: "it took too long"})
			request := doubted(w)
			w.feed(&engine.InterruptRaised{At: at, Target: target, Request: *request})
			if open := w.s.Open(); len(open) != 2 || w.s.Status() != engine.Parked {
				w.t.Fatalf("%d questions, status %s", len(open), w.s.Status())
			}
			w.feed(&engine.InterruptAnswered{At: at, Answer: engine.Answer{Interrupt: request.ID, Response: engine.Ignore}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, target := paying(t)
			at := epoch.Add(time.Hour)
			w.feed(late(at, 2))
			if invokes(w) != 1 || w.s.Status() == engine.Done {
				t.Fatalf("%d calls outstanding, status %s", invokes(w), w.s.Status())
			}
			settle(w, at.Add(time.Minute), target)
			if invokes(w) != 0 || len(w.s.Open()) != 0 {
				t.Fatalf("%d calls, %d questions after the end", invokes(w), len(w.s.Open()))
			}
			conclude(w)
			if w.s.Status() != engine.Done || w.s.State()["n"] != "timeout" {
				t.Errorf("status %s, n %v", w.s.Status(), w.s.State()["n"])
			}
		})
	}
}

// TestRunTimeoutWaitsForACallThatMustNotBeMadeTwice is the same of a whole run.
func TestRunTimeoutWaitsForACallThatMustNotBeMadeTwice(t *testing.T) {
	g := graphOf("g", nil,
		&engine.Node{Name: "pay", Plan: probe{label: "pay", effect: engine.EffectOnce}, Next: []engine.Edge{{To: []int{1}}}},
		&engine.Node{Name: "more", Plan: probe{label: "more"}},
	)
	g.Timeout = time.Minute
	w := newWorld(t, program(g))
	w.start("g", nil)
	call := outstanding(w)
	if !call.Until.Equal(epoch.Add(time.Minute)) {
		t.Errorf("the call has time until %s", call.Until)
	}
	w.feed(&engine.CallStarted{At: epoch, Target: call.Target, Attempt: 1, Label: "pay"})
	w.feed(late(epoch.Add(time.Minute), 0))
	if w.s.Status().Ended() || len(w.s.Outstanding()) != 1 {
		t.Fatalf("status %s, outstanding %v", w.s.Status(), w.s.Outstanding())
	}
	w.feed(&engine.CallDone{At: epoch.Add(2 * time.Minute), Target: call.Target, Value: "paid"})
	conclude(w)
	if w.s.Status() != engine.Limited {
		t.Errorf("status %s", w.s.Status())
	}
}

// TestCallThatHasNotBegunIsDropped: without an intent there is no doubt.
func TestCallThatHasNotBegunIsDropped(t *testing.T) {
	g := graphOf("g", nil, &engine.Node{Name: "pay", Plan: probe{label: "pay", effect: engine.EffectOnce}, Timeout: time.Minute})
	w := newWorld(t, program(g))
	w.start("g", nil)
	w.feed(late(epoch.Add(time.Minute), 2))
	conclude(w)
	if w.s.Status() != engine.Failed {
		t.Errorf("status %s", w.s.Status())
	}
}

// paying is a run of lateGraph in which the payment is under way and the question open.
func paying(t *testing.T) (*world, engine.Target) {
	w := newWorld(t, lateGraph(t))
	w.start("g", nil)
	call := outstanding(w)
	w.feed(&engine.CallStarted{At: epoch, Target: call.Target, Attempt: 1, Label: "pay"})
	for _, e := range w.s.Outstanding() {
		if r, ok := e.(*engine.Raise); ok {
			w.feed(&engine.InterruptRaised{At: epoch, Target: r.Target, Request: r.Request})
		}
	}
	return w, call.Target
}

// conclude carries out what is still to be done.
func conclude(w *world) {
	w.t.Helper()
	w.todo = w.s.Outstanding()
	w.run()
}

// outstanding returns the call to be made.
func outstanding(w *world) *engine.Invoke {
	for _, e := range w.s.Outstanding() {
		if call, ok := e.(*engine.Invoke); ok {
			return call
		}
	}
	w.t.Fatal("nothing is to be called")
	return nil
}

func invokes(w *world) (n int) {
	for _, e := range w.s.Outstanding() {
		if _, ok := e.(*engine.Invoke); ok {
			n++
		}
	}
	return n
}

// doubted is the question that is about to be asked.
func doubted(w *world) *engine.InterruptRequest {
	for _, e := range w.s.Outstanding() {
		if r, ok := e.(*engine.Raise); ok {
			return &r.Request
		}
	}
	w.t.Fatal("nothing is asked")
	return nil
}
