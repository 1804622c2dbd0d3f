package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/local"
)

func itoa(n int) string { return strconv.Itoa(n) }

// textReporter prints what happens for people.
type textReporter struct {
	out   io.Writer
	calls *calls
	began []engine.Activation
}

func (r *textReporter) notes() io.Writer { return r.out }

func (r *textReporter) watch() local.Watch {
	return local.Watch{
		Begin: func(_ engine.ThreadID, a engine.Activation) { r.began = append(r.began, a) },
		Event: r.event,
		Call:  r.calls.add,
	}
}

func (r *textReporter) event(thread engine.ThreadID, _ engine.Seq, ev engine.Event) {
	if line := r.line(thread, ev); line != "" {
		r.printf("  %s\n", line)
	}
	for _, a := range r.began {
		_, inner, _ := strings.Cut(a.Graph, "/")
		r.printf("%s%s\n", strings.Repeat("  ", strings.Count(a.Graph, "/")/2), strings.TrimPrefix(inner+"/"+a.Node, "/"))
	}
	r.began = nil
}

func (r *textReporter) printf(format string, args ...any) {
	_, _ = fmt.Fprint(r.out, printable(fmt.Sprintf(format, args...)))
}

// shown is how much of a value is shown on a line.
const shown = 160

// line is what is told of an event, "" when nothing is.
func (r *textReporter) line(thread engine.ThreadID, ev engine.Event) string {
	switch ev := ev.(type) {
	case *engine.CallDone:
		return r.done(r.calls.get(thread, ev.Target), ev)
	case *engine.CallFailed:
		return r.name(thread, ev.Target) + " failed: " + ev.Failure.Message
	case *engine.CallInDoubt:
		return r.name(thread, ev.Target) + ": it is not known whether it happened: " + ev.Reason
	case *engine.InterruptRaised:
		return "asks: " + ev.Request.Title
	case *engine.InterruptAnswered:
		return answered(ev.Answer)
	case *engine.TimerFired:
		return "time: " + strings.ReplaceAll(timerName(ev.Timer), "_", " ")
	case *engine.RunCanceled:
		return "canceled"
	case *engine.Upgraded:
		return "goes on with another version of the spec"
	}
	return ""
}

func answered(a engine.Answer) string {
	text := "answer: " + string(a.Response)
	if a.By != "" {
		text += " by " + a.By
	}
	switch a.Response {
	case engine.Edit:
		text += ": " + brief(a.Args, shown)
	case engine.Respond:
		text += ": " + brief(a.Text, shown)
	case engine.Accept, engine.Ignore:
	}
	return text
}

func (r *textReporter) name(thread engine.ThreadID, t engine.Target) string {
	if e := r.calls.get(thread, t); e != nil {
		return e.Perform.Label
	}
	return "a call"
}

// done tells what a call gave: of a model its text and the tools it wants to call.
func (r *textReporter) done(e *engine.Invoke, ev *engine.CallDone) string {
	label := "a call"
	if e != nil {
		label = e.Perform.Label
	}
	if ev.Cached {
		label += " (cached)"
	}
	fields, _ := ev.Value.(map[string]any)
	message, ok := fields["message"].(map[string]any)
	if !ok || message["role"] != chat.Assistant {
		if ev.Value == nil {
			return label
		}
		return label + ": " + brief(ev.Value, shown)
	}
	var parts []string
	if content, _ := message["content"].(string); content != "" {
		parts = append(parts, label+": "+brief(content, shown))
	}
	wanted, _ := message["tool_calls"].([]any)
	for _, item := range wanted {
		if call, ok := item.(map[string]any); ok {
			parts = append(parts, label+" calls "+fmt.Sprint(call["name"])+" "+brief(call["args"], shown))
		}
	}
	if parts == nil {
		return label
	}
	return strings.Join(parts, "\n  ")
}

func (r *textReporter) result(res local.Result) {
	r.printf("\n%s: thread %s%s\n", res.Status, res.Thread, used(res.Used))
	if res.Failure != nil {
		r.printf("%s\n", indented(failed(res.Failure), "  "))
	}
	if res.Status == engine.Done && res.Output != nil {
		r.printf("%s", asYAML(res.Output))
	}
}

// failed is a failure with its place.
func failed(f *engine.Failure) string {
	if f.Node == "" {
		return f.Message
	}
	return f.Node + ": " + f.Message
}

// used says in a few words what a run has used.
func used(by map[string]chat.Usage) string {
	var all chat.Usage
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = all.Add(by[name])
	}
	if all.Requests == 0 {
		return ""
	}
	text := ", " + count(all.Requests, "model request")
	if n := all.Tokens(); n > 0 {
		text += fmt.Sprintf(", %d tokens", n)
	}
	if all.USD > 0 {
		text += fmt.Sprintf(", $%.4f", all.USD)
	}
	return text
}
