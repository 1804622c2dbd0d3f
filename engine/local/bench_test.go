package local_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/sqlite"
)

// typed is the names of the benchmark graphs with their types.
var typed = expr.NewEnv(map[string]*shape.Type{
	"n": {Kind: shape.Int}, "limit": {Kind: shape.Int}, "output": {}, "run": {}, "input": {}, "memory": {},
	"messages": {Kind: shape.List},
})

func compiled(b testing.TB, text string) *source.Value {
	b.Helper()
	return &source.Value{Kind: source.String, Text: text}
}

func assign(b testing.TB, name, text string) engine.Assign {
	b.Helper()
	var list diag.List
	v := expr.CompileValue(compiled(b, text), typed, &list)
	if err := list.Err(); err != nil {
		b.Fatal(err)
	}
	return engine.Assign{Name: name, Value: v}
}

func when(b testing.TB, text string) *expr.Expr {
	b.Helper()
	var list diag.List
	x := expr.CompileCondition(compiled(b, text), typed, &list)
	if err := list.Err(); err != nil {
		b.Fatal(err)
	}
	return x
}

func programOf(g *engine.Graph) *engine.Program {
	for i, n := range g.Nodes {
		n.Index = i
	}
	return &engine.Program{Name: "bench", Hash: fmt.Sprintf("%x", sha256.Sum256([]byte("{}"))), Bundle: []byte("{}"), Graphs: []*engine.Graph{g}}
}

// linear is n nodes that each write one field and lead on by a typed condition.
func linear(b testing.TB, n int) *engine.Program {
	g := &engine.Graph{Name: "g", Steps: n + 1, Fields: []*engine.Field{
		{Name: "n", Default: 0, Has: true}, {Name: "limit", Default: n + 1, Has: true},
	}}
	for i := range n {
		node := &engine.Node{Name: fmt.Sprintf("n%d", i), Set: []engine.Assign{assign(b, "n", "{{ n + 1 }}")}}
		if i+1 < n {
			node.Next = []engine.Edge{{When: when(b, "n < limit"), To: []int{i + 1}}}
		}
		g.Nodes = append(g.Nodes, node)
	}
	return programOf(g)
}

func sqliteStore(b testing.TB) (*sqlite.Store, string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "weft.db")
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	})
	return store, path
}

func benchRunner(store engine.Store) *local.Runner {
	r := runner(store)
	var mu sync.Mutex
	n := 0
	r.NewID = func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("id%d", n)
	}
	r.Clock = local.Wall{}
	return r
}

func runOne(b testing.TB, r *local.Runner, p *engine.Program) local.Result {
	res, err := r.Run(context.Background(), p, local.Start{Graph: "g"})
	if err != nil {
		b.Fatal(err)
	}
	return res
}

func BenchmarkLinear(b *testing.B) {
	for _, nodes := range []int{10, 100, 1000} {
		p := linear(b, nodes)
		for name, open := range map[string]func() engine.Store{
			"memory": func() engine.Store { return inmem.New() },
			"sqlite": func() engine.Store { s, _ := sqliteStore(b); return s },
		} {
			b.Run(fmt.Sprintf("%s/nodes=%d", name, nodes), func(b *testing.B) {
				r := benchRunner(open())
				b.ReportAllocs()
				for b.Loop() {
					if res := runOne(b, r, p); res.State["n"] != nodes {
						b.Fatal(res.State, res.Failure)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
			})
		}
	}
}

// BenchmarkLinearTogether is short runs, 64 at a time: each forces the disk once, and
// they share the commits.
func BenchmarkLinearTogether(b *testing.B) {
	const nodes = 10
	store, _ := sqliteStore(b)
	p, r := linear(b, nodes), benchRunner(store)
	inParallel(b, 64, func() { runOne(b, r, p) })
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/node")
}

func BenchmarkOnceEffects(b *testing.B) {
	for _, threads := range []int{1, 64} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			store, _ := sqliteStore(b)
			r := benchRunner(store)
			o := newOutside()
			const calls = 10
			plans := make([]engine.Plan, calls)
			for i := range plans {
				plans[i] = act{o: o, label: fmt.Sprintf("e%d", i), effect: engine.EffectOnce}
			}
			p := chain(b, plans...)
			inParallel(b, threads, func() { runOne(b, r, p) })
			b.ReportMetric(float64(b.N*calls)/b.Elapsed().Seconds(), "effects/s")
		})
	}
}

// inParallel does b.N pieces of work, so many at a time.
func inParallel(b *testing.B, workers int, work func()) {
	jobs := make(chan struct{})
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range jobs {
				work()
			}
		})
	}
	b.ResetTimer()
	for range b.N {
		jobs <- struct{}{}
	}
	close(jobs)
	wg.Wait()
	b.StopTimer()
}

// say is a plan whose call gives a message of about 100 bytes.
const message = `{"role": "user", "content": "a message of about one hundred bytes, as they come by the thousand"}`

