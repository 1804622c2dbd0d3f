package spectest

import (
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/source"
)

// expectation is what must come of a run. Without a status it must be done, or failed
// when an error is expected.
type expectation struct {
	status     engine.Status
	at         *source.Value // of status; nil: not written
	path       *source.Value
	state      *source.Value
	output     *source.Value
	calls      *source.Value
	interrupts *source.Value
	memory     *source.Value
	when       []*source.Value
	err        *source.Value
}

// The fields of what is expected, and of the parts of it.
var (
	expectKeys    = []string{"status", "path", "state", "output", "calls", "interrupts", "memory", "when", "error"}
	callKeys      = []string{"tool", "args", "status", "result", "error"}
	interruptKeys = []string{"action", "policy", "node", "title", "description", "kind", "allow", "args", "default"}
	memoryKeys    = []string{"text", "contains", "changed", "proposed"}
)

var statuses = []engine.Status{engine.Done, engine.Failed, engine.Limited, engine.Parked, engine.Canceled}

func (l *loader) expectation(v *source.Value) *expectation {
	e := &expectation{status: engine.Done}
	if !l.fields(v, `"expect"`, expectKeys...) {
		return e
	}
	e.path, e.state, e.output, e.calls = v.Get("path"), v.Get("state"), v.Get("output"), v.Get("calls")
	e.interrupts, e.memory, e.err = v.Get("interrupts"), v.Get("memory"), v.Get("error")
	if l.text(e.err, `"error"`); e.err != nil {
		e.status = engine.Failed
	}
	l.status(e, v.Get("status"))
	for _, item := range l.items(e.path, `"path"`) {
		l.text(item, "a node in \"path\"")
	}
	l.object(e.state, `"state"`)
	l.calls(e.calls)
	l.interrupts(e.interrupts)
	l.memories(e.memory)
	l.conditions(e, v.Get("when"))
	return e
}

func (l *loader) status(e *expectation, v *source.Value) {
	text := engine.Status(l.text(v, `"status"`))
	if v == nil || text == "" {
		return
	}
	e.at = v
	if e.status = text; !slices.Contains(statuses, text) {
		l.list.Add(badValue.At(v.Pos, "%q is not a status", text).WithHint("Use one of: %s.", joined(statuses)))
	}
}

func joined(list []engine.Status) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = string(s)
	}
	return strings.Join(parts, ", ")
}

func (l *loader) calls(v *source.Value) {
	const what = "an expected call"
	for _, item := range l.items(v, `"calls"`) {
		if l.fields(item, what, callKeys...) && l.need(item, what, "tool", "Add tool: NAME.") {
			l.text(item.Get("tool"), `"tool"`)
		}
	}
}

// interrupts reads a list of names, or of maps that say more.
func (l *loader) interrupts(v *source.Value) {
	for _, item := range l.items(v, `"interrupts"`) {
		if item.Kind != source.String {
			l.fields(item, "an expected interrupt", interruptKeys...)
		}
	}
}

func (l *loader) memories(v *source.Value) {
	if v == nil || l.object(v, `"memory"`) == nil {
		return
	}
	for _, f := range v.Fields {
		if !l.fields(f.Value, "what a memory is expected to hold", memoryKeys...) {
			continue
		}
		l.text(f.Value.Get("text"), `"text"`)
		l.truth(f.Value.Get("changed"), `"changed"`)
		l.truth(f.Value.Get("proposed"), `"proposed"`)
		for _, c := range oneOrMore(f.Value.Get("contains")) {
			l.text(c, `"contains"`)
		}
	}
}

// conditions reads `when`: an expression, or several.
func (l *loader) conditions(e *expectation, v *source.Value) {
	for _, item := range oneOrMore(v) {
		if l.text(item, `"when"`) != "" {
			e.when = append(e.when, item)
		}
	}
}

// oneOrMore returns the items of a list, or what is no list as the only one.
func oneOrMore(v *source.Value) []*source.Value {
	switch {
	case v == nil:
		return nil
	case v.Kind == source.List:
		return v.Items
	}
	return []*source.Value{v}
}
