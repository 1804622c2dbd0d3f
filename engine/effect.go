package engine

import (
	"time"
)

// EffectRequest is something the scheduler asks the runner to do, in the imperative.
// Carrying one out leads to an event; until that event comes, Outstanding repeats it.
type EffectRequest interface{ effect() }

// Invoke: call the handler. For a call with effect once that is not Intended yet,
// CallStarted must be durable before the handler is called; when it is Intended, an
// earlier process may have made the call and it is in doubt. Leads to CallDone,
// CallFailed or CallInDoubt.
type Invoke struct {
	Target   Target
	Perform  *Perform
	Call     Call
	Intended bool   // CallStarted of this attempt is in the journal
	Cache    string // look here first, and keep the result; "" is no cache
	TTL      time.Duration
}

// Raise: ask a human. Leads to InterruptRaised, then to InterruptAnswered.
type Raise struct {
	Target  Target
	Request InterruptRequest
}

// SetTimer: say when an instant has come. Leads to TimerFired.
type SetTimer struct {
	Timer  TimerKind
	Target Target
	At     time.Time
}

// Load: read memories. Leads to MemoryRead with the values whose version is not Have's.
type Load struct {
	Target   Target
	Memories []*Memory
	Have     map[string]Seq
	User     string
}

// Abort: what was asked for at the target is not wanted any more.
type Abort struct {
	Target Target
}

// Close: the run is over. Leads to RunEnded.
type Close struct {
	Status  Status
	Failure *Failure
}

func (*Invoke) effect()   {}
func (*Raise) effect()    {}
func (*SetTimer) effect() {}
func (*Load) effect()     {}
func (*Abort) effect()    {}
func (*Close) effect()    {}
