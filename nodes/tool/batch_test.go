package tool_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

// act runs the batch of calls and returns its output.
func act(t *testing.T, w *world, human func(*engine.Ask) engine.Answer, calls ...map[string]any) (map[string]any, *nodetest.Run) {
	t.Helper()
	r := w.run(t, "act", asking(calls...), human)
	out, err := r.Do(t)
	if err != nil {
		t.Fatal(err)
	}
	return out.(map[string]any), r
}

// said returns id and content of the tool messages.
func said(out map[string]any) []string {
	var lines []string
	for _, m := range out["messages"].([]any) {
		m := m.(map[string]any)
		lines = append(lines, m["tool_call_id"].(string)+" "+m["content"].(string))
	}
	return lines
}

// statuses returns id, name and status of the calls.
func statuses(out map[string]any) []string {
	var lines []string
	for _, c := range out["calls"].([]any) {
		c := c.(map[string]any)
		lines = append(lines, c["id"].(string)+" "+c["name"].(string)+" "+c["status"].(string))
	}
	return lines
}

func made(b *nodetest.Backend) []string {
	var lines []string
	for _, c := range b.Calls {
		body, _ := c.Args["body"].(string)
		lines = append(lines, strings.TrimSpace(c.Tool+" "+body))
	}
	return lines
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

func TestCheckThenSend(t *testing.T) {
	w := newWorld(t)
	out, r := act(t, w, answers(t, accept), call("c1", "check", map[string]any{"day": "monday"}), sendCall("c2", "Hello"))
	same(t, "carried out", made(w.backend), []string{"check", "send Hello"})
	same(t, "messages", said(out), []string{"c1 done: check", "c2 done: send"})
	same(t, "operations", r.Labels(), []string{"perform check", "ask send for alex", "perform send"})
	want := map[string]any{
		"id": "c2", "name": "send", "status": "ok", "response": "accept", "edited": false, "result": "done: send",
		"args": map[string]any{"to": []any{"bo@example.com"}, "body": "Hello", "urgent": false},
	}
	same(t, "call", out["calls"].([]any)[1], any(want))
	same(t, "message", out["messages"].([]any)[1], any(map[string]any{"role": "tool", "tool_call_id": "c2", "name": "send", "content": "done: send"}))
	same(t, "rest", []any{out["stopped"], out["learned"]}, []any{false, []any{}})
}

func TestInterruptRequest(t *testing.T) {
	w := newWorld(t)
	var got *engine.Ask
	_, r := act(t, w, func(ask *engine.Ask) engine.Answer { got = ask; return accept }, sendCall("c1", "Hello"))
	want := engine.InterruptRequest{
		Kind: "tool", Policy: "review", Title: "send for alex", Action: "send",
		Description: `Args: {"body":"Hello","to":["bo@example.com"],"urgent":false}`,
		Allow:       []engine.Response{engine.Accept, engine.Edit, engine.Respond, engine.Ignore},
		Args:        map[string]any{"to": []any{"bo@example.com"}, "body": "Hello", "urgent": false}, Default: engine.Ignore,
	}
	same(t, "request", got.Request, want)
	if got.After != 72*time.Hour || got.Params == nil {
		t.Errorf("after %s, params %v", got.After, got.Params)
	}
	send := r.Ops[1].(*engine.Perform)
	if send.Effect != engine.EffectOnce || send.Timeout != time.Minute || send.Label != "send" {
		t.Errorf("the call is %+v", send)
	}
	same(t, "intent", send.Args, any(want.Args))
}

func TestSendTwice(t *testing.T) {
	w := newWorld(t)
	out, r := act(t, w, answers(t, accept, accept), sendCall("c1", "one"), sendCall("c2", "two"))
	same(t, "carried out", made(w.backend), []string{"send one", "send two"})
	same(t, "calls", statuses(out), []string{"c1 send ok", "c2 send ok"})
	same(t, "operations", r.Labels(), []string{"ask send for alex", "perform send", "ask send for alex", "perform send"})
	if w.backend.Calls[0].Key == w.backend.Calls[1].Key {
		t.Error("two calls have one idempotency key")
	}
}

func TestEditEdit(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "Write briefly. One."}`, `{"reasoning": "r", "content": "Write briefly. One. Two."}`)
	out, _ := act(t, w, answers(t,
		edit(map[string]any{"to": `["al@example.com"]`, "body": "shorter", "urgent": "true"}),
		edit(map[string]any{"title": "Tax", "minutes": "30"}),
	), sendCall("c1", "long"), call("c2", "schedule", map[string]any{"title": "Tax call", "minutes": 45}))
	same(t, "carried out", w.backend.Calls[0].Args, map[string]any{"to": []any{"al@example.com"}, "body": "shorter", "urgent": true})
	same(t, "carried out", w.backend.Calls[1].Args, map[string]any{"title": "Tax", "minutes": 30})
	same(t, "messages", said(out), []string{
		"c1 The user changed the arguments; send was called with: {\"body\":\"shorter\",\"to\":[\"al@example.com\"],\"urgent\":true}\n\ndone: send",
		"c2 The user changed the arguments; schedule was called with: {\"minutes\":30,\"title\":\"Tax\"}\n\ndone: schedule",
	})
	first := out["calls"].([]any)[0].(map[string]any)
	same(t, "edited", []any{first["edited"], first["response"], first["args"]},
		[]any{true, "edit", map[string]any{"to": []any{"al@example.com"}, "body": "shorter", "urgent": true}})
	same(t, "learned", out["learned"], any([]any{
		map[string]any{"memory": "style", "status": "applied", "version": 1}, map[string]any{"memory": "style", "status": "applied", "version": 2},
	}))
	note := w.model.Asked[0].Messages[1].Content
	if !strings.Contains(note, `changed {"body":"long","to":["bo@example.com"],"urgent":false} to {"body":"shorter","to":["al@example.com"],"urgent":true}`) {
		t.Errorf("the note is %s", note)
	}
	if !strings.Contains(w.model.Asked[1].Messages[1].Content, "Write briefly. One.") {
		t.Error("the second lesson does not start from the first")
	}
}

func TestEditBeforeAnother(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "Write briefly. Be kind."}`)
	out, _ := act(t, w, answers(t, edit(map[string]any{"to": []any{"al"}, "body": "x"})), sendCall("c1", "y"), call("c2", "check", map[string]any{"day": "friday"}))
	same(t, "calls", statuses(out), []string{"c1 send ok", "c2 check ok"})
	same(t, "carried out", made(w.backend), []string{"send x", "check"})
}

