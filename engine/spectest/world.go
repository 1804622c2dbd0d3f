package spectest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/model"
	"github.com/weft-engine/weft/engine/secret"
)

// thread is the thread that every test runs in, in a store of its own.
const thread engine.ThreadID = "test"

// world is all that one test runs in.
type world struct {
	test     *Test
	graph    string
	program  *engine.Program
	clock    *clock
	memories *memory.Store
	runner   *local.Runner
	script   *model.Script
	answers  *Answers
	recorder *recorder

	path    []string
	raised  []*engine.InterruptRequest
	before  map[string]engine.MemoryValue // memories, as the test begins
	refused []string
	result  local.Result
	err     error // of the runner
}

// newWorld makes a world; the program comes later, since its nodes live in it.
func newWorld(t *Test) (*world, error) {
	script, err := model.NewScript(list(t.script))
	if err != nil {
		return nil, err
	}
	w := &world{test: t, clock: newClock(t.now), script: script, recorder: &recorder{}, before: map[string]engine.MemoryValue{}}
	w.answers = readAnswers(t.answers, &reader{&diag.List{}}, true)
	store := inmem.New()
	w.memories = &memory.Store{Store: store, Now: w.clock.Now}
	ids := 0
	w.runner = &local.Runner{
		Store: store, Memory: w.memories, Clock: w.clock, Vault: noSecrets(), Owner: "test",
		Rand: func() float64 { return 0.5 }, MaxWait: time.Nanosecond,
		NewID: func() string { ids++; return "run" + strconv.Itoa(ids) },
		Watch: local.Watch{Event: w.event, Begin: w.begin},
	}
	return w, nil
}

func list(items []any) []any {
	if items == nil {
		return []any{}
	}
	return items
}

// noSecrets is a vault in which there is nothing.
func noSecrets() *secret.Vault {
	return &secret.Vault{
		Getenv:   func(string) (string, bool) { return "", false },
		ReadFile: func(name string) ([]byte, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: errSecret} },
	}
}

var errSecret = errors.New("a test reads no secrets")

func (w *world) event(_ engine.ThreadID, _ engine.Seq, ev engine.Event) {
	if raised, ok := ev.(*engine.InterruptRaised); ok {
		request := raised.Request
		w.raised = append(w.raised, &request)
	}
}

func (w *world) begin(_ engine.ThreadID, a engine.Activation) {
	if a.Graph == w.graph {
		w.path = append(w.path, a.Node)
	}
}

// live runs the test's graph and gives the answers, until the run has ended or waits
// for an answer that there is not.
func (w *world) live(ctx context.Context) {
	if w.err = w.remember(ctx); w.err != nil {
		return
	}
	w.result, w.err = w.runner.Run(ctx, w.program, local.Start{Thread: thread, Graph: w.graph, User: w.test.user, Input: w.test.input})
	for range maxRounds {
		if w.err != nil || w.result.Status != engine.Parked || !w.goOn(ctx) {
			return
		}
	}
	w.err = fmt.Errorf("the run still waits for timers after %d of them", maxRounds)
}

// maxRounds bounds how often a test's run may park.
const maxRounds = 10_000

// remember writes what the memories hold before the run. A guard does not count: the
// test says that this is what they hold.
func (w *world) remember(ctx context.Context) error {
	for _, m := range w.test.memory {
		p := w.place(m.Key)
		if p.Memory == nil {
			continue
		}
		version, status, err := w.memories.Write(ctx, p, memory.Change{Text: m.text, By: "test"})
		if err == nil && status == memory.Proposed {
			_, err = w.memories.Apply(ctx, p, version, memory.By{By: "test"})
		}
		if err != nil {
			return err
		}
	}
	for name := range w.program.Memories {
		v, err := w.memories.ReadMemory(ctx, w.program.Memories[name], w.test.user, thread)
		if err != nil {
			return err
		}
		w.before[name] = v
	}
	return nil
}

func (w *world) place(name string) memory.Place {
	return memory.Place{Memory: w.program.Memories[name], User: w.test.user, Thread: thread}
}

// goOn gives the next answer or lets time pass, and reports whether there was anything
// to go on with.
func (w *world) goOn(ctx context.Context) bool {
	a, request := w.answers.Take(w.result.Interrupts)
	if a == nil {
		wake := w.result.Wake
		if wake == nil || w.isDeadline(*wake) || w.program.Clock != nil {
			return false // in simulated time, only the run itself moves it
		}
		w.clock.move(*wake)
		w.resume(ctx)
		return true
	}
	if !a.Wait {
		w.answer(ctx, a.To(request, "test"))
		return true
	}
	switch {
	case w.program.Clock != nil:
		w.err = fmt.Errorf("answer %q lets time pass, and the run lives in simulated time: move that with ues_advance", a.describe())
		return false
	case a.For > 0:
		w.clock.move(w.clock.Now().Add(a.For))
	case request.Due == nil:
		w.err = fmt.Errorf("answer %q waits for a deadline, and the interrupt has none", a.describe())
		return false
	default:
		w.clock.move(*request.Due)
	}
	w.resume(ctx)
	return true
}

// isDeadline reports whether the run would wake only because nobody answered.
func (w *world) isDeadline(at time.Time) bool {
	for _, request := range w.result.Interrupts {
		if request.Due != nil && request.Due.Equal(at) {
			return true
		}
	}
	return false
}

func (w *world) resume(ctx context.Context) {
	w.result, w.err = w.runner.Resume(ctx, w.program, thread)
}

// answer gives an answer. One that is refused leaves everything as it was.
func (w *world) answer(ctx context.Context, a engine.Answer) {
	result, err := w.runner.Resume(ctx, w.program, thread, a)
	if errors.Is(err, engine.ErrRefused) {
		w.refused = append(w.refused, err.Error())
		return
	}
	w.result, w.err = result, err
}

// status is what became of the run. A run that could not even begin has failed.
func (w *world) status() engine.Status {
	if w.err != nil && w.result.Status != engine.Done {
		return engine.Failed
	}
	return w.result.Status
}

// problem is why the run did not end well, "" when it did.
func (w *world) problem() string {
	switch {
	case w.err != nil:
		return w.err.Error()
	case w.result.Failure != nil:
		return w.result.Failure.Message
	}
	return ""
}
