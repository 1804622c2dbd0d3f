package enginetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
)

// model says what a store does, in the plainest way.
type model struct {
	threads []*modelThread // the one touched last at the end
}

type modelThread struct {
	head     engine.Head
	records  []engine.Record
	snapshot []byte
}

func (m *model) find(id engine.ThreadID) *modelThread {
	for _, t := range m.threads {
		if t.head.Thread == id {
			return t
		}
	}
	return nil
}

func (m *model) append(b engine.Batch) error {
	t := m.find(b.Thread)
	if t == nil && b.After == 0 && len(b.Records) == 0 {
		return engine.ErrNotFound
	}
	if t == nil && b.After > 0 || t != nil && t.head.Seq != b.After {
		return engine.ErrConflict
	}
	if t != nil && t.head.Owner != "" && t.head.Owner != b.Owner {
		return engine.ErrLeased
	}
	if t == nil {
		t = &modelThread{head: engine.Head{Thread: b.Thread}}
		m.threads = append(m.threads, t)
	}
	t.records = append(t.records, b.Records...)
	t.head.Seq += engine.Seq(len(b.Records))
	t.head.Owner = b.Owner
	if b.Release {
		t.head.Owner = ""
	}
	if b.Summary != nil {
		t.head.Summary = *b.Summary
	}
	if b.Snapshot != nil {
		t.snapshot, t.head.SnapshotSeq = b.Snapshot, t.head.Seq
	}
	if len(b.Records) > 0 {
		i := slices.Index(m.threads, t)
		m.threads = append(slices.Delete(m.threads, i, i+1), t)
	}
	return nil
}

func (m *model) acquire(id engine.ThreadID, owner string) (engine.Head, error) {
	t := m.find(id)
	if t == nil {
		return engine.Head{}, engine.ErrNotFound
	}
	if t.head.Owner != "" && t.head.Owner != owner {
		return engine.Head{}, engine.ErrLeased
	}
	t.head.Owner = owner
	h := t.head
	h.Snapshot = t.snapshot
	return h, nil
}

func (m *model) list(f engine.Filter) []engine.Head {
	var out []engine.Head
	for _, t := range slices.Backward(m.threads) {
		s := t.head.Summary
		ok := (f.Thread == "" || t.head.Thread == f.Thread) &&
			(f.Status == "" || s.Status == f.Status) &&
			(!f.Interrupt || len(s.Interrupts) > 0) &&
			(f.WakeBy.IsZero() || s.Wake != nil && !f.WakeBy.Before(*s.Wake))
		if ok && (f.Limit == 0 || len(out) < f.Limit) {
			out = append(out, t.head)
		}
	}
	return out
}

// The drawn values.
var (
	drawThread = rapid.SampledFrom([]engine.ThreadID{"a", "b", "c", "d"})
	drawOwner  = rapid.SampledFrom([]string{"", "x", "x", "x", "y"})
	drawStatus = rapid.SampledFrom([]engine.Status{"", engine.Running, engine.Parked, engine.Done})
)

func drawSummary(t *rapid.T) *engine.Summary {
	if rapid.Bool().Draw(t, "no summary") {
		return nil
	}
	s := &engine.Summary{Status: drawStatus.Draw(t, "status"), Run: rapid.String().Draw(t, "run")}
	if rapid.Bool().Draw(t, "asks") {
		s.Interrupts = []*engine.InterruptRequest{{ID: "i", Args: map[string]any{"n": rapid.Int().Draw(t, "n")}}}
	}
	if rapid.Bool().Draw(t, "wakes") {
		wake := at(rapid.IntRange(0, 5).Draw(t, "wake"))
		s.Wake = &wake
	}
	return s
}

// draw makes a batch that fits the model most of the time.
func (m *model) draw(t *rapid.T) engine.Batch {
	b := engine.Batch{
		Thread: drawThread.Draw(t, "thread"), Owner: drawOwner.Draw(t, "owner"), Summary: drawSummary(t),
		Release: rapid.Bool().Draw(t, "release"), Sync: rapid.Bool().Draw(t, "sync"),
	}
	if known := m.find(b.Thread); known != nil {
		b.After = known.head.Seq
		if known.head.Owner != "" && rapid.Bool().Draw(t, "as its owner") {
			b.Owner = known.head.Owner
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "miss") == 0 {
		b.After = engine.Seq(rapid.IntRange(0, 8).Draw(t, "after"))
	}
	for i, text := range rapid.SliceOfN(rapid.String(), 0, 6).Draw(t, "records") {
		b.Records = append(b.Records, engine.Record{Seq: b.After + engine.Seq(i) + 1, Kind: engine.Kind(rapid.Byte().Draw(t, "kind")), Data: []byte("." + text)})
	}
	if rapid.IntRange(0, 3).Draw(t, "snap") == 0 {
		b.Snapshot = []byte(fmt.Sprint("snapshot after ", int(b.After)+len(b.Records)))
	}
	return b
}

func sameErr(got, want error) bool {
	return (got == nil) == (want == nil) && errors.Is(got, want)
}

// testModel does the same to a store and to the model.
func testModel(t *testing.T, open func(t *testing.T) engine.Store) {
	rapid.Check(t, func(rt *rapid.T) {
		s := open(t)
		defer closeStore(t, s)
		m := &model{}
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(rt *rapid.T) {
				b := m.draw(rt)
				if got, want := s.Append(t.Context(), b), m.append(b); !sameErr(got, want) {
					rt.Fatalf("append %+v: %v, want %v", b, got, want)
				}
			},
			"acquire": func(rt *rapid.T) {
				id, owner := drawThread.Draw(rt, "thread"), rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "owner")
				got, err := s.Acquire(t.Context(), id, owner)
				want, wantErr := m.acquire(id, owner)
				if diff := cmp.Diff(want, got); diff != "" || !sameErr(err, wantErr) {
					rt.Fatalf("acquire %s by %s: %v, want %v\n%s", id, owner, err, wantErr, diff)
				}
			},
			"list": func(rt *rapid.T) {
				f := engine.Filter{Status: drawStatus.Draw(rt, "status"), Interrupt: rapid.Bool().Draw(rt, "asks"), Limit: rapid.IntRange(0, 3).Draw(rt, "limit")}
				if rapid.Bool().Draw(rt, "wakes") {
					f.WakeBy = at(rapid.IntRange(0, 5).Draw(rt, "wake"))
				}
				if diff := cmp.Diff(m.list(f), heads(t, s, f)); diff != "" {
					rt.Fatalf("threads %+v (-want +got):\n%s", f, diff)
				}
			},
			"": func(rt *rapid.T) {
				for _, known := range m.threads {
					after := engine.Seq(rapid.IntRange(0, len(known.records)).Draw(rt, "read after"))
					got, err := readAll(t.Context(), s, known.head.Thread, after)
					if diff := cmp.Diff(known.records[after:], got); err != nil || len(got)+int(after) != len(known.records) || len(got) > 0 && diff != "" {
						rt.Fatalf("read %s after %d: %v\n%s", known.head.Thread, after, err, diff)
					}
				}
			},
		})
	})
}
