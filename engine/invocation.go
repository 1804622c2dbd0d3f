package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/shape"
)

// phase is what an invocation waits for.
type phase uint8

const (
	planning   phase = iota // its plan is to be asked
	performing              // a call
	backoff                 // the next attempt of a call
	asking                  // a human, on behalf of the plan
	doubting                // a human, about a call in doubt
	sleeping                // an instant
	inside                  // a graph
)

// invocation is one execution of a node's plan.
type invocation struct {
	id       int
	act      *activation
	index    int
	in       Invocation
	op       Op
	phase    phase
	attempt  int
	intended bool
	request  InterruptRequest // asking, doubting
	raised   bool             // InterruptRaised has come
	due      time.Time        // of the timer it waits for, or the interrupt's deadline
	child    *frame
}

func (s *Scheduler) invoke(a *activation, index int, scope map[string]any) {
	inv := &invocation{id: s.id(), act: a, index: index}
	path := a.frame.path + "/" + a.node.Name
	if a.node.ForEach != nil {
		path += "[" + strconv.Itoa(index) + "]"
	}
	inv.in = Invocation{Scope: scope, Node: path, Thread: s.thread, Run: s.run.id, User: s.run.user, Used: s.used}
	inv.in.Key = string(s.thread) + "/" + s.run.id + "/" + strconv.Itoa(inv.id)
	s.run.invs[inv.id] = inv
	s.ready = append(s.ready, inv)
}

func (s *Scheduler) used(model string) chat.Usage {
	if model != "" {
		return s.run.used[model]
	}
	var all chat.Usage
	for _, name := range sortedKeys(s.run.used) {
		all = all.Add(s.run.used[name])
	}
	return all
}

// advance asks a plan what to do next.
func (s *Scheduler) advance(inv *invocation) {
	if inv.phase != planning || inv.act.ended {
		return
	}
	inv.in.replied = 0
	move, err := inv.act.node.Plan.Next(&inv.in)
	if err == nil && move.Op == nil {
		move.Output, err = Plain(move.Output)
	}
	switch {
	case err != nil:
		s.close(inv, nil, failure(err, inv.in.Node))
	case move.Op == nil:
		s.close(inv, move.Output, nil)
	default:
		s.begun(inv, move.Op)
	}
}

// begun starts an operation, unless there is no time for one.
func (s *Scheduler) begun(inv *invocation, op Op) {
	if s.overdue(inv) {
		return
	}
	inv.op = op
	switch op := op.(type) {
	case *Perform:
		inv.phase, inv.attempt, inv.intended = performing, 1, false
	case *Ask:
		inv.phase, inv.raised, inv.due = asking, false, time.Time{}
		inv.request = s.requestOf(inv, op)
	case *Sleep:
		inv.phase = sleeping
		if inv.due = op.Until; inv.due.IsZero() {
			inv.due = s.now.Add(op.For)
		}
		if !inv.due.After(s.now) {
			s.reply(inv, Outcome{At: s.now})
			return
		}
	case *RunGraph:
		s.nest(inv, op)
		return
	}
	s.ask(inv)
}

// ask emits what an invocation waits for.
func (s *Scheduler) ask(inv *invocation) { s.wants(inv, func(_ Target, e EffectRequest) { s.emit(e) }) }

// maxDepth bounds graphs inside graphs.
const maxDepth = 32

func (s *Scheduler) nest(inv *invocation, op *RunGraph) {
	g := s.program.Graph(op.Graph)
	if g == nil {
		s.reply(inv, Outcome{At: s.now, Err: &Failure{Class: Permanent, Node: inv.in.Node, Message: fmt.Sprintf("there is no graph %q", op.Graph)}})
		return
	}
	if inv.depth() >= maxDepth {
		s.reply(inv, Outcome{At: s.now, Err: &Failure{Class: Limit, Node: inv.in.Node, Message: fmt.Sprintf("graphs are nested %d deep, the limit", maxDepth)}})
		return
	}
	if g.Input != nil {
		if problems := g.Input.Check(asInput(op.Input)); len(problems) > 0 {
			s.reply(inv, Outcome{At: s.now, Err: &Failure{Class: Permanent, Node: inv.in.Node, Message: fmt.Sprintf("input of graph %q: %s", g.Name, describe(problems))}})
			return
		}
	}
	inv.phase = inside
	inv.child = s.newFrame(g, op.Input, nil, inv)
	s.enter(inv.child, []int{g.Start})
}

// asInput gives an absent input as the empty object that schemas expect.
func asInput(in map[string]any) map[string]any {
	if in == nil {
		return map[string]any{}
	}
	return in
}

func (inv *invocation) depth() int {
	n := 0
	for f := inv.act.frame; f.parent != nil; f = f.parent.act.frame {
		n++
	}
	return n
}

// reply records an operation's outcome and has the plan asked anew.
func (s *Scheduler) reply(inv *invocation, out Outcome) {
	inv.in.done = append(inv.in.done, out)
	inv.op, inv.phase, inv.due = nil, planning, time.Time{}
	s.ready = append(s.ready, inv)
}

// close ends an invocation.
func (s *Scheduler) close(inv *invocation, output any, failed *Failure) {
	a := inv.act
	delete(s.run.invs, inv.id)
	a.running--
	if failed != nil && (a.failed == nil || inv.index < a.failAt) {
		a.failed, a.failAt = failed, inv.index
	}
	if a.node.ForEach != nil {
		a.outputs[inv.index] = output
		s.feed(a)
		return
	}
	a.output = output
	s.ended(a)
}

// failure classes an error and says where it happened.
func failure(err error, node string) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		out := *f
		if out.Class == "" {
			out.Class = Permanent
		}
		if out.Node == "" {
			out.Node = node
		}
		return &out
	}
	return &Failure{Class: Permanent, Message: err.Error(), Node: node}
}

// describe puts a shape's problems into one line.
func describe(problems []shape.Problem) string {
	parts := make([]string, len(problems))
	for i, p := range problems {
		parts[i] = p.Message
		if p.Path != "" {
			parts[i] = p.Path + ": " + p.Message
		}
	}
	return strings.Join(parts, "; ")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
