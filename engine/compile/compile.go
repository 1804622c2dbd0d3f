// Package compile turns a spec into a program that the engine runs: it resolves every
// name, compiles every expression, text and schema, lays the graphs out, and finds
// what cannot work before anything runs.
//
// It works in passes, one file each. A pass reads what the earlier ones made, adds to
// it, and reports findings; none stops the others, so that all mistakes are told at
// once. The main function is Program.
package compile

import (
	"context"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

// compilation is what the passes work on.
type compilation struct {
	root     *source.Value
	types    build.Types
	spec     *build.Spec
	graphs   []*graph
	triggers []*engine.Trigger
	outside  []build.Flow // text from outside that triggers give to graphs
	list     *diag.List
	stop     bool    // what follows would take too long
	wrong    *wrongs // of a draft; nil for a whole spec
}

// graph is a graph as it takes form.
type graph struct {
	source.Field // name, position and definition
	sig          *build.Signature
	scope        *build.Scope // of its nodes
	out          *engine.Graph
	nodes        []*node
	index        map[string]int // of nodes, by name
	names        []string       // of nodes, in order
	fields       map[string]*engine.Field
	checks       map[string]*check
	reads        []expr.Ref // of its output
	uses         build.Uses
	tools        []string // that models of the graph are told of; nil: no model is
	sound        bool     // names of nodes are right: the shape of the graph can be judged
	endless      bool     // a finding says so already
	reach        *reach   // once it was asked for
	fanned       [][]int  // once they were asked for
	effort       int      // spent on judging
}

// node is a node as it takes form.
type node struct {
	source.Field // name, position and definition
	out          *engine.Node
	typ          *build.NodeType
	config       *source.Value // of its type
	unsure       bool          // of a draft: something in it is missing
	built        build.Node
	does         build.Does
	edges        []edge       // what leads on, in order; on_error too
	next         []int        // the nodes that may follow, each once
	writes       []write      // in order
	flows        []build.Flow // text from outside that it gives to graphs
	before       []expr.Ref   // read before its own writes
	after        []expr.Ref   // read after them
	uses         build.Uses
	list         diag.List // of what is compiled in parallel
}

// edge is one way on from a node.
type edge struct {
	to   int // engine.End for the end
	pos  diag.Pos
	when bool // only if a condition holds, or only after an error
}

// write is a field that a node writes.
type write struct {
	field string
	pos   diag.Pos
	catch bool // only after an error
}

// passes is what is done, in order. Each says why it comes where it does.
var passes = []func(*compilation){
	definitions, references, responses, states, triggers, layout, volume, expressions, memories, // make the program
	flow, loops, recursion, unwritten, writers, effects, unused, // judge it
}

// Program compiles a spec for a binary with these types, and returns what it found. The
// program is nil when a finding is an error. A spec that did not load has no program;
// what can be judged of it in spite of that is.
func Program(sp *spec.Spec, types build.Types) (*engine.Program, *diag.List) {
	switch {
	case sp == nil || sp.Root == nil && sp.Draft == nil:
		return nil, &diag.List{}
	case sp.Root == nil:
		return nil, draft(sp.Draft, types)
	}
	c := &compilation{root: sp.Root, types: types, list: &diag.List{}}
	c.passes()
	if c.list.HasErrors() {
		return nil, c.list
	}
	p := c.program()
	p.Name, p.Version, p.Hash, p.Bundle = sp.Name, sp.Version, sp.Hash, sp.Bundle()
	return p, c.list
}

// passes makes the passes.
func (c *compilation) passes() {
	for _, pass := range passes {
		if !c.stop {
			pass(c)
		}
	}
}

// program assembles what the passes made.
func (c *compilation) program() *engine.Program {
	p := &engine.Program{Memories: c.spec.Memories(), Tools: c.spec.Tools(), Responses: c.spec.Responses()}
	p.Triggers = c.triggers
	if clock := c.root.Get("clock"); clock != nil && clock.Text == "ues" && c.types.Clock != nil {
		p.Clock = func(ctx context.Context, thread engine.ThreadID) (engine.Clock, error) {
			return c.types.Clock(ctx, thread, c.spec.Environment())
		}
	}
	for _, g := range c.graphs {
		p.Graphs = append(p.Graphs, g.out)
	}
	return p
}

// pos returns the position of a field of the node.
func (n *node) pos(key string) diag.Pos { return n.Value.KeyPos(key) }
