package specs_test

import (
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/response"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/engine/sqlite"
)

// quietTurn is a turn that asks no model.
func quietTurn() object {
	return object{
		"stack": []any{object{
			"flow_id": "a", "flow": "save_pref", "intent": "converse", "status": "Completed", "slots": object{"key": "unit", "value": "EUR"},
		}},
		"intent": "converse", "flags": object{"keep_going": false},
	}
}

// cpu reports the time that processors spent on an operation: what is left of it when
// others use the machine too.
func cpu(b *testing.B) (done func()) {
	b.Helper()
	before := used(b)
	return func() { b.ReportMetric(float64(used(b)-before)/float64(b.N), "cpu-ns/op") }
}

func used(b *testing.B) int64 {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

// BenchmarkTurn is a whole turn without a call of a model, from the run's start to its
// end, with a store in memory.
func BenchmarkTurn(b *testing.B) {
	w := newWorld()
	p := w.program(b, readCases(b).Fixtures.load(b, object{}))
	input := quietTurn()
	b.ReportAllocs()
	defer cpu(b)()
	for b.Loop() {
		res, err := w.runner.Run(b.Context(), p, local.Start{Graph: "respond", Input: input})
		if err != nil || res.Status != engine.Done {
			b.Fatal(res.Failure, err)
		}
	}
}

// BenchmarkTurnsNaturalized is turns with one call of a scripted model each, 64 at a time.
func BenchmarkTurnsNaturalized(b *testing.B) {
	for name, store := range map[string]func() engine.Store{
		"memory": func() engine.Store { return inmem.New() },
		"disk": func() engine.Store {
			s, err := sqlite.Open(b.Context(), sqlite.Options{Path: b.TempDir() + "/weft.db"})
			if err != nil {
				b.Fatal(err)
			}
			return s
		},
	} {
		b.Run(name, func(b *testing.B) { benchTurns(b, store()) })
	}
}

// benchTurns also reports what stays in memory of a turn; the store in memory keeps journals.
func benchTurns(b *testing.B, store engine.Store) {
	defer func() { _ = store.Close() }()
	w := newWorld()
	w.runner.Store = store
	p := w.program(b, readCases(b).Fixtures.load(b, object{}))
	input := object{
		"stack": []any{object{
			"flow_id": "a", "flow": "find_slot", "intent": "read", "status": "Completed",
			"slots": object{"count": 2, "noun": "slots", "display_name": "June"},
		}},
		"intent": "read", "flags": object{"keep_going": false},
	}
	b.ReportAllocs()
	before := heap()
	b.ResetTimer()
	b.SetParallelism(32) // times GOMAXPROCS, 2 on the reference machine
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			res, err := w.runner.Run(b.Context(), p, local.Start{Graph: "respond", Input: input})
			if err != nil || res.Status != engine.Done {
				b.Error(res.Failure, err)
				return
			}
		}
	})
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
	w.model.forget()
	b.ReportMetric((heap()-before)/float64(b.N), "kept-bytes/turn")
}

// heap is how many bytes are in use.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkFill fills a template of ten sections, each with a placeholder and a condition.
func BenchmarkFill(b *testing.B) {
	w := newWorld()
	var text strings.Builder
	text.WriteString("name: fill\ntemplates:\n  ten:\n    dact: ten\n    sections:\n")
	for range 10 {
		text.WriteString("      - {when: title, text: \"{{ title }} is set for {{ when }}{% if who %} with {{ who }}{% endif %}.\"}\n")
	}
	fsys := files(b, []byte(`{}`))
	fsys["ten/spec.yaml"] = fsys["cases/spec.json"]
	fsys["ten/spec.yaml"].Data = []byte(text.String())
	sp, list := spec.Load(fsys, "ten", spec.Options{})
	report(b, list, sp.Source)
	t := w.program(b, sp).Responses.Named["ten"]
	from := response.Filling{Sources: []any{object{"title": "Review", "when": "Friday, 09:00", "who": []any{"Ann", "Bo"}}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := t.Fill(from); err != nil {
			b.Fatal(err)
		}
	}
}
