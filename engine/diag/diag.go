// Package diag holds findings: what is wrong with something a user wrote, where,
// and what to do about it. Every finding has a stable code that `weft explain`
// knows. The package renders findings for people and for machines; it finds
// nothing itself and imports nothing of Weft.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a file a user wrote. Line and Col count from 1; Col counts
// bytes. The zero Pos means "no place is known".
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// Known reports whether p names a place.
func (p Pos) Known() bool { return p.Line > 0 }

// String returns file:line:col, or the file alone when no line is known.
func (p Pos) String() string {
	if !p.Known() {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Compare orders positions by file, line and column.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(strings.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// Severity says whether a finding stops the spec from running.
type Severity string

// The severities. An error stops; a warning is shown and does not.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Code names a kind of finding: area/kebab-case, for example graph/unreachable-node.
type Code string

// Rule is a kind of finding as `weft explain CODE` describes it. Rules stand
// beside the code that reports them; each has one failing example in testdata/errors.
type Rule struct {
	Code     Code
	Severity Severity
	Summary  string // one line
	Explain  string // Markdown: why it matters, a wrong and a right example
}

// At starts a finding of this rule. A credential in the message is struck out, here and
// in hints and related places: findings go to logs and to other people.
func (r Rule) At(pos Pos, format string, args ...any) Finding {
	return Finding{Code: r.Code, Severity: r.Severity, Pos: pos, Message: conceal(fmt.Sprintf(format, args...))}
}

// Related points to a second place that takes part in a finding.
type Related struct {
	Pos     Pos    `json:"pos"`
	Message string `json:"message"`
}

// Finding is one thing wrong at one place.
type Finding struct {
	Code     Code      `json:"code"`
	Severity Severity  `json:"severity"`
	Pos      Pos       `json:"pos"`
	Message  string    `json:"message"`        // one sentence: what is wrong
	Hint     string    `json:"hint,omitempty"` // one imperative sentence: what to do
	Related  []Related `json:"related,omitempty"`
}

// WithHint returns the finding with its hint set.
func (f Finding) WithHint(format string, args ...any) Finding {
	f.Hint = conceal(fmt.Sprintf(format, args...))
	return f
}

// WithRelated returns the finding with one more related place.
func (f Finding) WithRelated(pos Pos, format string, args ...any) Finding {
	f.Related = append(slices.Clip(f.Related), Related{Pos: pos, Message: conceal(fmt.Sprintf(format, args...))})
	return f
}

// List collects findings. The zero List is ready for use.
// It is not safe for concurrent use: parallel passes collect their own and Merge.
type List struct {
	findings []Finding
}

// Add appends a finding.
func (l *List) Add(f Finding) { l.findings = append(l.findings, f) }

// Merge appends the findings of other.
func (l *List) Merge(other *List) { l.findings = append(l.findings, other.findings...) }

// Sorted returns the findings by position, then code, then message, each once.
func (l *List) Sorted() []Finding {
	out := slices.Clone(l.findings)
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(out, func(a, b Finding) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
}

// Len returns how many findings were added.
func (l *List) Len() int { return len(l.findings) }

// HasErrors reports whether any finding is an error.
func (l *List) HasErrors() bool {
	return slices.ContainsFunc(l.findings, func(f Finding) bool { return f.Severity == Error })
}

// Err returns the findings as one error, or nil when none is an error.
func (l *List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return &FindingsError{Findings: l.Sorted()}
}

// FindingsError carries findings through error-typed APIs.
type FindingsError struct {
	Findings []Finding
}

// Error prints one line a finding, without the source.
func (e *FindingsError) Error() string {
	lines := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		lines[i] = fmt.Sprintf("%s: %s [%s]", f.Pos, f.Message, f.Code)
	}
	return strings.Join(lines, "\n")
}
