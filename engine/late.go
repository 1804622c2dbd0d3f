package engine

import (
	"fmt"
	"time"
)

// The timeout of a node or a run does not cut off a call that must not be made twice
// once its intent is journaled: nobody could tell whether it happened, and whatever
// comes after the timeout might do it again. Such a call ends by its own timeout, is
// looked up or asked about, and what is late ends then. Until it does, nothing new
// begins in it, and calls that can be made again are dropped.

// holdBack takes back the calls in what is late, but for those that are to be settled.
func (s *Scheduler) holdBack(ev *TimerFired) {
	for _, id := range sortedInts(s.run.invs) {
		inv := s.run.invs[id]
		if s.overdue(inv) && (!ev.Settle || !inv.unsettled()) {
			s.hold(inv)
		}
	}
}

// hold takes back the call of an invocation, which then waits for nothing: it ends with
// what is late.
func (s *Scheduler) hold(inv *invocation) {
	switch inv.phase {
	case performing, backoff, doubting:
		s.wants(inv, func(t Target, _ EffectRequest) { s.emit(&Abort{Target: t}) })
		inv.phase, inv.intended = planning, false
	case planning, asking, sleeping, inside:
	}
}

// again makes the next attempt of a call, unless there is no time for one.
func (s *Scheduler) again(inv *invocation) {
	inv.phase, inv.intended, inv.due = performing, false, time.Time{}
	inv.attempt++
	if s.overdue(inv) {
		inv.phase = planning // and not ready: it ends with what is late
		return
	}
	s.ask(inv)
}

// overdue reports whether the time of the run, or of a node that an invocation is in,
// has run out.
func (s *Scheduler) overdue(inv *invocation) bool {
	if s.run.late {
		return true
	}
	if len(s.run.overdue) == 0 {
		return false
	}
	for ; inv != nil; inv = inv.act.frame.parent {
		if inv.act.late {
			return true
		}
	}
	return false
}

// expire ends one thing that is late and waits for no call any more. It reports
// whether there was one.
func (s *Scheduler) expire() bool {
	if s.run.late && !s.unsettled(nil) {
		s.end(Limited, &Failure{Class: Limit, Node: s.run.graph.Name, Message: fmt.Sprintf("the run took longer than %s, its limit", s.run.graph.Timeout)})
		return true
	}
	for _, id := range sortedInts(s.run.overdue) {
		a := s.run.overdue[id]
		switch {
		case a.ended || !a.late:
			delete(s.run.overdue, id)
		case !s.unsettled(a):
			delete(s.run.overdue, id)
			s.timeOut(a)
			return true
		}
	}
	return false
}

// timeOut ends a node that took too long.
func (s *Scheduler) timeOut(a *activation) {
	s.stop(a)
	a.running = 0
	a.failed = &Failure{Class: Timeout, Node: a.frame.path + "/" + a.node.Name, Message: fmt.Sprintf("node %q took longer than %s, its timeout", a.node.Name, a.node.Timeout)}
	s.ended(a)
}

// unsettled reports whether a call in a node, or for nil anywhere in the run, may have
// been made and must not be made twice.
func (s *Scheduler) unsettled(a *activation) bool {
	for _, inv := range s.run.invs {
		if inv.unsettled() && (a == nil || inv.within(a)) {
			return true
		}
	}
	return false
}

func (inv *invocation) unsettled() bool {
	if inv.phase == doubting {
		return true
	}
	p, ok := inv.op.(*Perform)
	return ok && inv.phase == performing && inv.intended && p.Effect == EffectOnce
}

// within reports whether an invocation is one of a node, or of a graph that the node runs.
func (inv *invocation) within(a *activation) bool {
	for ; inv != nil; inv = inv.act.frame.parent {
		if inv.act == a {
			return true
		}
	}
	return false
}

// until is when the time of the run, or of a node that an invocation is in, runs out
// first; zero when nothing bounds it.
func (s *Scheduler) until(inv *invocation) time.Time {
	var first time.Time
	bound := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	if s.run.graph.Timeout > 0 {
		bound(s.run.started.Add(s.run.graph.Timeout))
	}
	for ; inv != nil; inv = inv.act.frame.parent {
		if !inv.act.due.IsZero() {
			bound(inv.act.due)
		}
	}
	return first
}
