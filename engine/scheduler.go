package engine

import (
	"fmt"
	"maps"
	"time"

	"github.com/weft-engine/weft/engine/chat"
)

// Scheduler is a thread as the fold of its journal: Step takes an event and returns
// what is to be done next. It is deterministic and total: the same program and the
// same events give the same state and the same effects, whatever machine, time or
// order of maps. It is not safe for concurrent use; a runner owns it.
//
// A run moves in steps. All nodes due in a step see the same state; when the last of
// them has ended, their writes are applied in the order the nodes are declared, then
// the edges are followed. Nodes that ask nothing of the world end at once, so one
// event may carry a run over many steps.
type Scheduler struct {
	program *Program
	thread  ThreadID
	state   map[string]any // the fields that ended runs left; while one runs, those its graph has not
	run     *run           // the last run; nil before the first
	now     time.Time      // of the last event
	ids     int            // numbers given out so far
	ready   []*invocation  // to be advanced
	full    []*frame       // all nodes of their step have ended
	effects []EffectRequest
	// Trace is told of every node that begins, in order. It may be nil.
	Trace func(Activation)
}

// Activation is one node beginning in one step.
type Activation struct {
	At    time.Time `json:"at"`
	Graph string    `json:"graph"` // path: the run's graph, or behind the node that runs it
	Node  string    `json:"node"`
	Step  int       `json:"step"`
	ID    int       `json:"id"`
}

// run is one execution of a graph.
type run struct {
	id      string
	user    string
	spec    string
	graph   *Graph
	input   map[string]any
	started time.Time
	root    *frame
	used    map[string]chat.Usage // by model
	memory  map[string]MemoryValue
	invs    map[int]*invocation // alive
	acts    map[int]*activation // alive, those with timers
	overdue map[int]*activation // those whose time has run out while a call was under way
	late    bool                // the run's own time has
	frames  map[int]*frame      // alive, those that load
	status  Status
	failure *Failure
	output  any
	closed  bool // RunEnded has come
}

// NewScheduler returns the scheduler of a thread without events.
func NewScheduler(p *Program, thread ThreadID) *Scheduler {
	return &Scheduler{program: p, thread: thread, state: map[string]any{}}
}

// Step folds one event and returns the effects it leads to, in a fixed order.
// An event that does not fit gives ErrDiverged, or ErrFinished when the run has
// ended; the scheduler is then unchanged.
func (s *Scheduler) Step(ev Event) ([]EffectRequest, error) {
	if err := s.fits(ev); err != nil {
		return nil, fmt.Errorf("%s event: %w", ev.Kind(), err)
	}
	s.effects = nil
	s.now = ev.Time()
	if err := s.fold(ev); err != nil {
		return nil, fmt.Errorf("%s event: %w", ev.Kind(), err)
	}
	s.settle()
	return s.effects, nil
}

// fits refuses events that no state of the run can take.
func (s *Scheduler) fits(ev Event) error {
	switch ev.(type) {
	case *RunStarted:
		if s.run != nil && !s.run.closed {
			return fmt.Errorf("run %s has not ended: %w", s.run.id, ErrDiverged)
		}
		return nil
	case *Forked:
		return nil
	case *StateSet:
		if s.run == nil || s.run.closed {
			return nil
		}
	case *RunEnded:
		if s.run != nil && !s.run.closed && s.run.status.Ended() {
			return nil
		}
		return ErrDiverged
	}
	if s.run == nil {
		return fmt.Errorf("no run has started: %w", ErrDiverged)
	}
	if s.run.status.Ended() {
		return ErrFinished
	}
	return nil
}

