// Package learn has a model rewrite a memory from something that happened: read the
// memory, ask the model for the whole new text, write it. Each part is an operation
// of its own, so that a crash or a slow model never repeats what led to the lesson.
package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/conversation"
)

// Update is a memory's `update`: how a model rewrites it. It is kept in engine.Memory.
type Update struct {
	Model       *chat.Model
	System      *engine.Text // nil: Instructions; scope: name, content, description, memory, run
	Description string       // what the memory is for
}

// Learner rewrites memories. New makes one.
type Learner struct {
	models   chat.Client
	memories *memory.Store
	answer   *shape.Shape // of the model's answer
	broken   error        // why there is no answer
}

// New returns a Learner.
func New(models chat.Client, memories *memory.Store) *Learner {
	text := map[string]any{"type": "string"}
	answer, err := shape.FromSchema(map[string]any{
		"type": "object", "required": []any{"reasoning", "content"}, "additionalProperties": false,
		"properties": map[string]any{
			"reasoning": text,
			"content":   map[string]any{"type": "string", "pattern": `\S`, "description": "The complete new text."},
		},
	})
	return &Learner{models: models, memories: memories, answer: answer, broken: err}
}

// Lesson is what a memory is to learn from.
type Lesson struct {
	Memory  *engine.Memory
	Key     string // of what it follows from: one lesson of a key is one change
	Note    string
	Context string // what else the model is told; may be empty
	Why     string // for the list of versions; the note when empty
	By      string
}

// Failed is the status of a lesson that was not learned. The others are engine/memory's.
const Failed = "failed"

// Learned is what became of a lesson.
type Learned struct {
	Memory  string
	Status  string // applied, proposed, unchanged or failed
	Version int
	Text    string // the memory's text after it
	Reason  string // why a change is only proposed
	Error   string
	Failure *engine.Failure // behind Error, when Status is failed
}

// Data returns it as plain data, without the text.
func (l Learned) Data() map[string]any {
	out := map[string]any{"memory": l.Memory, "status": l.Status}
	if l.Version > 0 {
		out["version"] = l.Version
	}
	for name, value := range map[string]string{"reason": l.Reason, "error": l.Error} {
		if value != "" {
			out[name] = value
		}
	}
	return out
}

// Change returns what a node that changes a memory gives.
func (l Learned) Change() map[string]any {
	return map[string]any{"memory": l.Memory, "status": l.Status, "version": l.Version, "text": l.Text, "reason": l.Reason}
}

// maxRounds bounds how often a lesson is learned anew because someone else changed
// the memory meanwhile.
const maxRounds = 3

// Learn returns what became of the lesson once it is known, and until then the
// operation to wait for. It never fails: that is a status.
func (l *Learner) Learn(in *engine.Invocation, lesson Lesson) (Learned, engine.Op) {
	for range maxRounds {
		now, wait, err := l.Read(in, lesson.Memory)
		if wait != nil {
			return Learned{}, wait
		}
		if err != nil {
			return Fail(lesson.Memory, err), nil
		}
		written, wait, err := l.round(in, lesson, now)
		if wait != nil {
			return Learned{}, wait
		}
		if err != nil {
			return Fail(lesson.Memory, err), nil
		}
		if written.Status != conflict {
			return written, nil
		}
	}
	return Fail(lesson.Memory, &engine.Failure{
		Class:   engine.Transient,
		Message: fmt.Sprintf("the memory was changed by others %d times while the model was asked", maxRounds),
	}), nil
}

// Fail is what became of a lesson that cannot be learned.
func Fail(m *engine.Memory, err error) Learned {
	var f *engine.Failure
	if !errors.As(err, &f) {
		f = &engine.Failure{Class: engine.Permanent, Message: err.Error()}
	}
	return Learned{Memory: m.Name, Status: Failed, Error: f.Message, Failure: f}
}

// Read returns the memory's text as it is, or the operation to wait for.
func (l *Learner) Read(in *engine.Invocation, m *engine.Memory) (engine.MemoryValue, engine.Op, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		return &engine.Perform{
			Handler: reader{l.memories}, Request: m, Label: "read " + m.Name, Effect: engine.EffectNone, Retry: Retry(),
		}, nil
	})
	if wait != nil || err != nil {
		return engine.MemoryValue{}, wait, err
	}
	if out.Err != nil {
		return engine.MemoryValue{}, nil, out.Err
	}
	fields, _ := out.Value.(map[string]any)
	text, _ := fields["text"].(string)
	version, _ := fields["version"].(int)
	return engine.MemoryValue{Text: text, Version: engine.Seq(max(version, 0))}, nil, nil
}