func TestIgnoreStops(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "Answer everyone but bo."}`)
	out, r := act(t, w, answers(t, ignore), sendCall("c1", "one"), call("c2", "schedule", map[string]any{"title": "x"}), call("c3", "check", map[string]any{"day": "d"}), call("c4", "nothing", nil))
	same(t, "carried out", made(w.backend), []string(nil))
	same(t, "messages", said(out), []string{
		"c1 The user ignored send.", "c2 Not run: the user stopped after send.", "c3 Not run: the user stopped after send.", "c4 Not run: the user stopped after send.",
	})
	same(t, "calls", statuses(out), []string{"c1 send refused", "c2 schedule not_run", "c3 check not_run", "c4 nothing not_run"})
	same(t, "stopped", out["stopped"], any(true))
	same(t, "operations", r.Labels(), []string{"ask send for alex", "perform read triage", "perform default", "perform write triage"})
	if got := w.model.Asked[0].Messages[0].Content; got != "Rewrite triage: Answer everyone." {
		t.Errorf("the instructions are %q", got)
	}
}

func TestStopAfterEarlierCalls(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "Answer everyone."}`)
	out, _ := act(t, w, answers(t, accept, ignore), sendCall("c1", "one"), sendCall("c2", "two"), sendCall("c3", "three"))
	same(t, "carried out", made(w.backend), []string{"send one"})
	same(t, "calls", statuses(out), []string{"c1 send ok", "c2 send refused", "c3 send not_run"})
	same(t, "learned", out["learned"], any([]any{map[string]any{"memory": "triage", "status": "unchanged"}}))
}

func TestDoneBesideOthers(t *testing.T) {
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		w := newWorld(t)
		both := []map[string]any{sendCall("c1", "Hello"), call("c2", "done", map[string]any{"summary": "it"})}
		out, _ := act(t, w, answers(t, accept), both[order[0]], both[order[1]])
		same(t, "carried out", made(w.backend), []string{"send Hello"})
		messages := map[string]bool{}
		for _, m := range said(out) {
			messages[m] = true
		}
		same(t, "messages", messages, map[string]bool{"c1 done: send": true, "c2 finished it": true})
	}
}

