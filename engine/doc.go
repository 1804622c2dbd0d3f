// Package engine is the core of Weft: the words of graphs, threads and journals, and
// the Scheduler, a pure function from events to effects.
//
//	           ┌────────────── Scheduler ──────────────┐
//	Event ────▶│ Step: fold, advance plans, barrier     │────▶ effects (Invoke, Raise,
//	           │ state │ steps │ invocations │ timers   │      SetTimer, Load, Abort, Close)
//	           └────────────────────────────────────────┘
//
// Nothing in it asks the time, opens a file, starts a goroutine or draws a number:
// what it knows of the world comes in events, and what it wants goes out as effects.
// A runner (engine/local) owns the Scheduler, appends events to a Journal and carries
// effects out; node types (nodes/...) are Plans and Handlers.
//
// Read graph.go and plan.go for the words, scheduler.go, frame.go, barrier.go and
// invocation.go for how a run moves, event.go for what is written down.
package engine
