package expr

import (
	"fmt"

	"github.com/weft-engine/weft/engine/diag"
)

// machine is the state of one evaluation.
type machine struct {
	scope map[string]any
	vars  []any // of let and of the loops of templates
	loop  loop  // the innermost predicate
	steps int
	bytes int

	args []any // of the calls under way, the innermost last
	fill *Fill // of a response: takes what is inserted, and has its locale; nil when nobody asks
}

// loop is where a predicate stands: #, #index and #acc.
type loop struct {
	item  any
	index int
	acc   any
}

// eval computes one part of an expression.
type eval func(m *machine) (any, error)

// cond is an eval of true or false.
type cond func(m *machine) (bool, error)

// spend counts steps, each about the time of one loop of a predicate.
func (m *machine) spend(steps int) error {
	m.steps += steps
	if m.steps > maxSteps || steps < 0 {
		return fmt.Errorf("it takes more than %d steps: %w", maxSteps, ErrLimit)
	}
	return nil
}

// grow counts memory.
func (m *machine) grow(bytes int) error {
	m.bytes += bytes
	if m.bytes > maxBytes || bytes < 0 {
		return fmt.Errorf("it builds more than %d MiB of data: %w", maxBytes>>20, ErrLimit)
	}
	return nil
}

// read counts the time to look through n bytes of text.
func (m *machine) read(n int) error { return m.spend(n >> 10) }

// list counts a list of n items.
func (m *machine) list(n int) error { return m.grow(16*n + 24) }

func (m *machine) setVar(slot int, v any) {
	for len(m.vars) <= slot {
		m.vars = append(m.vars, nil)
	}
	m.vars[slot] = v
}

// Error is a failed evaluation: what could not be computed, and where it is written.
type Error struct {
	Pos     diag.Pos
	Message string
	cause   error
}

// Error returns the position and the message.
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Message }

// Unwrap returns the cause, for example ErrLimit.
func (e *Error) Unwrap() error { return e.cause }

// fault is an Error whose place is still a letter of the expression's text.
type fault struct {
	at      int
	message string
	cause   error
}

func (f *fault) Error() string { return f.message }

func (f *fault) Unwrap() error { return f.cause }

func failAt(at int, format string, args ...any) error {
	return &fault{at: at, message: fmt.Sprintf(format, args...)}
}

// blame gives an error its place, unless it has one. The text is prefixed by what.
func blame(at int, what string, err error) error {
	if _, ok := err.(*fault); ok { //nolint:errorlint // only an error that already is a fault, not one that wraps it
		return err
	}
	if what != "" {
		what += ": "
	}
	return &fault{at: at, message: what + err.Error(), cause: err}
}
