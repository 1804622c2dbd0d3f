package spectest

import (
	"maps"
	"slices"
	"strconv"

	"github.com/weft-engine/weft/engine/source"
)

// actual is what came of a run, in the words of an expectation.
type actual struct {
	status, problem string
	path            []any
	state           map[string]any
	output          any
	calls           []map[string]any
	interrupts      []map[string]any
	names           []any // of the interrupts
}

func (w *world) actual() *actual {
	a := &actual{status: string(w.status()), problem: w.problem(), state: w.result.State, output: w.result.Output}
	for _, node := range w.path {
		a.path = append(a.path, node)
	}
	for _, c := range w.recorder.ran() {
		a.calls = append(a.calls, c.data())
	}
	for _, r := range w.raised {
		a.interrupts = append(a.interrupts, interruptData(r))
		a.names = append(a.names, InterruptName(r))
	}
	return a
}

// expected returns what one field of `expect` should say: as much as it says, and
// false when that cannot be told from the run.
func (a *actual) expected(key string, want *source.Value) (*source.Value, bool) {
	switch key {
	case "status":
		return tree(a.status), true
	case "error":
		return tree(a.problem), a.problem != ""
	case "path":
		return tree(list(a.path)), true
	case "state":
		return project(want, a.state), true
	case "output":
		return project(want, a.output), true
	case "calls":
		return a.expectedCalls(want), true
	case "interrupts":
		return a.expectedInterrupts(want), true
	}
	return nil, false
}

func (a *actual) expectedCalls(want *source.Value) *source.Value {
	out := &source.Value{Kind: source.List}
	alike := slices.EqualFunc(want.Items, a.calls, func(v *source.Value, c map[string]any) bool { return v.Get("tool").Text == c["tool"] })
	for i, c := range a.calls {
		if alike {
			out.Items = append(out.Items, project(want.Items[i], c))
			continue
		}
		item := &source.Value{Kind: source.Map, Fields: []source.Field{{Key: "tool", Value: tree(c["tool"])}}}
		if args, ok := c["args"].(map[string]any); ok && len(args) > 0 {
			item.Fields = append(item.Fields, source.Field{Key: "args", Value: tree(args)})
		}
		out.Items = append(out.Items, item)
	}
	return out
}

func (a *actual) expectedInterrupts(want *source.Value) *source.Value {
	out := &source.Value{Kind: source.List}
	if len(want.Items) != len(a.interrupts) {
		return tree(list(a.names))
	}
	for i, item := range want.Items {
		if item.Kind == source.Map {
			out.Items = append(out.Items, project(item, a.interrupts[i]))
			continue
		}
		out.Items = append(out.Items, tree(a.names[i]))
	}
	return out
}

// project returns as much of got as want speaks of.
func project(want *source.Value, got any) *source.Value {
	switch got := got.(type) {
	case map[string]any:
		if want.Kind != source.Map {
			return tree(got)
		}
		out := &source.Value{Kind: source.Map}
		for _, f := range want.Fields {
			if v, ok := got[f.Key]; ok {
				out.Fields = append(out.Fields, source.Field{Key: f.Key, Value: project(f.Value, v)})
			}
		}
		return out
	case []any:
		if want.Kind != source.List || len(want.Items) != len(got) {
			return tree(got)
		}
		out := &source.Value{Kind: source.List}
		for i, item := range want.Items {
			out.Items = append(out.Items, project(item, got[i]))
		}
		return out
	}
	return tree(got)
}

// tree returns plain data as a tree, the keys of maps sorted.
func tree(v any) *source.Value {
	switch v := v.(type) {
	case bool:
		return &source.Value{Kind: source.Bool, Bool: v}
	case int:
		return &source.Value{Kind: source.Number, Text: strconv.Itoa(v)}
	case float64:
		return &source.Value{Kind: source.Number, Text: strconv.FormatFloat(v, 'g', -1, 64)}
	case string:
		return &source.Value{Kind: source.String, Text: v}
	case []any:
		out := &source.Value{Kind: source.List}
		for _, item := range v {
			out.Items = append(out.Items, tree(item))
		}
		return out
	case map[string]any:
		out := &source.Value{Kind: source.Map}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out.Fields = append(out.Fields, source.Field{Key: key, Value: tree(v[key])})
		}
		return out
	}
	return &source.Value{Kind: source.Null}
}
