package gmail_test

import (
	"testing"
	"time"
)

// BenchmarkIngest is one mail of a first poll over 100, through HTTP to a local Google
// in the same process.
func BenchmarkIngest(b *testing.B) {
	w := newWorld(b)
	for i := range 100 {
		w.DeliverAt(me, start.Add(-time.Duration(i)*time.Minute), letter(i))
	}
	src := w.listen(b, `{}`)
	b.ReportAllocs()
	for n := 0; n < b.N; n += 100 {
		batch, err := src.Poll(b.Context(), "")
		if err != nil || len(batch.Events) != 100 {
			b.Fatalf("%d events, %v", len(batch.Events), err)
		}
	}
}

// BenchmarkNothingNew is a poll that finds nothing.
func BenchmarkNothingNew(b *testing.B) {
	w := newWorld(b)
	src := w.listen(b, `{}`)
	cursor := ""
	poll(b, src, &cursor)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := src.Poll(b.Context(), cursor); err != nil {
			b.Fatal(err)
		}
	}
}
