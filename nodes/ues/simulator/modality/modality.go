// Package modality is the border between the simulated world and the things that
// happen in it: e-mail, SMS, chat, calendar and so on. The world knows time, order,
// undo and who asked; a modality knows its payloads, its state and its endpoints. A
// modality knows neither HTTP nor the queue.
package modality

import (
	"strings"
	"time"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Kind is one modality, as a table. Each modality package exports
// `func Kind() modality.Kind`.
type Kind struct {
	Name string // the key in events and scenarios: "email", "time", …

	// Unscheduled means that POST /events refuses it (contacts).
	Unscheduled bool

	// New is the state of a fresh server.
	New func(m Moment) State

	// Load reads a state of contract section 6. The map is the caller's and may be kept.
	// What is wrong with it comes back as field errors with locations from the state's root.
	Load func(doc *ordered.Map, m Moment) (State, []field.Error)

	// Decode reads a payload: field level only, see Input.Check for the rules. The
	// payload's `timestamp` is in data; it is required. `input_id` and other ids that the
	// original makes on construction (chat message_id, calendar create event_id) are
	// made here, so a pending event shows them. Unknown fields are dropped.
	Decode func(data *ordered.Map, m Moment) (Input, []field.Error)

	// Routes are the modality's endpoints.
	Routes []Route
}

// Moment is what a modality may ask of the world: the simulated time, the wall clock
// where the contract says wall clock, and identifiers. It is passed by value.
type Moment struct {
	Now   field.Time       // the simulated clock
	NewID func() string    // UUIDs, from the world's seedable source
	Wall  func() time.Time // the wall clock, UTC, microseconds
}

// Input is a decoded payload, always a pointer: what applying generates (message_id,
// thread_id, …) is written back into it, so that it shows in the event's data and a
// redo makes the same ids again.
type Input interface {
	// Timestamp is when it logically happened; state is stamped with it.
	Timestamp() field.Time
	// Check is the rule level ("Operation 'send' requires subject"): nil, or an error
	// whose text is the contract's. Only the first violation counts.
	Check() error
	// AppendJSON writes the payload with every field, in contract order, nulls included.
	AppendJSON(dst []byte) []byte
}

// Undo reverses one applied input, update_count and last_updated included, and tells the
// action's name from the table in contract section 7. It is called at most once, newest
// first, when the state is as it was right after the input was applied.
type Undo func() (action string, err error)

// State is the state of one modality. It is not safe for concurrent use; the world has
// a lock.
type State interface {
	// Apply changes the state, at a cost that does not grow with the state, and gives
	// what reverses it: a closure over the few values that changed, never a copy of the
	// state. A nil Undo means that nothing is to be pushed on the undo stack. After an
	// error the state is as before. An error is a *Fault, or anything else for ValueError.
	Apply(in Input, m Moment) (Undo, error)
	// AppendJSON writes the full state of contract section 6 (environment, exports).
	AppendJSON(dst []byte) []byte
	// AppendCompact writes the state's part of the compact snapshot (section 5.5).
	AppendCompact(dst []byte, m Moment) []byte
	// Summary is the state_summary text.
	Summary(m Moment) string
	// Problems are the validation texts of section 6, none when all is well.
	Problems() []string
	// Clear empties the state; identity fields survive. last_updated becomes m.Now.
	Clear(m Moment)
}

// Fault is an error with the exception class that the original names, as in
// `KeyError: …`. Errors that are no Fault count as ValueError.
type Fault struct{ Class, Text string }

// Error is the text without the class.
func (f *Fault) Error() string { return f.Text }

// Title is the name of a modality as it begins the original's model names: "Email", "SMS".
func Title(name string) string {
	if name == "sms" {
		return "SMS"
	}
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// List writes texts as a Python list: ['a', "it's"].
func List(texts []string) string {
	items := make([]any, len(texts))
	for i, t := range texts {
		items[i] = t
	}
	return field.Repr(items)
}
