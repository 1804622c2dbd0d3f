// Package enginetest holds the suites that every implementation of an interface of
// the engine must pass.
package enginetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-engine/weft/engine"
)

// Store tests an engine.Store. Open returns a new, empty one. Again opens what a
// store keeps once more, as another process would, whether that store is closed or
// not; it is nil when what a store keeps ends with it.
func Store(t *testing.T, open func(t *testing.T) engine.Store, again func(t *testing.T, s engine.Store) engine.Store) {
	for name, test := range map[string]func(*testing.T, engine.Store){
		"append and read":         testAppendRead,
		"a long thread":           testLong,
		"big records":             testBig,
		"bad batches":             testBadBatches,
		"conflicts":               testConflicts,
		"batches without records": testNoRecords,
		"names":                   testNames,
		"bad names":               testBadNames,
		"nothing is shared":       testNotShared,
		"leases":                  testLeases,
		"nobody's appends":        testNobody,
		"summaries":               testSummaries,
		"filters":                 testFilters,
		"order":                   testOrder,
		"snapshots":               testSnapshots,
		"blobs":                   testBlobs,
		"cache":                   testCache,
		"many cached values":      testCacheMany,
		"a context that is over":  testCanceled,
		"break out of loops":      testBreak,
		"write while reading":     testWriteWhileReading,
		"race for one thread":     testRace,
		"many threads at a time":  testMany,
		"read what grows":         testReadGrowing,
		"close":                   testClose,
		"close during use":        testCloseDuringUse,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			defer closeStore(t, s)
			test(t, s)
		})
	}
	t.Run("as a model says", func(t *testing.T) {
		t.Parallel()
		testModel(t, open)
	})
	if again != nil {
		testAgain(t, open, again)
	}
}

func closeStore(t *testing.T, s engine.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// records makes records with the texts as data, to follow after.
func records(after engine.Seq, texts ...string) []engine.Record {
	var out []engine.Record
	for i, text := range texts {
		out = append(out, engine.Record{Seq: after + engine.Seq(i) + 1, Kind: engine.Kind(i%250) + 1, Data: []byte(text)})
	}
	return out
}

// batch makes an append by nobody.
func batch(thread engine.ThreadID, after engine.Seq, texts ...string) engine.Batch {
	return engine.Batch{Thread: thread, After: after, Records: records(after, texts...)}
}

func mustAppend(t *testing.T, s engine.Store, b engine.Batch) {
	t.Helper()
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// wantErr checks that an error is one of a kind.
func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func readAll(ctx context.Context, s engine.Store, thread engine.ThreadID, after engine.Seq) ([]engine.Record, error) {
	var out []engine.Record
	for r, err := range s.Read(ctx, thread, after) {
		if err != nil {
			return out, err
		}
		out = append(out, r)
	}
	return out, nil
}

func wantRecords(t *testing.T, s engine.Store, thread engine.ThreadID, after engine.Seq, want []engine.Record) {
	t.Helper()
	got, err := readAll(t.Context(), s, thread, after)
	if err != nil {
		t.Fatal(err)
	}
	if slices.EqualFunc(want, got, sameRecord) {
		return // what cmp finds out too, but slowly for much data
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("records of %q after %d (-want +got):\n%s", thread, after, diff)
	}
}

func sameRecord(a, b engine.Record) bool {
	return a.Seq == b.Seq && a.Kind == b.Kind && bytes.Equal(a.Data, b.Data) && len(a.Blobs) == 0 && len(b.Blobs) == 0
}

func heads(t *testing.T, s engine.Store, f engine.Filter) []engine.Head {
	t.Helper()
	var out []engine.Head
	for h, err := range s.Threads(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, h)
	}
	return out
}

// head is the head of one thread, which must exist.
func head(t *testing.T, s engine.Store, thread engine.ThreadID) engine.Head {
	t.Helper()
	all := heads(t, s, engine.Filter{Thread: thread})
	if len(all) != 1 {
		t.Fatalf("thread %q: %d heads, want 1", thread, len(all))
	}
	return all[0]
}

func testAppendRead(t *testing.T, s engine.Store) {
	mustAppend(t, s, batch("a", 0, "one", "", "three"))
	mustAppend(t, s, batch("b", 0, "other"))
	mustAppend(t, s, engine.Batch{Thread: "a", After: 3, Records: records(3, "four"), Sync: true})
	want := append(records(0, "one", "", "three"), records(3, "four")...)
	wantRecords(t, s, "a", 0, want)
	wantRecords(t, s, "a", 2, want[2:])
	wantRecords(t, s, "a", 4, nil)
	wantRecords(t, s, "a", 1<<40, nil)
	wantRecords(t, s, "b", 0, records(0, "other"))
	wantRecords(t, s, "none", 0, nil)
}

func testLong(t *testing.T, s engine.Store) {
	var want []engine.Record
	for n := 1; len(want) < 1500; n = n%7 + 1 {
		after := engine.Seq(len(want))
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprintf("record %d", len(want)+i)
		}
		mustAppend(t, s, batch("long", after, texts...))
		want = append(want, records(after, texts...)...)
	}
	wantRecords(t, s, "long", 0, want)
	for _, after := range []engine.Seq{1, 255, 256, 257, 1499} {
		wantRecords(t, s, "long", after, want[after:])
	}
	if got := head(t, s, "long").Seq; got != engine.Seq(len(want)) {
		t.Errorf("the head says %d, want %d", got, len(want))
	}
}

