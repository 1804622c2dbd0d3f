package engine

import (
	"time"
)

// EffectRequest is something the scheduler asks the runner to do, in the imperative.
// Carrying one out leads to an event; until that event comes, Outstanding repeats it.
type EffectRequest interface{ effect() }

// Invoke has a handler called. For a call with effect once that is not Intended yet,
// CallStarted must be durable before the handler is called; when it is Intended, an
// earlier process may have made the call and it is in doubt. Leads to CallDone,
// CallFailed or CallInDoubt.
type Invoke struct {
	Target   Target
	Perform  *Perform
	Call     Call
	Intended bool      // CallStarted of this attempt is in the journal
	Until    time.Time // when the time of node or run runs out, for a call with effect once; zero is never
	Cache    string    // look here first, and keep the result; "" is no cache
	TTL      time.Duration
}

// Raise has a human asked. Leads to InterruptRaised, then to InterruptAnswered.
type Raise struct {
	Target  Target
	Request InterruptRequest
}

// SetTimer has the runner say when an instant has come. Leads to TimerFired.
type SetTimer struct {
	Timer  TimerKind
	Target Target
	At     time.Time
}

// Load has memories read. Leads to MemoryRead with the values whose version is not Have's.
type Load struct {
	Target   Target
	Memories []*Memory
	Have     map[string]Seq
	User     string
}

// Abort takes back what was asked for at the target.
type Abort struct {
	Target Target
}

// Close ends the run. Leads to RunEnded.
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
