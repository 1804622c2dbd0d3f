package queue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/queue"
)

// model is the queue as the contract words it: a list that is sorted stably.
type model []*queue.Event

func (m model) sort() {
	slices.SortStableFunc(m, func(a, b *queue.Event) int {
		if c := a.Scheduled.Compare(b.Scheduled); c != 0 {
			return c
		}
		if a.Priority != b.Priority {
			return b.Priority - a.Priority
		}
		return a.Created.Compare(b.Created)
	})
}

func (m model) ids(keep func(*queue.Event) bool) []string {
	out := []string{}
	for _, e := range m {
		if keep(e) {
			out = append(out, e.ID)
		}
	}
	return out
}

func (m model) next() string {
	for _, e := range m {
		if e.Status() == queue.Pending {
			return e.ID
		}
	}
	return ""
}

func all(*queue.Event) bool { return true }

// TestQueueKeepsTheOrderOfASortedList drives a queue and a sorted list alike.
func TestQueueKeepsTheOrderOfASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue.Queue
		var m model
		statuses := []queue.Status{queue.Pending, queue.Executed, queue.Failed, queue.Skipped, queue.Cancelled}
		n := 0
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				span := rapid.SampledFrom([]int{2, 50, 100000}).Draw(t, "span")
				r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				for range rapid.IntRange(1, 150).Draw(t, "how many") {
					n++
					e := &queue.Event{
						ID: fmt.Sprint(n), Modality: "m", Scheduled: field.UTC(int64(r.IntN(span))),
						Priority: r.IntN(3), Created: field.UTC(int64(r.IntN(3))),
					}
					q.Add(e, statuses[r.IntN(len(statuses))])
					m = append(m, e)
				}
				m.sort()
			},
			"mark": func(t *rapid.T) {
				if len(m) == 0 {
					t.Skip("nothing to mark")
				}
				for range rapid.IntRange(1, 20).Draw(t, "how many") {
					q.Mark(rapid.SampledFrom(m).Draw(t, "event"), rapid.SampledFrom(statuses).Draw(t, "status"))
				}
			},
			"run": func(t *rapid.T) {
				for range rapid.IntRange(1, 300).Draw(t, "how many") {
					if e := q.Next(); e != nil {
						q.Mark(e, queue.Executed)
					}
				}
			},
			"keep": func(*rapid.T) {
				few := func(e *queue.Event) bool { return e.Status() != queue.Cancelled }
				m = slices.DeleteFunc(m, func(e *queue.Event) bool { return !few(e) })
				q.Keep(few)
			},
			"": func(t *rapid.T) {
				if d := cmp.Diff(m.ids(all), collect(q.All())); d != "" {
					t.Fatalf("order (-list +queue):\n%s", d)
				}
				from := field.UTC(int64(rapid.IntRange(-1, 100).Draw(t, "from")))
				late := func(e *queue.Event) bool { return !e.Scheduled.Before(from) }
				if d := cmp.Diff(m.ids(late), collect(q.From(from))); d != "" {
					t.Fatalf("from %v (-list +queue):\n%s", from, d)
				}
				next := ""
				if e := q.Next(); e != nil {
					next = e.ID
				}
				if next != m.next() {
					t.Fatalf("next is %q, want %q", next, m.next())
				}
				pending := m.ids(func(e *queue.Event) bool { return e.Status() == queue.Pending })
				if q.Count(queue.Pending) != len(pending) || q.Len() != len(m) {
					t.Fatalf("%d pending of %d, want %d of %d", q.Count(queue.Pending), q.Len(), len(pending), len(m))
				}
			},
		})
	})
}

func collect(events func(func(*queue.Event) bool)) []string {
	out := []string{}
	for e := range events {
		out = append(out, e.ID)
	}
	return out
}

func TestAMillionEvents(t *testing.T) {
	const n = 1_000_000
	var q queue.Queue
	for i := range n {
		at := int64(i) * 7919 % n // every time once, in no order
		q.Add(&queue.Event{ID: fmt.Sprint(at), Modality: "m", Scheduled: field.UTC(at)}, queue.Pending)
	}
	for i := range n {
		e := q.Next()
		if e == nil || e.Scheduled.Micros() != int64(i) {
			t.Fatalf("event %d is %v", i, e)
		}
		q.Mark(e, queue.Executed)
	}
	if q.Next() != nil || q.Count(queue.Executed) != n {
		t.Fatalf("%d events ran", q.Count(queue.Executed))
	}
	q.Mark(q.Find("4321"), queue.Pending)
	if e := q.Next(); e == nil || e.ID != "4321" {
		t.Fatalf("what is pending again is not next: %v", e)
	}
}

func BenchmarkAdd(b *testing.B) {
	var q queue.Queue
	b.ReportAllocs()
	i := int64(0)
	for b.Loop() {
		i++
		q.Add(&queue.Event{ID: fmt.Sprint(i), Scheduled: field.UTC(i * 7919 % 1_000_003)}, queue.Pending)
	}
}
