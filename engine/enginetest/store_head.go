package enginetest

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
)

func testLeases(t *testing.T, s engine.Store) {
	ctx := t.Context()
	_, err := s.Acquire(ctx, "t", "ann")
	wantErr(t, "acquire of a missing thread", err, engine.ErrNotFound)
	by := func(owner string, after engine.Seq) engine.Batch {
		b := batch("t", after, "by "+owner)
		b.Owner = owner
		return b
	}
	mustAppend(t, s, by("ann", 0))
	wantErr(t, "append by another", s.Append(ctx, by("bob", 1)), engine.ErrLeased)
	wantErr(t, "append by nobody", s.Append(ctx, by("", 1)), engine.ErrLeased)
	wantErr(t, "append after another has moved on", s.Append(ctx, by("bob", 0)), engine.ErrConflict)
	release := by("bob", 1)
	release.Release, release.Records = true, nil
	wantErr(t, "release by another", s.Append(ctx, release), engine.ErrLeased)
	_, err = s.Acquire(ctx, "t", "bob")
	wantErr(t, "acquire by another", err, engine.ErrLeased)
	mustAppend(t, s, by("ann", 1))
	h, err := s.Acquire(ctx, "t", "ann")
	if err != nil || h.Owner != "ann" || h.Seq != 2 {
		t.Errorf("acquire by the owner: %q at %d, %v", h.Owner, h.Seq, err)
	}
	last := by("ann", 2)
	last.Release = true
	mustAppend(t, s, last)
	if got := head(t, s, "t").Owner; got != "" {
		t.Errorf("after the release it is driven by %q", got)
	}
	if h, err = s.Acquire(ctx, "t", "bob"); err != nil || h.Owner != "bob" || h.Seq != 3 {
		t.Errorf("acquire after the release: %q at %d, %v", h.Owner, h.Seq, err)
	}
	wantErr(t, "append by the former owner", s.Append(ctx, by("ann", 3)), engine.ErrLeased)
	if got := head(t, s, "t").Owner; got != "bob" {
		t.Errorf("driven by %q, want bob", got)
	}
	if _, err := s.Acquire(ctx, "t", ""); err == nil {
		t.Error("acquire by nobody: no error")
	}
	wantRecords(t, s, "t", 0, []engine.Record{
		{Seq: 1, Kind: 1, Data: []byte("by ann")},
		{Seq: 2, Kind: 1, Data: []byte("by ann")},
		{Seq: 3, Kind: 1, Data: []byte("by ann")},
	})
}

// testNobody appends without an owner, as one who answers an interrupt does.
func testNobody(t *testing.T, s engine.Store) {
	mustAppend(t, s, batch("t", 0, "one"))
	mustAppend(t, s, batch("t", 1, "two"))
	if got := head(t, s, "t").Owner; got != "" {
		t.Errorf("driven by %q", got)
	}
	b := batch("t", 2, "three")
	b.Release = true
	mustAppend(t, s, b)
	wantErr(t, "the same answer again", s.Append(t.Context(), b), engine.ErrConflict)
	if _, err := s.Acquire(t.Context(), "t", "ann"); err != nil {
		t.Error(err)
	}
}

// full is a summary with every field.
func full() *engine.Summary {
	wake, due := at(20), at(30)
	return &engine.Summary{
		Status: engine.Parked, Graph: "main", Spec: "sha256:0", Run: "r1", Created: at(1), Updated: at(2), Wake: &wake, Error: "an error\nof <two> lines",
		Interrupts: []*engine.InterruptRequest{{
			ID: "i1", Kind: "tool", Policy: "p", Node: "a/b", Title: "Send?", Description: "**Really** & truly \u2028 send", Action: "send",
			Allow: []engine.Response{engine.Accept, engine.Edit}, Opened: at(3), Due: &due, Default: engine.Ignore,
			Args:       map[string]any{"n": 3, "f": 1.5, "s": "x", "none": nil, "list": []any{1, true, map[string]any{"big": 9007199254740993}}},
			Parameters: map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"maximum": 10}}},
		}, {ID: "i2", Kind: "node", Node: "c", Title: "?", Opened: at(4)}},
	}
}

func testSummaries(t *testing.T, s engine.Store) {
	b := batch("t", 0, "one")
	b.Summary = full()
	mustAppend(t, s, b)
	want := engine.Head{Thread: "t", Seq: 1, Summary: *full()}
	if diff := cmp.Diff(want, head(t, s, "t")); diff != "" {
		t.Errorf("head (-want +got):\n%s", diff)
	}
	mustAppend(t, s, batch("t", 1, "two"))
	want.Seq, want.Owner = 2, "o"
	got, err := s.Acquire(t.Context(), "t", "o")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("head after an append without summary (-want +got):\n%s", diff)
	}
	b = batch("t", 2, "three")
	b.Owner, b.Summary = "o", &engine.Summary{Status: engine.Done}
	mustAppend(t, s, b)
	want.Seq, want.Summary = 3, engine.Summary{Status: engine.Done}
	if diff := cmp.Diff(want, head(t, s, "t")); diff != "" {
		t.Errorf("head after a new summary (-want +got):\n%s", diff)
	}
	for _, f := range []engine.Filter{{Interrupt: true}, {WakeBy: at(100)}, {Status: engine.Parked}} {
		if got := heads(t, s, f); len(got) != 0 {
			t.Errorf("%+v still finds it", f)
		}
	}
}