func TestRespond(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "Write briefly and warmly."}`)
	out, _ := act(t, w, answers(t, respond("warmer")), sendCall("c1", "Hello"))
	same(t, "carried out", made(w.backend), []string(nil))
	same(t, "messages", said(out), []string{"c1 Feedback: warmer"})
	same(t, "calls", statuses(out), []string{"c1 send refused"})
	material := w.model.Asked[0].Messages[1].Content
	for _, want := range []string{
		"<<< TEXT style\nWrite briefly.\n>>>", "said warmer", "user:\n  Answer this mail.", "assistant calls send:", "result of send:\n  Feedback: warmer",
	} {
		if !strings.Contains(material, want) {
			t.Errorf("%q is missing in what the memory's model is told:\n%s", want, material)
		}
	}
	for _, m := range w.model.Asked[0].Messages {
		if len(m.ToolCalls) > 0 || m.Role == "tool" {
			t.Error("the memory's model gets a raw conversation")
		}
	}
	past, err := w.memories.History(t.Context(), place(w, "style"))
	if err != nil || len(past) != 1 {
		t.Fatalf("%v, %v", past, err)
	}
	if past[0].By != "bo" || past[0].Why != "said warmer\n\nr" || past[0].Run != "run" || past[0].Key != "thread/run/1/0" {
		t.Errorf("the change is %+v", past[0].MemoryChanged)
	}
}

func place(_ *world, name string) memory.Place {
	return memory.Place{Memory: &engine.Memory{Name: name, Scope: "user"}, User: "alex", Thread: "thread"}
}

func TestQuestion(t *testing.T) {
	w := newWorld(t)
	out, r := act(t, w, answers(t, respond("at noon")), call("c1", "question", map[string]any{"content": "When?"}))
	same(t, "messages", said(out), []string{"c1 The user answered: at noon"})
	same(t, "calls", statuses(out), []string{"c1 question ok"})
	same(t, "result", out["calls"].([]any)[0].(map[string]any)["result"], any("at noon"))
	same(t, "operations", r.Labels(), []string{"ask question"})

	out, _ = act(t, w, answers(t, ignore), call("c1", "question", map[string]any{"content": "When?"}))
	same(t, "ignored", statuses(out), []string{"c1 question refused"})
	same(t, "ignored", said(out), []string{"c1 The user ignored this. It was not done."})
}

func TestWrongCalls(t *testing.T) {
	for _, tc := range []struct {
		name string
		call map[string]any
		want []string
	}{
		{"unknown tool", call("c1", "sendd", nil), []string{`there is no tool "sendd"`, `Did you mean "send"?`, "The tools are: send, schedule, check, question, done, bare."}},
		{"a tool that no model is told of", call("c1", "purge", nil), []string{`there is no tool "purge"`}},
		{"no JSON", map[string]any{"id": "c1", "name": "send", "args": map[string]any{}, "invalid": `{"to": [`}, []string{`send was not called: its arguments are not a JSON object: {"to": [`}},
		{"missing argument", call("c1", "send", map[string]any{"to": []any{"x"}}), []string{"send was not called, because its arguments do not fit:", "body"}},
		{"wrong type", call("c1", "check", map[string]any{"day": []any{1}}), []string{"/day: "}},
		{"no arguments at all", call("c1", "check", nil), []string{"day"}},
		{"a long name", call("c1", strings.Repeat("x", 9999), nil), []string{"bytes shown"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			out, r := act(t, w, answers(t), tc.call, call("c2", "check", map[string]any{"day": "d"}))
			same(t, "status", out["calls"].([]any)[0].(map[string]any)["status"], any("invalid"))
			same(t, "operations", r.Labels(), []string{"perform check"})
			for _, want := range tc.want {
				if got := said(out)[0]; !strings.Contains(got, want) || len(got) > 2000 {
					t.Errorf("%q is missing in %q", want, got)
				}
			}
		})
	}
}

func TestCoercedArguments(t *testing.T) {
	w := newWorld(t)
	act(t, w, answers(t, accept), call("c1", "send", map[string]any{"to": `["a","b"]`, "body": "x", "urgent": "true"}))
	same(t, "arguments", w.backend.Calls[0].Args, map[string]any{"to": []any{"a", "b"}, "body": "x", "urgent": true})
}

func TestArgumentsOfAToolWithoutParameters(t *testing.T) {
	w := newWorld(t)
	act(t, w, answers(t), call("c1", "bare", map[string]any{"surprise": true}))
	same(t, "arguments", w.backend.Calls[0].Args, map[string]any{})
}

func TestFailedCalls(t *testing.T) {
	for _, tc := range []struct {
		class engine.Class
		want  string
	}{
		{engine.Permanent, "c1 check failed: no calendar"},
		{engine.Transient, "c1 check failed: no calendar\nThis may pass; it did not within the tries it was given."},
		{engine.Timeout, "c1 check failed: no calendar\nThis may pass; it did not within the tries it was given."},
		{engine.Uncertain, "c1 check failed: no calendar\nIt is not known whether it took effect. Do not call it again for this."},
	} {
		w := newWorld(t)
		w.backend.Answer = func(string, map[string]any) (any, error) {
			return nil, &engine.Failure{Class: tc.class, Message: "no calendar"}
		}
		out, _ := act(t, w, answers(t), call("c1", "check", map[string]any{"day": "d"}), call("c2", "done", nil))
		same(t, string(tc.class), said(out), []string{tc.want, "c2 finished "})
		same(t, "calls", statuses(out), []string{"c1 check failed", "c2 done ok"})
	}
}

func TestLimitEndsTheNode(t *testing.T) {
	w := newWorld(t)
	w.backend.Answer = func(string, map[string]any) (any, error) {
		return nil, &engine.Failure{Class: engine.Limit, Message: "enough"}
	}
	_, err := w.run(t, "act", asking(call("c1", "check", map[string]any{"day": "d"})), nil).Do(t)
	var f *engine.Failure
	if !errors.As(err, &f) || f.Class != engine.Limit {
		t.Fatalf("got %v", err)
	}
}

func TestResults(t *testing.T) {
	for _, tc := range []struct {
		result any
		want   string
	}{
		{"text", "c1 text"},
		{map[string]any{"free": []any{"9:00"}, "ok": true}, `c1 {"free":["9:00"],"ok":true}`},
		{[]any{}, "c1 []"},
		{"", "c1 "},
		{nil, "c1 Done."},
		{0, "c1 0"},
	} {
		w := newWorld(t)
		w.backend.Answer = func(string, map[string]any) (any, error) { return tc.result, nil }
		out, _ := act(t, w, answers(t), call("c1", "check", map[string]any{"day": "d"}))
		same(t, "message", said(out), []string{tc.want})
	}
}

func TestLargeResult(t *testing.T) {
	w := newWorld(t)
	w.backend.Answer = func(string, map[string]any) (any, error) { return strings.Repeat("é", 100_000), nil }
	out, _ := act(t, w, answers(t), call("c1", "check", map[string]any{"day": "d"}))
	message := said(out)[0]
	if len(message) > 66_000 || !strings.HasSuffix(message, "[cut: 65536 of 200000 bytes shown]") {
		t.Errorf("%d bytes: …%s", len(message), message[len(message)-60:])
	}
	if got := out["calls"].([]any)[0].(map[string]any)["result"].(string); len(got) != 200_000 {
		t.Errorf("the result itself has %d bytes", len(got))
	}
}

// A memory whose model fails costs nothing but the lesson: nothing is done again.
func TestLearningFails(t *testing.T) {
	w := newWorld(t, "no json", "still none")
	out, _ := act(t, w, answers(t, edit(map[string]any{"to": []any{"al"}, "body": "x"})), sendCall("c1", "y"), call("c2", "check", map[string]any{"day": "d"}))
	same(t, "carried out", made(w.backend), []string{"send x", "check"})
	same(t, "calls", statuses(out), []string{"c1 send ok", "c2 check ok"})
	learned := out["learned"].([]any)[0].(map[string]any)
	if learned["status"] != "failed" || !strings.Contains(learned["error"].(string), "there is no JSON") {
		t.Errorf("learned %v", learned)
	}
}

func TestLearningIsGuarded(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "x"}`)
	out, _ := act(t, w, answers(t, respond("shorter")), sendCall("c1", "y"))
	same(t, "learned", out["learned"], any([]any{map[string]any{
		"memory": "style", "status": "proposed", "version": 1, "reason": "the text would shrink from 14 to 1 characters; guard.max_shrink is 0.5",
	}}))
}

func TestLearningAnEmptyText(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "  "}`, `{"reasoning": "r", "content": "Write briefly, please."}`)
	out, _ := act(t, w, answers(t, respond("shorter")), sendCall("c1", "y"))
	same(t, "learned", out["learned"], any([]any{map[string]any{"memory": "style", "status": "applied", "version": 1}}))
	if len(w.model.Asked) != 2 {
		t.Errorf("asked %d times", len(w.model.Asked))
	}
}

// Someone else changes the memory while the model is asked: the lesson is learned anew
// from the new text, and the other change is not lost.
func TestLearningAfterAnother(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "Write briefly. Late."}`, `{"reasoning": "r", "content": "Write briefly. Other. Mine."}`)
	r := w.run(t, "act", asking(sendCall("c1", "y")), answers(t, respond("x")))
	other := false
	r.Before = func(op engine.Op) *engine.Outcome {
		if p, ok := op.(*engine.Perform); ok && p.Label == "default" && !other {
			other = true
			if _, _, err := w.memories.Write(t.Context(), place(w, "style"), memory.Change{Key: "other", Text: "Write briefly. Other."}); err != nil {
				t.Error(err)
			}
		}
		return nil
	}
	out, err := r.Do(t)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "learned", out.(map[string]any)["learned"], any([]any{map[string]any{"memory": "style", "status": "applied", "version": 2}}))
	if !strings.Contains(w.model.Asked[1].Messages[1].Content, "Write briefly. Other.") {
		t.Error("the second round does not start from the other's text")
	}
}

