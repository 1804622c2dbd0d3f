package local_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
)

var errDead = errors.New("the process is dead")

// mortal is a store whose process dies at a given append: just before it, or just
// after, when the append holds but its writer never hears of it.
type mortal struct {
	engine.Store
	left  int
	after bool
	dead  bool
}

func (m *mortal) Append(ctx context.Context, b engine.Batch) error {
	if m.dead {
		return errDead
	}
	if m.left--; m.left > 0 {
		return m.Store.Append(ctx, b)
	}
	m.dead = true
	if m.after {
		b.Release = false
		if err := m.Store.Append(ctx, b); err != nil {
			return err
		}
	}
	return errDead
}

// TestDeathAtEveryAppend stops a run at each of its appends, goes on with a new
// runner, and compares with what must have happened, written out by hand.
func TestDeathAtEveryAppend(t *testing.T) {
	want := []any{"a done", "b done", "respond yes", "c done", "d done"}
	for _, looks := range []bool{true, false} {
		for _, after := range []bool{true, false} {
			for at := 1; at < 20; at++ {
				t.Run(fmt.Sprintf("looks=%v after=%v at=%d", looks, after, at), func(t *testing.T) {
					store, o := inmem.New(), newOutside()
					o.looks = looks
					p := chain(t,
						act{o: o, label: "a", effect: engine.EffectOnce}, act{o: o, label: "b", effect: engine.EffectOnce},
						ask{}, act{o: o, label: "c", effect: engine.EffectOnce}, act{o: o, label: "d"})
					died := live(t, &mortal{Store: store, left: at, after: after}, o, p)
					var asked []string
					for range 10 {
						res := survive(t, store, p)
						if res.Status.Ended() {
							check(t, res, want, o)
							return
						}
						for _, open := range res.Interrupts {
							asked = append(asked, open.ID)
						}
						answer(t, store, p, res, o)
					}
					t.Fatalf("still not ended (died: %v); asked %v", died, asked)
				})
			}
		}
	}
}

// TestDeathAfterTheLastAnswer stops a run between the answer that ends it and its
// last event: it is not over, and a new runner ends it.
func TestDeathAfterTheLastAnswer(t *testing.T) {
	store, o := inmem.New(), newOutside()
	p := chain(t, ask{})
	res, err := runner(store).Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"})
	if err != nil {
		t.Fatal(err)
	}
	m := &mortal{Store: store, left: 1, after: true}
	_, err = runner(m).Resume(t.Context(), p, "th", engine.Answer{Interrupt: res.Interrupts[0].ID, Response: engine.Respond, Text: "yes"})
	if !errors.Is(err, errDead) {
		t.Fatalf("error %v, the process should have died", err)
	}
	if got := status(t, store); got != engine.Running {
		t.Fatalf("status %s, its last event is not written", got)
	}
	check(t, survive(t, store, p), []any{"respond yes"}, o)
	if got := status(t, store); got != engine.Done {
		t.Errorf("status %s at last", got)
	}
}

// status returns what lists show of the thread.
func status(t *testing.T, store engine.Store) (out engine.Status) {
	t.Helper()
	for head, err := range store.Threads(t.Context(), engine.Filter{Thread: "th"}) {
		if err != nil {
			t.Fatal(err)
		}
		out = head.Summary.Status
	}
	return out
}

// live drives the thread until its process dies or the run ends.
func live(t *testing.T, m *mortal, o *outside, p *engine.Program) (died bool) {
	t.Helper()
	r := runner(m)
	res, err := r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"})
	if err == nil && res.Status == engine.Parked {
		_, err = r.Resume(t.Context(), p, "th", engine.Answer{Interrupt: res.Interrupts[0].ID, Response: engine.Respond, Text: "yes"})
	}
	if err != nil && !errors.Is(err, errDead) {
		t.Fatal(err)
	}
	return err != nil
}

// survive goes on with a runner of a new process; the thread may have died before
// its first event.
func survive(t *testing.T, store engine.Store, p *engine.Program) local.Result {
	t.Helper()
	r := runner(store)
	res, err := r.Resume(t.Context(), p, "th")
	if errors.Is(err, engine.ErrFinished) {
		res, err = r.Show(t.Context(), p, "th")
	}
	if errors.Is(err, engine.ErrNotFound) {
		res, err = r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// answer answers what is open: a call in doubt by what the world says.
func answer(t *testing.T, store engine.Store, p *engine.Program, res local.Result, o *outside) {
	t.Helper()
	for _, open := range res.Interrupts {
		a := engine.Answer{Interrupt: open.ID, Response: engine.Respond, Text: "yes"}
		if open.Kind == "uncertain" {
			if a.Text = open.Action + " done"; !happened(o, open.Action) {
				a = engine.Answer{Interrupt: open.ID, Response: engine.Accept}
			}
		}
		if _, err := runner(store).Resume(t.Context(), p, "th", a); err != nil {
			t.Fatal(err)
		}
	}
}

func happened(o *outside, label string) bool {
	for _, v := range o.results {
		if strings.HasPrefix(v.(string), label+" ") {
			return true
		}
	}
	return false
}

func check(t *testing.T, res local.Result, want []any, o *outside) {
	t.Helper()
	if res.Status != engine.Done {
		t.Errorf("status %s: %v", res.Status, res.Failure)
	}
	if diff := cmp.Diff(want, res.State["log"]); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	for key, n := range o.done {
		if n != 1 && o.results[key] != "d done" {
			t.Errorf("effect %s happened %d times", key, n)
		}
	}
}
