package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Outstanding returns every effect that has not led to its event yet, in a fixed
// order: what a runner carries out after it has folded a journal.
func (s *Scheduler) Outstanding() []EffectRequest {
	if s.run == nil || s.run.closed {
		return nil
	}
	if s.run.status.Ended() {
		return []EffectRequest{&Close{Status: s.run.status, Failure: s.run.failure}}
	}
	var out []EffectRequest
	s.each(func(_ Target, e EffectRequest) { out = append(out, e) })
	return out
}

// each visits what is outstanding: the run's timer, the frames, nodes and
// invocations in the order they began.
func (s *Scheduler) each(visit func(Target, EffectRequest)) {
	r := s.run
	if r.graph.Timeout > 0 && !r.late {
		visit(Target{}, &SetTimer{Timer: RunTimer, At: r.started.Add(r.graph.Timeout)})
	}
	for _, id := range sortedInts(r.frames) {
		visit(Target{ID: id}, s.loadOf(r.frames[id]))
	}
	for _, id := range sortedInts(r.acts) {
		visit(Target{ID: id}, &SetTimer{Timer: NodeTimer, Target: Target{ID: id}, At: r.acts[id].due})
	}
	for _, id := range sortedInts(r.invs) {
		s.wants(r.invs[id], visit)
	}
}

// wants visits what one invocation waits for.
func (s *Scheduler) wants(inv *invocation, visit func(Target, EffectRequest)) {
	t := inv.target()
	switch inv.phase {
	case performing:
		visit(t, s.invokeOf(inv))
	case backoff:
		visit(t, &SetTimer{Timer: RetryTimer, Target: t, At: inv.due})
	case sleeping:
		visit(t, &SetTimer{Timer: SleepTimer, Target: t, At: inv.due})
	case asking, doubting:
		if !inv.raised {
			visit(t, &Raise{Target: t, Request: inv.request})
		} else if !inv.due.IsZero() {
			visit(t, &SetTimer{Timer: DeadlineTimer, Target: t, At: inv.due})
		}
	case planning, inside:
	}
}

func (inv *invocation) target() Target { return Target{ID: inv.id, Op: len(inv.in.done)} }

// key is the idempotency key of the operation under way.
func (inv *invocation) key() string { return inv.in.Key + "." + strconv.Itoa(len(inv.in.done)) }

func (s *Scheduler) invokeOf(inv *invocation) *Invoke {
	p := inv.op.(*Perform)
	e := &Invoke{Target: inv.target(), Perform: p, Intended: inv.intended}
	e.Call = Call{
		Key: inv.key(), Node: inv.in.Node, Thread: s.thread, Run: s.run.id, User: s.run.user,
		Attempt: inv.attempt, Request: p.Request,
	}
	if p.Effect == EffectOnce {
		e.Until = s.until(inv)
	}
	if c := inv.act.node.Cache; c != nil && p.Effect != EffectOnce && p.Effect != EffectIdempotent {
		e.Cache, e.TTL = s.cacheKey(inv, p, c), c.TTL
	}
	return e
}

// cacheKey names a cached call: the spec's graph and node, the node's own key, and
// what is asked; "" when the call cannot be cached.
func (s *Scheduler) cacheKey(inv *invocation, p *Perform, c *Cache) string {
	if p.Cache == nil {
		return ""
	}
	parts := []string{s.program.Name, inv.act.frame.graph.Name, inv.act.node.Name, p.Label}
	if c.Key == nil {
		return strings.Join(append(parts, p.Cache()), "\x00")
	}
	key, err := c.Key.Eval(inv.in.Scope)
	if err != nil {
		return ""
	}
	// The operations of one invocation ask different things; its key does not say which.
	return strings.Join(append(parts, strconv.Itoa(len(inv.in.done)), canonical(key)), "\x00")
}

// requestOf completes the request of an interrupt.
func (s *Scheduler) requestOf(inv *invocation, op *Ask) InterruptRequest {
	r := op.Request
	r.ID = s.run.id + "-" + strconv.Itoa(inv.id) + "-" + strconv.Itoa(len(inv.in.done))
	r.Node, r.Opened = inv.in.Node, s.now
	if r.Kind == "" {
		r.Kind = "node"
	}
	if op.Params != nil && r.Parameters == nil {
		r.Parameters = op.Params.Schema()
	}
	if op.After > 0 {
		due := s.now.Add(op.After)
		r.Due = &due
	}
	return r
}

