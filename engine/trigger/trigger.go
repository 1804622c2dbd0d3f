// Package trigger has the words between what a trigger listens to and what makes runs
// of it: a Source is polled, and gives events, each once or several times; whoever
// polls keeps a ledger so that each is handled once. It imports nothing of Weft.
package trigger

import "context"

// Source is where events come from: a mailbox, the clock. It keeps no state between
// polls: what it must know is in the cursor. Safe for concurrent use.
type Source interface {
	// Poll returns what is new since cursor, "" at the first poll, within ctx's deadline.
	// What was returned before may come again. An error means that nothing is known; its
	// cursor stays. A *Pause says that polling again is of no use until a person has
	// done something.
	Poll(ctx context.Context, cursor string) (Batch, error)
}

// Batch is what one poll brought.
type Batch struct {
	Events   []Event   // oldest first; at most a few hundred, so that memory stays flat
	Cursor   string    // for the next poll, once the events are kept
	More     bool      // there is more at once: poll again with Cursor
	Problems []Problem // items that could not be read, and were left out
}

// Event is one thing that happened.
type Event struct {
	Key  string         // its identity: equal keys are the same event
	Data map[string]any // plain data: `event` in the trigger's expressions
}

// Problem is an item that could not be read. It comes again with the next poll only if
// Again is set.
type Problem struct {
	Key     string
	Message string
	Again   bool
}

// Pause is an error that a person has to mend before polling makes sense again: a
// login that has expired.
type Pause struct {
	Reason string // what is wrong
	Mend   string // what to do: "Run `weft auth google`."
}

// Error returns what is wrong and what to do.
func (p *Pause) Error() string { return p.Reason + ". " + p.Mend }

// Signed is a Source with a login. A pause ends when its sign changes.
type Signed interface {
	// Sign returns a text that changes when the login is renewed, and tells nothing of it.
	Sign() string
}