func testBig(t *testing.T, s engine.Store) {
	var texts []string
	for i := range 5 {
		texts = append(texts, strings.Repeat(string(rune('a'+i)), 3<<20))
	}
	mustAppend(t, s, batch("big", 0, texts...))
	want := records(0, texts...)
	got, err := readAll(t.Context(), s, "big", 0)
	if err != nil || !slices.EqualFunc(want, got, sameRecord) {
		t.Errorf("%d records, %v; want the %d that were appended", len(got), err, len(want))
	}
}

func testBadBatches(t *testing.T, s engine.Store) {
	mustAppend(t, s, batch("t", 0, "kept"))
	wrongHash := records(1, "a")
	wrongHash[0].Blobs = []engine.Blob{{Hash: sha256.Sum256([]byte("x")), Data: []byte("y")}}
	huge := records(1, "small", "huge")
	huge[1].Data = make([]byte, engine.MaxBatch)
	for name, b := range map[string]engine.Batch{
		"first number is wrong": {Thread: "t", After: 1, Records: records(2, "a", "b")},
		"last number is wrong":  {Thread: "t", After: 1, Records: append(records(1, "a"), records(3, "b")...)},
		"numbers are missing":   {Thread: "t", After: 1, Records: []engine.Record{{Data: []byte("a")}}},
		"a blob's hash":         {Thread: "t", After: 1, Records: wrongHash},
		"too big":               {Thread: "t", After: 1, Records: huge},
		"an owner's name":       {Thread: "t", After: 1, Records: records(1, "a"), Owner: "a\x00b"},
	} {
		if err := s.Append(t.Context(), b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	wantRecords(t, s, "t", 0, records(0, "kept"))
}

func testConflicts(t *testing.T, s engine.Store) {
	mustAppend(t, s, batch("t", 0, "one", "two"))
	status := &engine.Summary{Status: engine.Failed}
	for _, after := range []engine.Seq{0, 1, 3, 1 << 40, 1<<64 - 2} {
		b := batch("t", after, "no")
		b.Summary, b.Snapshot, b.Owner = status, []byte("no"), "no"
		if err := s.Append(t.Context(), b); after < 1<<32 || err == nil {
			wantErr(t, fmt.Sprintf("append after %d", after), err, engine.ErrConflict)
		}
		b.Records = nil
		if err := s.Append(t.Context(), b); after < 1<<32 || err == nil {
			wantErr(t, fmt.Sprintf("append of nothing after %d", after), err, engine.ErrConflict)
		}
	}
	wantErr(t, "append to a new thread", s.Append(t.Context(), batch("new", 1, "no")), engine.ErrConflict)
	want := engine.Head{Thread: "t", Seq: 2}
	if diff := cmp.Diff([]engine.Head{want}, heads(t, s, engine.Filter{})); diff != "" {
		t.Errorf("after conflicts (-want +got):\n%s", diff)
	}
	wantRecords(t, s, "t", 0, records(0, "one", "two"))
}

func testNoRecords(t *testing.T, s engine.Store) {
	wantErr(t, "append of nothing to nothing", s.Append(t.Context(), engine.Batch{Thread: "t", Owner: "o"}), engine.ErrNotFound)
	if got := heads(t, s, engine.Filter{}); len(got) != 0 {
		t.Errorf("it made %v", got)
	}
	mustAppend(t, s, batch("t", 0, "one"))
	mustAppend(t, s, engine.Batch{Thread: "t", After: 1, Owner: "o", Summary: &engine.Summary{Status: engine.Done}, Snapshot: []byte("snap")})
	want := engine.Head{Thread: "t", Seq: 1, Owner: "o", Summary: engine.Summary{Status: engine.Done}, SnapshotSeq: 1}
	if diff := cmp.Diff(want, head(t, s, "t")); diff != "" {
		t.Errorf("head (-want +got):\n%s", diff)
	}
	mustAppend(t, s, engine.Batch{Thread: "t", After: 1, Owner: "o", Release: true})
	want.Owner = ""
	if diff := cmp.Diff(want, head(t, s, "t")); diff != "" {
		t.Errorf("head after release (-want +got):\n%s", diff)
	}
}

func testNames(t *testing.T, s engine.Store) {
	names := []engine.ThreadID{
		"x", "X", " ", "  ", "a b", "a/b", `a\b`, "../../etc/passwd", "a%b_c*d?e", "'; DROP TABLE threads; --", `"quoted"`,
		"naïve", "nai\u0308ve", "日本語", "🧵", "\u202etxet", "\u2028", "NULL", "0", "00", "-1", "1e3", "a.owner-x.lock",
		engine.ThreadID(strings.Repeat("n", 200)), engine.ThreadID(strings.Repeat("é", 100)),
	}
	for i, name := range names {
		mustAppend(t, s, batch(name, 0, fmt.Sprint(i)))
	}
	for i, name := range names {
		wantRecords(t, s, name, 0, records(0, fmt.Sprint(i)))
		if got, err := s.Acquire(t.Context(), name, string(name)); err != nil || got.Thread != name || got.Owner != string(name) {
			t.Errorf("acquire %q: %q by %q, %v", name, got.Thread, got.Owner, err)
		}
		if got := head(t, s, name); got.Thread != name || got.Owner != string(name) {
			t.Errorf("head of %q: %q by %q", name, got.Thread, got.Owner)
		}
	}
	if got := heads(t, s, engine.Filter{}); len(got) != len(names) {
		t.Errorf("%d threads, want %d", len(got), len(names))
	}
}

func testBadNames(t *testing.T, s engine.Store) {
	for _, name := range []engine.ThreadID{"", "a\nb", "a\x00", "\x7f", "\u0085", "\xff", engine.ThreadID(strings.Repeat("n", 201))} {
		if err := s.Append(t.Context(), batch(name, 0, "no")); err == nil {
			t.Errorf("append to %q: no error", name)
		}
		if _, err := s.Acquire(t.Context(), name, "o"); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("acquire %q: %v, want not found", name, err)
		}
	}
	if got := heads(t, s, engine.Filter{}); len(got) != 0 {
		t.Errorf("threads: %v", got)
	}
}

// testNotShared changes what went in and what came out, which must not change what is kept.
func testNotShared(t *testing.T, s engine.Store) {
	data, snap, blob, cached := []byte("data"), []byte("snap"), []byte("blob"), []byte("cached")
	hash := engine.Hash(sha256.Sum256(blob))
	wake := at(1)
	sum := &engine.Summary{Status: engine.Parked, Wake: &wake, Interrupts: []*engine.InterruptRequest{{ID: "i", Args: map[string]any{"k": "v"}}}}
	mustAppend(t, s, engine.Batch{
		Thread: "t", Summary: sum, Snapshot: snap,
		Records: []engine.Record{{Seq: 1, Kind: 1, Data: data, Blobs: []engine.Blob{{Hash: hash, Data: blob}}}},
	})
	if err := s.Cache(t.Context(), "k", cached, at(9)); err != nil {
		t.Fatal(err)
	}
	spoil := func(list ...[]byte) {
		for _, b := range list {
			copy(b, bytes.Repeat([]byte("!"), len(b)))
		}
	}
	spoil(data, snap, blob, cached)
	wake = at(2)
	sum.Interrupts[0].Args["k"] = "!"
	for range 2 {
		r, err := readAll(t.Context(), s, "t", 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err1 := s.Blob(t.Context(), hash)
		c, err2 := s.Cached(t.Context(), "k", at(0))
		h, err3 := s.Acquire(t.Context(), "t", "o")
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		got := []any{string(r[0].Data), string(h.Snapshot), string(b), string(c), h.Summary.Interrupts[0].Args["k"], h.Summary.Wake.Equal(at(1))}
		if want := []any{"data", "snap", "blob", "cached", "v", true}; !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		spoil(r[0].Data, h.Snapshot, b, c)
		h.Summary.Interrupts[0].Args["k"], *h.Summary.Wake = "!", at(3)
	}
}

// at is an instant some seconds into a fixed day.
func at(seconds int) time.Time {
	return time.Date(2026, 3, 1, 12, 0, seconds, 123456789, time.UTC)
}
