package engine

import (
	"context"
	"time"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/shape"
)

// Plan is what a configured node does, as a pure function: given what has happened
// so far, Next says what should happen next. It is asked anew after every outcome,
// starting from the top, so it keeps nothing between calls and may be asked again
// after a crash. A Plan is immutable and safe for concurrent use.
//
//	func (p plan) Next(in *Invocation) (Move, error) {
//		out, wait, err := in.Do(func() (Op, error) { … })
//		if wait != nil || err != nil {
//			return in.Stop(wait, err)
//		}
//		return Finish(out.Value), nil
//	}
//
// An error fails the node: make it a *Failure to give it a class.
type Plan interface {
	Next(in *Invocation) (Move, error)
}

// Move is a plan's next step: an operation to carry out, or the end with an output.
type Move struct {
	Op     Op  // nil: done
	Output any // plain data
}

// Finish ends an invocation with its output.
func Finish(output any) Move { return Move{Output: output} }

// Invocation is one execution of a node (one item's under for_each) as its plan sees it.
type Invocation struct {
	Scope   map[string]any // the names in scope; read only
	Key     string         // unique in the store, stable over retries and crashes
	Node    string         // path of the node, for people: graph/node or graph/node[3]
	Thread  ThreadID
	Run     string
	User    string // whose memories are meant
	Used    func(model string) chat.Usage
	done    []Outcome
	replied int
}

// NewInvocation returns an invocation for tests of plans, with what has happened so far.
func NewInvocation(scope map[string]any, done ...Outcome) *Invocation {
	return &Invocation{Scope: scope, Key: "test/1", Node: "test", done: done, Used: func(string) chat.Usage { return chat.Usage{} }}
}

// Do returns the outcome of the plan's next operation when it has happened.
// Otherwise it makes the operation and returns it as wait: the plan then returns
// Move{Op: wait}. An error is that of make.
func (in *Invocation) Do(make func() (Op, error)) (out Outcome, wait Op, err error) {
	if in.replied < len(in.done) {
		in.replied++
		return in.done[in.replied-1], nil, nil
	}
	wait, err = make()
	return Outcome{}, wait, err
}

// Stop is what a plan returns when Do did not give an outcome.
func (in *Invocation) Stop(wait Op, err error) (Move, error) { return Move{Op: wait}, err }

// Count returns how many operations of the invocation have been answered so far;
// with Key it names the next one.
func (in *Invocation) Count() int { return in.replied }

// Op is an operation that a plan asks for: *Perform, *Ask, *Sleep or *RunGraph.
type Op interface{ op() }

// Perform has a handler do something in the world.
type Perform struct {
	Handler Handler
	Request any           // for the handler; not journaled
	Label   string        // what it is, for people: the tool's or the model's name
	Args    any           // plain data shown with an intent and in histories; may be nil
	Effect  Effect        // what a crash between call and result may do
	Timeout time.Duration // of one attempt; 0 is the runner's default
	Retry   *Retry        // nil: the node's
	Cache   func() string // identity of the request for a node cache; nil when it cannot be cached

	// Refuse tells, when the call is about to leave, why it must not any more, as a
	// failure that is journaled like the call's own; nil when nothing is against it. It
	// may look at Invocation.Used. A nil Refuse never does.
	Refuse func() *Failure
}

// Ask raises an interrupt. ID, Node, Kind and Opened are filled in by the scheduler
// when empty; After is how long a human has until Request.Default is taken, 0 for ever.
// The outcome has an Answer that fits: an edit's arguments are coerced by Params.
type Ask struct {
	Request InterruptRequest
	After   time.Duration
	Params  *shape.Shape // nil: no edit
}

// Sleep waits until an instant. It holds nothing in memory.
type Sleep struct {
	For   time.Duration // from the moment the scheduler sees it, when Until is zero
	Until time.Time
}

// RunGraph runs another graph inside this invocation; the outcome's value is its output.
type RunGraph struct {
	Graph string
	Input map[string]any
}

func (*Perform) op()  {}
func (*Ask) op()      {}
func (*Sleep) op()    {}
func (*RunGraph) op() {}

// Outcome is what became of an operation.
type Outcome struct {
	Value  any      // Perform, RunGraph: plain data
	Err    *Failure // Perform after its retries, RunGraph: it failed
	Answer *Answer  // Ask
	Usage  *chat.Usage
	At     time.Time // when it became known
}

// Effect is what may happen when a call is made twice.
type Effect string

// The effects.
const (
	EffectNone       Effect = "none"       // nothing: repeat at will
	EffectIdempotent Effect = "idempotent" // the same as once: repeat at will
	EffectOnce       Effect = "once"       // harm: never repeat without knowing
)

// Handler does something in the world. It keeps no state between calls and is safe
// for concurrent use. Handle honours ctx, which carries the deadline. A failure is
// best a *Failure, which says whether to try again; any other error is permanent.
type Handler interface {
	Handle(ctx context.Context, call Call) (Result, error)
}

// Looker is a Handler that can find out whether a call with the same key has
// happened, which settles calls in doubt.
type Looker interface {
	// Lookup returns the result of an earlier call; found is false when it is certain
	// that there was none. An error means that it cannot be told.
	Lookup(ctx context.Context, call Call) (result Result, found bool, err error)
}

// Call is one call of a handler.
type Call struct {
	Key     string // idempotency key: the same over retries and crashes, unique otherwise
	Node    string
	Thread  ThreadID
	Run     string
	User    string
	Attempt int // from 1
	Request any
	Emit    func(text string) // takes streamed text for observers; never nil
}

// Result is what a call gave.
type Result struct {
	Value any // plain data
	Usage *chat.Usage
}

// Class says what may be done about a failure.
type Class string

// The classes.
const (
	Transient Class = "transient" // may succeed when repeated
	Permanent Class = "permanent" // will fail again
	Uncertain Class = "uncertain" // it cannot be told whether it happened
	Timeout   Class = "timeout"   // took too long
	Limit     Class = "limit"     // a budget or limit of the spec was reached; nothing catches it
)

// Failure is a failed call, node or run as it is journaled.
type Failure struct {
	Class      Class         `json:"class"`
	Message    string        `json:"message"`
	Node       string        `json:"node,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"` // nanoseconds
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }
