package engine

import (
	"fmt"
	"time"
)

// The timeout of a node or a run does not cut off a call that must not be made twice
// once its intent is journaled: nobody could tell whether it happened, and whatever
// comes after the timeout might do it again. Such a call ends by its own timeout, is
// looked up or asked about, and what is late ends then. Until it does, nothing new
// begins in it.

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

// left is how long the nodes that an invocation is in, and the run, may take from now
// on; 0 when nothing bounds them, or time has run out.
func (s *Scheduler) left(inv *invocation) time.Duration {
	var out time.Duration
	bound := func(at time.Time) {
		if d := at.Sub(s.now); d > 0 && (out == 0 || d < out) {
			out = d
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
	return out
}
