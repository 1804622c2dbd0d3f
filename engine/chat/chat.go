// Package chat is the words of a conversation with a model: requests, messages, tool
// calls, usage, and the one interface that a model client implements. It is plain
// data; the clients are in engine/model.
package chat

import (
	"context"
	"time"

	"github.com/weft-engine/weft/engine/secret"
)

// The roles of a message.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool"
)

// Message is one turn of a conversation. As data in a spec it is `#/types/Message`:
// {id, role, content, tool_calls: [{id, name, args}], tool_call_id, name}.
type Message struct {
	ID         string     `json:"id,omitempty"`
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`   // Assistant
	ToolCallID string     `json:"tool_call_id,omitempty"` // ToolRole: which call this answers
	Name       string     `json:"name,omitempty"`         // ToolRole: the tool's name
}

// ToolCall is a model's wish to call a tool. As data in a spec it is `#/types/ToolCall`.
type ToolCall struct {
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Args    map[string]any `json:"args"`
	Invalid string         `json:"invalid,omitempty"` // the raw arguments, when they are no JSON object
}

// Tool is what a model is told of a tool it may call.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters,omitempty"` // JSON Schema, self-contained
}

// ResponseSchema asks for an answer of a JSON shape.
type ResponseSchema struct {
	Name   string         `json:"name"`
	Schema map[string]any `json:"schema"`
}

// Request is one call of a model.
type Request struct {
	Model       *Model          `json:"-"`
	Node        string          `json:"-"` // the node that asks: scripts and recordings go by it
	Key         string          `json:"-"` // the call's key, the same over retries and crashes
	Messages    []Message       `json:"messages"`
	Tools       []Tool          `json:"tools,omitempty"`
	ToolChoice  string          `json:"tool_choice,omitempty"` // auto, required, none or a tool's name
	Response    *ResponseSchema `json:"response,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	MaxTokens   int             `json:"max_tokens,omitempty"`
}

// Usage counts what a request cost.
type Usage struct {
	Model        string  `json:"model,omitempty"` // the name in the spec
	Requests     int     `json:"requests,omitempty"`
	InputTokens  int     `json:"input_tokens,omitempty"`
	OutputTokens int     `json:"output_tokens,omitempty"`
	USD          float64 `json:"usd,omitempty"`
}

// Add returns the sum of both; the model's name is kept when both agree.
func (u Usage) Add(o Usage) Usage {
	if u.Requests == 0 {
		u.Model = o.Model
	} else if u.Model != o.Model {
		u.Model = ""
	}
	u.Requests += o.Requests
	u.InputTokens += o.InputTokens
	u.OutputTokens += o.OutputTokens
	u.USD += o.USD
	return u
}

// Tokens returns input and output tokens together.
func (u Usage) Tokens() int { return u.InputTokens + u.OutputTokens }

// Response is a model's answer. Message.Role is Assistant.
type Response struct {
	Message Message `json:"message"`
	Usage   Usage   `json:"usage"`
	Finish  string  `json:"finish,omitempty"` // stop, tool_calls, length, content_filter
}

// Delta is a piece of an answer as it arrives.
type Delta struct {
	Text string
}

// Client answers requests. It is safe for concurrent use and honours ctx.
// When emit is not nil, the answer is streamed to it too, in order.
// Failures are of type *Error.
type Client interface {
	Complete(ctx context.Context, req Request, emit func(Delta)) (Response, error)
}

// Error is a failed request, classed: a transient one may succeed when repeated.
type Error struct {
	Message    string
	Status     int // HTTP status, 0 when there was none
	Transient  bool
	RetryAfter time.Duration // how long the provider asked us to wait
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Model is a model of the spec's `models` section.
type Model struct {
	Name        string
	Provider    string // openai, azure, anthropic, google, ollama, openai_compatible
	Model       string // the provider's name of it
	APIKey      secret.Ref
	BaseURL     string
	Temperature *float64
	MaxTokens   int
	Timeout     time.Duration // of one request
	Retry       Retry
	Fallback    *Model // tried when the retries are spent
	Budget      Budget
	Prices      Prices
}

// Retry says how failed requests are repeated.
type Retry struct {
	Attempts   int           // in all; 1 is no retry
	Backoff    time.Duration // before the second attempt; doubles
	MaxBackoff time.Duration
}

// Budget bounds what one run may use of a model. Zero is no bound.
type Budget struct {
	TokensPerRun int
	USDPerRun    float64
}

// Prices are in US dollars a million tokens.
type Prices struct {
	InputPerMillion  float64
	OutputPerMillion float64
}

// USD returns the price of u.
func (p Prices) USD(u Usage) float64 {
	return (float64(u.InputTokens)*p.InputPerMillion + float64(u.OutputTokens)*p.OutputPerMillion) / 1e6
}
