package engine

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// reserved are the names in scope that are not state.
var reserved = []string{"input", "memory", "run", "output", "error"}

// frame is one execution of one graph: the run's own, or one inside an invocation.
type frame struct {
	id     int
	graph  *Graph
	path   string // for people: the graph's name, after the node it runs in
	scope  map[string]any
	about  map[string]any // scope["run"]
	step   int
	base   int // s.ids when the step began
	acts   []*activation
	open   int                  // activations that have not ended
	joins  bool                 // some node of the graph waits for others
	ran    map[int]map[int]bool // join node -> the nodes it waits for that have run
	waits  map[int]bool         // join nodes that an edge has led to
	load   []*Memory            // being read
	parent *invocation          // nil: the run's own
}

// activation is one node in one step.
type activation struct {
	id      int
	node    *Node
	frame   *frame
	items   []any // under for_each
	outputs []any
	next    int // the item to start next
	running int
	failed  *Failure
	failAt  int
	output  any
	due     time.Time // node timeout; zero is none
	late    bool      // the timeout has come
	ended   bool
}

func (s *Scheduler) newFrame(g *Graph, input, state map[string]any, parent *invocation) *frame {
	f := &frame{id: s.id(), graph: g, path: g.Name, parent: parent, joins: g.joins(), scope: make(map[string]any, len(g.Fields)+len(reserved))}
	if parent != nil {
		f.path = parent.in.Node + "/" + g.Name
	}
	for _, field := range g.Fields {
		value, ok := input[field.Name]
		if !ok {
			value, ok = state[field.Name]
		}
		if !ok && field.Has {
			value = field.Default
		}
		f.scope[field.Name] = own(value)
	}
	f.about = map[string]any{
		"id": s.run.id, "thread": string(s.thread), "graph": g.Name,
		"started_at": s.run.started, "now": s.now, "step": 0,
	}
	f.scope["input"], f.scope["run"], f.scope["memory"] = input, f.about, map[string]any{}
	return f
}

// own returns a list that the reducers may append to without writing into an array
// that someone else appends to as well.
func own(v any) any {
	if items, ok := v.([]any); ok {
		return slices.Clip(items)
	}
	return v
}