// doubt is the interrupt about a call of which nobody knows whether it happened.
func (s *Scheduler) doubt(inv *invocation, reason string) InterruptRequest {
	p := inv.op.(*Perform)
	args, _ := p.Args.(map[string]any)
	return InterruptRequest{
		ID:   fmt.Sprintf("%s-%d-%d-doubt%d", s.run.id, inv.id, len(inv.in.done), inv.attempt),
		Kind: "uncertain", Node: inv.in.Node, Title: fmt.Sprintf("Did %s happen?", p.Label),
		Description: fmt.Sprintf("`%s` was started, and its result is not known: %s.\n\n"+
			"Look where it would show, then:\n\n* **accept**: it did not happen, do it now\n* **respond**: it happened; your text is taken as its result\n"+
			"* **ignore**: it did not happen, and shall not", p.Label, reason),
		Allow:  []Response{Accept, Respond, Ignore},
		Action: p.Label, Args: args, Opened: s.now,
	}
}

func (s *Scheduler) find(t Target, phases ...phase) (*invocation, error) {
	inv := s.run.invs[t.ID]
	if inv == nil || len(inv.in.done) != t.Op {
		return nil, fmt.Errorf("nothing waits at %d.%d: %w", t.ID, t.Op, ErrDiverged)
	}
	if slices.Contains(phases, inv.phase) {
		return inv, nil
	}
	return nil, fmt.Errorf("%s waits for something else: %w", inv.in.Node, ErrDiverged)
}

func (s *Scheduler) callStarted(ev *CallStarted) error {
	inv, err := s.find(ev.Target, performing)
	if err != nil {
		return err
	}
	inv.intended = true
	return nil
}

func (s *Scheduler) callDone(ev *CallDone) error {
	inv, err := s.find(ev.Target, performing)
	if err != nil {
		return err
	}
	if ev.Usage != nil {
		s.run.used[ev.Usage.Model] = s.run.used[ev.Usage.Model].Add(*ev.Usage)
	}
	s.reply(inv, Outcome{Value: ev.Value, Usage: ev.Usage, At: ev.At})
	return nil
}

func (s *Scheduler) callFailed(ev *CallFailed) error {
	inv, err := s.find(ev.Target, performing)
	if err != nil {
		return err
	}
	f := ev.Failure
	if f.Node == "" {
		f.Node = inv.in.Node
	}
	retry := inv.retry()
	if (f.Class == Transient || f.Class == Timeout && inv.op.(*Perform).Effect != EffectOnce) && inv.attempt < retry.Attempts {
		inv.phase, inv.due = backoff, ev.At.Add(retry.pause(inv.attempt, ev.Jitter, f.RetryAfter))
		s.ask(inv)
		return nil
	}
	s.reply(inv, Outcome{Err: &f, At: ev.At})
	return nil
}

func (inv *invocation) retry() Retry {
	if r := inv.op.(*Perform).Retry; r != nil {
		return *r
	}
	if r := inv.act.node.Retry; r != nil {
		return *r
	}
	return Retry{Attempts: 1}
}

// pause is how long to wait after a failed attempt: doubling, between half and the
// whole of it by jitter, and at least what the other side asked for.
func (r Retry) pause(attempt int, jitter float64, atLeast time.Duration) time.Duration {
	limit := r.MaxBackoff
	if limit <= 0 {
		limit = time.Minute
	}
	d := r.Backoff
	for i := 1; i < attempt && d < limit; i++ {
		d *= 2
	}
	d = min(d, limit)
	return max(d/2+time.Duration(float64(d/2)*jitter), atLeast)
}

func (s *Scheduler) callInDoubt(ev *CallInDoubt) error {
	inv, err := s.find(ev.Target, performing)
	if err != nil {
		return err
	}
	inv.phase, inv.raised, inv.due = doubting, false, time.Time{}
	inv.request = s.doubt(inv, ev.Reason)
	s.ask(inv)
	return nil
}

func (s *Scheduler) timerFired(ev *TimerFired) error {
	switch ev.Timer {
	case RunTimer:
		s.run.late = true
		s.holdBack(ev)
		return nil
	case NodeTimer:
		return s.nodeTimedOut(ev)
	case SleepTimer, RetryTimer, DeadlineTimer:
	}
	inv, err := s.find(ev.Target, map[TimerKind][]phase{
		SleepTimer: {sleeping}, RetryTimer: {backoff}, DeadlineTimer: {asking},
	}[ev.Timer]...)
	if err != nil {
		return err
	}
	switch ev.Timer {
	case SleepTimer:
		s.reply(inv, Outcome{At: ev.At})
	case RetryTimer:
		s.again(inv)
	default:
		answer := Answer{Interrupt: inv.request.ID, Response: inv.request.Default, By: "deadline"}
		s.reply(inv, Outcome{Answer: &answer, At: ev.At})
	}
	return nil
}

func (s *Scheduler) nodeTimedOut(ev *TimerFired) error {
	a := s.run.acts[ev.Target.ID]
	if a == nil {
		return fmt.Errorf("no node waits at %d: %w", ev.Target.ID, ErrDiverged)
	}
	delete(s.run.acts, a.id)
	a.late, s.run.overdue[a.id] = true, a
	s.holdBack(ev)
	return nil
}
