// Package memory is the node type memory: it reads a memory, has a model rewrite it,
// writes a text into it, or takes a change back. It also reads the `update` of the
// spec's memories, which says how a model rewrites them.
package memory

import (
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/memory"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/internal/conversation"
	"github.com/weft-engine/weft/nodes/internal/learn"
)

// Type returns the node type memory. Models rewrite memories.
func Type(models chat.Client, memories *memory.Store) build.NodeType {
	learner := learn.New(models, memories)
	return build.NodeType{
		Name: "memory", Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Node {
			switch {
			case config.Has("read"):
				return newRead(s, config.Get("read"), learner)
			case config.Has("update"):
				return newUpdate(s, config.Get("update"), learner)
			case config.Has("write"):
				return newWrite(s, config.Get("write"), learner)
			case config.Has("undo"):
				return newUndo(s, config.Get("undo"), memories)
			}
			return build.Node{}
		},
		Memory: func(s *build.Scope, update *source.Value) any {
			return &learn.Update{Model: s.Model(update.Get("model"), update.Pos), System: s.Prompt(update.Get("system"))}
		},
	}
}

func newRead(s *build.Scope, v *source.Value, l *learn.Learner) build.Node {
	out := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"text": {Kind: shape.String}, "version": {Kind: shape.Int}}}
	m := s.Memory(v)
	if m == nil {
		return build.Node{Output: out}
	}
	return build.Node{Plan: &read{memory: m, learner: l}, Output: out}
}

func newUpdate(s *build.Scope, v *source.Value, l *learn.Learner) build.Node {
	p := &update{
		note: s.Prompt(v.Get("note")), messages: conversation.Compile(s, v.Get("messages")), reason: s.Text(v.Get("reason")), learner: l,
	}
	if p.note == nil && p.messages == nil {
		s.Report(learnsNothing.At(v.Pos, "the memory is to learn, and is told nothing").
			WithHint("Add a note, or the messages to learn from."))
	}
	if p.memory = s.Learner(v.Get("memory")); p.memory == nil {
		return build.Node{Output: learn.ChangeType()}
	}
	return build.Node{Plan: p, Output: learn.ChangeType(), Once: true}
}

func newWrite(s *build.Scope, v *source.Value, l *learn.Learner) build.Node {
	p := &write{text: s.Text(v.Get("text")), reason: s.Text(v.Get("reason")), learner: l}
	if p.memory = s.Memory(v.Get("memory")); p.memory == nil {
		return build.Node{Output: learn.ChangeType()}
	}
	return build.Node{Plan: p, Output: learn.ChangeType(), Once: true}
}

func newUndo(s *build.Scope, v *source.Value, memories *memory.Store) build.Node {
	p := &undo{version: s.Value(v.Get("version")), reason: s.Text(v.Get("reason")), memories: memories}
	if p.version != nil {
		if got := p.version.Type(); build.Fits(got, &shape.Type{Kind: shape.Int}) == build.Never {
			s.Report(badVersion.At(v.Get("version").Pos, "a version is a whole number, and this is %s", build.Describe(got)).
				WithHint("Pass the number of a change, or leave version out for the last one."))
		}
	}
	if p.memory = s.Memory(v.Get("memory")); p.memory == nil {
		return build.Node{Output: learn.ChangeType()}
	}
	return build.Node{Plan: p, Output: learn.ChangeType(), Once: true}
}

var (
	learnsNothing = diag.Rule{
		Code: "memory-node/learns-nothing", Severity: diag.Error, Summary: "A memory is to learn and is told nothing.",
		Explain: "`update` has the memory's model rewrite it, from a note, from messages, or from both.\n\n" +
			"    memory: {update: {memory: preferences}}                                # wrong\n" +
			"    memory: {update: {memory: preferences, note: \"{{ feedback }}\"}}        # right\n",
	}
	badVersion = diag.Rule{
		Code: "memory-node/version", Severity: diag.Error, Summary: "The version of a memory is not a whole number.",
		Explain: "`undo` takes back a change and all that came after it. Without `version` that is the last change.\n",
	}
)

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{learnsNothing, badVersion, conversation.BadMessages} }
