package local

import (
	"fmt"
	"time"

	"github.com/weft-engine/weft/engine"
)

// AnsweredError tells that someone else has answered the interrupt before. It is an
// engine.ErrConflict.
type AnsweredError struct {
	Answer engine.Answer
	At     time.Time
}

// Error says who answered what and when.
func (e *AnsweredError) Error() string {
	by := e.Answer.By
	if by == "" {
		by = "someone"
	}
	return fmt.Sprintf("interrupt %s was answered before: %s by %s at %s", e.Answer.Interrupt, e.Answer.Response, by, e.At.Format(time.RFC3339))
}

// Unwrap makes it an engine.ErrConflict.
func (e *AnsweredError) Unwrap() error { return engine.ErrConflict }

// Answers tells, event by event of a thread, which interrupts were answered: by people
// and by their deadlines.
type Answers struct {
	raised map[engine.Target]engine.InterruptRequest
}

// Next returns the answer that an event is, nil when it is none.
func (a *Answers) Next(ev engine.Event) *AnsweredError {
	switch ev := ev.(type) {
	case *engine.InterruptRaised:
		if a.raised == nil {
			a.raised = map[engine.Target]engine.InterruptRequest{}
		}
		a.raised[ev.Target] = ev.Request
	case *engine.InterruptAnswered:
		return &AnsweredError{Answer: ev.Answer, At: ev.At}
	case *engine.TimerFired:
		if request, ok := a.raised[ev.Target]; ok && ev.Timer == engine.DeadlineTimer {
			return &AnsweredError{Answer: engine.Answer{Interrupt: request.ID, Response: request.Default, By: "deadline"}, At: ev.At}
		}
	}
	return nil
}
