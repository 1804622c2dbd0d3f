package engine

import "time"

// Response is what a human may do with an interrupt.
type Response string

// The responses.
const (
	Accept  Response = "accept"  // go on as proposed
	Edit    Response = "edit"    // go on with changed arguments
	Respond Response = "respond" // answer in words
	Ignore  Response = "ignore"  // leave it
)

// InterruptRequest is a question to a human, complete enough to be answered far
// from the spec that asks it.
type InterruptRequest struct {
	ID          string         `json:"id"`                   // unique in the thread
	Kind        string         `json:"kind"`                 // tool, node or uncertain
	Policy      string         `json:"policy,omitempty"`     // name in the spec's `interrupts`
	Node        string         `json:"node"`                 // path of the node that asks
	Title       string         `json:"title"`                // one line
	Description string         `json:"description"`          // Markdown
	Allow       []Response     `json:"allow"`                // in the order to offer them
	Action      string         `json:"action,omitempty"`     // the tool's name
	Args        map[string]any `json:"args,omitempty"`       // the tool's arguments
	Parameters  map[string]any `json:"parameters,omitempty"` // JSON Schema of Args, when they may be edited
	Opened      time.Time      `json:"opened"`
	Due         *time.Time     `json:"due,omitempty"` // when Default is taken
	Default     Response       `json:"default,omitempty"`
}

// Answer is a human's decision on one interrupt.
type Answer struct {
	Interrupt string         `json:"interrupt"`
	Response  Response       `json:"response"`
	Args      map[string]any `json:"args,omitempty"` // Edit: the complete arguments
	Text      string         `json:"text,omitempty"` // Respond
	By        string         `json:"by,omitempty"`   // who; "deadline" when time ran out
}
