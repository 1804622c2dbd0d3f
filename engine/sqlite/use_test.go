package sqlite_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/sqlite"
)

// stored is how much bigger than an empty database a database is that fn has filled.
func stored(t *testing.T, fn func(s *sqlite.Store)) int64 {
	t.Helper()
	size := func(fn func(s *sqlite.Store)) int64 {
		path := filepath.Join(t.TempDir(), "weft.db")
		s := open(t, path)
		fn(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	return size(fn) - size(func(*sqlite.Store) {})
}

// TestStoredBytes: the file is at most 1.3 times as big as what is in it.
func TestStoredBytes(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		threads, appends, records int
		size                      func(i int) int
	}{
		"a thread, one at a time":        {1, 1000, 1, func(int) int { return 110 }},
		"a thread, five at a time":       {1, 200, 5, func(int) int { return 110 }},
		"threads that take turns":        {64, 50, 2, func(int) int { return 150 }},
		"threads one after another":      {1, 300, 3, func(i int) int { return 80 + i*7%60 }},
		"records from small to large":    {4, 400, 1, func(i int) int { return 100 + i*37%3900 }},
		"threads with records of 2000":   {16, 40, 1, func(int) int { return 2000 }},
		"one record of 1 MB in a thread": {1, 1, 1, func(int) int { return 1 << 20 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			payload := 0
			got := stored(t, func(s *sqlite.Store) {
				for i := range x.appends {
					for thread := range x.threads {
						after := engine.Seq(i * x.records)
						b := engine.Batch{Thread: engine.ThreadID(fmt.Sprint(thread)), After: after}
						for n := range x.records {
							r := event(after+engine.Seq(n)+1, x.size(i*x.records+n))
							payload += len(r.Data)
							b.Records = append(b.Records, r)
						}
						if err := s.Append(t.Context(), b); err != nil {
							t.Fatal(err)
						}
					}
				}
			})
			if ratio := float64(got) / float64(payload); ratio > 1.3 || ratio < 1 {
				t.Errorf("%d bytes for %d: %.3f times", got, payload, ratio)
			}
		})
	}
}

// TestStoredBlob: a blob is stored once, however often it is given.
func TestStoredBlob(t *testing.T) {
	t.Parallel()
	data := make([]byte, 1<<20)
	blob := []engine.Blob{{Hash: sha256.Sum256(data), Data: data}}
	got := stored(t, func(s *sqlite.Store) {
		for i := range 20 {
			r := event(1, 10)
			r.Blobs = blob
			if err := s.Append(t.Context(), engine.Batch{Thread: engine.ThreadID(fmt.Sprint(i)), Records: []engine.Record{r}}); err != nil {
				t.Fatal(err)
			}
		}
	})
	if got > 1<<20+1<<16 {
		t.Errorf("%d bytes for a blob of 1 MB", got)
	}
}

// TestFull: what does not fit leaves nothing behind, and what does fit goes on.
func TestFull(t *testing.T) {
	t.Parallel()
	s := open(t, filled(t))
	if err := s.Pragma(t.Context(), "PRAGMA max_page_count = 24"); err != nil {
		t.Fatal(err)
	}
	big := engine.Batch{Thread: "t1", After: 30, Owner: "o", Snapshot: make([]byte, 100), Summary: &engine.Summary{Status: engine.Failed}}
	for i := range 100 {
		big.Records = append(big.Records, event(engine.Seq(31+i), 5000))
	}
	var g errgroup.Group
	for i := 2; i < 18; i++ {
		g.Go(func() error {
			return s.Append(t.Context(), engine.Batch{Thread: engine.ThreadID(fmt.Sprint("t", i)), After: 30, Records: []engine.Record{event(31, 10)}})
		})
	}
	err := s.Append(t.Context(), big)
	if err == nil || !strings.Contains(err.Error(), "the disk is full, nothing of this was kept") {
		t.Errorf("got %v", err)
	}
	if err := g.Wait(); err != nil {
		t.Errorf("a small append beside it: %v", err)
	}
	for h, err := range s.Threads(t.Context(), engine.Filter{Thread: "t1"}) {
		if err != nil || h.Seq != 30 || h.Owner != "" || h.Summary.Status != engine.Done || h.SnapshotSeq != 0 {
			t.Errorf("head %+v, %v", h, err)
		}
	}
	n := 0
	for _, err := range s.Read(t.Context(), "t1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 30 {
		t.Errorf("%d records, want 30", n)
	}
	if err := s.Pragma(t.Context(), "PRAGMA max_page_count = 1000"); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), big); err != nil {
		t.Errorf("with room: %v", err)
	}
}

