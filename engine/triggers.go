package engine

import (
	"time"

	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/trigger"
)

// Trigger makes runs of a graph out of events. `event` is in scope of its texts.
type Trigger struct {
	Name        string
	Description string
	Source      trigger.Source
	Every       time.Duration // how often a daemon polls; 0 is the source's own way
	Graph       string
	Input       *expr.Value // nil: none
	Thread      *Text       // nil: a thread for each event
	Dedupe      *Text       // nil: the event's own key
	WhenOpen    WhenOpen
}

// WhenOpen is what becomes of an event whose thread has a run that waits.
type WhenOpen string

// What becomes of it.
const (
	QueueEvent     WhenOpen = "queue"     // it waits its turn
	SkipEvent      WhenOpen = "skip"      // nothing
	SupersedeEvent WhenOpen = "supersede" // the run that waits is canceled
)
