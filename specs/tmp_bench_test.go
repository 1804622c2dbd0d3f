package specs_test

import (
	"testing"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/local"
)

func BenchmarkParts(b *testing.B) {
	w := newWorld()
	p := w.program(b, readCases(b).Fixtures.load(b, object{}))
	stack := quietTurn()["stack"]
	for _, c := range []struct {
		g  string
		in object
	}{
		{"record", object{"text": "x"}},
		{"lifecycle", object{"stack": stack}},
		{"route", object{"intent": "converse", "flags": object{}}},
		{"fill", object{"template": "save_pref", "flow": stack.([]any)[0]}},
		{"stream", object{"tokens": 12, "text": true, "skip": true}},
		{"merge", object{"outputs": []any{"Saved: x = y."}, "intents": []any{"converse"}}},
		{"finish", object{"text": true, "tokens": 12, "intent": "converse", "content": "x"}},
		{"self_check", object{"predicted_intent": "converse", "completed_intent": "converse", "tokens": 12}},
		{"respond", quietTurn()},
	} {
		b.Run(c.g, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				res, err := w.runner.Run(b.Context(), p, local.Start{Graph: c.g, Input: c.in})
				if err != nil || res.Status != engine.Done {
					b.Fatal(res.Failure, err)
				}
			}
		})
	}
}
