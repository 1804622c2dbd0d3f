package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/sqlite"
)

// sqlOpen opens a file as any other program would.
func sqlOpen(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func sqlExec(t *testing.T, db *sql.DB, queries ...string) {
	t.Helper()
	for _, query := range queries {
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
}

// filled makes a database with some threads, and closes it.
func filled(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "weft.db")
	s := open(t, path)
	for i := range 20 {
		b := engine.Batch{Thread: engine.ThreadID(fmt.Sprint("t", i)), Summary: &engine.Summary{Status: engine.Done}}
		for seq := range 30 {
			b.Records = append(b.Records, event(engine.Seq(seq+1), 100))
		}
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantRefused opens a file that no store can use: the error says so, and nothing has changed.
func wantRefused(t *testing.T, path string, want error, text string) {
	t.Helper()
	before := read(t, path)
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err == nil {
		_ = s.Close()
		t.Fatal("no error")
	}
	if want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want %v with %q", err, want, text)
	}
	if !bytes.Equal(before, read(t, path)) {
		t.Error("the file has changed")
	}
	if left, _ := filepath.Glob(path + ".owner-*"); len(left) > 0 {
		t.Errorf("it leaves %q", left)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	good := read(t, filled(t))
	junk := bytes.Repeat([]byte("this is no database. "), 5000)
	for name, x := range map[string]struct {
		data []byte
		want error
		text string
	}{
		"random bytes":       {junk, engine.ErrCorrupt, "no database"},
		"one byte":           {[]byte("x"), engine.ErrCorrupt, "too few"},
		"an empty file":      {nil, nil, "the file is empty"},
		"half a header":      {good[:50], engine.ErrCorrupt, "too few"},
		"a header only":      {good[:100], engine.ErrCorrupt, "too few"},
		"half a page":        {good[:4096], engine.ErrCorrupt, "damaged"},
		"one page":           {good[:8192], engine.ErrCorrupt, "damaged"},
		"half the file":      {good[:len(good)/2], engine.ErrCorrupt, "damaged"},
		"without its end":    {good[:len(good)-1], engine.ErrCorrupt, "the end of the file"},
		"without its header": {append(make([]byte, 100), good[100:]...), engine.ErrCorrupt, "no database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "weft.db")
			write(t, path, x.data)
			wantRefused(t, path, x.want, x.text)
		})
	}
}

func TestOpenRefusesOthers(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"DELETE", "WAL"} {
		path := filepath.Join(t.TempDir(), "other.db")
		db := sqlOpen(t, path)
		sqlExec(t, db, "PRAGMA journal_mode = "+mode, "CREATE TABLE threads (x)", "INSERT INTO threads VALUES (1)")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		wantRefused(t, path, nil, "another program")
	}
}

func TestOpenRefusesVersions(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]error{
		"PRAGMA user_version = 3":    engine.ErrNewer,
		"PRAGMA user_version = 1000": engine.ErrNewer,
		"PRAGMA user_version = 0":    engine.ErrCorrupt,
	} {
		path := filled(t)
		db := sqlOpen(t, path)
		sqlExec(t, db, query)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		wantRefused(t, path, want, "version")
	}
}

func TestOpenRefusesPaths(t *testing.T) {
	t.Parallel()
	if _, err := sqlite.Open(t.Context(), sqlite.Options{}); err == nil {
		t.Error("no path: no error")
	}
	if _, err := sqlite.Open(t.Context(), sqlite.Options{Path: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	path := filled(t)
	if _, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(path, "weft.db")}); err == nil {
		t.Error("below a file: no error")
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, path, nil, "may only be read")
}

// TestLogWithoutDatabase: a log must not be applied to a new database.
func TestLogWithoutDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "weft.db")
	write(t, path+"-wal", []byte("log"))
	_, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err == nil || !strings.Contains(err.Error(), "-wal") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it made a database: %v", err)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"weft.db", "with space", "a?b#c%41&d=e", ":memory:", "日本", "file:x"} {
		dir := filepath.Join(t.TempDir(), "new", "dir")
		path := filepath.Join(dir, name)
		s := open(t, path)
		if err := s.Append(t.Context(), engine.Batch{Thread: "t", Records: []engine.Record{event(1, 10)}}); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 4 {
			t.Errorf("%q: %d files, %v; want database, log, its index and the owner's lock", name, len(entries), err)
		}
		for _, e := range entries {
			if info, err := e.Info(); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
				t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
			}
		}
		if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("the directory has mode %v, %v", info.Mode(), err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if entries, err = os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != name {
			t.Errorf("%q: after close there are %v, %v", name, entries, err)
		}
	}
}

