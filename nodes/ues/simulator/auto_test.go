package simulator_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator"
)

// wall is a wall clock that the test moves. Who waits on it is woken by moving it.
type wall struct {
	mu      sync.Mutex
	now     time.Time
	waiting []waiter
	arrived chan struct{} // one for every beginning wait
}

type waiter struct {
	until time.Time
	wake  chan struct{}
}

func newWall() *wall {
	return &wall{now: time.Date(2026, 1, 28, 6, 0, 0, 0, time.UTC), arrived: make(chan struct{}, 1000)}
}

func (w *wall) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *wall) Wait(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	one := waiter{until: w.now.Add(d), wake: make(chan struct{})}
	w.waiting = append(w.waiting, one)
	w.mu.Unlock()
	w.arrived <- struct{}{}
	select {
	case <-one.wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// move goes forward and wakes everybody whose time has come.
func (w *wall) move(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
	var rest []waiter
	for _, one := range w.waiting {
		if one.until.After(w.now) {
			rest = append(rest, one)
			continue
		}
		close(one.wake)
	}
	w.waiting = rest
}

// tick moves on and comes back when the loop waits again.
func (w *wall) tick(d time.Duration) {
	w.move(d)
	<-w.arrived
}

func TestAutoAdvance(t *testing.T) {
	w := newWall()
	sim := fresh(t, simulator.Options{Now: w.Now, Wait: w.Wait})
	schedule(t, sim, 30) // one a second
	if err := sim.Start(true, 10); err != nil {
		t.Fatal(err)
	}
	<-w.arrived // the loop waits for its first tick
	c := serve(t, sim)
	expect := func(when string, want time.Time, unread string) {
		t.Helper()
		if now := sim.Clock().Now.Go(); !now.Equal(want) {
			t.Fatalf("%s: %v, want %v", when, now, want)
		}
		if got := pick(t, c.must(200, "GET", "/email/state", ""), "unread_count"); got != unread {
			t.Fatalf("%s: %s unread, want %s", when, got, unread)
		}
	}
	start := w.Now()
	w.tick(time.Second)
	expect("after a second ten times as fast", start.Add(10*time.Second), "10")

	c.must(200, "POST", "/simulator/time/pause", "")
	w.tick(time.Second)
	expect("paused", start.Add(10*time.Second), "10")
	c.must(200, "POST", "/simulator/time/resume", "")
	w.tick(100 * time.Millisecond)
	expect("resumed", start.Add(11*time.Second), "11")

	hold := pick(t, c.must(200, "POST", "/simulation/hold", `{"timeout_seconds":5,"reason":"thinking"}`), "hold_id")
	w.tick(time.Second)
	expect("held", start.Add(11*time.Second), "11")
	c.must(200, "POST", "/simulation/release/"+hold, "")
	w.tick(100 * time.Millisecond)
	expect("released", start.Add(12*time.Second), "12")

	c.must(200, "POST", "/simulation/hold", `{"timeout_seconds":2}`)
	w.tick(time.Second)
	w.tick(2 * time.Second)
	expect("the hold has expired, the time in it is lost or made up at once", start.Add(32*time.Second), "30")

	c.must(200, "POST", "/simulation/stop", "")
	w.move(time.Second)
	if err := sim.Start(false, 1); err != nil {
		t.Fatal(err)
	}
	if now := sim.Clock().Now.Go(); !now.Equal(start.Add(32 * time.Second)) {
		t.Fatalf("time went on after the stop: %v", now)
	}
}

func TestSlowTimeAddsUp(t *testing.T) {
	w := newWall()
	sim := fresh(t, simulator.Options{Now: w.Now, Wait: w.Wait})
	if err := sim.Start(true, 0.00001); err != nil {
		t.Fatal(err)
	}
	<-w.arrived
	start := w.Now()
	for range 100 { // 10 ms are a tenth of a microsecond
		w.tick(10 * time.Millisecond)
	}
	if moved := sim.Clock().Now.Go().Sub(start); moved < 5*time.Microsecond || moved > 15*time.Microsecond {
		t.Errorf("a second is %v", moved)
	}
}

func TestCloseEndsTheLoop(t *testing.T) {
	w := newWall()
	sim := fresh(t, simulator.Options{Now: w.Now, Wait: w.Wait})
	if err := sim.Start(true, 1); err != nil {
		t.Fatal(err)
	}
	<-w.arrived
	sim.Close() // would hang if the loop stayed
	if err := sim.Start(true, 1); err != nil {
		t.Fatal(err)
	}
	sim.Close()
}
