package engine

import (
	"time"

	"github.com/weft-engine/weft/engine/chat"
)

// Kind numbers the types of events, as they are stored. A number never changes meaning.
type Kind uint8

// The kinds.
const (
	KindRunStarted Kind = iota + 1
	KindCallStarted
	KindCallDone
	KindCallFailed
	KindCallInDoubt
	KindInterruptRaised
	KindInterruptAnswered
	KindTimerFired
	KindMemoryRead
	KindRunCanceled
	KindRunEnded
	KindForked
	KindStateSet
	KindUpgraded
	KindMemoryChanged
	KindTriggerPolled
	KindTriggerSettled
	KindTriggerPaused
)

var kindNames = [...]string{
	"", "run_started", "call_started", "call_done", "call_failed", "call_in_doubt",
	"interrupt_raised", "interrupt_answered", "timer_fired", "memory_read", "run_canceled", "run_ended",
	"forked", "state_set", "upgraded", "memory_changed",
	"trigger_polled", "trigger_settled", "trigger_paused",
}

// String returns the name in exports and in `--output events`.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Event is a fact about a thread, in the past tense. At is to the millisecond, UTC.
// Plain data in events is as Plain returns it.
type Event interface {
	Kind() Kind
	Time() time.Time
	put(e *encoder)
	get(d *decoder)
}

// Target says which operation of which invocation an event or effect is about.
// Numbers count up over the life of a thread.
type Target struct {
	ID int `json:"id"`           // of an invocation, an activation (node timeouts), or a frame (memory reads)
	Op int `json:"op,omitempty"` // of an invocation's operations, from 0
}

// RunStarted begins a run. Input fits the graph's input.
type RunStarted struct {
	At    time.Time      `json:"at"`
	Run   string         `json:"run"`
	Graph string         `json:"graph"`
	Spec  string         `json:"spec"` // content hash
	User  string         `json:"user,omitempty"`
	Input map[string]any `json:"input,omitempty"`
}

// CallStarted is the intent of a call that must not be made twice; it is durable
// before the call leaves the process.
type CallStarted struct {
	At      time.Time `json:"at"`
	Target  Target    `json:"target"`
	Attempt int       `json:"attempt"`
	Label   string    `json:"label,omitempty"`
	Args    any       `json:"args,omitempty"`
}

// CallDone is a call's result.
type CallDone struct {
	At     time.Time   `json:"at"`
	Target Target      `json:"target"`
	Value  any         `json:"value,omitempty"`
	Usage  *chat.Usage `json:"usage,omitempty"`
	Cached bool        `json:"cached,omitempty"` // from a node cache: nothing was done
}

// CallFailed is a failed attempt. Jitter, in [0,1), spreads the next one.
type CallFailed struct {
	At      time.Time `json:"at"`
	Target  Target    `json:"target"`
	Failure Failure   `json:"failure"`
	Jitter  float64   `json:"jitter,omitempty"`
}

// CallInDoubt is a call that was started, and of which it cannot be told whether it
// happened.
type CallInDoubt struct {
	At     time.Time `json:"at"`
	Target Target    `json:"target"`
	Reason string    `json:"reason"`
}

// InterruptRaised is a question to a human.
type InterruptRaised struct {
	At      time.Time        `json:"at"`
	Target  Target           `json:"target"`
	Request InterruptRequest `json:"request"`
}

// InterruptAnswered is the decision of a human or a deadline. It fits the request.
type InterruptAnswered struct {
	At     time.Time `json:"at"`
	Answer Answer    `json:"answer"`
}

// TimerFired is the coming of the instant that a timer was set for.
type TimerFired struct {
	At     time.Time `json:"at"`
	Timer  TimerKind `json:"timer"`
	Target Target    `json:"target"`
	// Settle says that what the timer ends first settles the calls that must not be made
	// twice. Journals of before do not say it: there, such calls were cut off.
	Settle bool `json:"settle,omitempty"`
}

// TimerKind says what a timer is for.
type TimerKind uint8

// The timers.
const (
	SleepTimer    TimerKind = iota + 1 // a wait is over
	RetryTimer                         // the next attempt of a call is due
	DeadlineTimer                      // an interrupt's deadline
	NodeTimer                          // a node's timeout
	RunTimer                           // the run's timeout
)

// MemoryRead is the memories that a step reads. Only those that changed since the
// run read them last are listed.
type MemoryRead struct {
	At     time.Time              `json:"at"`
	Target Target                 `json:"target"`
	Values map[string]MemoryValue `json:"values,omitempty"`
}

// RunCanceled is the end of a run by someone's wish.
type RunCanceled struct {
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty"`
	Reason string    `json:"reason,omitempty"`
}

// RunEnded closes a run. Its output is a function of the events before.
type RunEnded struct {
	At      time.Time `json:"at"`
	Status  Status    `json:"status"`
	Failure *Failure  `json:"failure,omitempty"`
}

// Forked marks the events before as copies of another thread's.
type Forked struct {
	At     time.Time `json:"at"`
	Thread ThreadID  `json:"thread"`
	Seq    Seq       `json:"seq"`
}

// StateSet is a change of the state by hand. What waits to be done is asked anew.
type StateSet struct {
	At     time.Time      `json:"at"`
	By     string         `json:"by,omitempty"`
	Values map[string]any `json:"values"`
}

// Upgraded has the run go on with another version of its spec.
type Upgraded struct {
	At   time.Time `json:"at"`
	Spec string    `json:"spec"` // content hash
}

// MemoryChanged is an event of a memory's own thread.
type MemoryChanged struct {
	At     time.Time `json:"at"`
	Key    string    `json:"key"`    // of the decision it follows from: one decision, one change
	Base   Seq       `json:"base"`   // the version that Text was made from
	Status string    `json:"status"` // applied, proposed, undone
	Text   string    `json:"text"`   // complete
	Why    string    `json:"why,omitempty"`
	By     string    `json:"by,omitempty"`
	Run    string    `json:"run,omitempty"`
}
