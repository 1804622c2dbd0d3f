package build

import (
	"slices"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// What a model reads when the policy does not say.
const (
	respondReply = "{{ response }}"
	ignoreReply  = "The user ignored this. It was not done."
)

// Policy returns the policy of that name, its texts in the scope of the place with
// `call` of this type. Nil when there is none, which is reported.
func (s *Scope) Policy(name *source.Value, call *shape.Type) *engine.Policy {
	f, ok := s.spec.policies.get(text(name))
	if !ok {
		s.Report(Unknown(unknownPolicy, "interrupt", name, s.spec.policies.names))
		return nil
	}
	s.place.uses.Policies.add(f.Key)
	var p *engine.Policy
	s.within(name.Pos, func() { p = s.policy(f.Key, f.Value, call) })
	return p
}

// PolicyOf compiles a policy that is written in place.
func (s *Scope) PolicyOf(def *source.Value, call *shape.Type) *engine.Policy {
	s.spec.checkPolicy(def, s.place.list)
	return s.policy("", def, call)
}

func (s *Scope) policy(name string, def *source.Value, call *shape.Type) *engine.Policy {
	s = s.With("call", call)
	p := &engine.Policy{
		Name: name, Allow: responses(def.Get("allow")),
		Title: s.Text(def.Get("title")), Description: s.Text(def.Get("description")),
		On: map[engine.Response]*engine.Decision{},
	}
	if t := def.Get("timeout"); t != nil {
		p.After, p.Default = s.Duration(t.Get("after")), engine.Response(text(t.Get("as")))
	}
	for _, r := range p.Allow {
		p.On[r] = s.decision(r, def.Get("on").Get(string(r)), def.Pos, call)
	}
	return p
}

func responses(v *source.Value) []engine.Response {
	var out []engine.Response
	for _, item := range items(v) {
		if r := engine.Response(text(item)); !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

func (s *Scope) decision(r engine.Response, v *source.Value, pos diag.Pos, call *shape.Type) *engine.Decision {
	runs := r == engine.Accept || r == engine.Edit
	d := &engine.Decision{Run: truth(v.Get("run"), runs), Stop: truth(v.Get("stop"), false)}
	s = s.With("response", textType)
	switch reply := v.Get("reply"); {
	case reply != nil:
		d.Reply = s.Text(reply)
	case r == engine.Respond:
		d.Reply = s.Text(&source.Value{Kind: source.String, Text: respondReply, Pos: pos})
	case !d.Run:
		d.Reply = s.Text(&source.Value{Kind: source.String, Text: ignoreReply, Pos: pos})
	}
	if m := v.Get("remember"); m != nil {
		d.Remember = s.remember(m, call)
	}
	return d
}

// remember compiles what a memory learns. Nil when there is no such memory.
func (s *Scope) remember(v *source.Value, call *shape.Type) *engine.Remember {
	m := s.Learner(v.Get("memory"))
	args := call.Fields["args"]
	note := s.With("edited", args).Prompt(v.Get("note"))
	if m == nil {
		return nil
	}
	return &engine.Remember{Memory: m, Note: note, Context: truth(v.Get("context"), false)}
}
