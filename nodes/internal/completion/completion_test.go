package completion_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/completion"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

// asker is a plan that only asks its question.
type asker struct{ completion.Question }

func (a *asker) Next(in *engine.Invocation) (engine.Move, error) {
	answer, wait, err := a.Ask(in)
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	if a.Shape != nil {
		return engine.Finish(answer.Value), nil
	}
	return engine.Finish(answer.Message.Content), nil
}

var model = &chat.Model{Name: "default", Provider: "openai", Model: "m"}

// says is a conversation of one message of the user.
func says(text string) func() ([]chat.Message, error) {
	return func() ([]chat.Message, error) { return []chat.Message{{Role: chat.User, Content: text}}, nil }
}

func ask(m *nodetest.Model, change func(*completion.Question)) *nodetest.Run {
	q := completion.Question{Models: m, Messages: says("Sort this mail."), Request: chat.Request{Model: model}}
	change(&q)
	return &nodetest.Run{Plan: &asker{q}}
}

func structured(s *shape.Shape) func(*completion.Question) {
	return func(q *completion.Question) { q.Shape, q.Repair = s, 1 }
}

func TestRepair(t *testing.T) {
	m := nodetest.Say("I say: {\"classification\": \"later\"}", `{"classification": "ignore"}`)
	got, err := ask(m, structured(triage(t))).Do(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"classification": "ignore"}, got); diff != "" {
		t.Fatal(diff)
	}
	second := m.Asked[1].Messages
	if len(second) != 3 || second[1].Role != chat.Assistant || second[1].Content != "I say: {\"classification\": \"later\"}" {
		t.Fatalf("the bad answer is not sent back: %+v", second)
	}
	if second[2].Role != chat.User || !strings.Contains(second[2].Content, "/classification") {
		t.Fatalf("what is wrong is not said: %q", second[2].Content)
	}
}

func TestRepairFails(t *testing.T) {
	m := nodetest.Say("no", strings.Repeat("never ", 1000), `{"classification": "ignore"}`)
	_, err := ask(m, structured(triage(t))).Do(t)
	var f *engine.Failure
	if !errors.As(err, &f) || f.Class != engine.Permanent {
		t.Fatalf("got %v", err)
	}
	if len(m.Asked) != 2 {
		t.Fatalf("asked %d times", len(m.Asked))
	}
	for _, want := range []string{`model "default"`, "1 repair request", "there is no JSON", "never never", "of 6000 bytes shown"} {
		if !strings.Contains(f.Message, want) {
			t.Errorf("%q is missing in: %s", want, f.Message)
		}
	}
	if len(f.Message) > 1000 {
		t.Errorf("the message has %d bytes", len(f.Message))
	}
}

func TestNoRepair(t *testing.T) {
	m := nodetest.Say("no", `{"classification": "ignore"}`)
	_, err := ask(m, func(q *completion.Question) { q.Shape = triage(t) }).Do(t)
	if err == nil || len(m.Asked) != 1 || strings.Contains(err.Error(), "repair") {
		t.Fatalf("asked %d times: %v", len(m.Asked), err)
	}
}

func TestCutOffAnswer(t *testing.T) {
	m := &nodetest.Model{Answers: []nodetest.Answer{{Text: `{"classification": "ign`, Finish: "length"}}}
	_, err := ask(m, func(q *completion.Question) { q.Shape = triage(t) }).Do(t)
	if err == nil || !strings.Contains(err.Error(), "raise max_tokens") {
		t.Fatalf("got %v", err)
	}
}

func TestContentFilter(t *testing.T) {
	m := &nodetest.Model{Answers: []nodetest.Answer{{Finish: "content_filter"}, {Text: "fine"}}}
	_, err := ask(m, func(q *completion.Question) { q.Repair = 1 }).Do(t)
	if err == nil || !strings.Contains(err.Error(), "content filter") || len(m.Asked) != 1 {
		t.Fatalf("asked %d times: %v", len(m.Asked), err)
	}
}

func TestToolChoice(t *testing.T) {
	call := func(name string) nodetest.Answer {
		return nodetest.Answer{Text: name, Calls: []chat.ToolCall{{ID: "1", Name: name}}}
	}
	text := nodetest.Answer{Text: "no call"}
	for _, tc := range []struct {
		name, choice string
		answers      []nodetest.Answer
		want         string
		asked        int
	}{
		{"auto may answer", "auto", []nodetest.Answer{text}, "no call", 1},
		{"none", "none", []nodetest.Answer{text}, "no call", 1},
		{"required, called", "required", []nodetest.Answer{call("send")}, "send", 1},
		{"required, nudged", "required", []nodetest.Answer{text, call("done")}, "done", 2},
		{"required, never", "required", []nodetest.Answer{text, text, call("done")}, "one must be: send, done", 2},
		{"one tool, called", "send", []nodetest.Answer{call("send")}, "send", 1},
		{"one tool, another called", "send", []nodetest.Answer{call("done"), call("send")}, "send", 2},
		{"one tool, never", "send", []nodetest.Answer{call("done"), call("done")}, "the tool send was not called", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := &nodetest.Model{Answers: tc.answers}
			got, err := ask(m, func(q *completion.Question) {
				q.Request.Tools, q.Request.ToolChoice, q.Repair = []chat.Tool{{Name: "send"}, {Name: "done"}}, tc.choice, 1
			}).Do(t)
			if err != nil {
				got = err.Error()
			}
			if s, _ := got.(string); !strings.Contains(s, tc.want) || len(m.Asked) != tc.asked {
				t.Fatalf("asked %d times: %v", len(m.Asked), got)
			}
			for _, said := range m.Asked[len(m.Asked)-1].Messages {
				if len(said.ToolCalls) > 0 {
					t.Fatal("a call that nothing answers was sent back")
				}
			}
		})
	}
}