func TestLearningGivesUp(t *testing.T) {
	text := `{"reasoning": "r", "content": "Write briefly. Mine."}`
	w := newWorld(t, text, text, text, text)
	r := w.run(t, "act", asking(sendCall("c1", "y")), answers(t, respond("x")))
	r.Before = func(op engine.Op) *engine.Outcome {
		if p, ok := op.(*engine.Perform); ok && p.Label == "write style" {
			return &engine.Outcome{Value: map[string]any{"status": "conflict"}}
		}
		return nil
	}
	out, err := r.Do(t)
	if err != nil {
		t.Fatal(err)
	}
	learned := out.(map[string]any)["learned"].([]any)[0].(map[string]any)
	if learned["status"] != "failed" || len(w.model.Asked) != 3 {
		t.Errorf("asked %d times: %v", len(w.model.Asked), learned)
	}
}

func TestBudgetOfLearning(t *testing.T) {
	w := newWorld(t)
	w.root = load(t, strings.Replace(assistant, "provider: ollama, model: m", "provider: ollama, model: m, budget: {tokens_per_run: 10}", 1))
	w.model.Answers = []nodetest.Answer{{Text: `{"reasoning": "r", "content": "Write briefly. One."}`}}
	w.model.Answers[0].Usage.InputTokens, w.model.Answers[0].Usage.Requests = 50, 1
	out, _ := act(t, w, answers(t, respond("one"), respond("two")), sendCall("c1", "y"), sendCall("c2", "z"))
	same(t, "messages", said(out), []string{"c1 Feedback: one", "c2 Feedback: two"})
	learned := out["learned"].([]any)
	if first, second := learned[0].(map[string]any)["status"], learned[1].(map[string]any)["status"]; first != "applied" || second != "failed" {
		t.Errorf("learned %v", learned)
	}
}

func TestDeadline(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "Answer everyone."}`)
	out, _ := act(t, w, answers(t, engine.Answer{Response: engine.Ignore, By: "deadline"}), sendCall("c1", "y"))
	same(t, "calls", statuses(out), []string{"c1 send refused"})
	same(t, "stopped", out["stopped"], any(true))
}

func TestNoCalls(t *testing.T) {
	w := newWorld(t)
	for _, scope := range []map[string]any{{"messages": []any{}}, asking(), {"messages": []any{map[string]any{"role": "user", "content": "x"}}}} {
		out, err := w.run(t, "act", scope, nil).Do(t)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "output", out, any(map[string]any{"messages": []any{}, "calls": []any{}, "learned": []any{}, "stopped": false}))
	}
}

func TestTooManyCalls(t *testing.T) {
	w := newWorld(t)
	var calls []map[string]any
	for range 130 {
		calls = append(calls, call("c", "done", nil))
	}
	out, _ := act(t, w, answers(t), calls...)
	lines := statuses(out)
	if len(lines) != 130 || lines[127] != "c done ok" || lines[128] != "c done not_run" {
		t.Errorf("%d calls, %s, %s", len(lines), lines[127], lines[128])
	}
}