// names are the threads that a filter finds, in order.
func names(t *testing.T, s engine.Store, f engine.Filter) []string {
	t.Helper()
	var out []string
	for _, h := range heads(t, s, f) {
		out = append(out, string(h.Thread))
	}
	return out
}

func testFilters(t *testing.T, s engine.Store) {
	wake := func(at time.Time) *time.Time { return &at }
	ask := []*engine.InterruptRequest{{ID: "i"}}
	far := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	for _, x := range []struct {
		name engine.ThreadID
		sum  *engine.Summary
	}{
		{"bare", nil},
		{"running", &engine.Summary{Status: engine.Running}},
		{"done", &engine.Summary{Status: engine.Done}},
		{"asks", &engine.Summary{Status: engine.Parked, Interrupts: ask}},
		{"sleeps", &engine.Summary{Status: engine.Parked, Wake: wake(at(10))}},
		{"both", &engine.Summary{Status: engine.Parked, Interrupts: ask, Wake: wake(at(20))}},
		{"never", &engine.Summary{Status: engine.Parked, Wake: wake(far)}},
	} {
		b := batch(x.name, 0, "x")
		b.Summary = x.sum
		mustAppend(t, s, b)
	}
	for _, x := range []struct {
		filter engine.Filter
		want   []string
	}{
		{engine.Filter{}, []string{"never", "both", "sleeps", "asks", "done", "running", "bare"}},
		{engine.Filter{Thread: "asks"}, []string{"asks"}},
		{engine.Filter{Thread: "ask"}, nil},
		{engine.Filter{Status: engine.Parked}, []string{"never", "both", "sleeps", "asks"}},
		{engine.Filter{Status: engine.Canceled}, nil},
		{engine.Filter{Status: "' OR 1 --"}, nil},
		{engine.Filter{Interrupt: true}, []string{"both", "asks"}},
		{engine.Filter{WakeBy: at(10)}, []string{"sleeps"}},
		{engine.Filter{WakeBy: at(10).Add(-1)}, nil},
		{engine.Filter{WakeBy: at(10).In(time.FixedZone("", 3600))}, []string{"sleeps"}},
		{engine.Filter{WakeBy: at(30)}, []string{"both", "sleeps"}},
		{engine.Filter{WakeBy: far}, []string{"never", "both", "sleeps"}},
		{engine.Filter{WakeBy: at(30), Interrupt: true}, []string{"both"}},
		{engine.Filter{Thread: "done", Status: engine.Parked}, nil},
		{engine.Filter{Limit: 2}, []string{"never", "both"}},
		{engine.Filter{Limit: 99}, []string{"never", "both", "sleeps", "asks", "done", "running", "bare"}},
		{engine.Filter{Status: engine.Parked, Limit: 1}, []string{"never"}},
	} {
		if got := names(t, s, x.filter); !slices.Equal(got, x.want) {
			t.Errorf("%+v: %q, want %q", x.filter, got, x.want)
		}
	}
}

// testOrder: a thread is touched by events, not by who drives it.
func testOrder(t *testing.T, s engine.Store) {
	for _, name := range []engine.ThreadID{"a", "b", "c"} {
		mustAppend(t, s, batch(name, 0, "x"))
	}
	mustAppend(t, s, batch("a", 1, "y"))
	if got := names(t, s, engine.Filter{}); !slices.Equal(got, []string{"a", "c", "b"}) {
		t.Errorf("order %q", got)
	}
	if _, err := s.Acquire(t.Context(), "b", "o"); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, engine.Batch{Thread: "b", After: 1, Owner: "o", Release: true})
	if err := s.Append(t.Context(), batch("b", 7, "no")); err == nil {
		t.Error("no conflict")
	}
	if got := names(t, s, engine.Filter{}); !slices.Equal(got, []string{"a", "c", "b"}) {
		t.Errorf("order after a lease %q", got)
	}
}