func TestStream(t *testing.T) {
	for _, stream := range []bool{true, false} {
		m := &nodetest.Model{Answers: []nodetest.Answer{{Text: "Hello", Deltas: []string{"Hel", "lo"}}}}
		r := ask(m, func(q *completion.Question) { q.Stream = stream })
		if _, err := r.Do(t); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Emitted, "|"); (got == "Hel|lo") != stream || (got == "") == stream {
			t.Errorf("stream %v: emitted %q", stream, got)
		}
	}
}

func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want engine.Failure
	}{
		{"transient", &chat.Error{Message: "busy", Status: 429, Transient: true, RetryAfter: time.Minute}, engine.Failure{Class: engine.Transient, Message: "busy", RetryAfter: time.Minute}},
		{"permanent", &chat.Error{Message: "no such model", Status: 404}, engine.Failure{Class: engine.Permanent, Message: "no such model"}},
		{"classed already", &engine.Failure{Class: engine.Limit, Message: "enough"}, engine.Failure{Class: engine.Limit, Message: "enough"}},
		{"unknown", errors.New("no recording"), engine.Failure{Class: engine.Permanent, Message: `ask model "default": no recording`}},
	} {
		m := &nodetest.Model{Answers: []nodetest.Answer{{Err: tc.err}}}
		_, err := ask(m, func(*completion.Question) {}).Do(t)
		var f *engine.Failure
		if !errors.As(err, &f) {
			t.Fatalf("%s: got %v", tc.name, err)
		}
		if diff := cmp.Diff(tc.want, *f); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

func TestBudget(t *testing.T) {
	for _, tc := range []struct {
		name   string
		budget chat.Budget
		want   string
	}{
		{"tokens", chat.Budget{TokensPerRun: 100}, `model "default" has used 110 tokens in this run; its budget is 100 (models.default.budget.tokens_per_run)`},
		{"money", chat.Budget{USDPerRun: 0.5}, `model "default" has cost $0.6000 in this run; its budget is $0.5000 (models.default.budget.usd_per_run)`},
	} {
		m := &nodetest.Model{Answers: []nodetest.Answer{
			{Text: "no", Usage: chat.Usage{Requests: 1, InputTokens: 100, OutputTokens: 10, USD: 0.6}}, {Text: `{"classification": "ignore"}`},
		}}
		limited := *model
		limited.Budget = tc.budget
		_, err := ask(m, func(q *completion.Question) { q.Shape, q.Repair, q.Request.Model = triage(t), 1, &limited }).Do(t)
		var f *engine.Failure
		if !errors.As(err, &f) || f.Class != engine.Limit || f.Message != tc.want || len(m.Asked) != 1 {
			t.Errorf("%s: asked %d times: %v", tc.name, len(m.Asked), err)
		}
	}
}

// The fallback's budget is its own: when it is used up, the model is asked without it.
func TestBudgetOfFallback(t *testing.T) {
	cheap := &chat.Model{Name: "cheap", Budget: chat.Budget{TokensPerRun: 5}}
	first := &chat.Model{Name: "default", Fallback: cheap}
	for _, tc := range []struct {
		used int
		want *chat.Model
	}{{0, cheap}, {5, nil}} {
		m := nodetest.Say("yes")
		q := completion.Question{Models: m, Messages: says("x"), Request: chat.Request{Model: first}}
		in := engine.NewInvocation(nil)
		in.Used = func(name string) chat.Usage {
			if name == "cheap" {
				return chat.Usage{InputTokens: tc.used}
			}
			return chat.Usage{}
		}
		_, wait, err := q.Ask(in)
		if err != nil {
			t.Fatal(err)
		}
		req := wait.(*engine.Perform).Request.(chat.Request)
		if req.Model.Fallback != tc.want || first.Fallback != cheap {
			t.Errorf("used %d: fallback is %v", tc.used, req.Model.Fallback)
		}
	}
}

func TestPerform(t *testing.T) {
	slow := &chat.Model{Name: "default", Timeout: 10 * time.Second, Retry: chat.Retry{Attempts: 3, MaxBackoff: 5 * time.Second}}
	perform := func(m *chat.Model, text string) *engine.Perform {
		q := completion.Question{Messages: says(text), Request: chat.Request{Model: m}}
		_, wait, err := q.Ask(engine.NewInvocation(nil))
		if err != nil {
			t.Fatal(err)
		}
		return wait.(*engine.Perform)
	}
	p := perform(slow, "a")
	if p.Label != "default" || p.Effect != engine.EffectNone || p.Timeout != 105*time.Second {
		t.Errorf("got %s, %s, %s", p.Label, p.Effect, p.Timeout)
	}
	if p.Cache() != perform(slow, "a").Cache() || p.Cache() == perform(slow, "b").Cache() || p.Cache() == perform(&chat.Model{Name: "default", Model: "other"}, "a").Cache() {
		t.Error("equal requests must have equal identities, others must not")
	}
}
