package nodes_test

import (
	"fmt"
	"testing"

	"github.com/weft-engine/weft/engine/sqlite"
)

// BenchmarkPassWithNothingNew is a pass over a ledger of 10,000 events, on disk.
func BenchmarkPassWithNothingNew(b *testing.B) {
	store, err := sqlite.Open(b.Context(), sqlite.Options{Path: b.TempDir() + "/weft.db"})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	l := listen(b, "queue")
	l.box.chunk = 500
	for i := range 10_000 {
		l.box.receive(fmt.Sprint("message-", i), fmt.Sprint("from", i%100), "Hello")
	}
	if r, _, err := l.pass(b, store, "a", false); err != nil || r.Ran != 10_000 {
		b.Fatal(r, err)
	}
	for b.Loop() {
		if r, _, err := l.pass(b, store, "a", false); err != nil || r.New != 0 {
			b.Fatal(r, err)
		}
	}
}