func testSnapshots(t *testing.T, s engine.Store) {
	wantSnapshot := func(text string, seq engine.Seq) {
		t.Helper()
		h, err := s.Acquire(t.Context(), "t", "o")
		if err != nil {
			t.Fatal(err)
		}
		if string(h.Snapshot) != text || h.SnapshotSeq != seq || (text == "") != (h.Snapshot == nil) {
			t.Errorf("snapshot %q after %d, want %q after %d", h.Snapshot, h.SnapshotSeq, text, seq)
		}
		if h := head(t, s, "t"); h.Snapshot != nil || h.SnapshotSeq != seq {
			t.Errorf("listed snapshot %q after %d, want none after %d", h.Snapshot, h.SnapshotSeq, seq)
		}
	}
	append := func(after engine.Seq, snapshot []byte, texts ...string) {
		t.Helper()
		b := batch("t", after, texts...)
		b.Owner, b.Snapshot = "o", snapshot
		mustAppend(t, s, b)
	}
	append(0, nil, "one")
	wantSnapshot("", 0)
	append(1, []byte("after three"), "two", "three")
	wantSnapshot("after three", 3)
	append(3, nil, "four")
	wantSnapshot("after three", 3)
	append(4, []byte("after four"))
	wantSnapshot("after four", 4)
	b := batch("t", 3, "no")
	b.Owner, b.Snapshot = "o", []byte("no")
	wantErr(t, "append", s.Append(t.Context(), b), engine.ErrConflict)
	wantSnapshot("after four", 4)
}

func testBlobs(t *testing.T, s engine.Store) {
	data := [][]byte{[]byte("blob one"), make([]byte, 300<<10), nil}
	var hashes []engine.Hash
	var blobs []engine.Blob
	for _, d := range data {
		hashes = append(hashes, sha256.Sum256(d))
		blobs = append(blobs, engine.Blob{Hash: sha256.Sum256(d), Data: d})
	}
	_, err := s.Blob(t.Context(), hashes[0])
	wantErr(t, "a blob too early", err, engine.ErrNotFound)
	for i, name := range []engine.ThreadID{"a", "b"} {
		mustAppend(t, s, engine.Batch{Thread: name, Records: []engine.Record{
			{Seq: 1, Data: []byte("x"), Blobs: blobs[i : i+1]},
			{Seq: 2, Data: []byte("y"), Blobs: blobs},
			{Seq: 3, Data: []byte("z"), Blobs: blobs},
		}})
	}
	for i, hash := range hashes {
		got, err := s.Blob(t.Context(), hash)
		if err != nil || string(got) != string(data[i]) {
			t.Errorf("blob %d: %d bytes, %v; want %d", i, len(got), err, len(data[i]))
		}
	}
	wantRecords(t, s, "a", 0, []engine.Record{{Seq: 1, Data: []byte("x")}, {Seq: 2, Data: []byte("y")}, {Seq: 3, Data: []byte("z")}})
	lost := sha256.Sum256([]byte("lost"))
	b := batch("a", 1, "no")
	b.Records[0].Blobs = []engine.Blob{{Hash: lost, Data: []byte("lost")}}
	wantErr(t, "append", s.Append(t.Context(), b), engine.ErrConflict)
	_, err = s.Blob(t.Context(), lost)
	wantErr(t, "the blob of an append that failed", err, engine.ErrNotFound)
}

func testCache(t *testing.T, s engine.Store) {
	ctx := t.Context()
	want := func(key string, now time.Time, value string) {
		t.Helper()
		got, err := s.Cached(ctx, key, now)
		if err != nil || string(got) != value {
			t.Errorf("%q: %q, %v; want %q", key, got, err, value)
		}
	}
	gone := func(key string, now time.Time) {
		t.Helper()
		if got, err := s.Cached(ctx, key, now); err == nil {
			t.Errorf("%q: %q, want nothing", key, got)
		} else {
			wantErr(t, key, err, engine.ErrNotFound)
		}
	}
	put := func(key, value string, expires time.Time) {
		t.Helper()
		if err := s.Cache(ctx, key, []byte(value), expires); err != nil {
			t.Fatal(err)
		}
	}
	gone("k", at(0))
	put("k", "v", at(10))
	put("", "no key", at(10))
	put("k\x00\xff'", "odd", at(10))
	put("far", "v", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	put("nothing", "", at(10))
	want("k", at(9), "v")
	want("k", at(10).Add(-1), "v")
	want("", at(0), "no key")
	want("k\x00\xff'", at(0), "odd")
	want("nothing", at(0), "")
	put("k", "w", at(20))
	want("k", at(15), "w")
	gone("k", at(20))
	gone("k", at(21))
	want("far", at(21), "v")
	put("k", "again", at(30))
	want("k", at(21), "again")
}

// testCacheMany: what is put in later is not in the way of what is there.
func testCacheMany(t *testing.T, s engine.Store) {
	for i := range 100 {
		key := fmt.Sprint(i)
		if _, err := s.Cached(t.Context(), key, at(i)); err == nil {
			t.Fatalf("%s is there", key)
		}
		if err := s.Cache(t.Context(), key, []byte(key), at(i+50)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		got, err := s.Cached(t.Context(), fmt.Sprint(i), at(100))
		if alive := i+50 > 100; alive != (err == nil) || alive && string(got) != fmt.Sprint(i) {
			t.Errorf("%d: %q, %v", i, got, err)
		}
	}
}
