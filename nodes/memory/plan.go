package memory

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/nodes/internal/conversation"
	"github.com/weft-engine/weft/nodes/internal/learn"
)

// read gives {text, version}.
type read struct {
	memory  *engine.Memory
	learner *learn.Learner
}

// Next reads the memory.
func (p *read) Next(in *engine.Invocation) (engine.Move, error) {
	v, wait, err := p.learner.Read(in, p.memory)
	if wait != nil || err != nil {
		return in.Stop(wait, err)
	}
	return engine.Finish(map[string]any{"text": v.Text, "version": int(v.Version)}), nil
}

// messagesLimit bounds how much of the messages a memory learns from.
const messagesLimit = 24 << 10

// update has a model rewrite the memory.
type update struct {
	memory   *engine.Memory
	note     *engine.Text
	messages *conversation.Source
	reason   *engine.Text
	learner  *learn.Learner
}

// Next learns, and gives what became of it. Unlike a policy's `remember`, which is by
// the way, this node is for learning: when that fails, it fails.
func (p *update) Next(in *engine.Invocation) (engine.Move, error) {
	lesson, err := p.lesson(in)
	if err != nil {
		return engine.Move{}, err
	}
	learned, wait := p.learner.Learn(in, lesson)
	if wait != nil {
		return in.Stop(wait, nil)
	}
	if learned.Failure != nil {
		return engine.Move{}, learned.Failure
	}
	return engine.Finish(learned.Change()), nil
}

func (p *update) lesson(in *engine.Invocation) (learn.Lesson, error) {
	lesson := learn.Lesson{Memory: p.memory, Key: in.Key, By: in.User}
	messages, err := p.messages.Messages(in.Scope)
	if err != nil {
		return lesson, err
	}
	lesson.Context = conversation.Text(messages, messagesLimit)
	if lesson.Note, err = p.note.Render(in.Scope); err != nil {
		return lesson, fmt.Errorf("note: %w", err)
	}
	if lesson.Why, err = p.reason.Render(in.Scope); err != nil {
		return lesson, fmt.Errorf("reason: %w", err)
	}
	if lesson.Note == "" && lesson.Context == "" {
		return lesson, fmt.Errorf("memory %q is told nothing: note and messages are both empty", p.memory.Name)
	}
	return lesson, nil
}

// write puts a text into the memory.
type write struct {
	memory  *engine.Memory
	text    *engine.Text
	reason  *engine.Text
	learner *learn.Learner
}

// maxRounds bounds how often a write is made anew because someone else changed the memory.
const maxRounds = 3

// Next writes the text, and gives what became of it.
func (p *write) Next(in *engine.Invocation) (engine.Move, error) {
	text, err := p.text.Render(in.Scope)
	if err != nil {
		return engine.Move{}, fmt.Errorf("text: %w", err)
	}
	why, err := p.reason.Render(in.Scope)
	if err != nil {
		return engine.Move{}, fmt.Errorf("reason: %w", err)
	}
	for range maxRounds {
		now, wait, err := p.learner.Read(in, p.memory)
		if wait != nil || err != nil {
			return in.Stop(wait, err)
		}
		written, wait, err := p.learner.Write(in, p.memory, now, memory.Change{Key: in.Key, Text: text, Why: why, By: in.User})
		if wait != nil || err != nil {
			return in.Stop(wait, err)
		}
		if !written.Conflict() {
			return engine.Finish(written.Change()), nil
		}
	}
	return engine.Move{}, &engine.Failure{Class: engine.Transient, Message: fmt.Sprintf("memory %q keeps being changed by others", p.memory.Name)}
}

// undo takes a change back.
type undo struct {
	memory   *engine.Memory
	version  *expr.Value // nil: the last change
	reason   *engine.Text
	memories *memory.Store
}

// Next undoes the change, and gives what became of it.
func (p *undo) Next(in *engine.Invocation) (engine.Move, error) {
	out, wait, err := in.Do(func() (engine.Op, error) { return p.perform(in) })
	switch {
	case err != nil:
		return engine.Move{}, err
	case wait != nil:
		return in.Stop(wait, nil)
	case out.Err != nil:
		return engine.Move{}, out.Err
	}
	done := learn.Learned{Memory: p.memory.Name, Status: memory.Undone}
	fields, _ := out.Value.(map[string]any)
	done.Version, _ = fields["version"].(int)
	done.Text, _ = fields["text"].(string)
	return engine.Finish(done.Change()), nil
}

func (p *undo) perform(in *engine.Invocation) (engine.Op, error) {
	why, err := p.reason.Render(in.Scope)
	if err != nil {
		return nil, fmt.Errorf("reason: %w", err)
	}
	request := undoRequest{memory: p.memory, by: memory.By{Key: in.Key, By: in.User, Why: why, Run: in.Run}}
	if p.version != nil {
		v, err := p.version.Eval(in.Scope)
		if err != nil {
			return nil, fmt.Errorf("version: %w", err)
		}
		n, ok := v.(int)
		if !ok || n < 1 {
			return nil, fmt.Errorf("version must be a whole number of 1 or more, and is %v", v)
		}
		request.version = engine.Seq(n)
	}
	return &engine.Perform{
		Handler: undoer{p.memories}, Request: request, Label: "undo " + p.memory.Name,
		Effect: engine.EffectIdempotent, Retry: learn.Retry(),
	}, nil
}
