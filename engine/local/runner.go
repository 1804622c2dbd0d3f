// Package local drives threads in this process: it folds a journal, carries out what
// the scheduler asks for, and appends what became of it. It decides nothing about a
// run; that is the scheduler's. Runner is its main type.
//
//	          ┌──────────── driver ────────────┐
//	journal ─▶│ Step ─effects─▶ perform ─event─│─▶ journal
//	          │   ▲                        │   │
//	          │   └────────────────────────┘   │
//	          └────────────────────────────────┘
//
// The order that makes crashes harmless: an intent is durable before a call that
// must not be made twice; a result is durable before anything that depends on it
// leaves the process; an answer is durable before its giver is told so.
package local

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/secret"
)

// Runner drives threads. Its fields are set before the first call and then left
// alone; it is safe for concurrent use.
type Runner struct {
	Store  engine.Store
	Memory engine.MemoryReader // needed by graphs that read memory
	Clock  Clock               // of programs that have none of their own
	NewID  func() string       // ids of runs and threads: short, unique
	Rand   func() float64      // jitter in [0,1)
	Vault  *secret.Vault       // strikes secrets from what is journaled; may be nil
	Owner  string              // who holds the leases: unique among the runners of a store
	Log    zerolog.Logger
	Watch  Watch

	MaxWait     time.Duration // timers due later park the thread; default 2 minutes
	CallTimeout time.Duration // of calls that set none; default 10 minutes
	Parallel    int           // calls of one thread at a time; default 64

	locks   keyed
	bundles sync.Map // hashes of the specs that the store has
}

// Watch is told what happens, as it happens. Any of it may be nil.
type Watch struct {
	Event func(thread engine.ThreadID, seq engine.Seq, ev engine.Event) // durable or about to be; in order
	Begin func(thread engine.ThreadID, a engine.Activation)             // a node begins; in order
	Text  func(thread engine.ThreadID, node, text string)               // streamed text; from several goroutines
	Call  func(thread engine.ThreadID, call *engine.Invoke)             // a call is about to be made; in order
}

// Start is a new run.
type Start struct {
	Thread engine.ThreadID // "": a new one
	Graph  string
	User   string // whose memories are meant; "" is "default"
	Input  map[string]any
	Run    string // the run's id, unique in its thread; "": a new one
}

// Result is where a thread stands after it was driven.
type Result struct {
	Thread     engine.ThreadID
	Run        string
	Graph      string
	Status     engine.Status
	Output     any             // plain data, when Status is Done
	Failure    *engine.Failure // when it ended otherwise
	Interrupts []*engine.InterruptRequest
	Wake       *time.Time // the earliest timer of a parked run
	State      map[string]any
	Scope      map[string]any // State with input and output
	Used       map[string]chat.Usage
	Steps      int
}

// Run begins a run and drives it until it ends or parks. The input is checked
// against the graph's. A thread whose last run has not ended gives ErrConflict, one
// that another process drives ErrLeased. When ctx ends, the run stops where it is,
// resumable, and ctx's error is returned.
func (r *Runner) Run(ctx context.Context, p *engine.Program, start Start) (Result, error) {
	if start.Thread == "" {
		start.Thread = engine.ThreadID(r.NewID())
	}
	input, err := r.checkInput(p, start)
	if err != nil {
		return Result{}, err
	}
	unlock, err := r.locks.lock(ctx, string(start.Thread))
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	clock, err := r.clockOf(ctx, p, start.Thread)
	if err != nil {
		return Result{}, err
	}
	d, err := r.open(ctx, p, start.Thread)
	if errors.Is(err, engine.ErrNotFound) {
		d, err = r.fresh(p, start.Thread), nil
	}
	if err != nil {
		return Result{}, err
	}
	d.clock = clock
	if !d.sched.Closed() {
		return d.giveUp(ctx, &TakenError{Thread: start.Thread, Status: d.sched.Status()})
	}
	if err := d.keepSpec(p); err != nil {
		return d.giveUp(ctx, err)
	}
	user := start.User
	if user == "" {
		user = "default"
	}
	run := start.Run
	if run == "" {
		run = r.NewID()
	}
	return d.drive(ctx, &engine.RunStarted{At: d.now(), Run: run, Graph: start.Graph, Spec: p.Hash, User: user, Input: r.struckData(input)})
}

func (r *Runner) checkInput(p *engine.Program, start Start) (map[string]any, error) {
	g := p.Graph(start.Graph)
	if g == nil {
		return nil, fmt.Errorf("no graph %q in spec %s", start.Graph, p.Name)
	}
	input := start.Input
	if input == nil {
		input = map[string]any{}
	}
	plain, err := engine.Plain(input)
	if err != nil {
		return nil, fmt.Errorf("input of graph %s: %w", g.Name, err)
	}
	if g.Input == nil {
		return plain.(map[string]any), nil
	}
	coerced, problems := g.Input.Coerce(plain)
	if len(problems) > 0 {
		return nil, &InputError{Graph: g.Name, Problems: problems}
	}
	out, _ := coerced.(map[string]any)
	return out, nil
}