func (s *Scheduler) fold(ev Event) error {
	switch ev := ev.(type) {
	case *RunStarted:
		return s.start(ev)
	case *CallStarted:
		return s.callStarted(ev)
	case *CallDone:
		return s.callDone(ev)
	case *CallFailed:
		return s.callFailed(ev)
	case *CallInDoubt:
		return s.callInDoubt(ev)
	case *InterruptRaised:
		return s.interruptRaised(ev)
	case *InterruptAnswered:
		return s.interruptAnswered(ev)
	case *TimerFired:
		return s.timerFired(ev)
	case *MemoryRead:
		return s.memoryRead(ev)
	case *RunCanceled:
		s.end(Canceled, &Failure{Class: Permanent, Message: canceled(ev)})
	case *RunEnded:
		s.run.closed = true
	case *Forked:
		// A fork's past is its own: nothing in it depends on where it came from.
	case *StateSet:
		return s.stateSet(ev)
	case *Upgraded:
		s.run.spec = ev.Spec
	default:
		return fmt.Errorf("not an event of a thread: %w", ErrDiverged)
	}
	return nil
}

func canceled(ev *RunCanceled) string {
	text := "canceled"
	if ev.By != "" {
		text += " by " + ev.By
	}
	if ev.Reason != "" {
		text += ": " + ev.Reason
	}
	return text
}

func (s *Scheduler) start(ev *RunStarted) error {
	g := s.program.Graph(ev.Graph)
	if g == nil {
		return fmt.Errorf("no graph %q in the spec: %w", ev.Graph, ErrDiverged)
	}
	s.run = newRun(g, ev)
	s.run.root = s.newFrame(g, ev.Input, s.state, nil)
	for _, field := range g.Fields {
		delete(s.state, field.Name)
	}
	if g.Timeout > 0 {
		s.emit(&SetTimer{Timer: RunTimer, At: ev.At.Add(g.Timeout)})
	}
	s.enter(s.run.root, []int{g.Start})
	return nil
}

func newRun(g *Graph, ev *RunStarted) *run {
	return &run{
		id: ev.Run, user: ev.User, spec: ev.Spec, graph: g, input: ev.Input, started: ev.At, status: Running,
		used: map[string]chat.Usage{}, memory: map[string]MemoryValue{},
		invs: map[int]*invocation{}, acts: map[int]*activation{}, overdue: map[int]*activation{}, frames: map[int]*frame{},
	}
}

// settle carries the run on until every path waits for an event.
func (s *Scheduler) settle() {
	for s.run != nil && !s.run.status.Ended() {
		switch {
		case len(s.ready) > 0:
			inv := s.ready[0]
			s.ready = s.ready[1:]
			s.advance(inv)
		case len(s.full) > 0:
			f := s.full[0]
			s.full = s.full[1:]
			s.barrier(f)
		case s.expire():
		default:
			s.ready, s.full = s.ready[:0], s.full[:0]
			return
		}
	}
	s.ready, s.full = nil, nil
}

// end closes the run. What is under way is aborted in the order it began.
func (s *Scheduler) end(status Status, failure *Failure) {
	r := s.run
	s.each(func(t Target, _ EffectRequest) { s.emit(&Abort{Target: t}) })
	if status == Done {
		r.output, failure = s.output(r.root)
		if failure != nil {
			status = Failed
		}
	}
	r.status, r.failure = status, failure
	maps.Copy(s.state, fields(r.root.scope))
	r.invs, r.acts, r.overdue, r.frames, r.root = nil, nil, nil, nil, nil
	s.emit(&Close{Status: status, Failure: failure})
}

// fields returns the state fields of a scope, without the names the engine adds.
func fields(scope map[string]any) map[string]any {
	out := maps.Clone(scope)
	for _, name := range reserved {
		delete(out, name)
	}
	return out
}

func (s *Scheduler) emit(e EffectRequest) { s.effects = append(s.effects, e) }

func (s *Scheduler) id() int {
	s.ids++
	return s.ids
}

func (s *Scheduler) stateSet(ev *StateSet) error {
	if s.run == nil || s.run.closed {
		maps.Copy(s.state, ev.Values)
		return nil
	}
	f := s.run.root
	for _, name := range sortedKeys(ev.Values) {
		if f.graph.Field(name) == nil {
			return fmt.Errorf("graph %s has no state field %q: %w", f.graph.Name, name, ErrDiverged)
		}
	}
	for name, v := range ev.Values {
		f.scope[name] = own(v)
	}
	s.restart(f)
	return nil
}
