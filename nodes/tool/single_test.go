package tool_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

func TestSingle(t *testing.T) {
	for _, tc := range []struct {
		name, node string
		scope      map[string]any
		human      []engine.Answer
		want       any
		ops        []string
	}{
		{"no policy", "check_one", nil, nil, "done: check", []string{"perform check"}},
		{"accept", "send_one", map[string]any{"days": []any{"bo"}}, []engine.Answer{accept}, "done: send", []string{"ask send for alex", "perform send"}},
		{"question", "ask_one", nil, []engine.Answer{respond("at noon")}, "at noon", []string{"ask question"}},
		{"constant", "done_one", nil, nil, "finished all", nil},
		{"one expression", "dynamic", map[string]any{"one": map[string]any{"to": "[]", "body": "x"}}, []engine.Answer{accept}, "done: send", []string{"ask send for alex", "perform send"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newWorld(t).run(t, tc.node, tc.scope, answers(t, tc.human...))
			got, err := r.Do(t)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "output", got, tc.want)
			same(t, "operations", r.Labels(), tc.ops)
		})
	}
}

func TestSingleFails(t *testing.T) {
	days := map[string]any{"days": []any{"bo"}}
	for _, tc := range []struct {
		name, node string
		scope      map[string]any
		human      []engine.Answer
		fail       *engine.Failure
		class      engine.Class
		want       string
	}{
		{"ignored", "send_one", days, []engine.Answer{ignore}, nil, engine.Permanent, `a human did not let "send" run (ignore): The user ignored send.`},
		{"answered instead", "send_one", days, []engine.Answer{respond("not now")}, nil, engine.Permanent, `a human did not let "send" run (respond): Feedback: not now`},
		{"question ignored", "ask_one", nil, []engine.Answer{ignore}, nil, engine.Permanent, `a human did not let "question" run (ignore)`},
		{"does not fit", "send_one", map[string]any{"days": nil}, nil, nil, engine.Permanent, `the arguments of "send" do not fit:`},
		{"no object", "dynamic", map[string]any{"one": nil}, nil, nil, engine.Permanent, "args must be an object"},
		{"fails", "check_one", nil, nil, &engine.Failure{Class: engine.Timeout, Message: "slow"}, engine.Timeout, "slow"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, `{"reasoning": "r", "content": "Write briefly."}`)
			w.backend.Answer = func(string, map[string]any) (any, error) { return nil, tc.fail }
			_, err := w.run(t, tc.node, tc.scope, answers(t, tc.human...)).Do(t)
			var f *engine.Failure
			if err != nil && !errors.As(err, &f) {
				f = &engine.Failure{Class: engine.Permanent, Message: err.Error()}
			}
			if f == nil || f.Class != tc.class || !strings.Contains(f.Message, tc.want) {
				t.Fatalf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// What a human refuses is learned from although the node then fails.
func TestSingleLearns(t *testing.T) {
	w := newWorld(t, `{"reasoning": "r", "content": "Answer nobody at all."}`)
	r := w.run(t, "send_one", map[string]any{"days": []any{"bo"}}, answers(t, ignore))
	if _, err := r.Do(t); err == nil {
		t.Fatal("no error")
	}
	v, err := w.memories.ReadMemory(t.Context(), &engine.Memory{Name: "triage"}, "alex", "thread")
	if err != nil || v.Text != "Answer nobody at all." {
		t.Fatalf("%+v, %v", v, err)
	}
}

func TestBuilt(t *testing.T) {
	w := newWorld(t)
	for _, tc := range []struct {
		node       string
		asks, once bool
		kind       shape.Kind
	}{
		{"act", true, true, shape.Object},
		{"send_one", true, true, shape.Any},
		{"check_one", false, false, shape.Any},
		{"ask_one", true, false, shape.String},
		{"done_one", false, false, shape.String},
	} {
		n := nodetest.Plan(t, w.types, w.root, "main", tc.node)
		kind := shape.Any
		if n.Output != nil {
			kind = n.Output.Kind
		}
		if n.Asks != tc.asks || n.Once != tc.once || kind != tc.kind {
			t.Errorf("%s: asks %v, once %v, output %v", tc.node, n.Asks, n.Once, kind)
		}
	}
}

func TestFindings(t *testing.T) {
	for _, tc := range []struct {
		node string
		want string
	}{
		{`{tool: {calls: "{{ account }}"}}`, "tool-node/calls: calls are a list of tool calls, and this is a text"},
		{`{tool: {calls: "{{ messages }}"}}`, "tool-node/calls: calls are a list of tool calls"},
		{`{tool: {name: sned, args: {}}}`, `tool/unknown: there is no tool "sned"`},
		{`{tool: {name: send, args: {to: "{{ days }}"}}}`, `tool-node/args: tool "send" needs the argument "body"`},
		{`{tool: {name: send}}`, `tool-node/args: tool "send" needs the argument "body"`},
		{`{tool: {name: send, args: {to: "{{ days }}", body: "{{ account }}", bdy: x}}}`, `tool-node/args: tool "send" has no parameter "bdy"`},
		{`{tool: {name: send, args: {to: "{{ days }}", body: "{{ days }}"}}}`, `tool-node/args: argument "body" of tool "send" is a text, and this is a list`},
		{`{tool: {name: schedule, args: {title: x, minutes: soon}}}`, `tool-node/args: the arguments do not fit tool "schedule": /minutes`},
		{`{tool: {name: schedule, args: {title: x, minutes: 5, titel: y}}}`, `tool-node/args: tool "schedule" has no parameter "titel"`},
		{`{tool: {name: check, args: "{{ days }}"}}`, "tool-node/args: arguments are an object, and this is a list"},
		{`{tool: {name: bare, args: {x: 1}}}`, `tool-node/args: tool "bare" has no parameter "x"`},
	} {
		root := load(t, assistant+"      bad: "+tc.node+"\n")
		_, findings := nodetest.Node(t, newWorld(t).types, root, "main", "bad")
		if len(findings) == 0 {
			t.Errorf("%s: no finding", tc.node)
			continue
		}
		f := findings[0]
		if got := string(f.Code) + ": " + f.Message; !strings.HasPrefix(got, tc.want) || f.Hint == "" || f.Pos.Line < 70 {
			t.Errorf("%s:\n got %s (%s, %s)\nwant %s", tc.node, got, f.Hint, f.Pos, tc.want)
		}
	}
}
