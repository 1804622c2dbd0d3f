// Package build turns definitions of a spec into the engine's words: expressions and
// texts in the scope of their place, models, tools with their policies, memories, and
// the signatures of graphs. Node types and tool backends are built on it: each is a
// value that says how its configuration, a tree with positions, becomes a plan.
//
// Whatever is wrong with a spec is a finding, at its place; building goes on, so that
// one mistake does not hide the next. engine/compile decides what is built and in
// which order.
package build

import (
	"context"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/trigger"
)

// NodeType is a type of node: the key in specs that names it and what becomes of the
// value of that key.
type NodeType struct {
	Name string // the type key: llm_call
	// Build makes the plan of one node. The configuration fits the type's schema.
	// What else is wrong with it goes to s.Report.
	Build func(s *Scope, config *source.Value) Node
	// Memory makes of a memory's `update` what engine.Memory.Update holds. Only the
	// type that updates memories has it.
	Memory func(s *Scope, update *source.Value) any
	Rules  []diag.Rule // the findings that Build reports
}

// Node is what a node type made of a configuration. The zero Node does nothing.
type Node struct {
	Plan   engine.Plan
	Output *shape.Type // of `output` in set and next; nil is not known
	Asks   bool        // may ask a human, other than by a tool's policy
	Once   bool        // may do what must not be done twice, other than by a tool
}

// BackendType is a type of tool backend: the key in a tool that names it.
type BackendType struct {
	Name string // http
	// Build makes the backend of one tool; names in scope are args, call and run. The
	// tool has its name, parameters, timeout and retry, and its effect when it says one.
	Build func(s *Scope, t *engine.Tool, config *source.Value) Backend
	Rules []diag.Rule // the findings that Build reports
}

// Backend is what a backend type made of a configuration.
type Backend struct {
	Backend engine.Backend
	Result  *shape.Type   // of the result; nil is not known
	Effect  engine.Effect // of a tool that does not say; "" is none
	Settles bool          // what became of a call in doubt can be found out, or a repeated call is recognised
	Graph   string        // the graph that it runs, if it runs one
	Live    bool          // it tells of what changes by itself, so no cache keeps its results
}

// SourceType is a kind of thing that triggers listen to.
type SourceType struct {
	Name string // cron
	// Build makes the source of one trigger.
	Build func(s *Scope, config *source.Value) Source
	Rules []diag.Rule // the findings that Build reports
}

// Source is what a source type made of a configuration.
type Source struct {
	Source trigger.Source
	Event  *shape.Type   // of an event's data; nil is not known
	Every  time.Duration // how often it is to be polled; 0 is the runner's default
}

// Types is the node types, backends and sources that a binary offers.
type Types struct {
	Nodes    []NodeType
	Backends []BackendType
	Sources  []SourceType
	// Environment makes of the spec's `environment`, nil when it has none, what
	// Scope.Environment gives. Nil gives nil.
	Environment func(s *Scope, def *source.Value) any
	// Clock is the time of a thread's environment, for specs that live in it; environment
	// is what Environment made.
	Clock func(ctx context.Context, thread engine.ThreadID, environment any) (engine.Clock, error)
}

// Source returns the source type of that name, nil when there is none.
func (t Types) Source(name string) *SourceType {
	for i := range t.Sources {
		if t.Sources[i].Name == name {
			return &t.Sources[i]
		}
	}
	return nil
}

// Node returns the node type of that name, nil when there is none.
func (t Types) Node(name string) *NodeType {
	for i := range t.Nodes {
		if t.Nodes[i].Name == name {
			return &t.Nodes[i]
		}
	}
	return nil
}

// Backend returns the backend type of that name, nil when there is none.
func (t Types) Backend(name string) *BackendType {
	for i := range t.Backends {
		if t.Backends[i].Name == name {
			return &t.Backends[i]
		}
	}
	return nil
}

// memoryUpdate returns what reads the `update` of memories, nil when no type does.
func (t Types) memoryUpdate() func(*Scope, *source.Value) any {
	for i := range t.Nodes {
		if t.Nodes[i].Memory != nil {
			return t.Nodes[i].Memory
		}
	}
	return nil
}
