package memory_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/sqlite"
)

var noon = time.Date(2026, 1, 28, 12, 0, 0, 0, time.UTC)

func open(store engine.Store) *memory.Store {
	return &memory.Store{Store: store, Now: func() time.Time { return noon }}
}

func preferences() *engine.Memory {
	return &engine.Memory{Name: "preferences", Scope: "user", Default: "Be brief.", MaxShrink: 0.5, MaxChars: 40}
}

func place(m *engine.Memory) memory.Place { return memory.Place{Memory: m, User: "alex", Thread: "t1"} }

func read(t *testing.T, s *memory.Store, p memory.Place) engine.MemoryValue {
	t.Helper()
	v, err := s.ReadMemory(t.Context(), p.Memory, p.User, p.Thread)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func write(t *testing.T, s *memory.Store, p memory.Place, c memory.Change) (engine.Seq, string) {
	t.Helper()
	seq, status, err := s.Write(t.Context(), p, c)
	if err != nil {
		t.Fatal(err)
	}
	return seq, status
}

func TestDefaultUntilChanged(t *testing.T) {
	s, p := open(inmem.New()), place(preferences())
	if got, want := read(t, s, p), (engine.MemoryValue{Text: "Be brief."}); got != want {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	p.Memory.Default = "Be kind."
	if got := read(t, s, p); got.Text != "Be kind." {
		t.Fatalf("a read has written the default: %+v", got)
	}
}

func TestWriteReadHistory(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) { writeReadHistory(t, store) })
	}
}

func stores(t *testing.T) map[string]engine.Store {
	t.Helper()
	disk, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "weft.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	return map[string]engine.Store{"inmem": inmem.New(), "sqlite": disk}
}

