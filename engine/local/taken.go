package local

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
)

// TakenError tells that a thread is not free for what was to begin in it. It is an
// engine.ErrConflict.
type TakenError struct {
	Thread engine.ThreadID
	Status engine.Status // of the run that has not ended; "": a fork found the name in use
}

// Error says what to do.
func (e *TakenError) Error() string {
	if e.Status == "" {
		return fmt.Sprintf("thread %q exists already: choose another name", e.Thread)
	}
	return fmt.Sprintf("thread %q has a run that has not ended (%s): go on with it, or cancel it", e.Thread, e.Status)
}

// Unwrap makes it an engine.ErrConflict.
func (e *TakenError) Unwrap() error { return engine.ErrConflict }
