package engine

import (
	"fmt"
	"slices"
	"strings"
)

// write is a value on its way into a field.
type write struct {
	field *Field
	node  *Node
	value any
}

// barrier applies the writes of a step and follows the edges.
func (s *Scheduler) barrier(f *frame) {
	if failure := uncaught(f.acts); failure != nil {
		s.finish(f, failure)
		return
	}
	if failure := s.apply(f); failure != nil {
		s.finish(f, failure)
		return
	}
	next, failure := s.follow(f)
	switch {
	case failure != nil:
		s.finish(f, failure)
	case len(next) > 0:
		s.enter(f, next)
	case len(f.waits) > 0:
		s.finish(f, &Failure{Class: Permanent, Node: f.path, Message: f.stuck()})
	default:
		s.finish(f, nil)
	}
}

// uncaught returns the failure that ends the graph: the first in declared order.
func uncaught(acts []*activation) *Failure {
	for _, a := range acts {
		if a.failed != nil && (a.node.OnError == nil || a.failed.Class == Limit) {
			return a.failed
		}
	}
	return nil
}

// apply evaluates every `set` on the state before the step, then writes.
func (s *Scheduler) apply(f *frame) *Failure {
	var writes []write
	for _, a := range f.acts {
		set, name, value := a.node.Set, "output", a.output
		if a.failed != nil {
			set, name, value = a.node.OnError.Set, "error", a.failed.plain()
		}
		if len(set) == 0 {
			continue
		}
		f.scope[name] = value
		for _, assign := range set {
			w, err := f.eval(a.node, assign)
			if err != nil {
				delete(f.scope, name)
				return a.failure(err)
			}
			writes = append(writes, w)
		}
		delete(f.scope, name)
	}
	return f.write(writes)
}

// plain is the failure as `error` in expressions.
func (f *Failure) plain() map[string]any {
	return map[string]any{"class": string(f.Class), "message": f.Message, "node": f.Node}
}

func (f *frame) eval(n *Node, a Assign) (write, error) {
	value, err := a.Value.Eval(f.scope)
	if err != nil {
		return write{}, err
	}
	if value, err = Plain(value); err != nil {
		return write{}, fmt.Errorf("set %s: %w", a.Name, err)
	}
	if a.Check != nil {
		if problems := a.Check.Check(value); len(problems) > 0 {
			return write{}, fmt.Errorf("set %s: %s", a.Name, describe(problems))
		}
	}
	return write{field: f.graph.Field(a.Name), node: n, value: value}, nil
}

func (f *frame) write(writes []write) *Failure {
	for i, w := range writes {
		fail := func(format string, args ...any) *Failure {
			return &Failure{Class: Permanent, Node: f.path + "/" + w.node.Name, Message: fmt.Sprintf(format, args...)}
		}
		if w.field.Reduce == Replace {
			if j := slices.IndexFunc(writes[:i], func(o write) bool { return o.field == w.field && o.node != w.node }); j >= 0 {
				return fail("nodes %q and %q both write %q in one step: give the field a reducer", writes[j].node.Name, w.node.Name, w.field.Name)
			}
		}
		merged, err := w.field.Reduce.Apply(f.scope[w.field.Name], w.value)
		if err != nil {
			return fail("set %s: %v", w.field.Name, err)
		}
		f.scope[w.field.Name] = merged
	}
	return nil
}

// follow returns the nodes of the next step, in declared order, each once.
func (s *Scheduler) follow(f *frame) ([]int, *Failure) {
	var next []int
	for _, a := range f.acts {
		to, err := f.targets(a)
		if err != nil {
			return nil, a.failure(err)
		}
		for _, n := range to {
			if n != End && !slices.Contains(next, n) {
				next = append(next, n)
			}
		}
	}
	slices.Sort(next)
	return f.join(next), nil
}

func (f *frame) targets(a *activation) ([]int, error) {
	if a.failed != nil {
		return a.node.OnError.To, nil
	}
	if len(a.node.Next) == 0 {
		return nil, nil
	}
	f.scope["output"] = a.output
	defer delete(f.scope, "output")
	for _, e := range a.node.Next {
		if e.When == nil {
			return e.To, nil
		}
		ok, err := e.When.Bool(f.scope)
		if err != nil {
			return nil, err
		}
		if ok {
			return e.To, nil
		}
	}
	return nil, nil
}

// join holds back nodes that wait for others, and lets those through for which the
// last has run.
func (f *frame) join(next []int) []int {
	if !f.joins {
		return next
	}
	if f.ran == nil {
		f.ran, f.waits = map[int]map[int]bool{}, map[int]bool{}
	}
	f.arrive()
	var due []int
	for _, n := range next {
		if len(f.graph.Nodes[n].Join) > 0 {
			f.waits[n] = true
		} else {
			due = append(due, n)
		}
	}
	for _, n := range f.graph.Nodes {
		if f.waits[n.Index] && len(f.ran[n.Index]) == len(n.Join) {
			delete(f.waits, n.Index)
			delete(f.ran, n.Index)
			due = append(due, n.Index)
		}
	}
	slices.Sort(due)
	return due
}

// arrive notes for every join which of its nodes have run in this step.
func (f *frame) arrive() {
	ended := make(map[int]bool, len(f.acts))
	for _, a := range f.acts {
		ended[a.node.Index] = true
	}
	for _, n := range f.graph.Nodes {
		for _, waited := range n.Join {
			if !ended[waited] {
				continue
			}
			if f.ran[n.Index] == nil {
				f.ran[n.Index] = make(map[int]bool, len(n.Join))
			}
			f.ran[n.Index][waited] = true
		}
	}
}

// joins reports whether any node waits for others.
func (g *Graph) joins() bool {
	return slices.ContainsFunc(g.Nodes, func(n *Node) bool { return len(n.Join) > 0 })
}

// stuck says which joins wait for nodes that will not run any more.
func (f *frame) stuck() string {
	var parts []string
	for _, n := range f.graph.Nodes {
		if !f.waits[n.Index] {
			continue
		}
		var missing []string
		for _, waited := range n.Join {
			if !f.ran[n.Index][waited] {
				missing = append(missing, fmt.Sprintf("%q", f.graph.Nodes[waited].Name))
			}
		}
		parts = append(parts, fmt.Sprintf("node %q waits for %s, which did not run", n.Name, strings.Join(missing, " and ")))
	}
	return strings.Join(parts, "; ")
}

// finish ends a frame: the run, or the invocation it ran in.
func (s *Scheduler) finish(f *frame, failure *Failure) {
	if f.parent == nil {
		s.end(statusOf(failure), failure)
		return
	}
	s.abandon(f)
	inv := f.parent
	inv.child = nil
	out := Outcome{Err: failure, At: s.now}
	if failure == nil {
		out.Value, out.Err = s.output(f)
	}
	s.reply(inv, out)
}

func statusOf(failure *Failure) Status {
	switch {
	case failure == nil:
		return Done
	case failure.Class == Limit:
		return Limited
	default:
		return Failed
	}
}

// output evaluates what a graph gives.
func (s *Scheduler) output(f *frame) (any, *Failure) {
	g := f.graph
	if len(g.Output) == 0 {
		out := fields(f.scope)
		return out, nil
	}
	out := make(map[string]any, len(g.Output))
	for _, a := range g.Output {
		w, err := a.Value.Eval(f.scope)
		if err == nil {
			w, err = Plain(w)
		}
		if err != nil {
			return nil, failure(fmt.Errorf("output %s: %w", a.Name, err), f.path)
		}
		out[a.Name] = w
	}
	return out, nil
}
