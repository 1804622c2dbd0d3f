package modalitytest

import (
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
		var dumps []string
		var inputs []modality.Input
		for range rapid.IntRange(1, 25).Draw(rt, "payloads") {
			payload := draw(rt)
			before, done := b.Dump(), len(b.Undos)
			err := b.Apply(payload)
			if len(b.Undos) == done {
				if after := b.Dump(); err != nil && after != before {
					rt.Fatalf("%s failed (%v) and changed the state:\n%s", payload, err, cmp.Diff(before, after))
				}
				continue
			}
			dumps, inputs = append(dumps, before), append(inputs, b.Last)
			if _, errs := b.Kind.Load(MustObject(b.Dump()), b.Moment()); len(errs) > 0 {
				rt.Fatalf("after %s the dump cannot be loaded: %v", payload, errs)
			}
		}
		after := b.Dump()
		for i := len(dumps) - 1; i >= 0; i-- {
			b.Undo(t)
			if diff := cmp.Diff(lines(dumps[i]), lines(b.Dump())); diff != "" {
				rt.Fatalf("undo of %s (-before +undone):\n%s", inputs[i].AppendJSON(nil), diff)
			}
		}
		for _, in := range inputs {
			if err := b.apply(in); err != nil {
				rt.Fatalf("redo of %s: %v", in.AppendJSON(nil), err)
			}
		}
		if diff := cmp.Diff(lines(after), lines(b.Dump())); diff != "" {
			rt.Fatalf("redo of all (-before +redone):\n%s", diff)
		}
	})
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
