package spectest

import (
	"context"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/spec"
)

// Deps is what the node types and backends of one test work with.
type Deps struct {
	Models   chat.Client
	Memories *memory.Store
	Vault    *secret.Vault // holds no secret
	Now      func() time.Time
	Dir      string // of the spec
}

// Options say how tests are run.
type Options struct {
	Types    func(Deps) build.Types // what specs may use
	Offline  []string               // backends that would reach the network: they fail
	Match    *regexp.Regexp         // of names; nil: all
	Parallel int                    // tests at a time; 0: as many as there are processors
	Now      func() time.Time       // measures how long tests take
}

// timeout bounds one test. Nothing in it waits for the world, so this is far away.
const timeout = 2 * time.Minute

// Outcome is what came of one test.
type Outcome struct {
	Suite      *Suite
	Test       *Test
	Mismatches []Mismatch
	Problem    string // why the test could not be run; "" when it could
	Took       time.Duration

	actual *actual
}

// Passed reports whether everything held.
func (o *Outcome) Passed() bool { return o.Problem == "" && len(o.Mismatches) == 0 }

// Report is what came of all tests. Findings are what is wrong with the specs and the
// test files themselves; tests of which something is wrong are not run.
type Report struct {
	Outcomes []*Outcome // in the order of the suites
	Findings *diag.List
	Skipped  int // by Match

	sources []func(string) []byte
}

// Source returns the text of a file that a finding or a mismatch is in.
func (r *Report) Source(file string) []byte {
	for _, source := range r.sources {
		if data := source(file); data != nil {
			return data
		}
	}
	return nil
}

// Failed returns how many tests failed.
func (r *Report) Failed() int {
	n := 0
	for _, o := range r.Outcomes {
		if !o.Passed() {
			n++
		}
	}
	return n
}

// Run loads the tests of the specs in dirs and runs them. When ctx ends, what has not
// been run has a Problem.
func Run(ctx context.Context, dirs []string, opts Options) *Report {
	report := &Report{Findings: &diag.List{}}
	var jobs []*job
	for _, dir := range dirs {
		suite, list := Load(dir)
		report.Findings.Merge(list)
		report.sources = append(report.sources, suite.Source)
		profiles := map[string]*spec.Spec{}
		for _, t := range suite.Tests {
			if opts.Match != nil && !opts.Match.MatchString(t.Name) {
				report.Skipped++
				continue
			}
			if sp := report.spec(suite, t, profiles); sp != nil && !list.HasErrors() {
				jobs = append(jobs, &job{suite: suite, test: t, spec: sp, opts: &opts})
			}
		}
	}
	each(jobs, opts.Parallel, func(j *job) { j.run(ctx) })
	for _, j := range jobs {
		report.Findings.Merge(&j.list)
		if !j.list.HasErrors() {
			report.Outcomes = append(report.Outcomes, j.outcome)
		}
	}
	return report
}

// spec returns the spec with a test's profile, nil after findings.
func (r *Report) spec(suite *Suite, t *Test, loaded map[string]*spec.Spec) *spec.Spec {
	profile := ""
	if t.profile != nil {
		profile = t.profile.Text
	}
	if sp, ok := loaded[profile]; ok {
		return sp
	}
	sp, list := spec.LoadDir(suite.Dir, spec.Options{})
	if profile != "" && !list.HasErrors() {
		if !slices.Contains(sp.Profiles, profile) {
			known(r.Findings, "profile", profile, t.profile.Pos, sp.Profiles)
			loaded[profile] = nil
			return nil
		}
		sp, list = spec.LoadDir(suite.Dir, spec.Options{Profile: profile})
	}
	r.Findings.Merge(list)
	r.sources = append(r.sources, sp.Source)
	if list.HasErrors() {
		sp = nil
	}
	loaded[profile] = sp
	return sp
}

// each does something with every job, some at a time.
func each(jobs []*job, parallel int, do func(*job)) {
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for _, j := range jobs {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			do(j)
		})
	}
	wg.Wait()
}

// job is one test to be run.
type job struct {
	suite *Suite
	test  *Test
	spec  *spec.Spec
	opts  *Options

	list    diag.List
	outcome *Outcome
}

func (j *job) run(ctx context.Context) {
	j.outcome = &Outcome{Suite: j.suite, Test: j.test}
	began := j.opts.Now()
	defer func() { j.outcome.Took = j.opts.Now().Sub(began) }()
	if ctx.Err() != nil {
		j.outcome.Problem = "not run: " + ctx.Err().Error()
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	w, err := newWorld(j.test)
	if err != nil {
		j.outcome.Problem = err.Error()
		return
	}
	if w.program = j.compile(w); w.program == nil || !j.chooseGraph(w) {
		return
	}
	w.names(&j.list)
	if j.list.HasErrors() {
		return
	}
	w.live(ctx)
	j.outcome.actual = w.actual()
	if j.outcome.Mismatches, err = w.check(ctx); err != nil {
		j.outcome.Problem = err.Error()
	}
}

func (j *job) compile(w *world) *engine.Program {
	types := j.opts.Types(Deps{Models: w.script, Memories: w.memories, Vault: w.runner.Vault, Now: w.clock.Now, Dir: j.suite.Dir})
	types.Backends = w.recorder.watch(types.Backends, j.opts.Offline)
	p, list := compile.Program(j.spec, types)
	j.list.Merge(list)
	return p
}

// chooseGraph finds the graph under test: the one that the test names, else the only
// one or the one called main.
func (j *job) chooseGraph(w *world) bool {
	names := graphs(w.program)
	if j.test.graph != nil {
		w.graph = j.test.graph.Text
		known(&j.list, "graph", w.graph, j.test.graph.Pos, names)
		return !j.list.HasErrors()
	}
	var ok bool
	if w.graph, ok = MainGraph(names); !ok {
		j.list.Add(missing.At(j.test.Pos, "the test names no graph, and the spec has several").WithHint("Add graph: with one of %s.", quotedList(names)))
	}
	return ok
}
