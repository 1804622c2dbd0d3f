package nodetest

import (
	"slices"
	"testing"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// Node builds a node of a spec as the compiler does. The findings are those of the
// node and of the definitions it uses.
func Node(t testing.TB, types build.Types, root *source.Value, graph, node string) (build.Node, []diag.Finding) {
	t.Helper()
	list := &diag.List{}
	p := build.New(root, types, list)
	p.CheckPolicies(list)
	nodes := root.Get("graphs").Get(graph).Get("nodes")
	s := p.NewScope(p.GraphNames(p.Signature(graph)), list).Calling(offered(nodes))
	config := nodes.Get(node)
	if config == nil {
		t.Fatalf("graph %q has no node %q", graph, node)
	}
	for _, f := range config.Fields {
		if nt := types.Node(f.Key); nt != nil {
			return nt.Build(s, f.Value), list.Sorted()
		}
	}
	t.Fatalf("node %q has no type", node)
	return build.Node{}, nil
}

// offered returns the tools that models of a graph are told of, nil when there is no such model.
func offered(nodes *source.Value) []string {
	var out []string
	for _, n := range nodes.Fields {
		if tools := n.Value.Get("llm_call").Get("tools"); tools != nil {
			for _, name := range tools.Items {
				if !slices.Contains(out, name.Text) {
					out = append(out, name.Text)
				}
			}
		}
	}
	return out
}

// Plan builds a node that must be without findings.
func Plan(t testing.TB, types build.Types, root *source.Value, graph, node string) build.Node {
	t.Helper()
	n, findings := Node(t, types, root, graph, node)
	for _, f := range findings {
		t.Errorf("%s: %s: %s %s", f.Pos, f.Code, f.Message, f.Hint)
	}
	if n.Plan == nil || t.Failed() {
		t.FailNow()
	}
	return n
}

// Backend is a tool backend that keeps what it was called with. In specs it stands
// under its Key, which must be one that the schema leaves open, such as ues.
type Backend struct {
	Key    string
	Effect engine.Effect
	Calls  []Made
	Answer func(tool string, args map[string]any) (any, error) // nil: "done: TOOL"
}

// Made is a call that was carried out.
type Made struct {
	Tool string
	Args map[string]any
	Key  string
}

// Type returns the backend as a type.
func (b *Backend) Type() build.BackendType {
	return build.BackendType{Name: b.Key, Build: func(_ *build.Scope, t *engine.Tool, _ *source.Value) build.Backend {
		return build.Backend{Backend: backend{b, t.Name}, Effect: b.Effect}
	}}
}

type backend struct {
	*Backend
	tool string
}

// Op asks for the call.
func (b backend) Op(call chat.ToolCall, _ map[string]any) (engine.Op, any, error) {
	return &engine.Perform{Handler: b, Request: call.Args}, nil, nil
}
