package spectest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/source"
)

// call is a tool call that a backend carried out.
type call struct {
	tool    string
	args    map[string]any
	status  string // ok or failed; "" while it is not known
	result  any
	problem string
	graph   bool // it ran a graph: what came of it is the graph's
}

func (c *call) data() map[string]any {
	out := map[string]any{"tool": c.tool, "args": c.args, "status": c.status}
	if c.result != nil {
		out["result"] = c.result
	}
	if c.problem != "" {
		out["error"] = c.problem
	}
	return out
}

// recorder notes the calls that backends carry out, in the order in which they were
// asked to. A backend is asked again whenever its node is, so a call is known by its
// id and arguments.
type recorder struct {
	mu    sync.Mutex
	calls []*call
	known map[string]*call
}

// ran returns the calls that were carried out.
func (r *recorder) ran() []*call {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*call
	for _, c := range r.calls {
		if c.status != "" || c.graph {
			out = append(out, c)
		}
	}
	return out
}

// begin returns the note of a call.
func (r *recorder) begin(tool string, ask chat.ToolCall) *call {
	args, err := json.Marshal(ask.Args)
	if err != nil {
		args = nil
	}
	key := fmt.Sprintf("%s\x00%s\x00%s", tool, ask.ID, args)
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.known[key]; c != nil {
		return c
	}
	if r.known == nil {
		r.known = map[string]*call{}
	}
	c := &call{tool: tool, args: ask.Args}
	r.known[key] = c
	r.calls = append(r.calls, c)
	return c
}

func (r *recorder) end(c *call, result any, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		c.status, c.result, c.problem = "failed", nil, err.Error()
		return
	}
	c.status, c.problem, c.result = "ok", "", nil
	if plain, err := engine.Plain(result); err == nil {
		c.result = plain
	}
}

// watch returns the backend types with every call noted. Those named in offline do
// nothing but fail: a test reaches no network.
func (r *recorder) watch(types []build.BackendType, offline []string) []build.BackendType {
	out := slices.Clone(types)
	for i, t := range types {
		off := slices.Contains(offline, t.Name)
		out[i].Build = func(s *build.Scope, tool *engine.Tool, config *source.Value) build.Backend {
			b := t.Build(s, tool, config)
			if b.Backend != nil {
				b.Backend = &watched{inner: b.Backend, tool: tool.Name, kind: t.Name, off: off, recorder: r}
			}
			return b
		}
	}
	return out
}

// watched is a backend whose calls are noted.
type watched struct {
	inner      engine.Backend
	tool, kind string
	off        bool
	recorder   *recorder
}

// Op notes the call and has the backend say what carries it out.
func (w *watched) Op(ask chat.ToolCall, scope map[string]any) (engine.Op, any, error) {
	c := w.recorder.begin(w.tool, ask)
	if w.off {
		err := &engine.Failure{Class: engine.Permanent, Message: fmt.Sprintf(
			"a test reaches no network: give the tool %q another backend than %s in a profile, and name the profile in the test", w.tool, w.kind)}
		w.recorder.end(c, nil, err)
		return nil, nil, err
	}
	op, result, err := w.inner.Op(ask, scope)
	switch op := op.(type) {
	case nil:
		w.recorder.end(c, result, err)
	case *engine.Perform:
		noted := *op
		noted.Handler = note(op.Handler, c, w.recorder)
		return &noted, result, err
	case *engine.RunGraph:
		c.graph = true
	}
	return op, result, err
}

// note returns a handler that notes what came of a call.
func note(h engine.Handler, c *call, r *recorder) engine.Handler {
	n := noted{inner: h, call: c, recorder: r}
	if l, ok := h.(engine.Looker); ok {
		return notedLooker{noted: n, looker: l}
	}
	return n
}

type noted struct {
	inner    engine.Handler
	call     *call
	recorder *recorder
}

// Handle makes the call and notes what came of it.
func (n noted) Handle(ctx context.Context, ask engine.Call) (engine.Result, error) {
	result, err := n.inner.Handle(ctx, ask)
	n.recorder.end(n.call, result.Value, err)
	return result, err
}

type notedLooker struct {
	noted
	looker engine.Looker
}

// Lookup looks an earlier call up.
func (n notedLooker) Lookup(ctx context.Context, ask engine.Call) (engine.Result, bool, error) {
	return n.looker.Lookup(ctx, ask)
}
