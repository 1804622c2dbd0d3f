package local_test

import (
	"context"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
)

// TestACallThatDidNotHappenIsNotMadeLate: a process stops in the middle of it, and the
// next comes two days later, when the hour of its node is over.
func TestACallThatDidNotHappenIsNotMadeLate(t *testing.T) {
	o := newOutside()
	o.looks = true
	p := chain(t, act{o: o, label: "pay", effect: engine.EffectOnce})
	p.Graphs[0].Nodes[0].Timeout = time.Hour
	store := inmem.New()
	ctx, stop := context.WithCancel(t.Context())
	o.fail = func(engine.Call) error { stop(); return context.Canceled }
	first := runner(store)
	first.Clock = &standing{now: epoch}
	if res, err := first.Run(ctx, p, local.Start{Thread: "th", Graph: "g"}); err == nil {
		t.Fatalf("it ended: %+v", res)
	}
	o.fail = nil
	later := runner(store)
	later.Clock = &standing{now: epoch.Add(48 * time.Hour)}
	res, err := later.Resume(t.Context(), p, "th")
	if err != nil {
		t.Fatal(err)
	}
	if len(o.done) != 0 || res.Status != engine.Failed || res.Failure.Class != engine.Timeout {
		t.Errorf("made %v, status %s, failure %v", o.done, res.Status, res.Failure)
	}
}

// standing is a time that does not move; what is over is over.
type standing struct{ now time.Time }

func (c *standing) Now() time.Time { return c.now }

func (c *standing) Wait(until time.Time) (<-chan struct{}, func()) {
	come := make(chan struct{})
	if !until.After(c.now) {
		close(come)
	}
	return come, func() {}
}
