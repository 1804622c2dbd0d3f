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
