package engine

import (
	"time"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
)

// Tool is a tool of the spec's `tools` section.
type Tool struct {
	Name        string
	Description string
	Params      *shape.Shape // nil: takes no arguments
	Policy      *Policy      // nil: runs without asking
	Backend     Backend      // nil: the human's answer, or Result, is the result
	Result      *expr.Value  // scope: args, call, run
	Effect      Effect
	Timeout     time.Duration
	Retry       *Retry
}

// Chat returns what a model is told of the tool.
func (t *Tool) Chat() chat.Tool {
	out := chat.Tool{Name: t.Name, Description: t.Description}
	if t.Params != nil {
		out.Parameters = t.Params.Schema()
	}
	return out
}

// Backend carries out the calls of one tool. It is immutable.
type Backend interface {
	// Op returns what carries the call out: *Perform or *RunGraph, or a nil Op with
	// the result itself when nothing needs doing. args fit the tool's parameters.
	// scope has args, call and run.
	Op(call chat.ToolCall, scope map[string]any) (op Op, result any, err error)
}

// Policy is an interrupt of the spec's `interrupts` section: when and how a human decides.
type Policy struct {
	Name        string
	Allow       []Response
	Title       *Text // scope: the asking node's names and `call`
	Description *Text
	On          map[Response]*Decision // an entry for each of Allow
	After       time.Duration          // deadline; 0 is none
	Default     Response               // what the deadline decides
}

// Decision is what follows from one response.
type Decision struct {
	Run      bool  // the call is made
	Stop     bool  // the calls after it in the batch are not made
	Reply    *Text // the tool message when the call is not made; scope adds `response`
	Remember *Remember
}

// Remember has a memory learn from a decision.
type Remember struct {
	Memory  *Memory
	Note    *Text // scope: the node's names, call, response, edited (the changed arguments)
	Context bool  // the conversation so far is told too, not the note alone
}
