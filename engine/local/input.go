package local

import (
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine/shape"
)

// InputError is an input, or a change of a state field, that does not fit its graph.
type InputError struct {
	Graph    string
	Field    string // "": the input
	Problems []shape.Problem
}

// Error lists what does not fit.
func (e *InputError) Error() string {
	parts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		parts[i] = p.Message
		if p.Path != "" {
			parts[i] = p.Path + ": " + p.Message
		}
	}
	if e.Field != "" {
		return fmt.Sprintf("state field %q of graph %q: %s", e.Field, e.Graph, strings.Join(parts, "; "))
	}
	return fmt.Sprintf("the input does not fit graph %q: %s", e.Graph, strings.Join(parts, "; "))
}
