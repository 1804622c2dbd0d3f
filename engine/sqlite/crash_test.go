package sqlite_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/sqlite"
)

// crashEnv names the database to the process that is to be killed.
const crashEnv = "WEFT_TEST_CRASH"

const (
	crashThreads = 8
	crashBatch   = 3 // records in each append
)

func crashThread(i int) engine.ThreadID { return engine.ThreadID(fmt.Sprint("thread ", i)) }

func crashData(seq engine.Seq, thread engine.ThreadID) string {
	return fmt.Sprintf("%d of %s %s", seq, thread, strings.Repeat("x", int(seq*131%700)))
}

// TestCrashChild is the process that TestCrash kills: it appends for ever, and says
// what has been acknowledged.
func TestCrashChild(t *testing.T) {
	path := os.Getenv(crashEnv)
	if path == "" {
		t.Skip("runs in TestCrash")
	}
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	var g errgroup.Group
	for i := range crashThreads {
		g.Go(func() error {
			id := crashThread(i)
			head, err := s.Acquire(t.Context(), id, "child")
			if err != nil && !errors.Is(err, engine.ErrNotFound) {
				return err
			}
			for after := head.Seq; ; after += crashBatch {
				b := engine.Batch{Thread: id, After: after, Owner: "child", Sync: i%2 == 0, Summary: &engine.Summary{Status: engine.Running, Run: fmt.Sprint(after + crashBatch)}}
				for n := range engine.Seq(crashBatch) {
					seq := after + n + 1
					b.Records = append(b.Records, engine.Record{Seq: seq, Kind: 1, Data: []byte(crashData(seq, id))})
				}
				if i%3 == 0 {
					b.Snapshot = []byte(b.Summary.Run)
				}
				if err := s.Append(t.Context(), b); err != nil {
					return err
				}
				if _, err := fmt.Printf("ack %d %d\n", i, after+crashBatch); err != nil {
					return err
				}
			}
		})
	}
	t.Fatal(g.Wait())
}

// TestCrash kills a process at random moments. What was acknowledged is there, batches
// are whole, and the leases are free at once.
func TestCrash(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "weft.db")
	random := rand.New(rand.NewSource(1))
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	var acked [crashThreads]engine.Seq
	for round := range rounds {
		crash(t, path, random.Intn(60), &acked)
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for i := range acked {
			survives(t, s, i, acked[i])
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	if acked[0] == 0 {
		t.Error("nothing was acknowledged")
	}
	if left, _ := filepath.Glob(path + ".owner-*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// crash starts the child and kills it after some acknowledgements.
func crash(t *testing.T, path string, acks int, acked *[crashThreads]engine.Seq) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashChild$", "-test.v")
	child.Env = append(os.Environ(), crashEnv+"="+path)
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); {
		var i int
		var seq engine.Seq
		if _, err := fmt.Sscanf(lines.Text(), "ack %d %d", &i, &seq); err != nil {
			if strings.Contains(lines.Text(), "crash_test.go") {
				t.Error(lines.Text())
			}
			continue
		}
		// What it said before it died counts, even if it is read later.
		acked[i] = max(acked[i], seq)
		if n++; n == acks+1 {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait()
}

// survives checks a thread after a crash.
func survives(t *testing.T, s *sqlite.Store, i int, acked engine.Seq) {
	t.Helper()
	id := crashThread(i)
	head, err := s.Acquire(t.Context(), id, "parent")
	if errors.Is(err, engine.ErrNotFound) && acked == 0 {
		return
	}
	if err != nil {
		t.Fatalf("acquire %s: %v", id, err)
	}
	last := engine.Seq(0)
	for r, err := range s.Read(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if last++; r.Seq != last || string(r.Data) != crashData(last, id) {
			t.Fatalf("%s: record %d after %d: %.40q", id, r.Seq, last-1, r.Data)
		}
	}
	if last < acked || last != head.Seq || last%crashBatch != 0 || head.Summary.Run != fmt.Sprint(last) {
		t.Errorf("%s ends at %d, its head at %d, its summary at %s; acknowledged is %d", id, last, head.Seq, head.Summary.Run, acked)
	}
	if i%3 == 0 && (head.SnapshotSeq != last || string(head.Snapshot) != fmt.Sprint(last)) {
		t.Errorf("%s: snapshot %q after %d, want %d", id, head.Snapshot, head.SnapshotSeq, last)
	}
}
