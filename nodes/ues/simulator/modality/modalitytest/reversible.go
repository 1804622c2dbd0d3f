package modalitytest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
)

// Reversible checks that whatever payloads are applied, undoing all of them gives the
// state before, byte for byte; that after every undo the state is what it was at that
// point; and that applying them again gives the state after. start are payloads to begin
// with, draw makes one more payload (a JSON object without timestamp).
func Reversible(t *testing.T, open func(t testing.TB) *Bench, draw func(t *rapid.T) string) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		b := open(t)
		var done []deed
		for range rapid.IntRange(1, 25).Draw(rt, "payloads") {
			if d, ok := b.attempt(rt, draw(rt)); ok {
				done = append(done, d)
			}
		}
		after := b.Dump()
		for _, d := range slices.Backward(done) {
			b.Undo(t)
			if diff := cmp.Diff(lines(d.before), lines(b.Dump())); diff != "" {
				rt.Fatalf("undo of %s (-before +undone):\n%s", d.in.AppendJSON(nil), diff)
			}
		}
		for _, d := range done {
			if err := b.apply(d.in); err != nil {
				rt.Fatalf("redo of %s: %v", d.in.AppendJSON(nil), err)
			}
		}
		if diff := cmp.Diff(lines(after), lines(b.Dump())); diff != "" {
			rt.Fatalf("redo of all (-before +redone):\n%s", diff)
		}
	})
}

// deed is an input that can be undone, and the state before it.
type deed struct {
	in     modality.Input
	before string
}

// attempt applies a payload; ok is false when nothing can be undone then. A payload that
// failed must have changed nothing, and a dump must be loadable at any time.
func (b *Bench) attempt(t *rapid.T, payload string) (d deed, ok bool) {
	before, undos := b.Dump(), len(b.Undos)
	err := b.Apply(payload)
	after := b.Dump()
	if err != nil && after != before {
		t.Fatalf("%s failed (%v) and changed the state:\n%s", payload, err, cmp.Diff(lines(before), lines(after)))
	}
	if _, errs := b.Kind.Load(MustObject(after), b.Moment()); len(errs) > 0 {
		t.Fatalf("after %s the dump cannot be loaded: %v", payload, errs)
	}
	return deed{b.Last, before}, len(b.Undos) > undos
}

// Reloaded checks that a dump, loaded, gives the same dump.
func Reloaded(t testing.TB, b *Bench) {
	t.Helper()
	want := b.Dump()
	if diff := cmp.Diff(lines(want), lines(Load(t, b.Kind, want).Dump())); diff != "" {
		t.Errorf("dump after load (-want +got):\n%s", diff)
	}
}

// lines breaks a dump where a diff is easy to read.
func lines(dump string) []string { return strings.SplitAfter(dump, ",") }
