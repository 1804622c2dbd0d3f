package main

import (
	"io"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/nodes/emit"
)

// eventReporter prints the stream of events that docs/events.md describes: one JSON
// object a line, as things happen. Fields may be added; what is there keeps its meaning.
type eventReporter struct {
	out   *lines
	err   io.Writer
	now   func() time.Time
	calls *calls
	began []engine.Activation // by the event that is told next
}

// object is one line of the stream.
type object = map[string]any

func (r *eventReporter) notes() io.Writer { return r.err }

func (r *eventReporter) watch() local.Watch {
	return local.Watch{
		Begin: func(_ engine.ThreadID, a engine.Activation) { r.began = append(r.began, a) },
		Event: r.event,
		Text: func(thread engine.ThreadID, node, text string) {
			r.out.write(object{"type": "text", "thread": thread, "time": stamp(r.now()), "node": node, "text": text})
		},
		Call: func(thread engine.ThreadID, e *engine.Invoke) {
			r.calls.add(thread, e)
			if isEmit(e) {
				return
			}
			line := r.call(object{"type": "call_started", "thread": thread, "time": stamp(r.now()), "attempt": e.Call.Attempt}, thread, e.Target)
			if e.Perform.Args != nil {
				line["args"] = e.Perform.Args
			}
			r.out.write(line)
		},
	}
}

// event prints an event, then the nodes that began because of it.
func (r *eventReporter) event(thread engine.ThreadID, seq engine.Seq, ev engine.Event) {
	if line := r.line(thread, ev); line != nil {
		line["thread"], line["seq"], line["time"] = thread, seq, stamp(ev.Time())
		r.out.write(line)
	}
	for _, a := range r.began {
		r.out.write(object{"type": "node_started", "thread": thread, "time": stamp(a.At), "graph": a.Graph, "node": a.Node, "step": a.Step})
	}
	r.began = nil
}

// isEmit reports whether a call only carries a value to whoever follows the run.
func isEmit(e *engine.Invoke) bool {
	if e == nil {
		return false
	}
	_, ok := e.Perform.Handler.(emit.Handler)
	return ok
}

// stamp is an instant as the journal has it: UTC, to the millisecond.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// call adds what a call is.
func (r *eventReporter) call(line object, thread engine.ThreadID, t engine.Target) object {
	if e := r.calls.get(thread, t); e != nil {
		line["node"], line["label"] = e.Call.Node, e.Perform.Label
	}
	line["call"] = callID(t)
	return line
}

// callID names a call within its thread.
func callID(t engine.Target) string { return itoa(t.ID) + "." + itoa(t.Op) }

// line returns what is told of an event, nil when nothing is.
func (r *eventReporter) line(thread engine.ThreadID, ev engine.Event) object {
	switch ev := ev.(type) {
	case *engine.CallStarted: // told when the call is made
		return nil
	case *engine.CallDone:
		if e := r.calls.get(thread, ev.Target); isEmit(e) {
			return object{"type": "emitted", "node": e.Call.Node, "name": e.Perform.Label, "value": ev.Value}
		}
		line := r.call(object{"type": "call_done", "value": ev.Value}, thread, ev.Target)
		if ev.Usage != nil {
			line["usage"] = ev.Usage
		}
		if ev.Cached {
			line["cached"] = true
		}
		return line
	case *engine.CallFailed:
		return r.call(object{"type": "call_failed", "class": ev.Failure.Class, "error": ev.Failure.Message}, thread, ev.Target)
	case *engine.CallInDoubt:
		return r.call(object{"type": "call_in_doubt", "reason": ev.Reason}, thread, ev.Target)
	}
	return eventLine(ev)
}

// eventLine is what is told of an event that says everything itself.
func eventLine(ev engine.Event) object {
	line := object{"type": ev.Kind().String()}
	switch ev := ev.(type) {
	case *engine.RunStarted:
		line["run"], line["graph"], line["spec"], line["user"], line["input"] = ev.Run, ev.Graph, ev.Spec, ev.User, ev.Input
	case *engine.InterruptRaised:
		line["interrupt"] = ev.Request
	case *engine.InterruptAnswered:
		line["answer"] = ev.Answer
	case *engine.TimerFired:
		line["timer"] = timerName(ev.Timer)
	case *engine.MemoryRead:
		versions := object{}
		for name, v := range ev.Values {
			versions[name] = v.Version
		}
		line["memories"] = versions
	case *engine.RunCanceled:
		line["by"], line["reason"] = ev.By, ev.Reason
	case *engine.RunEnded:
		line["status"] = ev.Status
		if ev.Failure != nil {
			line["error"] = ev.Failure.Message
			if ev.Failure.Node != "" {
				line["node"] = ev.Failure.Node
			}
		}
	case *engine.Forked:
		line["from"], line["at"] = ev.Thread, ev.Seq
	case *engine.StateSet:
		line["by"], line["values"] = ev.By, ev.Values
	case *engine.Upgraded:
		line["spec"] = ev.Spec
	}
	return line
}

func timerName(k engine.TimerKind) string {
	switch k {
	case engine.SleepTimer:
		return "wait"
	case engine.RetryTimer:
		return "retry"
	case engine.DeadlineTimer:
		return "deadline"
	case engine.NodeTimer:
		return "node_timeout"
	case engine.RunTimer:
		return "run_timeout"
	}
	return "unknown"
}

func (r *eventReporter) result(res local.Result) {
	d := documentOf(res)
	d.Type = "result"
	r.out.write(d)
}