// Resume gives answers to open interrupts, then drives the thread until it ends or
// parks. Without answers it goes on where a run stopped. An answer that is refused
// (ErrRefused) or comes too late (ErrNotFound) changes nothing; those before it hold.
func (r *Runner) Resume(ctx context.Context, p *engine.Program, thread engine.ThreadID, answers ...engine.Answer) (Result, error) {
	return r.with(ctx, p, thread, func(d *driver) ([]engine.Event, error) {
		for _, a := range answers {
			checked, err := d.check(ctx, r.struck(a))
			if err != nil {
				return nil, err
			}
			if err := d.apply(&engine.InterruptAnswered{At: d.now(), Answer: checked}); err != nil {
				return nil, err
			}
		}
		if len(answers) == 0 {
			return nil, nil
		}
		return nil, d.flush(ctx, false)
	})
}

// Cancel ends a run for good. What it did stays done.
func (r *Runner) Cancel(ctx context.Context, p *engine.Program, thread engine.ThreadID, by, reason string) (Result, error) {
	return r.with(ctx, p, thread, func(d *driver) ([]engine.Event, error) {
		return []engine.Event{&engine.RunCanceled{At: d.now(), By: by, Reason: reason}}, nil
	})
}

// Upgrade has a parked run go on with p, another version of its spec. ErrDiverged
// when the journal does not fit p; nothing is changed then.
func (r *Runner) Upgrade(ctx context.Context, p *engine.Program, thread engine.ThreadID) (Result, error) {
	return r.with(ctx, p, thread, func(d *driver) ([]engine.Event, error) {
		if err := d.keepSpec(p); err != nil {
			return nil, err
		}
		return []engine.Event{&engine.Upgraded{At: d.now(), Spec: p.Hash}}, nil
	})
}

// Show folds a thread without driving it.
func (r *Runner) Show(ctx context.Context, p *engine.Program, thread engine.ThreadID) (Result, error) {
	sched := engine.NewScheduler(p, thread)
	if err := r.fold(ctx, sched, thread, 0); err != nil {
		return Result{}, err
	}
	return resultOf(thread, sched), nil
}

// with opens a thread whose run has not ended and drives it.
func (r *Runner) with(ctx context.Context, p *engine.Program, thread engine.ThreadID, begin func(*driver) ([]engine.Event, error)) (Result, error) {
	unlock, err := r.locks.lock(ctx, string(thread))
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	clock, err := r.clockOf(ctx, p, thread)
	if err != nil {
		return Result{}, err
	}
	d, err := r.open(ctx, p, thread)
	if err != nil {
		return Result{}, err
	}
	d.clock = clock
	d.trace() // before begin, which may fold an answer that nodes begin on
	events, err := begin(d)
	if err != nil {
		return d.giveUp(ctx, err)
	}
	if d.sched.Closed() {
		return d.giveUp(ctx, fmt.Errorf("thread %s: %w", thread, engine.ErrFinished))
	}
	return d.drive(ctx, events...)
}

// clockOf returns the time that a thread lives in.
func (r *Runner) clockOf(ctx context.Context, p *engine.Program, thread engine.ThreadID) (Clock, error) {
	if p.Clock == nil {
		return r.Clock, nil
	}
	clock, err := p.Clock(ctx, thread)
	if err != nil {
		return nil, fmt.Errorf("clock of thread %s: %w", thread, err)
	}
	return clock, nil
}

// Bundle returns the spec that a thread's last run is pinned to.
func Bundle(ctx context.Context, store engine.Store, hash string) ([]byte, error) {
	h, err := parseHash(hash)
	if err != nil {
		return nil, err
	}
	data, err := store.Blob(ctx, h)
	if err != nil {
		return nil, fmt.Errorf("spec %.12s: %w", hash, err)
	}
	return data, nil
}

func parseHash(text string) (engine.Hash, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(engine.Hash{}) {
		return engine.Hash{}, fmt.Errorf("%q is not the hash of a spec", text)
	}
	return engine.Hash(raw), nil
}

func resultOf(thread engine.ThreadID, s *engine.Scheduler) Result {
	summary := s.Summary()
	out := Result{
		Thread: thread, Run: summary.Run, Graph: summary.Graph, Status: summary.Status, Interrupts: summary.Interrupts,
		Wake: summary.Wake, State: s.State(), Scope: s.Scope(), Used: s.Used(), Steps: s.AtStep(),
	}
	out.Output, out.Failure = s.Output()
	return out
}
