// Package completion is how node types ask a model: one request at a time as an
// operation of a plan, inside the model's budget, with further requests when an
// answer is not what was asked for. It keeps nothing: an answer that is journaled is
// never paid for twice.
package completion

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/conversation"
)

// Question is one question to a model and what is accepted as its answer.
type Question struct {
	Models   chat.Client
	Request  chat.Request                   // but for its messages
	Messages func() ([]chat.Message, error) // asked for when there is a request to make
	Stream   bool                           // hand text on to observers as it arrives
	Gate     func() Gate                    // what that text passes through, new for each request; nil: nothing
	Shape    *shape.Shape                   // the answer is JSON of this shape; nil: text or tool calls
	Repair   int                            // how often a wrong answer is sent back
}

// Answer is a model's answer that was accepted.
type Answer struct {
	Message chat.Message
	Data    map[string]any // the message as plain data
	Value   any            // with a Shape: the answer as plain data that fits
	Finish  string         // stop, tool_calls, length or content_filter
}

// Ask returns the answer once there is one. Until then it returns the operation to
// wait for, like engine.Invocation.Do. An error is a *engine.Failure.
func (q *Question) Ask(in *engine.Invocation) (*Answer, engine.Op, error) {
	var sentBack []chat.Message
	for sent := 0; ; sent++ {
		out, wait, err := in.Do(func() (engine.Op, error) { return q.perform(in, sentBack) })
		if wait != nil || err != nil {
			return nil, wait, err
		}
		if out.Err != nil {
			return nil, nil, out.Err
		}
		answer, err := parse(out.Value)
		if err != nil {
			return nil, nil, &engine.Failure{Class: engine.Permanent, Message: err.Error()}
		}
		problem := q.accept(answer)
		if problem == "" {
			return answer, nil, nil
		}
		if sent >= q.Repair || answer.Finish == "content_filter" {
			return nil, nil, q.wrong(answer, problem)
		}
		sentBack = sendBack(sentBack, answer.Message, problem)
	}
}

func (q *Question) perform(in *engine.Invocation, sentBack []chat.Message) (engine.Op, error) {
	messages, err := q.Messages()
	if err != nil {
		return nil, err
	}
	m := q.Request.Model
	req := q.Request
	req.Messages = append(slices.Clip(messages), sentBack...)
	req.Model = affordable(m, in.Used)
	return &engine.Perform{
		Handler: handler{models: q.Models, stream: q.Stream, gate: q.Gate},
		Request: req,
		Label:   m.Name,
		Effect:  engine.EffectNone,
		Timeout: patience(req.Model),
		Cache:   func() string { return identity(req) },
		Refuse:  func() *engine.Failure { return spent(m, in.Used) },
	}, nil
}

// accept returns what is wrong with an answer, "" when nothing is.
func (q *Question) accept(a *Answer) string {
	if a.Finish == "content_filter" && a.Message.Content == "" && len(a.Message.ToolCalls) == 0 {
		return "the provider withheld the answer (content filter)"
	}
	if q.Shape != nil {
		value, problems := Extract(a.Message.Content, q.Shape)
		if len(problems) > 0 {
			return Problems(problems)
		}
		a.Value = value
		return ""
	}
	return q.calls(a.Message)
}

// calls checks that the model called a tool when it had to.
func (q *Question) calls(m chat.Message) string {
	choice := q.Request.ToolChoice
	switch {
	case choice == "" || choice == "auto" || choice == "none":
		return ""
	case choice == "required" && len(m.ToolCalls) == 0:
		return "no tool was called, and one must be: " + strings.Join(q.toolNames(), ", ")
	case choice == "required":
		return ""
	}
	if !slices.ContainsFunc(m.ToolCalls, func(c chat.ToolCall) bool { return c.Name == choice }) {
		return fmt.Sprintf("the tool %s was not called, and it must be", choice)
	}
	return ""
}

func (q *Question) toolNames() []string {
	names := make([]string, len(q.Request.Tools))
	for i, t := range q.Request.Tools {
		names[i] = t.Name
	}
	return names
}

// quoteLimit bounds what a failure quotes of an answer.
const quoteLimit = 400

