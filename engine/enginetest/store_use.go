package enginetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/weft-engine/weft/engine"
)

func testCanceled(t *testing.T, s engine.Store) {
	mustAppend(t, s, batch("t", 0, "one", "two"))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	wantErr(t, "append", s.Append(over, batch("t", 2, "no")), context.Canceled)
	_, err := s.Acquire(over, "t", "o")
	wantErr(t, "acquire", err, context.Canceled)
	_, err = readAll(over, s, "t", 0)
	wantErr(t, "read", err, context.Canceled)
	for _, err := range s.Threads(over, engine.Filter{}) {
		wantErr(t, "threads", err, context.Canceled)
	}
	_, err = s.Blob(over, engine.Hash{})
	wantErr(t, "blob", err, context.Canceled)
	wantErr(t, "cache", s.Cache(over, "k", nil, at(1)), context.Canceled)
	_, err = s.Cached(over, "k", at(0))
	wantErr(t, "cached", err, context.Canceled)
	wantRecords(t, s, "t", 0, records(0, "one", "two"))
	if got := head(t, s, "t").Owner; got != "" {
		t.Errorf("driven by %q", got)
	}
}

func testBreak(t *testing.T, s engine.Store) {
	for i := range 20 {
		mustAppend(t, s, batch(engine.ThreadID(fmt.Sprint(i)), 0, "one", "two", "three"))
	}
	for range 50 {
		for _, err := range s.Read(t.Context(), "7", 0) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		for _, err := range s.Threads(t.Context(), engine.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	mustAppend(t, s, batch("7", 3, "four"))
}

// testWriteWhileReading writes and reads from within loops, many deep.
func testWriteWhileReading(t *testing.T, s engine.Store) {
	const n = 12
	for i := range n {
		mustAppend(t, s, batch(engine.ThreadID(fmt.Sprint("t", i)), 0, "one", "two"))
	}
	var nest func(depth int)
	nest = func(depth int) {
		if depth == n {
			return
		}
		id := engine.ThreadID(fmt.Sprint("t", depth))
		for _, err := range s.Threads(t.Context(), engine.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			for r, err := range s.Read(t.Context(), id, 0) {
				if err != nil {
					t.Fatal(err)
				}
				if r.Seq == 1 {
					nest(depth + 1)
					mustAppend(t, s, batch(id, 2, "three"))
				}
			}
			break
		}
	}
	nest(0)
	seen := map[engine.ThreadID]bool{}
	for h, err := range s.Threads(t.Context(), engine.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen[h.Thread] {
			t.Fatalf("%s comes twice", h.Thread)
		}
		seen[h.Thread] = true
		mustAppend(t, s, batch(h.Thread, 3, "four"))
	}
	if len(seen) != n {
		t.Errorf("%d threads, want %d", len(seen), n)
	}
	for id := range seen {
		wantRecords(t, s, id, 0, records1("one", "two", "three", "four"))
	}
}

// records1 is a journal whose records were appended as in testWriteWhileReading.
func records1(texts ...string) []engine.Record {
	out := records(0, texts...)
	out[2].Kind, out[3].Kind = 1, 1
	return out
}

// testRace has several append to one thread: each number is won by exactly one.
func testRace(t *testing.T, s engine.Store) {
	const writers, wins = 8, 25
	var mu sync.Mutex
	won := map[engine.Seq]string{}
	var g errgroup.Group
	for w := range writers {
		g.Go(func() error {
			after := engine.Seq(0)
			for n := 0; n < wins; {
				b := batch("t", after, fmt.Sprintf("%d of %d", n, w))
				err := s.Append(t.Context(), b)
				switch {
				case err == nil:
					after++
					n++
					mu.Lock()
					if who, taken := won[after]; taken {
						t.Errorf("%d is won by %s and by %d", after, who, w)
					}
					won[after] = string(b.Records[0].Data)
					mu.Unlock()
				case errors.Is(err, engine.ErrConflict):
					for r, err := range s.Read(t.Context(), "t", after) {
						if err != nil {
							return err
						}
						after = r.Seq
					}
				default:
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := readAll(t.Context(), s, "t", 0)
	if err != nil || len(got) != writers*wins || len(won) != len(got) {
		t.Fatalf("%d records, %d won, %v; want %d", len(got), len(won), err, writers*wins)
	}
	for _, r := range got {
		if won[r.Seq] != string(r.Data) {
			t.Errorf("%d is %q, won by %q", r.Seq, r.Data, won[r.Seq])
		}
	}
}

func testMany(t *testing.T, s engine.Store) {
	const threads, appends = 40, 15
	var g errgroup.Group
	for i := range threads {
		g.Go(func() error {
			id := engine.ThreadID(fmt.Sprint("thread ", i))
			for n := range appends {
				after := engine.Seq(2 * n)
				b := engine.Batch{Thread: id, After: after, Owner: "o", Sync: n%5 == i%5, Release: n == appends-1}
				b.Records = records(after, fmt.Sprint(i, "/", n), "x")
				if err := s.Append(t.Context(), b); err != nil {
					return err
				}
				wrong := b
				wrong.Owner = "other"
				if err := s.Append(t.Context(), wrong); !errors.Is(err, engine.ErrConflict) {
					return fmt.Errorf("a second append: %w", err)
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for i := range threads {
		var want []engine.Record
		for n := range appends {
			want = append(want, records(engine.Seq(2*n), fmt.Sprint(i, "/", n), "x")...)
		}
		wantRecords(t, s, engine.ThreadID(fmt.Sprint("thread ", i)), 0, want)
	}
	if got := len(heads(t, s, engine.Filter{})); got != threads {
		t.Errorf("%d threads, want %d", got, threads)
	}
}

// testReadGrowing reads while batches of three are appended: it sees whole batches, in order.
func testReadGrowing(t *testing.T, s engine.Store) {
	const batches = 300
	var g errgroup.Group
	g.Go(func() error {
		for n := range batches {
			if err := s.Append(t.Context(), batch("t", engine.Seq(3*n), "a", "b", "c")); err != nil {
				return err
			}
		}
		return nil
	})
	for range 3 {
		g.Go(func() error {
			for end := engine.Seq(0); end < 3*batches; {
				var last engine.Seq
				for r, err := range s.Read(t.Context(), "t", 0) {
					if err != nil {
						return err
					}
					if r.Seq != last+1 {
						return fmt.Errorf("%d follows %d", r.Seq, last)
					}
					last = r.Seq
				}
				if last%3 != 0 || last < end {
					return fmt.Errorf("the thread ends at %d, after %d", last, end)
				}
				end = last
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}

func testClose(t *testing.T, s engine.Store) {
	mustAppend(t, s, batch("t", 0, "one"))
	closeStore(t, s)
	closeStore(t, s)
	wantErr(t, "append", s.Append(t.Context(), batch("t", 1, "no")), fs.ErrClosed)
	_, err := s.Acquire(t.Context(), "t", "o")
	wantErr(t, "acquire", err, fs.ErrClosed)
	_, err = readAll(t.Context(), s, "t", 0)
	wantErr(t, "read", err, fs.ErrClosed)
	_, err = s.Blob(t.Context(), engine.Hash{})
	wantErr(t, "blob", err, fs.ErrClosed)
	wantErr(t, "cache", s.Cache(t.Context(), "k", nil, at(1)), fs.ErrClosed)
	_, err = s.Cached(t.Context(), "k", at(0))
	wantErr(t, "cached", err, fs.ErrClosed)
	listed := 0
	for _, err := range s.Threads(t.Context(), engine.Filter{}) {
		wantErr(t, "threads", err, fs.ErrClosed)
		listed++
	}
	if listed != 1 {
		t.Errorf("threads yields %d times, want once", listed)
	}
}

// testCloseDuringUse: every call under way ends, well or because the store is closed.
func testCloseDuringUse(t *testing.T, s engine.Store) {
	mustAppend(t, s, batch("read", 0, "one", "two", "three"))
	var g errgroup.Group
	started := make(chan struct{}, 64)
	loop := func(call func(n int) error) {
		g.Go(func() error {
			for n := 0; ; n++ {
				if err := call(n); errors.Is(err, fs.ErrClosed) {
					return nil
				} else if err != nil {
					return err
				}
				if n == 3 {
					started <- struct{}{}
				}
			}
		})
	}
	const writers, readers = 6, 3
	for i := range writers {
		loop(func(n int) error {
			return s.Append(t.Context(), batch(engine.ThreadID(fmt.Sprint("w", i)), engine.Seq(n), "x"))
		})
	}
	for range readers {
		loop(func(int) error {
			_, err := readAll(t.Context(), s, "read", 0)
			return err
		})
		loop(func(int) error {
			for _, err := range s.Threads(t.Context(), engine.Filter{Limit: 3}) {
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	for range writers + 2*readers {
		<-started
	}
	closeStore(t, s)
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}
