package compile_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

// asks is a plan that does nothing but tell what it was made of.
type plan struct{ said string }

func (p *plan) Next(*engine.Invocation) (engine.Move, error) { return engine.Finish(p.said), nil }

// types is node types and backends as small as they can be, with the names of real ones,
// whose configuration the schema knows.
func types() build.Types {
	textType := &shape.Type{Kind: shape.String}
	return build.Types{
		Nodes: []build.NodeType{
			{Name: "llm_call", Build: func(s *build.Scope, v *source.Value) build.Node {
				s.Model(v.Get("model"), v.Pos)
				s.Prompt(v.Get("system"))
				s.Prompt(v.Get("prompt"))
				if tools := v.Get("tools"); tools != nil {
					for _, name := range tools.Items {
						s.Bind(name)
					}
				}
				out := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"text": textType}}
				if r := v.Get("response"); r != nil {
					out = s.Shape(r).Type()
				}
				return build.Node{Plan: &plan{"llm_call"}, Output: out}
			}},
			{Name: "tool", Build: func(s *build.Scope, v *source.Value) build.Node {
				if v.Has("calls") {
					s.Value(v.Get("calls"))
					return build.Node{Plan: &plan{fmt.Sprint("calls ", len(s.Callable()))}}
				}
				s.Value(v.Get("args"))
				t := s.Tool(v.Get("name"))
				if t == nil {
					return build.Node{}
				}
				return build.Node{Plan: &plan{"tool " + t.Name}, Output: t.Output}
			}},
			{Name: "graph", Build: func(s *build.Scope, v *source.Value) build.Node {
				s.Value(v.Get("input"))
				g := s.Graph(v.Get("name"))
				if g == nil {
					return build.Node{}
				}
				return build.Node{Plan: &plan{"graph " + g.Name}, Output: g.Output}
			}},
			{Name: "wait", Build: func(s *build.Scope, v *source.Value) build.Node {
				s.Expr(v.Get("until"))
				return build.Node{Plan: &plan{"wait"}, Output: &shape.Type{Kind: shape.Null}}
			}},
		},
		Backends: []build.BackendType{
			{Name: "expr", Build: func(s *build.Scope, _ *engine.Tool, v *source.Value) build.Backend {
				x := s.Expr(v)
				return build.Backend{Backend: backend{}, Result: x.Type()}
			}},
			{Name: "exec", Build: func(s *build.Scope, _ *engine.Tool, v *source.Value) build.Backend {
				return build.Backend{Backend: backend{}, Effect: engine.EffectOnce}
			}},
			{Name: "http", Build: func(s *build.Scope, _ *engine.Tool, v *source.Value) build.Backend {
				return build.Backend{Backend: backend{}, Effect: engine.EffectOnce, Settles: v.Has("idempotency_header")}
			}},
			{Name: "graph", Build: func(s *build.Scope, _ *engine.Tool, v *source.Value) build.Backend {
				b := build.Backend{Backend: backend{}}
				if g := s.Graph(v.Get("name")); g != nil {
					b.Graph, b.Result = g.Name, g.Output
				}
				return b
			}},
		},
	}
}

type backend struct{}

func (backend) Op(chat.ToolCall, map[string]any) (engine.Op, any, error) { return nil, nil, nil }

// load loads a spec that fits the schema.
func load(t testing.TB, files map[string]string) *spec.Spec {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	sp, list := spec.Load(fsys, ".", spec.Options{})
	if err := list.Err(); err != nil {
		t.Fatalf("the spec does not load:\n%v", err)
	}
	return sp
}

// program compiles a spec, and returns what was found in one line each.
func program(t testing.TB, sp *spec.Spec) (*engine.Program, []string) {
	t.Helper()
	p, list := compile.Program(sp, types())
	return p, lines(list)
}

func lines(list *diag.List) []string {
	var out []string
	for _, f := range list.Sorted() {
		out = append(out, fmt.Sprintf("%d:%d %s", f.Pos.Line, f.Pos.Col, f.Code))
	}
	return out
}

// yaml puts a graph with this body behind a spec's head.
func yaml(head, body string) map[string]string {
	var b strings.Builder
	b.WriteString("name: example\n" + head + "graphs:\n  main:\n")
	for line := range strings.Lines(body) {
		b.WriteString("    " + line)
	}
	return map[string]string{"spec.yaml": b.String()}
}