func (q *Question) wrong(a *Answer, problem string) error {
	msg := fmt.Sprintf("model %q did not answer as asked", q.Request.Model.Name)
	if q.Repair > 0 && a.Finish != "content_filter" {
		msg += fmt.Sprintf(", also after %d repair request(s)", q.Repair)
	}
	msg += ": " + problem
	if a.Finish == "length" {
		msg += "; it reached its limit of output tokens, so raise max_tokens"
	}
	if a.Message.Content != "" {
		msg += fmt.Sprintf("; it wrote: %q", conversation.Cut(a.Message.Content, quoteLimit))
	}
	return &engine.Failure{Class: engine.Permanent, Message: msg}
}

// sentBackLimit bounds how much of a wrong answer is sent back.
const sentBackLimit = 16 << 10

// sendBack adds the wrong answer and what is wrong with it to what follows the conversation.
// Calls are left out: nothing will answer them.
func sendBack(messages []chat.Message, wrong chat.Message, problem string) []chat.Message {
	content := conversation.Cut(wrong.Content, sentBackLimit)
	if strings.TrimSpace(content) == "" {
		content = "(no text)"
	}
	return append(slices.Clip(messages),
		chat.Message{Role: chat.Assistant, Content: content},
		chat.Message{Role: chat.User, Content: "Your answer cannot be used:\n" + problem + "\nAnswer again, in full, and change only what is wrong."})
}

// maxProblems bounds how many problems are listed.
const maxProblems = 10

// Problems lists problems, one a line.
func Problems(problems []shape.Problem) string {
	var lines []string
	for i, p := range problems {
		if i == maxProblems {
			lines = append(lines, fmt.Sprintf("- and %d more", len(problems)-i))
			break
		}
		where := ""
		if p.Path != "" {
			where = p.Path + ": "
		}
		lines = append(lines, "- "+conversation.Cut(where+p.Message, quoteLimit))
	}
	return strings.Join(lines, "\n")
}

func parse(value any) (*Answer, error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the journaled answer of the model is %T", value)
	}
	message, err := conversation.ParseOne(fields["message"])
	if err != nil {
		return nil, fmt.Errorf("the journaled answer of the model: %w", err)
	}
	data, _ := fields["message"].(map[string]any)
	finish, _ := fields["finish"].(string)
	return &Answer{Message: message, Data: data, Finish: finish}, nil
}

// spent reports a budget that is used up.
func spent(m *chat.Model, used func(string) chat.Usage) *engine.Failure {
	u := used(m.Name)
	if limit := m.Budget.TokensPerRun; limit > 0 && u.Tokens() >= limit {
		return &engine.Failure{Class: engine.Limit, Message: fmt.Sprintf(
			"model %q has used %d tokens in this run; its budget is %d (models.%s.budget.tokens_per_run)", m.Name, u.Tokens(), limit, m.Name)}
	}
	if limit := m.Budget.USDPerRun; limit > 0 && u.USD >= limit {
		return &engine.Failure{Class: engine.Limit, Message: fmt.Sprintf(
			"model %q has cost $%.4f in this run; its budget is $%.4f (models.%s.budget.usd_per_run)", m.Name, u.USD, limit, m.Name)}
	}
	return nil
}

// affordable returns the model without the fallbacks whose budget is used up.
func affordable(m *chat.Model, used func(string) chat.Usage) *chat.Model {
	if m.Fallback == nil {
		return m
	}
	out := *m
	if spent(m.Fallback, used) != nil {
		out.Fallback = nil
		return &out
	}
	out.Fallback = affordable(m.Fallback, used)
	if out.Fallback == m.Fallback {
		return m
	}
	return &out
}

// defaultTimeout is what a client gives one request when the spec says nothing.
const defaultTimeout = 2 * time.Minute

// patience is how long a client may take with all retries and fallbacks of its own.
func patience(m *chat.Model) time.Duration {
	total := time.Minute
	for ; m != nil; m = m.Fallback {
		once := m.Timeout
		if once <= 0 {
			once = defaultTimeout
		}
		total += time.Duration(max(m.Retry.Attempts, 1)) * (once + max(m.Retry.MaxBackoff, m.Retry.Backoff))
	}
	return total
}

// identity names a request for a node cache: equal requests to equal models agree.
func identity(req chat.Request) string {
	m := req.Model
	data, err := json.Marshal(struct {
		Provider, Model, BaseURL string
		Temperature              *float64
		MaxTokens                int
		Request                  chat.Request
	}{m.Provider, m.Model, m.BaseURL, m.Temperature, m.MaxTokens, req})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return "model/" + hex.EncodeToString(sum[:])
}
