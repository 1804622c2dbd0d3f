// Package queue keeps the events of a simulated world in their order: by scheduled time,
// then by priority (higher first), then by creation, then by arrival. Events that have
// run stay as history. Inserting, finding the next pending event and changing a status
// cost about the logarithm of the number of events, so a million of them hold.
package queue

import (
	"cmp"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Status is where an event is in its life.
type Status uint8

// The statuses. Pending is the zero value.
const (
	Pending Status = iota
	Executing
	Executed
	Failed
	Skipped
	Cancelled
	statuses
)

var words = [statuses]string{"pending", "executing", "executed", "failed", "skipped", "cancelled"}

// String is the word used on the wire.
func (s Status) String() string { return words[s] }

// ParseStatus finds the status with a word.
func ParseStatus(word string) (Status, bool) {
	for s, w := range words {
		if w == word {
			return Status(s), true
		}
	}
	return 0, false
}

// Event is one entry of the queue. Its order (Scheduled, Priority, Created) must not
// change while it is in a queue; its status changes through Queue.Mark only.
type Event struct {
	ID        string
	Modality  string
	Input     modality.Input
	Scheduled field.Time
	Created   field.Time
	Executed  field.Time // the clock at execution; see WasExecuted
	Priority  int
	Agent     string       // who caused it; empty: nobody known
	Error     string       // why it failed or was skipped; empty: nothing to say
	Metadata  *ordered.Map // nil: none
	By        string       // the key that scheduled it, metadata.created_by_key; empty: none

	HasRun bool // Executed is set
	status Status
	seq    uint64
	home   *chunk
}

// Status is the event's present status.
func (e *Event) Status() Status { return e.status }

// compare is the order of the queue.
func (e *Event) compare(o *Event) int {
	if c := e.Scheduled.Compare(o.Scheduled); c != 0 {
		return c
	}
	if c := cmp.Compare(o.Priority, e.Priority); c != 0 {
		return c
	}
	if c := e.Created.Compare(o.Created); c != 0 {
		return c
	}
	return cmp.Compare(e.seq, o.seq)
}
