package main

import (
	"io"
	"sync"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/local"
	"github.com/weft-engine/weft/engine/secret"
)

// reporter prints what happens in threads, in one of the formats of --output.
type reporter interface {
	// watch returns what the runner tells of as it happens.
	watch() local.Watch
	// result prints where a thread stands at the end.
	result(res local.Result)
	// notes is where words for people go that are no part of the format.
	notes() io.Writer
}

func (a *app) reporter(format string) reporter {
	switch format {
	case "events":
		return &eventReporter{out: &lines{w: a.stdout, vault: a.vault}, err: a.stderr, now: a.now, calls: newCalls()}
	case "json":
		return &documentReporter{out: &lines{w: a.stdout, vault: a.vault}, err: a.stderr}
	}
	return &textReporter{out: a.stdout, calls: newCalls()}
}

// quiet tells nothing of what happens: verbs that change a thread in passing.
type quiet struct{ reporter }

func (quiet) watch() local.Watch { return local.Watch{} }

// lines writes JSON, an object a line, whole lines only.
type lines struct {
	mu    sync.Mutex
	w     io.Writer
	vault *secret.Vault
}

func (l *lines) write(v any) {
	if plain, err := engine.Plain(v); err == nil {
		v = l.vault.RedactValue(plain)
	}
	data := compact(v)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.w, data+"\n") // a reader that has gone away does not stop the run
}

// calls remembers what is under way, since events only name the target.
type calls struct {
	mu    sync.Mutex
	known map[engine.ThreadID]map[engine.Target]*engine.Invoke
}

func newCalls() *calls { return &calls{known: map[engine.ThreadID]map[engine.Target]*engine.Invoke{}} }

func (c *calls) add(thread engine.ThreadID, e *engine.Invoke) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[thread] == nil {
		c.known[thread] = map[engine.Target]*engine.Invoke{}
	}
	c.known[thread][e.Target] = e
}

// get returns the call of a target, nil when it was not made in this process.
func (c *calls) get(thread engine.ThreadID, t engine.Target) *engine.Invoke {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[thread][t]
}

// document is the end of a run as data: what --output json prints.
type document struct {
	Type       string                     `json:"type,omitempty"` // in the stream of events
	Thread     engine.ThreadID            `json:"thread"`
	Run        string                     `json:"run,omitempty"`
	Graph      string                     `json:"graph,omitempty"`
	Status     engine.Status              `json:"status"`
	Output     any                        `json:"output"`
	Interrupts []*engine.InterruptRequest `json:"interrupts"`
	Error      string                     `json:"error,omitempty"`
	Node       string                     `json:"node,omitempty"` // where it failed
	Wake       *time.Time                 `json:"wake,omitempty"`
	Usage      map[string]chat.Usage      `json:"usage,omitempty"`
}

func documentOf(res local.Result) document {
	d := document{
		Thread: res.Thread, Run: res.Run, Graph: res.Graph, Status: res.Status, Output: res.Output,
		Interrupts: res.Interrupts, Wake: res.Wake, Usage: res.Used,
	}
	if d.Interrupts == nil {
		d.Interrupts = []*engine.InterruptRequest{}
	}
	if res.Failure != nil {
		d.Error, d.Node = res.Failure.Message, res.Failure.Node
	}
	return d
}

// documentReporter prints one document at the end.
type documentReporter struct {
	out *lines
	err io.Writer
}

func (r *documentReporter) watch() local.Watch      { return local.Watch{} }
func (r *documentReporter) notes() io.Writer        { return r.err }
func (r *documentReporter) result(res local.Result) { r.out.write(documentOf(res)) }
