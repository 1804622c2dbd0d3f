package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
)

// payments is a node of an hour that pays three times at once.
func payments(t *testing.T) *world {
	g := graphOf("g", nil, &engine.Node{
		Name: "pay", Timeout: time.Hour,
		Plan:    probe{label: "pay", effect: engine.EffectOnce, retry: &engine.Retry{Attempts: 3, Backoff: time.Minute}},
		ForEach: &engine.ForEach{In: expression(t, "1..3"), As: "item", Index: "index"},
	})
	w := newWorld(t, program(g))
	w.start("g", nil)
	return w
}

// begin journals that a call leaves.
func begin(w *world, e *engine.Invoke) {
	w.feed(&engine.CallStarted{At: epoch, Target: e.Target, Attempt: 1, Label: "pay"})
}

// TestNothingBeginsInWhatIsLate: neither calls that waited for their turn, nor those that
// were to be tried again, nor those that a human wants made.
func TestNothingBeginsInWhatIsLate(t *testing.T) {
	at := epoch.Add(time.Hour)
	for name, happen := range map[string]func(w *world, waits, slow *engine.Invoke){
		"in the queue": func(w *world, waits, _ *engine.Invoke) {
			w.feed(late(at, 2))
			if _, err := w.s.Step(&engine.CallStarted{At: at, Target: waits.Target, Attempt: 1}); !errors.Is(err, engine.ErrDiverged) {
				w.t.Errorf("it begins: %v", err)
			}
		},
		"to be tried again": func(w *world, waits, _ *engine.Invoke) {
			begin(w, waits)
			w.feed(&engine.CallFailed{At: at, Target: waits.Target, Failure: engine.Failure{Class: engine.Transient}})
			w.feed(late(at, 2))
		},
		"failed after the timeout": func(w *world, waits, _ *engine.Invoke) {
			begin(w, waits)
			w.feed(late(at, 2))
			w.feed(&engine.CallFailed{At: at, Target: waits.Target, Failure: engine.Failure{Class: engine.Transient}})
			w.feed(&engine.TimerFired{At: at.Add(time.Minute), Timer: engine.RetryTimer, Target: waits.Target})
		},
		"wanted by a human": func(w *world, waits, _ *engine.Invoke) {
			begin(w, waits)
			w.feed(&engine.CallInDoubt{At: at, Target: waits.Target})
			request := doubted(w)
			w.feed(&engine.InterruptRaised{At: at, Target: waits.Target, Request: *request})
			w.feed(late(at, 2))
			w.feed(&engine.InterruptAnswered{At: at, Answer: engine.Answer{Interrupt: request.ID, Response: engine.Accept}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := payments(t)
			calls := w.s.Outstanding()[1:] // but for the timer
			slow, waits, done := calls[0].(*engine.Invoke), calls[1].(*engine.Invoke), calls[2].(*engine.Invoke)
			begin(w, slow)
			begin(w, done)
			w.feed(&engine.CallDone{At: epoch, Target: done.Target})
			happen(w, waits, slow)
			if n := invokes(w); n != 1 || w.s.Status().Ended() {
				t.Errorf("%d calls are to be made, want the one under way; status %s", n, w.s.Status())
			}
			w.feed(&engine.CallDone{At: at.Add(time.Hour), Target: slow.Target})
			conclude(w)
			if _, f := w.s.Output(); w.s.Status() != engine.Failed || f == nil || f.Class != engine.Timeout {
				t.Errorf("status %s, failure %v", w.s.Status(), f)
			}
		})
	}
}

// TestMemoryIsNotReadForWhatIsLate: nothing would wait for it.
func TestMemoryIsNotReadForWhatIsLate(t *testing.T) {
	for name, graph := range map[string]func() *engine.Program{
		"run": func() *engine.Program {
			g := remembering("g")
			g.Timeout = time.Hour
			return program(g)
		},
		"node": func() *engine.Program {
			return program(remembering("sub"), graphOf("g", nil, &engine.Node{Name: "in", Plan: inner{"sub"}, Timeout: time.Hour}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, graph())
			w.start("g", nil)
			call := outstanding(w)
			begin(w, call)
			fired := late(epoch.Add(time.Hour), 2)
			if name == "run" {
				fired = late(epoch.Add(time.Hour), 0)
			}
			w.feed(fired)
			w.todo = nil
			w.feed(&engine.CallDone{At: epoch.Add(2 * time.Hour), Target: call.Target})
			for _, e := range w.todo {
				if load, ok := e.(*engine.Load); ok {
					t.Errorf("%v is to be read, and the run is %s", load.Target, w.s.Status())
				}
			}
			conclude(w)
			if !w.s.Status().Ended() {
				t.Errorf("status %s", w.s.Status())
			}
		})
	}
}

// remembering pays and then reads a memory.
func remembering(name string) *engine.Graph {
	return graphOf(name, nil,
		&engine.Node{Name: "pay", Plan: probe{label: "pay", effect: engine.EffectOnce}, Next: []engine.Edge{{To: []int{1}}}},
		&engine.Node{Name: "more", Plan: probe{label: "more"}, Memory: []*engine.Memory{{Name: "prefs"}}},
	)
}

// late is the end of the time of a node, or of the run when it is 0.
func late(at time.Time, node int) *engine.TimerFired {
	if node == 0 {
		return &engine.TimerFired{At: at, Timer: engine.RunTimer, Settle: true}
	}
	return &engine.TimerFired{At: at, Timer: engine.NodeTimer, Target: engine.Target{ID: node}, Settle: true}
}

// TestTimersOfOlderJournalsCutOff: what they led to then, they lead to now.
func TestTimersOfOlderJournalsCutOff(t *testing.T) {
	w := payments(t)
	slow := outstanding(w)
	begin(w, slow)
	w.feed(&engine.TimerFired{At: epoch.Add(time.Hour), Timer: engine.NodeTimer, Target: engine.Target{ID: 2}})
	conclude(w)
	if _, f := w.s.Output(); w.s.Status() != engine.Failed || f == nil || f.Class != engine.Timeout {
		t.Errorf("status %s, failure %v", w.s.Status(), f)
	}
}