// TestDurable: a commit waits for the disk when one of its requests wants it.
func TestDurable(t *testing.T) {
	t.Parallel()
	s := open(t, filled(t))
	for _, sync := range []bool{false, true, true, false, true} {
		want := int64(1)
		if sync {
			want = 2
		}
		if got, err := s.Synchronous(t.Context(), sync); err != nil || got != want {
			t.Errorf("sync %v: %d, %v; want %d", sync, got, err, want)
		}
	}
}

// TestCacheIsBounded: what has expired goes as other values come.
func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	path := filled(t)
	s := open(t, path)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i := range 300 {
		key := fmt.Sprint(i)
		if _, err := s.Cached(t.Context(), key, now); !errors.Is(err, engine.ErrNotFound) {
			t.Fatal(err)
		}
		if err := s.Cache(t.Context(), key, []byte(key), now.Add(10*time.Second)); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	var n int
	if err := sqlOpen(t, path).QueryRowContext(t.Context(), "SELECT count(*) FROM cache").Scan(&n); err != nil || n > 12 {
		t.Errorf("%d values are kept, %v; 10 are alive", n, err)
	}
}

// TestWithdraw: one who gives up while another waits for the disk has done nothing.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	path := filled(t)
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	db := sqlOpen(t, path)
	sqlExec(t, db, "BEGIN IMMEDIATE")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errs := make(chan error)
	const n = 400 // more than the queue holds
	for i := range n {
		go func() {
			errs <- s.Append(ctx, engine.Batch{Thread: engine.ThreadID(fmt.Sprint("new", i)), Records: []engine.Record{event(1, 10)}})
		}()
	}
	cancel()
	failed := 0
	// At most a group is with the one who waits for the lock; the others come back now.
	for range n - 256 {
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
		failed++
	}
	sqlExec(t, db, "COMMIT")
	for range 256 {
		if err := <-errs; errors.Is(err, context.Canceled) {
			failed++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for h, err := range s.Threads(t.Context(), engine.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(h.Thread), "new") {
			found++
		}
	}
	if found != n-failed {
		t.Errorf("%d threads are there, %d appends succeeded", found, n-failed)
	}
	if err := s.Append(t.Context(), engine.Batch{Thread: "after", Records: []engine.Record{event(1, 10)}}); err != nil {
		t.Error(err)
	}
}

// TestOverFullQueue: those who have given up do not block the queue for the next.
func TestOverFullQueue(t *testing.T) {
	t.Parallel()
	s := open(t, filled(t))
	over, cancel := context.WithCancel(t.Context())
	defer cancel()
	var g errgroup.Group
	for i := range 50 {
		g.Go(func() error {
			for n := range 20 {
				_ = s.Append(over, engine.Batch{Thread: engine.ThreadID(fmt.Sprint(i)), After: engine.Seq(n), Records: []engine.Record{event(engine.Seq(n+1), 10)}})
				if i == 7 && n == 5 {
					cancel()
				}
			}
			return nil
		})
	}
	_ = g.Wait()
	if err := s.Append(t.Context(), engine.Batch{Thread: "after", Records: []engine.Record{event(1, 10)}}); err != nil {
		t.Error(err)
	}
}

// TestManyEvents: a thread and a database have room for what keys can number.
func TestManyEvents(t *testing.T) {
	t.Parallel()
	s := open(t, filled(t))
	err := s.Append(t.Context(), engine.Batch{Thread: "t1", After: 1<<32 - 1, Records: []engine.Record{event(1<<32, 10)}})
	if err == nil || errors.Is(err, engine.ErrConflict) {
		t.Errorf("got %v", err)
	}
}

// TestNothingStays: after Close no goroutine runs.
func TestNothingStays(t *testing.T) { //nolint:paralleltest // counts goroutines
	before := runtime.NumGoroutine()
	for range 5 {
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "weft.db")})
		if err != nil {
			t.Fatal(err)
		}
		var g errgroup.Group
		for i := range 20 {
			g.Go(func() error {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				err := s.Append(ctx, engine.Batch{Thread: engine.ThreadID(fmt.Sprint(i)), Records: []engine.Record{event(1, 10)}})
				for _, e := range s.Threads(ctx, engine.Filter{}) {
					err = errors.Join(err, e)
				}
				return err
			})
		}
		if err := errors.Join(g.Wait(), s.Close()); err != nil {
			t.Fatal(err)
		}
		if err := s.Append(t.Context(), engine.Batch{Thread: "t", Records: []engine.Record{event(1, 10)}}); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("append after close: %v", err)
		}
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, before it were %d\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}
