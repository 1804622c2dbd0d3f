package world_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
	"github.com/weft-engine/weft/nodes/ues/simulator/world"
)

// TestHistoryProperty does things at random and holds the world to what must always be
// true: the state is what the executed events say, in order of execution; undo and redo
// cancel out; going back in time leaves nothing of what comes later; the clock decides
// what is pending.
func TestHistoryProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench()
		if err := b.Start(false, 1); err != nil {
			t.Fatal(err)
		}
		n := 0
		text := func() string { n++; return fmt.Sprint("n", n) }
		now := func() int { return int((b.Clock().Now.Micros() - at(0).Micros()) / 1e6) }
		check := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"plan": func(t *rapid.T) {
				e, err := b.Draft(world.Draft{
					At: at(now() + rapid.IntRange(0, 20).Draw(t, "in")), Modality: "email", Data: data(text()),
					Priority: rapid.IntRange(0, 2).Draw(t, "priority"),
				})
				check(err)
				check(b.Schedule(e))
			},
			"act": func(*rapid.T) {
				if out, err := b.Perform("email", data(text()), ""); err != nil || out.Error != "" {
					t.Fatalf("%+v %v", out, err)
				}
			},
			"advance": func(t *rapid.T) {
				_, err := b.Advance(float64(rapid.IntRange(1, 10).Draw(t, "by")))
				check(err)
				if e := b.Queue().Next(); e != nil && !e.Scheduled.After(b.Clock().Now) {
					t.Fatalf("%s is due and did not run", e.ID)
				}
			},
			"forward": func(t *rapid.T) {
				_, err := b.SetTime(at(now() + rapid.IntRange(0, 5).Draw(t, "by")))
				check(err)
			},
			"back": func(t *rapid.T) {
				target := at(now() - rapid.IntRange(1, 10).Draw(t, "by"))
				_, err := b.SetTime(target)
				check(err)
				for e := range b.Queue().All() {
					late := e.Scheduled.After(target)
					if late && e.Status() != queue.Pending {
						t.Fatalf("%s is %s", e.ID, e.Status())
					}
					if late && slices.Contains(b.texts(), e.Input.(*note).text) {
						t.Fatalf("%s still counts", e.ID)
					}
				}
			},
			"undo and redo": func(t *rapid.T) {
				k := rapid.IntRange(1, 5).Draw(t, "how many")
				before := b.AppendSnapshot(nil)
				undone, err := b.Undo(k)
				check(err)
				if !b.CanUndo() && len(b.texts()) > 0 {
					t.Fatalf("nothing to undo, and yet %v", b.texts())
				}
				redone, err := b.Redo(len(undone))
				check(err)
				if after := b.AppendSnapshot(nil); len(undone) != len(redone) || !bytes.Equal(before, after) {
					t.Fatalf("undo %d, redo %d:\n%s\n%s", len(undone), len(redone), before, after)
				}
			},
			"reset": func(*rapid.T) {
				r := b.Reset()
				if len(b.texts()) != 0 || len(r.Errors) != 0 || b.Queue().Count(queue.Pending) != b.Queue().Len() {
					t.Fatalf("reset %+v: %v", r, b.texts())
				}
				check(b.Start(false, 1))
			},
			"": func(t *rapid.T) {
				executed := 0
				for e := range b.Queue().All() {
					if e.Status() != queue.Executed {
						continue
					}
					executed++
					if !slices.Contains(b.texts(), e.Input.(*note).text) {
						t.Fatalf("%s was executed and does not count", e.ID)
					}
				}
				if executed != len(b.texts()) {
					t.Fatalf("%d executed, %d notes", executed, len(b.texts()))
				}
			},
		})
	})
}