func loop(b testing.TB, iterations int, plan engine.Plan, text string) *engine.Program {
	return programOf(&engine.Graph{Name: "g", Steps: 3 * iterations, Fields: []*engine.Field{
		{Name: "n", Default: 0, Has: true},
		{Name: "limit", Default: iterations, Has: true},
		{Name: "messages", Reduce: engine.Append, Default: []any{}, Has: true},
	}, Nodes: []*engine.Node{
		{Name: "say", Plan: plan, Set: []engine.Assign{assign(b, "messages", text), assign(b, "n", "{{ n + 1 }}")}, Next: []engine.Edge{{To: []int{1}}}},
		{Name: "again", Next: []engine.Edge{{When: when(b, "n < limit"), To: []int{0}}}},
	}})
}

type speaker struct{}

func (speaker) Handle(context.Context, engine.Call) (engine.Result, error) {
	return engine.Result{Value: map[string]any{"role": "user", "content": "a message of about one hundred bytes, as they come by the thousand"}}, nil
}

type speech struct{}

func (speech) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) { return &engine.Perform{Handler: speaker{}, Label: "say"}, nil })
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	return engine.Finish(out.Value), nil
}

func BenchmarkLoop(b *testing.B) {
	for _, c := range []struct {
		name string
		plan engine.Plan
		text string
	}{
		{"pure", nil, `{{ [` + message + `] }}`},
		{"calls", speech{}, "{{ [output] }}"},
	} {
		for _, iterations := range []int{250, 1000, 4000} {
			b.Run(fmt.Sprintf("%s/iterations=%d", c.name, iterations), func(b *testing.B) {
				p := loop(b, iterations, c.plan, c.text)
				store, path := sqliteStore(b)
				r := benchRunner(store)
				empty := fileSize(b, path)
				for b.Loop() {
					if res := runOne(b, r, p); len(res.State["messages"].([]any)) != iterations {
						b.Fatal(res.Failure)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(iterations), "ns/iteration")
				if err := store.Close(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(fileSize(b, path)-empty)/float64(b.N)/float64(iterations*len(message)), "stored/payload")
			})
		}
	}
}

func fileSize(b testing.TB, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func BenchmarkFanOut(b *testing.B) {
	o := &still{}
	for _, c := range []struct {
		name string
		plan engine.Plan
	}{{"pure", nil}, {"calls", quiet{o}}} {
		b.Run(c.name, func(b *testing.B) {
			const width = 100
			g := &engine.Graph{Name: "g", Steps: 10, Fields: []*engine.Field{{Name: "messages", Reduce: engine.Append, Default: []any{}, Has: true}}}
			start, join := &engine.Node{Name: "start", Next: []engine.Edge{{}}}, &engine.Node{Name: "join"}
			g.Nodes = append(g.Nodes, start)
			for i := range width {
				start.Next[0].To = append(start.Next[0].To, i+1)
				join.Join = append(join.Join, i+1)
				g.Nodes = append(g.Nodes, &engine.Node{
					Name: fmt.Sprintf("w%d", i), Plan: c.plan, Set: []engine.Assign{assign(b, "messages", "x")}, Next: []engine.Edge{{To: []int{width + 1}}},
				})
			}
			g.Nodes = append(g.Nodes, join)
			p, r := programOf(g), benchRunner(inmem.New())
			b.ReportAllocs()
			for b.Loop() {
				if res := runOne(b, r, p); len(res.State["messages"].([]any)) != width {
					b.Fatal(res.Failure)
				}
			}
		})
	}
}

type still struct{}

func (*still) Handle(context.Context, engine.Call) (engine.Result, error) {
	return engine.Result{Value: "x"}, nil
}

type quiet struct{ h *still }

func (q quiet) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) { return &engine.Perform{Handler: q.h, Label: "q"}, nil })
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	return engine.Finish(out.Value), nil
}

func BenchmarkPark(b *testing.B) {
	p := chain(b, ask{})
	store, _ := sqliteStore(b)
	r := benchRunner(store)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	inParallel(b, 64, func() {
		if res := runOne(b, r, p); res.Status != engine.Parked {
			b.Error(res.Status)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "parks/s")
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(b.N), "heap-bytes/parked")
	b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
}

func BenchmarkResume(b *testing.B) {
	p := chain(b, ask{})
	store, _ := sqliteStore(b)
	r := benchRunner(store)
	parked := make([]local.Result, 0, 1024)
	for b.Loop() {
		b.StopTimer()
		if len(parked) == 0 {
			for range 1024 {
				parked = append(parked, runOne(b, r, p))
			}
		}
		res := parked[len(parked)-1]
		parked = parked[:len(parked)-1]
		b.StartTimer()
		res, err := r.Resume(context.Background(), p, res.Thread, engine.Answer{Interrupt: res.Interrupts[0].ID, Response: engine.Ignore})
		if err != nil || res.Status != engine.Done {
			b.Fatal(res.Status, err)
		}
	}
}
