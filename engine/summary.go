package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/weft-engine/weft/engine/chat"
)

func sortedInts[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// Status returns where the thread's last run stands: Parked when it waits for
// nothing but humans and timers, Running while calls or memory reads are due, or
// RunEnded is. A thread without a run is Done.
func (s *Scheduler) Status() Status {
	switch {
	case s.run == nil:
		return Done
	case s.run.closed:
		return s.run.status
	case s.run.status.Ended() || len(s.run.frames) > 0:
		return Running
	}
	for _, inv := range s.run.invs {
		if inv.phase == performing || (inv.phase == asking || inv.phase == doubting) && !inv.raised {
			return Running
		}
	}
	return Parked
}

// Started returns the last run's graph, the hash of its spec, its input and user.
func (s *Scheduler) Started() RunStarted {
	if s.run == nil {
		return RunStarted{}
	}
	return RunStarted{At: s.run.started, Run: s.run.id, Graph: s.run.graph.Name, Spec: s.run.spec, User: s.run.user, Input: s.run.input}
}

// Closed reports whether the thread is between runs: a new one may start.
func (s *Scheduler) Closed() bool { return s.run == nil || s.run.closed }

// Output returns the output of a run that is done, and the failure of one that is not.
func (s *Scheduler) Output() (any, *Failure) {
	if s.run == nil {
		return nil, nil
	}
	return s.run.output, s.run.failure
}

// State returns the fields as they are after the last step. Read only.
func (s *Scheduler) State() map[string]any {
	if s.run == nil || s.run.root == nil {
		return s.state
	}
	return fields(s.run.root.scope)
}

// Scope returns the names in scope at the end of the last run: the state, its input
// and output. Read only.
func (s *Scheduler) Scope() map[string]any {
	scope := maps.Clone(s.State())
	if s.run != nil {
		scope["input"], scope["output"] = s.run.input, s.run.output
	}
	return scope
}

// Used returns what the run has used of each model.
func (s *Scheduler) Used() map[string]chat.Usage {
	if s.run == nil {
		return nil
	}
	return maps.Clone(s.run.used)
}

// AtStep returns the step in progress of the run's own graph, 0 when it has ended.
func (s *Scheduler) AtStep() int {
	if s.run == nil || s.run.root == nil {
		return 0
	}
	return s.run.root.step
}

// Summary returns what lists show. Created is left to the runner.
func (s *Scheduler) Summary() Summary {
	out := Summary{Status: s.Status(), Updated: s.now}
	if s.run == nil {
		return out
	}
	out.Graph, out.Spec, out.Run = s.run.graph.Name, s.run.spec, s.run.id
	out.Interrupts = s.Open()
	out.Wake = s.wake()
	if s.run.failure != nil {
		out.Error = s.run.failure.Message
	}
	return out
}

// wake returns the earliest instant the run waits for.
func (s *Scheduler) wake() *time.Time {
	r := s.run
	if r.status.Ended() {
		return nil
	}
	var first time.Time
	sooner := func(at time.Time) {
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	if r.graph.Timeout > 0 {
		sooner(r.started.Add(r.graph.Timeout))
	}
	for _, a := range r.acts {
		sooner(a.due)
	}
	for _, inv := range r.invs {
		sooner(inv.due)
	}
	if first.IsZero() {
		return nil
	}
	return &first
}
