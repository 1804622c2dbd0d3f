package sqlite_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine"
)

// event is a record of the size that they have on average.
func event(seq engine.Seq, size int) engine.Record {
	return engine.Record{Seq: seq, Kind: 3, Data: bytes.Repeat([]byte("x"), size)}
}

// each runs fn b.N times, spread over goroutines, and reports the rate.
func each(b *testing.B, goroutines int, fn func(worker, i int) error) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for w := range goroutines {
		wg.Go(func() {
			for i := int(next.Add(1)); i <= b.N; i = int(next.Add(1)) {
				if err := fn(w, i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}

// appender appends batches of n records to threads of its own.
func appender(b *testing.B, s engine.Store, n int, sync bool) func(worker, i int) error {
	var ends [64]engine.Seq
	return func(w, _ int) error {
		batch := engine.Batch{Thread: engine.ThreadID(fmt.Sprint("thread ", w)), After: ends[w], Owner: "bench", Sync: sync}
		for range n {
			ends[w]++
			batch.Records = append(batch.Records, event(ends[w], 200))
		}
		return s.Append(b.Context(), batch)
	}
}

// BenchmarkAppendOne is one thread alone: the latency of an append.
func BenchmarkAppendOne(b *testing.B) {
	for name, sync := range map[string]bool{"FULL": true, "NORMAL": false} {
		b.Run(name, func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "weft.db"))
			each(b, 1, appender(b, s, 1, sync))
		})
	}
}

// BenchmarkAppend64 is 64 threads at a time, each with a goroutine that waits for the disk.
func BenchmarkAppend64(b *testing.B) {
	for _, records := range []int{1, 2} {
		b.Run(fmt.Sprint("records=", records), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "weft.db"))
			each(b, 64, appender(b, s, records, true))
		})
	}
}

// BenchmarkPark begins threads that ask a human at once.
func BenchmarkPark(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "weft.db"))
	opened := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	each(b, 64, func(_, i int) error {
		return s.Append(b.Context(), engine.Batch{
			Thread:  engine.ThreadID(fmt.Sprint("thread ", i)),
			Records: []engine.Record{event(1, 200), event(2, 200), event(3, 200)},
			Owner:   "bench", Release: true, Sync: true,
			Summary: &engine.Summary{
				Status: engine.Parked, Graph: "main", Spec: "sha256:0123456789abcdef", Run: "run", Created: opened, Updated: opened,
				Interrupts: []*engine.InterruptRequest{{
					ID: "i1", Kind: "tool", Policy: "send", Node: "agent", Title: "Send the mail?", Description: "It goes to **ann@example.com**.",
					Allow: []engine.Response{engine.Accept, engine.Edit, engine.Ignore}, Action: "send_email",
					Args: map[string]any{"to": "ann@example.com", "subject": "Hello", "body": "Dear Ann,\n\nhello.\n\nBest,\nBob"}, Opened: opened,
				}},
			},
		})
	})
}

// BenchmarkAcquire takes and gives up a parked thread: what resume costs before it reads.
func BenchmarkAcquire(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "weft.db"))
	if err := s.Append(b.Context(), engine.Batch{Thread: "t", Records: []engine.Record{event(1, 200)}}); err != nil {
		b.Fatal(err)
	}
	each(b, 1, func(_, _ int) error {
		if _, err := s.Acquire(b.Context(), "t", "bench"); err != nil {
			return err
		}
		return s.Append(b.Context(), engine.Batch{Thread: "t", After: 1, Owner: "bench", Release: true})
	})
}

// BenchmarkRead reads a thread of 1,000 records.
func BenchmarkRead(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "weft.db"))
	batch := engine.Batch{Thread: "t"}
	for i := range 1000 {
		batch.Records = append(batch.Records, event(engine.Seq(i+1), 200))
	}
	if err := s.Append(b.Context(), batch); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		n := 0
		for _, err := range s.Read(b.Context(), "t", 0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 1000 {
			b.Fatal(n)
		}
	}
}
