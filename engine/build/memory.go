package build

import (
	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Memory returns the memory of that name. Nil when there is none, which is reported.
func (s *Scope) Memory(v *source.Value) *engine.Memory {
	m := s.spec.memories[text(v)]
	if m == nil {
		s.Report(Unknown(unknownMemory, "memory", v, s.spec.memory.names))
		return nil
	}
	s.place.uses.Memories.add(m.Name)
	return m
}

// declareMemories makes the memories and the type of `memory`. How they are updated is
// filled in by buildMemories, when everything is there that an update may use.
func (p *Spec) declareMemories(list *diag.List) {
	p.memories = make(map[string]*engine.Memory, len(p.memory.fields))
	p.memType = &shape.Type{Kind: shape.Object, Fields: make(map[string]*shape.Type, len(p.memory.fields))}
	for _, f := range p.memory.fields {
		m := &engine.Memory{
			Name: f.Key, Scope: "user", Default: text(f.Value.Get("default")),
			MaxShrink: decimal(f.Value.Get("guard").Get("max_shrink")),
			MaxChars:  integer(f.Value.Get("guard").Get("max_chars"), 0),
		}
		if scope := text(f.Value.Get("scope")); scope != "" {
			m.Scope = scope
		}
		if m.MaxChars > 0 && len(m.Default) > m.MaxChars {
			list.Add(memoryDefault.At(f.Value.Get("default").Pos, "the default of memory %q is longer than its own max_chars of %d", m.Name, m.MaxChars).
				WithHint("Shorten the default, or raise guard.max_chars."))
		}
		p.memories[f.Key] = m
		p.memType.Fields[f.Key] = textType
	}
}

// UpdateNames returns the names in scope of a memory's `update.system`: the memory's
// name, its current text and what it is for.
func (p *Spec) UpdateNames() map[string]*shape.Type {
	return p.Names(map[string]*shape.Type{"name": textType, "content": textType, "description": textType})
}

func (p *Spec) buildMemories(list *diag.List) {
	build := p.types.memoryUpdate()
	for _, f := range p.memory.fields {
		v := f.Value.Get("update")
		if v == nil || build == nil {
			continue
		}
		s := p.NewScope(p.UpdateNames(), list)
		p.memories[f.Key].Update = build(s, v)
		p.uses.Merge(s.Uses())
	}
}

// Learner returns the memory of that name for a place that has it learn something.
// Nil when there is none, or when it says nothing of how it is updated.
func (s *Scope) Learner(v *source.Value) *engine.Memory {
	m := s.spec.learner(v, s.place.list)
	if m != nil {
		s.place.uses.Memories.add(m.Name)
	}
	return m
}

func (p *Spec) learner(v *source.Value, list *diag.List) *engine.Memory {
	f, ok := p.memory.get(text(v))
	switch {
	case !ok:
		list.Add(Unknown(unknownMemory, "memory", v, p.memory.names))
		return nil
	case !f.Value.Has("update"):
		list.Add(memoryUpdate.At(v.Pos, "memory %q cannot learn: it does not say how it is updated", f.Key).
			WithHint("Add update: {model: …, system: …} to it.").
			WithRelated(f.Pos, "defined here"))
		return nil
	}
	return p.memories[f.Key]
}
