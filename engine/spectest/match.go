package spectest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// Mismatch is one expectation that does not hold.
type Mismatch struct {
	Pos  diag.Pos // of what is expected
	What string   // which part: state.classification
	Diff string   // lines that begin with "- " (expected), "+ " (is), or two blanks
}

// matcher compares what is with what is expected.
type matcher struct {
	found []Mismatch
}

func (m *matcher) add(pos diag.Pos, what, diff string) {
	m.found = append(m.found, Mismatch{Pos: pos, What: what, Diff: diff})
}

func (m *matcher) differ(pos diag.Pos, what string, want, got any) {
	m.add(pos, what, lineDiff(show(want), show(got)))
}

// data compares plain data. Maps hold at least the fields that are expected; lists are
// as long as expected.
func (m *matcher) data(want *source.Value, got any, what string) {
	switch want.Kind {
	case source.Map:
		m.fields(want, got, what)
	case source.List:
		m.list(want, got, what)
	case source.Null, source.Bool, source.Number, source.String:
		if w := want.Go(); !same(w, got) {
			m.differ(want.Pos, what, w, got)
		}
	}
}

func (m *matcher) fields(want *source.Value, got any, what string) {
	fields, ok := got.(map[string]any)
	if !ok {
		m.differ(want.Pos, what, want.Go(), got)
		return
	}
	for _, f := range want.Fields {
		value, ok := fields[f.Key]
		if !ok && f.Value.Kind != source.Null {
			m.add(f.Pos, what+"."+f.Key, "- "+strings.ReplaceAll(show(f.Value.Go()), "\n", "\n- ")+"\n+ (is not there)")
			continue
		}
		m.data(f.Value, value, what+"."+f.Key)
	}
}

func (m *matcher) list(want *source.Value, got any, what string) {
	items, ok := got.([]any)
	if !ok {
		m.differ(want.Pos, what, want.Go(), got)
		return
	}
	if len(items) != len(want.Items) {
		m.add(want.Pos, what, fmt.Sprintf("%d items are expected, %d are there:\n%s", len(want.Items), len(items), lineDiff(show(want.Go()), show(got))))
		return
	}
	for i, item := range want.Items {
		m.data(item, items[i], fmt.Sprintf("%s[%d]", what, i))
	}
}

// same compares scalars; 1 and 1.0 are the same number.
func same(a, b any) bool {
	x, isNumber := number(a)
	y, both := number(b)
	if isNumber || both {
		return isNumber && both && x == y
	}
	return a == b // a is a scalar, so this never compares lists or maps
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// show returns plain data for people: text as it is, all else as JSON.
func show(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	compact := strings.TrimSuffix(b.String(), "\n")
	if len(compact) <= oneLine {
		return compact
	}
	b.Reset()
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return compact
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// oneLine is how long data may be that is shown on one line.
const oneLine = 100
