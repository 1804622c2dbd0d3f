package naturalize

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/nodes/internal/completion"
	"github.com/weft-engine/weft/nodes/internal/conversation"
	"github.com/weft-engine/weft/nodes/internal/facts"
)

// outcome is what became of a text.
type outcome struct {
	text             string
	restyled, called bool
	fallback, reason string
	lost, added      []string
	request          *chat.Request // nil: none was made
}

func (o outcome) move() (engine.Move, error) {
	var fallback, temperature any
	if o.fallback != "" {
		fallback = o.fallback
	}
	model := ""
	if r := o.request; r != nil {
		model = r.Model.Model
		if t := cmp.Or(r.Temperature, r.Model.Temperature); t != nil {
			temperature = *t
		}
	}
	return engine.Finish(map[string]any{
		"text": o.text, "restyled": o.restyled, "called": o.called, "fallback": fallback, "reason": o.reason,
		"lost": list(o.lost), "added": list(o.added), "model": model, "temperature": temperature,
	}), nil
}

func list(items []string) []any {
	out := make([]any, len(items))
	for i, s := range items {
		out[i] = s
	}
	return out
}

// Next asks the model once, and compares what it says with the text.
func (p *plan) Next(in *engine.Invocation) (engine.Move, error) {
	said, err := p.text.Render(in.Scope)
	if err != nil {
		return engine.Move{}, fmt.Errorf("text: %w", err)
	}
	skip, err := truthOf(p.skip, in.Scope)
	if err != nil {
		return engine.Move{}, fmt.Errorf("skip: %w", err)
	}
	if skip || strings.TrimSpace(said) == "" {
		return outcome{text: said}.move()
	}
	keep, err := p.kept(in.Scope)
	if err != nil {
		return engine.Move{}, err
	}
	q, err := p.question(in.Scope, said, keep)
	if err != nil {
		return engine.Move{}, err
	}
	answer, wait, err := q.Ask(in)
	if wait != nil {
		return in.Stop(wait, nil)
	}
	if failed, ok := errors.AsType[*engine.Failure](err); ok && failed.Class != engine.Limit {
		return outcome{text: said, called: true, fallback: "model_failed", reason: failed.Message, request: &q.Request}.move()
	}
	if err != nil {
		return engine.Move{}, err
	}
	out := p.judge(said, answer.Message.Content, keep)
	out.request = &q.Request
	return out.move()
}

// longer is how many times as long as the text an answer may be, and slack by how many
// letters more.
const (
	longer = 4
	slack  = 400
)

func mostOf(said string) int { return longer*utf8.RuneCountInString(said) + slack }

// What the marks around a text have, which an answer has not.
const (
	echoName = " UNTRUSTED "
	echoLine = "====="
)

// judge says which of the two texts is used.
func (p *plan) judge(said, answer string, keep []string) outcome {
	answer = strings.TrimSpace(strings.ToValidUTF8(answer, "\uFFFD"))
	back := func(why, reason string) outcome {
		return outcome{text: said, called: true, fallback: why, reason: reason}
	}
	switch {
	case answer == "":
		return back("empty", "the model said nothing")
	case utf8.RuneCountInString(answer) > mostOf(said):
		return back("too_long", "the model said much more than the text")
	case strings.Contains(answer, echoName) && strings.Contains(answer, echoLine):
		return back("echo", "the model repeated its instructions")
	case !p.verify:
		return outcome{text: answer, called: true, restyled: true}
	}
	r := facts.Compare(said, answer, keep)
	if r.Same() {
		return outcome{text: answer, called: true, restyled: true}
	}
	out := back("changed_facts", reasonOf(r))
	out.lost, out.added = r.Lost, r.Added
	return out
}

func reasonOf(r facts.Result) string {
	var parts []string
	if len(r.Lost) > 0 {
		parts = append(parts, "left out "+strings.Join(r.Lost, ", "))
	}
	if len(r.Added) > 0 {
		parts = append(parts, "added "+strings.Join(r.Added, ", "))
	}
	if r.Moved {
		parts = append(parts, "put the numbers in another order")
	}
	return "the model " + strings.Join(parts, "; ")
}

// kept returns the texts that must stay.
func (p *plan) kept(scope map[string]any) ([]string, error) {
	if p.keep == nil {
		return nil, nil
	}
	v, err := p.keep.Eval(scope)
	if err != nil {
		return nil, fmt.Errorf("keep: %w", err)
	}
	items, _ := v.([]any)
	out := make([]string, 0, len(items))
	for _, item := range items {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out, nil
}

func (p *plan) question(scope map[string]any, said string, keep []string) (*completion.Question, error) {
	stream, err := truthOf(p.stream, scope)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	q := &completion.Question{
		Models: p.models, Stream: stream,
		Messages: func() ([]chat.Message, error) { return p.conversation(scope, said) },
		Request:  chat.Request{Model: p.model, MaxTokens: p.maxTokens},
	}
	if stream && p.verify {
		q.Gate = func() completion.Gate {
			return &gate{check: facts.NewCheck(said), most: mostOf(said), holds: func(answer string) bool { return p.judge(said, answer, keep).restyled }}
		}
	}
	if p.temperature == nil {
		return q, nil
	}
	v, err := p.temperature.Eval(scope)
	if err != nil {
		return nil, fmt.Errorf("temperature: %w", err)
	}
	switch t := v.(type) {
	case nil:
	case int:
		f := float64(t)
		q.Request.Temperature = &f
	case float64:
		q.Request.Temperature = &t
	default:
		return nil, fmt.Errorf("temperature must be a number, and is %T", v)
	}
	return q, nil
}

// conversation returns what is sent: the instructions, the conversation so far, and the
// text.
func (p *plan) conversation(scope map[string]any, said string) ([]chat.Message, error) {
	turns, err := p.messages.Messages(scope)
	if err != nil {
		return nil, err
	}
	turns = conversation.Last(turns, p.history)
	prompt, err := p.ask(scope, said)
	if err != nil {
		return nil, err
	}
	turns = append(slices.Clip(turns), chat.Message{Role: chat.User, Content: prompt})
	if turns, err = conversation.Complete(turns); err != nil {
		return nil, err
	}
	system, err := p.instructions(scope)
	if err != nil || system == "" {
		return turns, err
	}
	return append([]chat.Message{{Role: chat.System, Content: system}}, turns...), nil
}

func (p *plan) ask(scope map[string]any, said string) (string, error) {
	if p.prompt == nil {
		return expr.Fence(said, "text")
	}
	prompt, err := p.prompt.Render(scope)
	if err != nil {
		return "", fmt.Errorf("prompt: %w", err)
	}
	return prompt, nil
}

// instructions are the text of the template that by names, else of system.
func (p *plan) instructions(scope map[string]any) (string, error) {
	system := p.system
	if p.by != nil {
		name, err := p.by.String(scope)
		if err != nil {
			return "", fmt.Errorf("by: %w", err)
		}
		if name != "" && p.prompts[name] == nil {
			return "", fmt.Errorf("by: no response names a template %q as its naturalize", name)
		}
		if t := p.prompts[name]; t != nil {
			system = t
		}
	}
	text, err := system.Render(scope)
	if err != nil {
		return "", fmt.Errorf("system: %w", err)
	}
	return text, nil
}

func truthOf(x *expr.Value, scope map[string]any) (bool, error) {
	if x == nil {
		return false, nil
	}
	v, err := x.Eval(scope)
	return expr.Truthy(v) && err == nil, err
}
