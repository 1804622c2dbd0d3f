package expr_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes/tools/expr"
)

// tool builds the one tool of a spec.
func tool(t *testing.T, text string) (*engine.Tool, *diag.List) {
	t.Helper()
	root, list := spec.Decode([]byte(text), "spec.yaml")
	if list.HasErrors() {
		t.Fatal(list.Sorted())
	}
	p := build.New(root, build.Types{Backends: []build.BackendType{expr.Type()}}, list)
	return p.Tools()["price"], list
}

func run(t *engine.Tool, args map[string]any) (any, error) {
	scope := map[string]any{"args": args, "call": map[string]any{"id": "c1", "name": t.Name, "args": args}, "run": map[string]any{"id": "r1"}}
	op, result, err := t.Backend.Op(chat.ToolCall{ID: "c1", Name: t.Name, Args: args}, scope)
	if op != nil {
		return nil, errors.New("something was to be carried out")
	}
	return result, err
}

const price = `
tools:
  price:
    description: Computes a price.
    parameters: {type: object, required: [count], properties: {count: {type: integer}, unit: {type: number}}}
    expr: '{total: args.count * (args.unit ?? 2.5), call: call.id, run: run.id}'
`

func TestResultIsComputedFromTheArguments(t *testing.T) {
	t.Parallel()
	tool, list := tool(t, price)
	if list.Len() > 0 {
		t.Fatal(list.Sorted())
	}
	got, err := run(tool, map[string]any{"count": 3})
	if diff := cmp.Diff(map[string]any{"total": 7.5, "call": "c1", "run": "r1"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if tool.Effect != engine.EffectNone {
		t.Errorf("effect %s", tool.Effect)
	}
}

func TestResultIsTyped(t *testing.T) {
	t.Parallel()
	list := &diag.List{}
	root, _ := spec.Decode([]byte(`args.count > 2`), "spec.yaml")
	p := build.New(root, build.Types{}, list)
	args := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"count": {Kind: shape.Int}}}
	got := expr.Type().Build(p.NewScope(p.Names(map[string]*shape.Type{"args": args}), list), &engine.Tool{}, root)
	if list.Len() > 0 || got.Result.Kind != shape.Bool {
		t.Errorf("%v %v", got.Result, list.Sorted())
	}
}

func TestAMisspeltArgumentIsFound(t *testing.T) {
	t.Parallel()
	_, list := tool(t, "tools:\n  price:\n    parameters: {type: object, additionalProperties: false, properties: {count: {type: integer}}}\n    expr: args.cuont + 1\n")
	got := list.Sorted()
	if len(got) != 1 || got[0].Code != "expr/unknown-field" || got[0].Pos.String() != "spec.yaml:4:16" {
		t.Errorf("%v", got)
	}
}

func TestAFailureIsPermanent(t *testing.T) {
	t.Parallel()
	tool, list := tool(t, "tools:\n  price:\n    parameters: {type: object, properties: {n: {type: integer}}}\n    expr: 1 % args.n\n")
	if list.Len() > 0 {
		t.Fatal(list.Sorted())
	}
	_, err := run(tool, map[string]any{"n": 0})
	f, ok := errors.AsType[*engine.Failure](err)
	if !ok || f.Class != engine.Permanent {
		t.Errorf("%v", err)
	}
}
