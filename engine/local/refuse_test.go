package local_test

import (
	"context"
	"testing"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/inmem"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/source"
)

// spender is a plan whose call uses ten tokens, and is refused once thirty are used.
type spender struct{}

func (spender) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		return &engine.Perform{Handler: spender{}, Label: "spend", Refuse: func() *engine.Failure {
			if in.Used("m").Tokens() < 30 {
				return nil
			}
			return &engine.Failure{Class: engine.Limit, Message: "spent"}
		}}, nil
	})
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	if out.Err != nil {
		return engine.Move{}, out.Err
	}
	return engine.Finish(nil), nil
}

func (spender) Handle(context.Context, engine.Call) (engine.Result, error) {
	return engine.Result{Usage: &chat.Usage{Model: "m", Requests: 1, InputTokens: 10}}, nil
}

// TestCallsThatWaitForRoomAreRefusedByWhatWasUsedMeanwhile: all of them were planned
// when nothing was used yet.
func TestCallsThatWaitForRoomAreRefusedByWhatWasUsedMeanwhile(t *testing.T) {
	var list diag.List
	items := expr.CompileExpr(&source.Value{Kind: source.String, Text: "1..20"}, env, &list)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	p := chain(t, spender{})
	p.Graphs[0].Nodes[0].ForEach = &engine.ForEach{In: items, As: "item", Index: "index"}
	r := runner(inmem.New())
	r.Parallel = 2
	res, err := r.Run(t.Context(), p, local.Start{Thread: "th", Graph: "g"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != engine.Limited || res.Failure.Message != "spent" {
		t.Errorf("status %s, failure %v", res.Status, res.Failure)
	}
	if n := res.Used["m"].Requests; n < 3 || n > 4 {
		t.Errorf("%d calls were made with room for 3", n)
	}
}