// TestLink: by whatever path a database is opened, it is one database.
func TestLink(t *testing.T) {
	t.Parallel()
	path := filled(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	a, b := open(t, path), open(t, link)
	if _, err := a.Acquire(t.Context(), "t1", "o"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Acquire(t.Context(), "t1", "o"); !errors.Is(err, engine.ErrLeased) {
		t.Errorf("got %v", err)
	}
}

// TestOpenRace: many who open a database that is not there get the same one.
func TestOpenRace(t *testing.T) {
	t.Parallel()
	for range 10 {
		path := filepath.Join(t.TempDir(), "weft.db")
		errs := make(chan error)
		const n = 8
		for i := range n {
			go func() {
				s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
				if err == nil {
					err = s.Append(t.Context(), engine.Batch{Thread: engine.ThreadID(fmt.Sprint(i)), Records: []engine.Record{event(1, 10)}})
					err = errors.Join(err, s.Close())
				}
				errs <- err
			}()
		}
		for range n {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		found := 0
		for _, err := range open(t, path).Threads(t.Context(), engine.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			found++
		}
		if found != n {
			t.Errorf("%d threads, want %d", found, n)
		}
	}
}

func TestLocked(t *testing.T) {
	t.Parallel()
	path := filled(t)
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Wait: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	db := sqlOpen(t, path)
	sqlExec(t, db, "BEGIN IMMEDIATE")
	one := engine.Batch{Thread: "t1", After: 30, Records: []engine.Record{event(31, 10)}}
	if err := s.Append(t.Context(), one); err == nil || !strings.Contains(err.Error(), "another process has the database locked") {
		t.Errorf("append: %v", err)
	}
	for _, err := range s.Read(t.Context(), "t1", 0) {
		if err != nil {
			t.Errorf("read: %v", err)
		}
	}
	sqlExec(t, db, "COMMIT")
	if err := s.Append(t.Context(), one); err != nil {
		t.Errorf("append when it is free: %v", err)
	}
}

// TestOpenLocked: a program that keeps the file for itself.
func TestOpenLocked(t *testing.T) {
	t.Parallel()
	path := filled(t)
	sqlExec(t, sqlOpen(t, path), "PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE")
	_, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Wait: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "another process has the database locked") {
		t.Errorf("got %v", err)
	}
}

// TestDamage changes bytes anywhere in the file: whatever is found out, and whenever,
// it is an error, and the calls end.
func TestDamage(t *testing.T) {
	t.Parallel()
	good := read(t, filled(t))
	path := filepath.Join(t.TempDir(), "weft.db")
	rapid.Check(t, func(rt *rapid.T) {
		bad := bytes.Clone(good)
		for range rapid.IntRange(1, 20).Draw(rt, "changes") {
			at := rapid.IntRange(0, len(bad)-1).Draw(rt, "at")
			run := rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(rt, "bytes")
			copy(bad[at:], run)
		}
		write(t, path, bad)
		for _, suffix := range []string{"-wal", "-shm"} {
			_ = os.Remove(path + suffix)
		}
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			return
		}
		for i := range 20 {
			id := engine.ThreadID(fmt.Sprint("t", i))
			last := engine.Seq(0)
			for r, err := range s.Read(t.Context(), id, 0) {
				if err == nil && r.Seq != last+1 {
					rt.Fatalf("%s: %d follows %d", id, r.Seq, last)
				}
				last = r.Seq
			}
			_ = s.Append(t.Context(), engine.Batch{Thread: id, After: 30, Records: []engine.Record{event(31, 100)}})
		}
		for _, err := range s.Threads(t.Context(), engine.Filter{Status: engine.Done}) {
			_ = err
		}
		_ = s.Close()
	})
}

// TestZeroedPage: a page of a thread is lost; other threads go on.
func TestZeroedPage(t *testing.T) {
	t.Parallel()
	path := filled(t)
	db := sqlOpen(t, path)
	var page int64
	err := db.QueryRowContext(t.Context(), "SELECT rootpage FROM sqlite_schema WHERE name = 'events'").Scan(&page)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	data := read(t, path)
	clear(data[(page-1)*8192 : page*8192])
	write(t, path, data)
	s := open(t, path)
	for _, err := range s.Read(t.Context(), "t5", 0) {
		if !errors.Is(err, engine.ErrCorrupt) {
			t.Fatalf("got %v", err)
		}
	}
	if err := s.Append(t.Context(), engine.Batch{Thread: "t5", After: 30, Records: []engine.Record{event(31, 10)}}); !errors.Is(err, engine.ErrCorrupt) {
		t.Errorf("append: %v", err)
	}
}

// TestMissingEvent: rows that are gone are found out.
func TestMissingEvent(t *testing.T) {
	t.Parallel()
	for _, gone := range []string{"key & 0xffffffff = 1", "key & 0xffffffff = 15", "key & 0xffffffff = 30", "1"} {
		path := filled(t)
		db := sqlOpen(t, path)
		sqlExec(t, db, "DELETE FROM events WHERE "+gone)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		var last error
		for _, err := range open(t, path).Read(t.Context(), "t3", 0) {
			last = err
		}
		if !errors.Is(last, engine.ErrCorrupt) || !strings.Contains(last.Error(), "missing") {
			t.Errorf("without %s: %v", gone, last)
		}
	}
}

// TestChangedRow: a row that reads well and is not what was written is found out; a
// snapshot of that kind is left alone.
func TestChangedRow(t *testing.T) {
	t.Parallel()
	for _, change := range []string{"data = substr(data, 1, length(data) - 1) || x'00'", "kind = kind + 1", "kind = kind + 256"} {
		path := filled(t)
		db := sqlOpen(t, path)
		sqlExec(t, db, "UPDATE events SET "+change+" WHERE key & 0xffffffff = 7")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		var last error
		n := 0
		for _, err := range open(t, path).Read(t.Context(), "t3", 0) {
			if last = err; err == nil {
				n++
			}
		}
		if !errors.Is(last, engine.ErrCorrupt) || !strings.Contains(last.Error(), "event 7 is not what was written") || n > 6 {
			t.Errorf("with %s: %d events, then %v", change, n, last)
		}
	}
}

// TestChangedSnapshot: a snapshot that is not what was written is not used.
func TestChangedSnapshot(t *testing.T) {
	t.Parallel()
	path := filled(t)
	s := open(t, path)
	if err := s.Append(t.Context(), engine.Batch{Thread: "t3", After: 30, Snapshot: []byte("snapshot")}); err != nil {
		t.Fatal(err)
	}
	if head, err := s.Acquire(t.Context(), "t3", "me"); err != nil || string(head.Snapshot) != "snapshot" || head.SnapshotSeq != 30 {
		t.Fatalf("%q at %d: %v", head.Snapshot, head.SnapshotSeq, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db := sqlOpen(t, path)
	sqlExec(t, db, "UPDATE snapshots SET data = 'snapshat'")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if head, err := open(t, path).Acquire(t.Context(), "t3", "me"); err != nil || head.Snapshot != nil || head.SnapshotSeq != 0 {
		t.Errorf("%q at %d: %v", head.Snapshot, head.SnapshotSeq, err)
	}
}

// TestForeignOwner: what stands in the owner's column never names another file.
func TestForeignOwner(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"../../etc/passwd/x", "x", "/", "0123456789abcdef", "0123456789abcde./x", "\x00/x", "????????????????/x"} {
		path := filled(t)
		db := sqlOpen(t, path)
		if _, err := db.ExecContext(t.Context(), "UPDATE threads SET owner = ?", owner); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, path).Acquire(t.Context(), "t1", "o"); err != nil {
			t.Errorf("%q: %v", owner, err)
		}
	}
}

// TestLostLock: a store whose lock file somebody deletes loses its leases, not its threads.
func TestLostLock(t *testing.T) {
	t.Parallel()
	path := filled(t)
	a := open(t, path)
	more := func(after engine.Seq) engine.Batch {
		return engine.Batch{Thread: "t1", After: after, Owner: "o", Records: []engine.Record{event(after+1, 10)}}
	}
	if err := a.Append(t.Context(), more(30)); err != nil {
		t.Fatal(err)
	}
	locks, err := filepath.Glob(path + ".owner-*.lock")
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	if err := os.Remove(locks[0]); err != nil {
		t.Skip(err)
	}
	b := open(t, path)
	if err := b.Append(t.Context(), more(31)); err != nil {
		t.Fatal(err)
	}
	if err := a.Append(t.Context(), more(31)); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("append at the old end: %v", err)
	}
	if err := a.Append(t.Context(), more(32)); !errors.Is(err, engine.ErrLeased) {
		t.Errorf("append at the new end: %v", err)
	}
}

// TestDeadFiles: what a process left behind is removed, and nothing else.
func TestDeadFiles(t *testing.T) {
	t.Parallel()
	path := filled(t)
	other := open(t, path)
	alive, err := filepath.Glob(path + ".owner-*.lock")
	if err != nil || len(alive) != 1 {
		t.Fatal(alive, err)
	}
	dead := []string{".owner-0123456789abcdef.lock", ".owner-0123456789abcdef.new", ".owner-00000000000000ff.new-journal"}
	kept := []string{".owner-abcd.lock", ".owner-0123456789abcde.lock", ".owner-x.lock", ".owner-0123456789abcdefg", ".owner-", ".backup"}
	for _, suffix := range append(dead, kept...) {
		write(t, path+suffix, nil)
	}
	open(t, path)
	for _, suffix := range dead {
		if _, err := os.Stat(path + suffix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", suffix, err)
		}
	}
	for _, suffix := range kept {
		if _, err := os.Stat(path + suffix); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(alive[0]); err != nil {
		t.Error(err)
	}
	if _, err := other.Acquire(t.Context(), "t1", "o"); err != nil {
		t.Error(err)
	}
}