func writeReadHistory(t *testing.T, store engine.Store) {
	t.Helper()
	s, p := open(store), place(preferences())
	seq, status := write(t, s, p, memory.Change{Key: "k1", Text: "Be brief and kind.", Why: "feedback", By: "alex", Run: "r1"})
	if seq != 1 || status != memory.Applied {
		t.Fatalf("got %d %s", seq, status)
	}
	if got, want := read(t, open(store), p), (engine.MemoryValue{Text: "Be brief and kind.", Version: 1}); got != want {
		t.Fatalf("from another process: got %+v, want %+v", got, want)
	}
	got, err := s.History(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := []memory.Version{{Version: 1, Before: "Be brief.", MemoryChanged: engine.MemoryChanged{
		At: noon, Key: "k1", Status: memory.Applied, Text: "Be brief and kind.", Why: "feedback", By: "alex", Run: "r1",
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestWriteOutcomes(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change memory.Change
		seq    engine.Seq
		status string
		text   string
	}{
		{"same text", memory.Change{Key: "k", Base: 1, Text: "Be brief and kind."}, 1, memory.Unchanged, "Be brief and kind."},
		{"longer", memory.Change{Key: "k", Base: 1, Text: "Be brief, kind and clear."}, 2, memory.Applied, "Be brief, kind and clear."},
		{"shorter", memory.Change{Key: "k", Base: 1, Text: "Brief, kind."}, 2, memory.Applied, "Brief, kind."},
		{"half is still allowed", memory.Change{Key: "k", Base: 1, Text: "Be brief."}, 2, memory.Applied, "Be brief."},
		{"shrunk", memory.Change{Key: "k", Base: 1, Text: "Brief."}, 2, memory.Proposed, "Be brief and kind."},
		{"wiped", memory.Change{Key: "k", Base: 1, Text: "    \n"}, 2, memory.Proposed, "Be brief and kind."},
		{"too long", memory.Change{Key: "k", Base: 1, Text: strings.Repeat("é", 41)}, 2, memory.Proposed, "Be brief and kind."},
		{"as long as allowed", memory.Change{Key: "k", Base: 1, Text: strings.Repeat("é", 40)}, 2, memory.Applied, strings.Repeat("é", 40)},
		{"the key again", memory.Change{Key: "first", Base: 0, Text: "Something else."}, 1, memory.Applied, "Be brief and kind."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, p := open(inmem.New()), place(preferences())
			write(t, s, p, memory.Change{Key: "first", Text: "Be brief and kind."})
			seq, status := write(t, s, p, tc.change)
			if seq != tc.seq || status != tc.status {
				t.Errorf("got version %d %s, want %d %s", seq, status, tc.seq, tc.status)
			}
			if got := read(t, s, p).Text; got != tc.text {
				t.Errorf("text is %q, want %q", got, tc.text)
			}
		})
	}
}

func TestGuardOff(t *testing.T) {
	m := preferences()
	m.MaxShrink, m.MaxChars = 0, 0
	s, p := open(inmem.New()), place(m)
	if _, status := write(t, s, p, memory.Change{Key: "k", Text: "!"}); status != memory.Applied {
		t.Fatalf("got %s", status)
	}
}

func TestWriteRefuses(t *testing.T) {
	s, p := open(inmem.New()), place(preferences())
	for name, text := range map[string]string{"large": strings.Repeat("x", memory.MaxBytes+1), "not UTF-8": "a\xff"} {
		if _, _, err := s.Write(t.Context(), p, memory.Change{Key: name, Text: text}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if got := read(t, s, p); got.Version != 0 {
		t.Fatalf("something was written: %+v", got)
	}
}

func TestWriteFromAnOldVersion(t *testing.T) {
	store := inmem.New()
	one, two, p := open(store), open(store), place(preferences())
	read(t, two, p)
	write(t, one, p, memory.Change{Key: "a", Text: "Be brief. Write in English."})
	_, _, err := two.Write(t.Context(), p, memory.Change{Key: "b", Base: 0, Text: "Be brief. Sign as Al."})
	if !errors.Is(err, engine.ErrConflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	if got := read(t, two, p).Text; got != "Be brief. Write in English." {
		t.Fatalf("a change was lost: %q", got)
	}
}

func TestOwners(t *testing.T) {
	s := open(inmem.New())
	user, thread, global := preferences(), preferences(), preferences()
	thread.Scope, global.Scope = "thread", "global"
	for _, tc := range []struct {
		p     memory.Place
		owner string
		id    engine.ThreadID
	}{
		{memory.Place{Memory: user, User: "alex", Thread: "t"}, "alex", "memory:user/preferences/alex"},
		{memory.Place{Memory: user, Thread: "t"}, "default", "memory:user/preferences/default"},
		{memory.Place{Memory: thread, User: "alex", Thread: "t"}, "t", "memory:thread/preferences/t"},
		{memory.Place{Memory: global, User: "alex", Thread: "t"}, "all", "memory:global/preferences/all"},
		{memory.Place{Memory: &engine.Memory{Name: "preferences"}, User: "bo"}, "bo", "memory:user/preferences/bo"},
	} {
		if tc.p.Owner() != tc.owner || tc.p.ThreadID() != tc.id || !memory.IsThread(tc.p.ThreadID()) {
			t.Errorf("owner %q, thread %q; want %q, %q", tc.p.Owner(), tc.p.ThreadID(), tc.owner, tc.id)
		}
	}
	write(t, s, memory.Place{Memory: user, User: "alex"}, memory.Change{Key: "k", Text: "Alex's own words."})
	for _, other := range []memory.Place{{Memory: user, User: "bo"}, {Memory: thread, User: "alex", Thread: "alex"}, {Memory: global, User: "alex"}} {
		if got := read(t, s, other).Text; got != "Be brief." {
			t.Errorf("%s sees %q", other.ThreadID(), got)
		}
	}
	if memory.IsThread("inbox") {
		t.Error("a thread of runs is taken for a memory")
	}
}

func TestOddOwnersStayApart(t *testing.T) {
	long := strings.Repeat("u", 200)
	for _, users := range [][2]string{{long + "1", long + "2"}, {"a\nb", "a\tb"}, {"a\xff", "a\xfe"}, {"a/b", "a"}} {
		s, m := open(inmem.New()), preferences()
		one, two := memory.Place{Memory: m, User: users[0]}, memory.Place{Memory: m, User: users[1]}
		write(t, s, one, memory.Change{Key: "k", Text: "One's own words."})
		if got := read(t, s, two).Text; got != "Be brief." {
			t.Errorf("%q sees %q", users[1], got)
		}
		if got := read(t, s, one).Text; got != "One's own words." {
			t.Errorf("%q sees %q", users[0], got)
		}
	}
}

// texts reads the memory after each of a list of undos, until there is none left.
func undoAll(t *testing.T, s *memory.Store, p memory.Place) []string {
	t.Helper()
	var out []string
	for {
		_, err := s.Undo(t.Context(), p, 0, memory.By{By: "alex"})
		if errors.Is(err, engine.ErrNotFound) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, read(t, s, p).Text)
	}
}

func TestUndo(t *testing.T) {
	store := inmem.New()
	s, p := open(store), place(preferences())
	write(t, s, p, memory.Change{Key: "1", Base: 0, Text: "one, at length"})
	write(t, s, p, memory.Change{Key: "2", Base: 1, Text: "two, at length"})
	write(t, s, p, memory.Change{Key: "3", Base: 2, Text: "3"}) // proposed
	write(t, s, p, memory.Change{Key: "4", Base: 2, Text: "four, at length"})
	want := []string{"two, at length", "one, at length", "Be brief."}
	if diff := cmp.Diff(want, undoAll(t, s, p)); diff != "" {
		t.Fatal(diff)
	}
	if got := read(t, open(store), p); got.Text != "Be brief." || got.Version != 7 {
		t.Fatalf("folded anew: %+v", got)
	}
	write(t, s, p, memory.Change{Key: "5", Base: 7, Text: "five, at length"})
	if diff := cmp.Diff([]string{"Be brief."}, undoAll(t, s, p)); diff != "" {
		t.Fatal(diff)
	}
}

func TestUndoVersion(t *testing.T) {
	s, p := open(inmem.New()), place(preferences())
	for i := range 4 {
		write(t, s, p, memory.Change{Key: fmt.Sprint(i), Base: engine.Seq(i), Text: fmt.Sprintf("text number %d", i)})
	}
	seq, err := s.Undo(t.Context(), p, 2, memory.By{Key: "u", By: "bo", Why: "wrong", Run: "r"})
	if err != nil || seq != 5 {
		t.Fatalf("got %d, %v", seq, err)
	}
	if got := read(t, s, p); got.Text != "text number 0" || got.Version != 5 {
		t.Fatalf("got %+v", got)
	}
	again, err := s.Undo(t.Context(), p, 2, memory.By{Key: "u"})
	if err != nil || again != 5 {
		t.Fatalf("the same undo again: %d, %v", again, err)
	}
	for _, version := range []engine.Seq{2, 3, 9} {
		if _, err := s.Undo(t.Context(), p, version, memory.By{}); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("version %d is not in effect, and: %v", version, err)
		}
	}
	past, err := s.History(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := memory.Version{Version: 5, Before: "text number 3", MemoryChanged: engine.MemoryChanged{
		At: noon, Key: "u", Base: 1, Status: memory.Undone, Text: "text number 0", Why: "wrong", By: "bo", Run: "r",
	}}
	if diff := cmp.Diff(want, past[4]); diff != "" {
		t.Fatal(diff)
	}
}

func TestApply(t *testing.T) {
	s, p := open(inmem.New()), place(preferences())
	write(t, s, p, memory.Change{Key: "1", Text: "A text of some length."})
	write(t, s, p, memory.Change{Key: "2", Base: 1, Text: "Short.", Why: "the user said so"})
	seq, err := s.Apply(t.Context(), p, 2, memory.By{By: "alex"})
	if err != nil || seq != 3 {
		t.Fatalf("got %d, %v", seq, err)
	}
	if got := read(t, s, p); got.Text != "Short." || got.Version != 3 {
		t.Fatalf("got %+v", got)
	}
	if again, err := s.Apply(t.Context(), p, 2, memory.By{By: "bo"}); err != nil || again != 3 {
		t.Fatalf("applied twice: %d, %v", again, err)
	}
	past, err := s.History(t.Context(), p)
	if err != nil || len(past) != 3 || past[2].Why != "the user said so" || past[2].By != "alex" {
		t.Fatalf("got %+v, %v", past, err)
	}
}

func TestApplyRefuses(t *testing.T) {
	s, p := open(inmem.New()), place(preferences())
	write(t, s, p, memory.Change{Key: "1", Text: "A text of some length."})
	write(t, s, p, memory.Change{Key: "2", Base: 1, Text: "Short."})
	write(t, s, p, memory.Change{Key: "3", Base: 1, Text: "A text of greater length."})
	if _, err := s.Apply(t.Context(), p, 2, memory.By{}); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("a proposal from an old version: %v", err)
	}
	for _, version := range []engine.Seq{1, 3, 9} {
		if _, err := s.Apply(t.Context(), p, version, memory.By{}); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("version %d is no proposal, and: %v", version, err)
		}
	}
	if got := read(t, s, p).Text; got != "A text of greater length." {
		t.Fatalf("got %q", got)
	}
}

// Twenty writers each add a line until theirs is in: none is lost, none is there twice.
func TestConcurrentWriters(t *testing.T) {
	store := inmem.New()
	m := &engine.Memory{Name: "log", Scope: "global"}
	var wg sync.WaitGroup
	for i := range 20 {
		s := open(store)
		wg.Go(func() {
			line := fmt.Sprintf("line %d;", i)
			for {
				now, err := s.ReadMemory(context.Background(), m, "", "")
				if err != nil {
					t.Error(err)
					return
				}
				_, _, err = s.Write(context.Background(), memory.Place{Memory: m}, memory.Change{Key: line, Base: now.Version, Text: now.Text + line})
				if !errors.Is(err, engine.ErrConflict) {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	wg.Wait()
	text := read(t, open(store), memory.Place{Memory: m}).Text
	for i := range 20 {
		if n := strings.Count(text, fmt.Sprintf("line %d;", i)); n != 1 {
			t.Errorf("line %d is there %d times", i, n)
		}
	}
}

func TestThreadOfRuns(t *testing.T) {
	store := inmem.New()
	s, p := open(store), place(preferences())
	rec, err := engine.EncodeEvent(&engine.RunStarted{At: noon, Run: "r", Graph: "g"})
	if err != nil {
		t.Fatal(err)
	}
	rec.Seq = 1
	if err := store.Append(t.Context(), engine.Batch{Thread: p.ThreadID(), Records: []engine.Record{rec}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReadMemory(t.Context(), p.Memory, p.User, p.Thread); !errors.Is(err, engine.ErrCorrupt) {
		t.Fatalf("got %v", err)
	}
}

// model is the memory as a plain stack of texts: what writes, undos and applied
// proposals must come to, worked out without events.
type model struct {
	texts     []string
	proposals map[engine.Seq]proposal
}

type proposal struct {
	text string
	at   int // how often the memory had changed
}

func TestAnyHistory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store := inmem.New()
		s, p := open(store), place(preferences())
		want := &model{texts: []string{"Be brief."}, proposals: map[engine.Seq]proposal{}}
		changes := 0
		for i := range rapid.IntRange(1, 25).Draw(rt, "steps") {
			now, err := s.ReadMemory(t.Context(), p.Memory, p.User, p.Thread)
			if err != nil {
				rt.Fatal(err)
			}
			switch rapid.SampledFrom([]string{"write", "write", "undo", "apply", "reopen"}).Draw(rt, "do") {
			case "write":
				text := rapid.StringMatching(`[a-z]{1,45}`).Draw(rt, "text")
				seq, status, err := s.Write(t.Context(), p, memory.Change{Key: fmt.Sprint(i), Base: now.Version, Text: text})
				if err != nil {
					rt.Fatal(err)
				}
				old := want.texts[len(want.texts)-1]
				switch {
				case text == old:
					if status != memory.Unchanged {
						rt.Fatalf("the same text is %s", status)
					}
				case len(text) > 40 || len(text)*2 < len(old):
					if status != memory.Proposed {
						rt.Fatalf("%q after %q is %s", text, old, status)
					}
					want.proposals[seq] = proposal{text, changes}
				default:
					want.texts = append(want.texts, text)
					changes++
				}
			case "undo":
				_, err := s.Undo(t.Context(), p, 0, memory.By{})
				if len(want.texts) == 1 {
					if !errors.Is(err, engine.ErrNotFound) {
						rt.Fatalf("nothing to undo, and: %v", err)
					}
					continue
				}
				if err != nil {
					rt.Fatal(err)
				}
				want.texts = want.texts[:len(want.texts)-1]
				changes++
			case "apply":
				for _, seq := range slices.Sorted(maps.Keys(want.proposals)) {
					pr := want.proposals[seq]
					_, err := s.Apply(t.Context(), p, seq, memory.By{})
					if pr.at != changes {
						if !errors.Is(err, engine.ErrConflict) {
							rt.Fatalf("an old proposal: %v", err)
						}
						continue
					}
					if err != nil {
						rt.Fatal(err)
					}
					delete(want.proposals, seq)
					want.texts = append(want.texts, pr.text)
					changes++
					break
				}
			case "reopen":
				s = open(store)
			}
			if got := read(t, s, p).Text; got != want.texts[len(want.texts)-1] {
				rt.Fatalf("text is %q, want %q", got, want.texts[len(want.texts)-1])
			}
		}
	})
}

func TestUndoneToTheDefaultOfTheSpec(t *testing.T) {
	store := inmem.New()
	s, p := open(store), place(preferences())
	write(t, s, p, memory.Change{Key: "1", Text: "one, at length"})
	undoAll(t, s, p)
	p.Memory.Default = "Be kind."
	for _, s := range []*memory.Store{s, open(store)} {
		if got := read(t, s, p).Text; got != "Be kind." {
			t.Errorf("got %q, want the default as the spec has it by then", got)
		}
	}
}
