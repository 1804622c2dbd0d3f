package engine

import "time"

// restart asks anew for everything that has not ended in a frame's step, on the
// state as it is now.
func (s *Scheduler) restart(f *frame) {
	for _, a := range f.acts {
		if a.ended {
			continue
		}
		s.stop(a)
		*a = activation{id: a.id, node: a.node, frame: f}
		if len(f.load) == 0 {
			s.activate(a)
		}
	}
	if len(f.load) > 0 {
		s.emit(s.loadOf(f))
	}
}

// abandon drops everything that is under way inside a frame.
func (s *Scheduler) abandon(f *frame) {
	delete(s.run.frames, f.id)
	for _, a := range f.acts {
		if !a.ended {
			s.stop(a)
			a.ended = true
		}
	}
}

// stop drops the invocations and the timer of a node.
func (s *Scheduler) stop(a *activation) {
	if !a.due.IsZero() {
		delete(s.run.acts, a.id)
		s.emit(&Abort{Target: Target{ID: a.id}})
		a.due = time.Time{}
	}
	for _, id := range sortedInts(s.run.invs) {
		if inv := s.run.invs[id]; inv != nil && inv.act == a {
			s.drop(inv)
		}
	}
}

// drop forgets an invocation and aborts what it waits for.
func (s *Scheduler) drop(inv *invocation) {
	s.wants(inv, func(t Target, _ EffectRequest) { s.emit(&Abort{Target: t}) })
	if inv.child != nil {
		s.abandon(inv.child)
	}
	delete(s.run.invs, inv.id)
}
