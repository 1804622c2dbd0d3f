package emit_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

const words = `
name: words
graphs:
  main:
    state: {n: {type: integer}}
    start: show
    nodes:
      show: {emit: {name: count, value: {n: "{{ n }}", twice: ["{{ n * 2 }}"]}}}
      bad: {emit: {name: count, value: "{{ m }}"}}
`

func TestEmit(t *testing.T) {
	t.Parallel()
	s, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(words)}}, ".", spec.Options{})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	n := nodetest.Plan(t, nodes.Types(nodes.Deps{}), s.Root, "main", "show")
	run := &nodetest.Run{Plan: n.Plan, Scope: map[string]any{"n": 2}}
	got, err := run.Do(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"n": 2, "twice": []any{4}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if op, ok := run.Ops[0].(*engine.Perform); !ok || len(run.Ops) != 1 || op.Label != "count" || op.Effect != engine.EffectNone {
		t.Errorf("it asked for %+v", run.Ops)
	}
	if _, err := (&nodetest.Run{Plan: n.Plan, Scope: map[string]any{"n": "two"}}).Do(t); err == nil {
		t.Error("what cannot be computed is shown")
	}
	_, found := nodetest.Node(t, nodes.Types(nodes.Deps{}), s.Root, "main", "bad")
	if len(found) != 1 || found[0].Code != "expr/unknown-name" {
		t.Errorf("found %v", found)
	}
}
