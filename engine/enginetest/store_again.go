package enginetest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/weft-engine/weft/engine"
)

// testAgain tests what outlives a store, and what stores on the same data see of each other.
func testAgain(t *testing.T, open func(t *testing.T) engine.Store, again func(t *testing.T, s engine.Store) engine.Store) {
	for name, test := range map[string]func(t *testing.T, s engine.Store, again func() engine.Store){
		"open again":           testReopen,
		"two stores":           testTwo,
		"two stores race":      testTwoRace,
		"leases of two stores": testTwoLeases,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			defer closeStore(t, s)
			test(t, s, func() engine.Store { return again(t, s) })
		})
	}
}

func testReopen(t *testing.T, s engine.Store, again func() engine.Store) {
	blob := []byte("blob")
	b := batch("t", 0, "one", "two")
	b.Owner, b.Summary, b.Snapshot = "o", full(), []byte("snap")
	b.Records[1].Blobs = []engine.Blob{{Hash: sha256.Sum256(blob), Data: blob}}
	mustAppend(t, s, b)
	mustAppend(t, s, batch("u", 0, "other"))
	if err := s.Cache(t.Context(), "k", []byte("v"), at(10)); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	s = again()
	defer closeStore(t, s)
	if got := names(t, s, engine.Filter{}); !slices.Equal(got, []string{"u", "t"}) {
		t.Errorf("threads %q", got)
	}
	wantRecords(t, s, "t", 0, records(0, "one", "two"))
	got, err := s.Acquire(t.Context(), "t", "p")
	if err != nil {
		t.Fatal(err)
	}
	want := engine.Head{Thread: "t", Seq: 2, Owner: "p", Summary: *full(), Snapshot: []byte("snap"), SnapshotSeq: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("head (-want +got):\n%s", diff)
	}
	data, err1 := s.Blob(t.Context(), sha256.Sum256(blob))
	cached, err2 := s.Cached(t.Context(), "k", at(0))
	if err := errors.Join(err1, err2); err != nil || string(data) != "blob" || string(cached) != "v" {
		t.Errorf("blob %q, cached %q, %v", data, cached, err)
	}
}

func testTwo(t *testing.T, s engine.Store, again func() engine.Store) {
	other := again()
	defer closeStore(t, other)
	mustAppend(t, s, batch("t", 0, "one"))
	mustAppend(t, other, batch("t", 1, "two"))
	wantErr(t, "append", s.Append(t.Context(), batch("t", 1, "no")), engine.ErrConflict)
	mustAppend(t, s, batch("t", 2, "three"))
	mustAppend(t, other, batch("u", 0, "other"))
	mustAppend(t, s, batch("v", 0, "last"))
	order := []string{"v", "u", "t"}
	for i := range 20 {
		name := engine.ThreadID(fmt.Sprint(i))
		mustAppend(t, []engine.Store{s, other, other, s, s}[i%5], engine.Batch{Thread: name, Records: records(0, "x"), Owner: "o"})
		order = slices.Insert(order, 0, string(name))
	}
	for _, x := range []engine.Store{s, other} {
		wantRecords(t, x, "t", 0, []engine.Record{{Seq: 1, Kind: 1, Data: []byte("one")}, {Seq: 2, Kind: 1, Data: []byte("two")}, {Seq: 3, Kind: 1, Data: []byte("three")}})
		if got := names(t, x, engine.Filter{}); !slices.Equal(got, order) {
			t.Errorf("threads %q", got)
		}
	}
}

func testTwoRace(t *testing.T, s engine.Store, again func() engine.Store) {
	other := again()
	defer closeStore(t, other)
	const goal = 60
	var g errgroup.Group
	for i, x := range []engine.Store{s, other, s, other} {
		g.Go(func() error {
			for after := range engine.Seq(goal) {
				err := x.Append(t.Context(), batch("t", after, fmt.Sprint(i)))
				if err != nil && !errors.Is(err, engine.ErrConflict) {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, x := range []engine.Store{s, other} {
		got, err := readAll(t.Context(), x, "t", 0)
		if err != nil || len(got) != goal {
			t.Errorf("%d records, %v; want %d", len(got), err, goal)
		}
	}
}

// testTwoLeases: the owner's name is a name within a store; another store is another owner.
func testTwoLeases(t *testing.T, s engine.Store, again func() engine.Store) {
	ctx := t.Context()
	other := again()
	defer closeStore(t, other)
	b := batch("t", 0, "one")
	b.Owner = "runner"
	mustAppend(t, s, b)
	_, err := other.Acquire(ctx, "t", "runner")
	wantErr(t, "acquire in another store", err, engine.ErrLeased)
	b = batch("t", 1, "two")
	b.Owner = "runner"
	wantErr(t, "append in another store", other.Append(ctx, b), engine.ErrLeased)
	for _, x := range []engine.Store{s, other} {
		if got := head(t, x, "t").Owner; got != "runner" {
			t.Errorf("driven by %q", got)
		}
	}
	b.Release = true
	mustAppend(t, s, b)
	if _, err := other.Acquire(ctx, "t", "runner"); err != nil {
		t.Errorf("acquire after the release: %v", err)
	}
	_, err = s.Acquire(ctx, "t", "runner")
	wantErr(t, "acquire in the first store", err, engine.ErrLeased)
	third := again()
	if _, err := third.Acquire(ctx, "t", "x"); !errors.Is(err, engine.ErrLeased) {
		t.Errorf("acquire in a third store: %v", err)
	}
	closeStore(t, third)
	closeStore(t, other)
	if got := head(t, s, "t").Owner; got != "" {
		t.Errorf("after the other store's close it is driven by %q", got)
	}
	if _, err := s.Acquire(ctx, "t", "runner"); err != nil {
		t.Errorf("acquire after the other store's close: %v", err)
	}
}
