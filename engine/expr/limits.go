package expr

import (
	"errors"
	"fmt"
)

// The bounds of the two languages.
const (
	maxExpression = 64 << 10 // bytes of one expression
	maxTemplate   = 1 << 20  // bytes of one template
	maxTags       = 10_000   // of one template
	maxBlocks     = 64       // if and for inside each other
	maxIncludes   = 16       // templates inside each other
	maxBrackets   = 200      // brackets, signs and conditions inside each other
	maxNodes      = 10_000   // of one expression
	maxDepth      = 1_000    // of a syntax tree
	maxDataDepth  = 1_000    // of data that an expression builds or writes as JSON
	maxSteps      = 1_000_000
	maxBytes      = 64 << 20 // that one evaluation builds
	maxOutput     = 16 << 20 // bytes of text of one template or JSON document
	maxHTML       = 1 << 20  // bytes of HTML to convert
	maxMarkdown   = 64 << 10 // bytes of Markdown to convert: what it takes may grow with their square
	maxPattern    = 1_000    // bytes of a regular expression
)

// ErrLimit is the cause of an error of an evaluation that went over a bound: too many
// steps, too much memory, too long a text.
var ErrLimit = errors.New("limit reached")

// errTooBig says the same of a result whatever part of it was walked first.
var errTooBig = fmt.Errorf("the result has more than %d parts, or more than %d levels: %w", maxSteps, maxDataDepth, ErrLimit)