// Field returns a state field, nil when there is none of that name.
func (g *Graph) Field(name string) *Field {
	for _, f := range g.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// enter begins the next step with these nodes, in declared order.
func (s *Scheduler) enter(f *frame, nodes []int) {
	if f.step >= f.graph.Steps {
		s.finish(f, &Failure{Class: Limit, Node: f.path, Message: fmt.Sprintf(
			"graph %q took %d steps, its limit: raise limits.steps, or find why it does not end", f.graph.Name, f.graph.Steps)})
		return
	}
	f.base = s.ids
	s.prepare(f, nodes)
	f.load = memories(f.acts)
	if len(f.load) > 0 {
		if s.overdue(f.parent) {
			return
		}
		s.run.frames[f.id] = f
		s.emit(s.loadOf(f))
		return
	}
	s.begin(f)
}

// resume begins a step whose memories have been read.
func (s *Scheduler) resume(f *frame, nodes []int) {
	f.base = s.ids
	s.prepare(f, nodes)
	s.begin(f)
}

func (s *Scheduler) prepare(f *frame, nodes []int) {
	f.step++
	f.about["step"] = f.step
	if now, _ := f.about["now"].(time.Time); !now.Equal(s.now) {
		f.about["now"] = s.now
	}
	f.acts = slices.Grow(f.acts[:0], len(nodes))
	for _, n := range nodes {
		f.acts = append(f.acts, &activation{id: s.id(), node: f.graph.Nodes[n], frame: f})
	}
	f.open = len(f.acts)
}

// memories returns what the nodes of a step read, each once.
func memories(acts []*activation) []*Memory {
	var out []*Memory
	for _, a := range acts {
		for _, m := range a.node.Memory {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	return out
}

func (s *Scheduler) loadOf(f *frame) *Load {
	have := make(map[string]Seq, len(s.run.memory))
	for name, m := range s.run.memory {
		have[name] = m.Version
	}
	return &Load{Target: Target{ID: f.id}, Memories: f.load, Have: have, User: s.run.user}
}

func (s *Scheduler) memoryRead(ev *MemoryRead) error {
	f, ok := s.run.frames[ev.Target.ID]
	if !ok {
		return fmt.Errorf("nothing reads memory at %d: %w", ev.Target.ID, ErrDiverged)
	}
	delete(s.run.frames, f.id)
	maps.Copy(s.run.memory, ev.Values)
	f.scope["memory"] = texts(s.run.memory)
	f.load = nil
	s.begin(f)
	return nil
}

// texts is `memory` in expressions.
func texts(values map[string]MemoryValue) map[string]any {
	out := make(map[string]any, len(values))
	for name, m := range values {
		out[name] = m.Text
	}
	return out
}

// begin starts the nodes of a step.
func (s *Scheduler) begin(f *frame) {
	for _, a := range f.acts {
		s.activate(a)
	}
}

func (s *Scheduler) activate(a *activation) {
	if s.Trace != nil {
		s.Trace(Activation{At: s.now, Graph: a.frame.path, Node: a.node.Name, Step: a.frame.step, ID: a.id})
	}
	if a.node.ForEach == nil {
		if a.node.Plan == nil {
			s.ended(a)
			return
		}
		a.running = 1
		s.timeNode(a)
		s.invoke(a, 0, a.frame.scope)
		return
	}
	items, failure := a.list()
	if failure != nil {
		a.failed = failure
		s.ended(a)
		return
	}
	a.items, a.outputs = items, make([]any, len(items))
	s.timeNode(a)
	s.feed(a)
}

func (s *Scheduler) timeNode(a *activation) {
	if a.node.Timeout <= 0 {
		return
	}
	a.due = s.now.Add(a.node.Timeout)
	s.run.acts[a.id] = a
	s.emit(&SetTimer{Timer: NodeTimer, Target: Target{ID: a.id}, At: a.due})
}

// maxItems bounds a for_each.
const maxItems = 100_000

func (a *activation) list() ([]any, *Failure) {
	v, err := a.node.ForEach.In.Eval(a.frame.scope)
	if err != nil {
		return nil, a.failure(err)
	}
	items, ok := v.([]any)
	if !ok && v != nil {
		return nil, a.failure(fmt.Errorf("for_each needs a list, got %s", KindOf(v)))
	}
	if len(items) > maxItems {
		return nil, a.failure(fmt.Errorf("for_each over %d items; %d is the limit", len(items), maxItems))
	}
	return items, nil
}

// failure makes an error the node's failure.
func (a *activation) failure(err error) *Failure { return failure(err, a.frame.path+"/"+a.node.Name) }

// feed starts items while there is room. After a failure none is started.
func (s *Scheduler) feed(a *activation) {
	fe := a.node.ForEach
	for a.failed == nil && a.next < len(a.items) && (fe.MaxParallel == 0 || a.running < fe.MaxParallel) {
		scope := make(map[string]any, len(a.frame.scope)+2)
		maps.Copy(scope, a.frame.scope)
		scope[fe.As], scope[fe.Index] = a.items[a.next], a.next
		i := a.next
		a.next++
		if a.node.Plan == nil {
			continue
		}
		a.running++
		s.invoke(a, i, scope)
	}
	if a.running == 0 && !a.ended {
		a.output = a.outputs
		s.ended(a)
	}
}

// ended closes a node; the last of a step brings the barrier.
func (s *Scheduler) ended(a *activation) {
	a.ended = true
	delete(s.run.acts, a.id)
	if !a.due.IsZero() {
		s.emit(&Abort{Target: Target{ID: a.id}})
	}
	a.frame.open--
	if a.frame.open == 0 {
		s.full = append(s.full, a.frame)
	}
}
