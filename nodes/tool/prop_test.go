package tool_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
)

// want is what must become of a call: worked out from the call and the answer alone.
type want struct {
	call   map[string]any
	answer engine.Answer // how the human answers, should anyone be asked
	asked  bool
	runs   bool
	stops  bool
}

func drawCall(t *rapid.T, i int) want {
	id := rapid.SampledFrom([]string{fmt.Sprintf("c%d", i), "same", ""}).Draw(t, "id")
	answer := rapid.SampledFrom([]engine.Answer{
		{Response: engine.Accept},
		{Response: engine.Ignore},
		{Response: engine.Respond, Text: "no"},
		{Response: engine.Edit, Args: map[string]any{"to": []any{}, "body": "edited"}},
	}).Draw(t, "answer")
	switch rapid.SampledFrom([]string{"send", "check", "question", "unknown", "garbled", "misfit"}).Draw(t, "call") {
	case "send":
		runs := answer.Response == engine.Accept || answer.Response == engine.Edit
		return want{call: sendCall(id, "x"), answer: answer, asked: true, runs: runs, stops: answer.Response == engine.Ignore}
	case "check":
		return want{call: call(id, "check", map[string]any{"day": "d"}), runs: true}
	case "question":
		if answer.Response != engine.Ignore {
			answer = engine.Answer{Response: engine.Respond, Text: "yes"}
		}
		return want{call: call(id, "question", map[string]any{"content": "?"}), answer: answer, asked: true}
	case "garbled":
		return want{call: map[string]any{"id": id, "name": "check", "args": `{"day`}}
	case "misfit":
		return want{call: call(id, "check", map[string]any{"day": 7})}
	default:
		return want{call: call(id, "nothing", nil)}
	}
}

// Whatever calls a model makes and however a human answers: each call has exactly one
// tool message, in the order of the calls; no call runs twice, none after a stop.
func TestAnyCalls(t *testing.T) {
	w := newWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		w.backend.Calls = nil
		w.model.Answers, w.model.Asked = nil, nil
		var calls []map[string]any
		var all []want
		for i := range rapid.IntRange(0, 6).Draw(rt, "calls") {
			c := drawCall(rt, i)
			all, calls = append(all, c), append(calls, c.call)
		}
		var human []engine.Answer
		var runs, messages []string
		stopped := false
		for _, c := range all {
			messages = append(messages, c.call["id"].(string)+" "+c.call["name"].(string))
			if stopped {
				continue
			}
			if c.asked {
				human = append(human, c.answer)
			}
			if c.runs {
				runs = append(runs, c.call["name"].(string))
			}
			stopped = stopped || c.stops
		}
		asked := 0
		r := w.run(t, "act", asking(calls...), func(*engine.Ask) engine.Answer {
			if asked++; asked > len(human) {
				rt.Fatalf("asked %d times, %d answers are expected", asked, len(human))
			}
			return human[asked-1]
		})
		got, err := r.Do(t)
		if err != nil {
			rt.Fatal(err)
		}
		out := got.(map[string]any)
		var gotMessages, gotRuns []string
		for i, m := range out["messages"].([]any) {
			m := m.(map[string]any)
			gotMessages = append(gotMessages, fmt.Sprintf("%s %s", stringOf(m["tool_call_id"]), m["name"]))
			if m["content"] == "" {
				rt.Fatalf("message %d is empty", i)
			}
		}
		for _, c := range w.backend.Calls {
			gotRuns = append(gotRuns, c.Tool)
		}
		if fmt.Sprint(gotMessages) != fmt.Sprint(messages) {
			rt.Fatalf("messages %v, want %v", gotMessages, messages)
		}
		if fmt.Sprint(gotRuns) != fmt.Sprint(runs) || asked != len(human) || out["stopped"] != stopped {
			rt.Fatalf("ran %v, want %v; asked %d, want %d; stopped %v", gotRuns, runs, asked, len(human), out["stopped"])
		}
	})
}

func stringOf(v any) string {
	s, _ := v.(string)
	return s
}
