package engine

import (
	"context"
	"time"

	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/response"
	"github.com/weft-engine/weft/engine/shape"
)

// Program is everything a spec compiles to: immutable, safe to share, and all that
// a runner needs to drive threads of it.
type Program struct {
	Name     string
	Version  string
	Hash     string // content hash of the spec
	Bundle   []byte // the spec itself, resolved: what a parked run resumes with
	Graphs   []*Graph
	Memories map[string]*Memory
	Tools    map[string]*Tool
	Triggers []*Trigger
	// Clock gives the time that the runs of a thread live in; nil: the runner's.
	Clock func(ctx context.Context, thread ThreadID) (Clock, error)
	// Responses is what the spec says to people; never nil when compiled.
	Responses *response.Registry
}

// Clock is the time that a runner, or the threads of a spec, live in. A simulated clock
// makes three days of waiting a matter of a call.
type Clock interface {
	// Now returns the present instant.
	Now() time.Time
	// Wait returns a channel that is closed when the instant has come, and a function
	// that gives the wait up.
	Wait(until time.Time) (come <-chan struct{}, stop func())
}

// Graph returns the graph of that name, nil when there is none.
func (p *Program) Graph(name string) *Graph {
	for _, g := range p.Graphs {
		if g.Name == name {
			return g
		}
	}
	return nil
}

// Trigger returns the trigger of that name, nil when there is none.
func (p *Program) Trigger(name string) *Trigger {
	for _, t := range p.Triggers {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Graph is nodes and edges over a state, immutable after compile.
// Nodes and fields are in the order the spec declares them.
type Graph struct {
	Name        string
	Description string
	Input       *shape.Shape
	Fields      []*Field
	Nodes       []*Node
	Start       int           // index into Nodes
	Output      []Assign      // the run's output; empty: the whole state
	Steps       int           // limit of steps a run; at least 1
	Timeout     time.Duration // limit of a run's length; 0 is none
}

// Field is one field of a graph's state.
type Field struct {
	Name    string
	Shape   *shape.Shape
	Reduce  Reducer
	Default any // nil: absent until written
	Has     bool
}

// Node is a vertex: what it does, what it writes, where it leads.
type Node struct {
	Name        string
	Type        string // "" only sets and routes
	Description string
	Index       int
	Plan        Plan // nil: nothing to do, output is nil
	Set         []Assign
	Next        []Edge // none: end
	ForEach     *ForEach
	Join        []int         // wait until each of these nodes has run
	Timeout     time.Duration // of the node with everything it waits for; 0 is none
	Retry       *Retry        // for calls that have none of their own
	OnError     *Catch
	Cache       *Cache
	Memory      []*Memory // the memories its texts and expressions read
}

// Assign writes one state field or output field.
type Assign struct {
	Name  string
	Value *expr.Value
	Check *shape.Shape // what the value must fit; nil when the types settle it at compile time
}

// Edge leads to nodes when its condition holds. All edges of a node but those of
// a choice have no condition.
type Edge struct {
	When *expr.Expr // nil: always
	To   []int      // indexes into Nodes, End to finish; several run in parallel
}

// End is the target of an edge that finishes.
const End = -1

// ForEach runs a node once for every item of a list.
type ForEach struct {
	In          *expr.Expr
	As, Index   string // names in scope
	MaxParallel int    // 0: all at once
}

// Catch handles a node's failure. `error` is in scope of Set.
type Catch struct {
	Set []Assign
	To  []int
}

// Retry repeats calls that failed for a passing reason.
type Retry struct {
	Attempts   int           // in all
	Backoff    time.Duration // before the second attempt; doubles, with jitter
	MaxBackoff time.Duration
}

// Cache keeps a node's calls across runs.
type Cache struct {
	TTL time.Duration
	Key *expr.Expr // nil: the call's request
}

// Memory is a memory of the spec's `memory` section.
type Memory struct {
	Name      string
	Scope     string // user, thread or global
	Default   string
	MaxShrink float64 // an update that loses more of the text is only proposed; 0 is no guard
	MaxChars  int     // an update longer than this is only proposed; 0 is no guard
	Update    any     // how a model updates it: what the memory node type made of the definition
}
