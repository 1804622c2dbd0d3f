package expr_test

import (
	"testing"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/source"
)

func str(text string) *source.Value {
	return &source.Value{Kind: source.String, Text: text, Pos: diag.Pos{File: "spec.yaml", Line: 1, Col: 1}}
}

// Every documented example is true.
func TestFunctionExamples(t *testing.T) {
	t.Parallel()
	for _, f := range expr.Functions() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			var list diag.List
			x := expr.CompileCondition(str(f.Example), expr.NewEnv(nil), &list)
			if err := list.Err(); err != nil {
				t.Fatal(err)
			}
			if ok, err := x.Bool(nil); !ok || err != nil {
				t.Errorf("%s: %v, %v", f.Example, ok, err)
			}
			if f.Doc == "" || f.Signature == "" {
				t.Errorf("no description")
			}
		})
	}
}