func (l *Learner) round(in *engine.Invocation, lesson Lesson, now engine.MemoryValue) (Learned, engine.Op, error) {
	q, err := l.question(in, lesson, now)
	if err != nil {
		return Learned{}, nil, err
	}
	answer, wait, err := q.Ask(in)
	if wait != nil || err != nil {
		return Learned{}, wait, err
	}
	fields, _ := answer.Value.(map[string]any)
	content, _ := fields["content"].(string)
	reasoning, _ := fields["reasoning"].(string)
	return l.Write(in, lesson.Memory, now, memory.Change{Key: lesson.Key, Text: content, Why: why(lesson, reasoning), By: lesson.By})
}

// whyLimit bounds each part of why a memory changed.
const whyLimit = 1000

func why(lesson Lesson, reasoning string) string {
	out := conversation.Cut(cmp.Or(lesson.Why, lesson.Note), whyLimit)
	if reasoning != "" {
		out += "\n\n" + conversation.Cut(reasoning, whyLimit)
	}
	return out
}

// Write changes a memory from what it was. A Learned that is a Conflict means that it
// has moved on.
func (l *Learner) Write(in *engine.Invocation, m *engine.Memory, was engine.MemoryValue, c memory.Change) (Learned, engine.Op, error) {
	out, wait, err := in.Do(func() (engine.Op, error) {
		c.Base, c.Run = was.Version, in.Run
		return &engine.Perform{
			Handler: writer{l.memories}, Request: write{m, c}, Label: "write " + m.Name,
			Effect: engine.EffectIdempotent, Retry: Retry(),
		}, nil
	})
	if wait != nil || err != nil {
		return Learned{}, wait, err
	}
	if out.Err != nil {
		return Learned{}, nil, out.Err
	}
	fields, _ := out.Value.(map[string]any)
	done := Learned{Memory: m.Name}
	done.Status, _ = fields["status"].(string)
	done.Version, _ = fields["version"].(int)
	done.Text, _ = fields["text"].(string)
	if done.Status == memory.Proposed {
		done.Reason = memory.Guarded(m, was.Text, c.Text)
	}
	return done, nil, nil
}

// Retry is how reads and writes of memories are repeated: a store that is busy is soon
// free again.
func Retry() *engine.Retry {
	return &engine.Retry{Attempts: 4, Backoff: 100 * time.Millisecond, MaxBackoff: time.Second}
}

// conflict is the status of a write that came too late.
const conflict = "conflict"

// Conflict reports whether a write came too late: the memory has moved on.
func (l Learned) Conflict() bool { return l.Status == conflict }

type reader struct{ memories *memory.Store }

// Handle reads the memory in call.Request; the result is {text, version}.
func (r reader) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	m, ok := call.Request.(*engine.Memory)
	if !ok {
		return engine.Result{}, fmt.Errorf("request of a memory read is %T", call.Request)
	}
	v, err := r.memories.ReadMemory(ctx, m, call.User, call.Thread)
	if err != nil {
		return engine.Result{}, failure(err)
	}
	return engine.Result{Value: map[string]any{"text": v.Text, "version": int(v.Version)}}, nil
}

type write struct {
	memory *engine.Memory
	change memory.Change
}

type writer struct{ memories *memory.Store }

// Handle makes the change in call.Request; the result is {status, version, text}.
func (w writer) Handle(ctx context.Context, call engine.Call) (engine.Result, error) {
	req, ok := call.Request.(write)
	if !ok {
		return engine.Result{}, fmt.Errorf("request of a memory write is %T", call.Request)
	}
	place := memory.Place{Memory: req.memory, User: call.User, Thread: call.Thread}
	version, status, err := w.memories.Write(ctx, place, req.change)
	if errors.Is(err, engine.ErrConflict) {
		return engine.Result{Value: map[string]any{"status": conflict}}, nil
	}
	if err != nil {
		return engine.Result{}, failure(err)
	}
	now, err := w.memories.ReadMemory(ctx, req.memory, call.User, call.Thread)
	if err != nil {
		return engine.Result{}, failure(err)
	}
	return engine.Result{Value: map[string]any{"status": status, "version": int(version), "text": now.Text}}, nil
}

// failure classes an error of the store: damaged data stays damaged, anything else
// may pass.
func failure(err error) error {
	switch {
	case errors.Is(err, engine.ErrCorrupt), errors.Is(err, engine.ErrNewer), errors.Is(err, engine.ErrNotFound):
		return &engine.Failure{Class: engine.Permanent, Message: err.Error()}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &engine.Failure{Class: engine.Transient, Message: err.Error()}
}
