package modalitytest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// At gives a part of the state's dump, at a path of names with slashes between them.
func (b *Bench) At(t testing.TB, path string) any {
	t.Helper()
	v := Plain(t, b.Dump())
	for name := range strings.SplitSeq(path, "/") {
		m, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("%s: no object before %s", path, name)
		}
		v = m[name]
	}
	return v
}

// Holds compares parts of the state's dump: want has pairs of path and JSON text.
func (b *Bench) Holds(t testing.TB, want ...string) {
	t.Helper()
	for i := 0; i < len(want); i += 2 {
		if diff := cmp.Diff(Plain(t, want[i+1]), b.At(t, want[i])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want[i], diff)
		}
	}
}

// Refuses applies a payload that must fail with a text and change nothing.
func (b *Bench) Refuses(t testing.TB, payload, want string) {
	t.Helper()
	before := b.Dump()
	if err := b.Apply(payload); err == nil || err.Error() != want {
		t.Errorf("%s: %v, want %s", payload, err, want)
	}
	if diff := cmp.Diff(before, b.Dump()); diff != "" {
		t.Errorf("%s changed the state (-before +after):\n%s", payload, diff)
	}
}

// Step is a payload with what holds after it (see Holds) and the name of its undoing.
type Step struct {
	Payload string
	Action  string
	Want    []string
}

// Do makes a Step.
func Do(payload, action string, want ...string) Step { return Step{payload, action, want} }

// Walk applies steps and takes them back, comparing the state at every step.
func (b *Bench) Walk(t testing.TB, steps []Step) {
	t.Helper()
	var dumps []string
	for _, s := range steps {
		dumps = append(dumps, b.Dump())
		b.MustApply(t, s.Payload)
		b.Holds(t, s.Want...)
		if t.Failed() {
			t.Fatalf("after %s", s.Payload)
		}
	}
	for i, s := range slices.Backward(steps) {
		if action := b.Undo(t); action != s.Action {
			t.Errorf("undo of %s: action %s, want %s", s.Payload, action, s.Action)
		}
		if diff := cmp.Diff(lines(dumps[i]), lines(b.Dump())); diff != "" {
			t.Errorf("undo of %s (-want +got):\n%s", s.Payload, diff)
		}
	}
}

// Payload compares the last input with a JSON text.
func (b *Bench) Payload(t testing.TB, want string) {
	t.Helper()
	if diff := cmp.Diff(Plain(t, want), Plain(t, string(b.Last.AppendJSON(nil)))); diff != "" {
		t.Errorf("payload (-want +got):\n%s", diff)
	}
}

// Fuzz feeds a text to Decode and Load: whatever is accepted must be written so that it
// is read again as the same, and must be applicable without a panic.
func Fuzz(t *testing.T, kind modality.Kind, text string) {
	doc, err := ordered.ParseObject([]byte(text))
	if err != nil {
		return
	}
	b := New(kind)
	if in, errs := kind.Decode(doc.Clone(), b.Moment()); len(errs) == 0 {
		written := string(in.AppendJSON(nil))
		again, errs := kind.Decode(MustObject(written), b.Moment())
		if len(errs) > 0 {
			t.Fatalf("%v in %s", errs, written)
		}
		if second := string(again.AppendJSON(nil)); second != written {
			t.Fatalf("%s\nwas read again as %s", written, second)
		}
		if in.Check() == nil {
			if undo, err := b.State.Apply(in, b.Moment()); err == nil && undo != nil {
				_, _ = undo()
			}
		}
	}
	if s, errs := kind.Load(doc, b.Moment()); len(errs) == 0 {
		b.State = s
		s.Problems()
		s.Summary(b.Moment())
		Plain(t, string(s.AppendCompact(nil, b.Moment())))
		Reloaded(t, b)
	}
}
