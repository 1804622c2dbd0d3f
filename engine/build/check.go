package build

import (
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// noBackend stands in for a backend that could not be built; a program with it is never run.
type noBackend struct{}

// Op refuses.
func (noBackend) Op(call chat.ToolCall, _ map[string]any) (engine.Op, any, error) {
	return nil, nil, &engine.Failure{Class: engine.Permanent, Message: "tool " + call.Name + " has no backend"}
}

// checkTool compares a tool with itself and with its policy.
func (p *Spec) checkTool(def *toolDef, list *diag.List) {
	works := def.tool.Backend != nil || def.tool.Result != nil || def.backend.Backend != nil
	r := def.Value.Get("retry")
	if def.tool.Effect == engine.EffectOnce && def.tool.Retry != nil && def.tool.Retry.Attempts > 1 && !def.backend.Settles {
		list.Add(onceRetry.At(def.Value.KeyPos("retry"), "tool %q is tried up to %d times, but its effect may happen only once", def.Key, def.tool.Retry.Attempts).
			WithHint("Leave retry out, or make a repeated call harmless (effect: idempotent, idempotency_header)."))
	}
	if r != nil && !works {
		list.Add(toolBackend.At(def.Value.KeyPos("retry"), "tool %q has a retry but nothing that could fail", def.Key).
			WithHint("Leave retry out."))
	}
	if def.policy == nil {
		return
	}
	f, ok := p.policies.get(text(def.policy))
	if !ok {
		list.Add(Unknown(unknownPolicy, "interrupt", def.policy, p.policies.names))
		return
	}
	p.checkToolPolicy(def, f, works, list)
}

// checkToolPolicy reports answers that a policy offers and its tool has no use for.
func (p *Spec) checkToolPolicy(def *toolDef, policy source.Field, works bool, list *diag.List) {
	allowed := responses(policy.Value.Get("allow"))
	if slices.Contains(allowed, engine.Edit) && (def.tool.Params == nil || len(def.tool.Params.Type().Fields) == 0 && !def.tool.Params.Type().Open) {
		list.Add(policyEdit.At(def.policy.Pos, "interrupt %q lets people edit the arguments of tool %q, which has none", policy.Key, def.Key).
			WithHint("Declare the tool's parameters, or use a policy without edit.").
			WithRelated(policy.Pos, "the policy"))
	}
	if works {
		return
	}
	for _, r := range []engine.Response{engine.Accept, engine.Edit} {
		on := policy.Value.Get("on").Get(string(r))
		if slices.Contains(allowed, r) && truth(on.Get("run"), true) {
			list.Add(policyRun.At(def.policy.Pos, "interrupt %q offers %s, but tool %q has nothing to run", policy.Key, r, def.Key).
				WithHint("Give the tool a backend or a result, or offer respond and ignore only.").
				WithRelated(policy.Pos, "the policy"))
			return
		}
	}
}

// CheckPolicies reports what is wrong with the policies of the spec, whoever uses them.
func (p *Spec) CheckPolicies(list *diag.List) {
	for _, f := range p.policies.fields {
		p.checkPolicy(f.Value, list)
	}
}

func (p *Spec) checkPolicy(def *source.Value, list *diag.List) {
	allowed := responses(def.Get("allow"))
	words := make([]string, len(allowed))
	for i, r := range allowed {
		words[i] = string(r)
	}
	if on := def.Get("on"); on != nil {
		for _, f := range on.Fields {
			if !slices.Contains(words, f.Key) {
				list.Add(policyOn.At(f.Pos, "%q is decided here, but `allow` does not offer it", f.Key).
					WithHint("Add %s to allow, or leave this out. Offered: %s.", f.Key, strings.Join(words, ", ")))
			}
			p.checkDecision(f, list)
		}
	}
	p.checkTimeout(def, words, list)
}

func (p *Spec) checkTimeout(def *source.Value, allowed []string, list *diag.List) {
	as := def.Get("timeout").Get("as")
	switch word := engine.Response(text(as)); {
	case as == nil:
	case word == engine.Edit || word == engine.Respond:
		list.Add(policyTimeout.At(as.Pos, "when time runs out nobody is there to %s", word).
			WithHint("Use accept or ignore."))
	case !slices.Contains(allowed, string(word)):
		list.Add(policyTimeout.At(as.Pos, "%q is taken when time runs out, but `allow` does not offer it", word).
			WithHint("Add %s to allow, or use another: %s.", word, strings.Join(allowed, ", ")))
	}
}

func (p *Spec) checkDecision(f source.Field, list *diag.List) {
	if m := f.Value.Get("remember").Get("memory"); m != nil {
		p.learner(m, list)
	}
	if truth(f.Value.Get("run"), f.Key == string(engine.Accept) || f.Key == string(engine.Edit)) && f.Value.Has("reply") {
		list.Add(policyReply.At(f.Value.KeyPos("reply"), "the reply is never read: the tool runs, and its result is what the model sees").
			WithHint("Leave reply out, or set run: false."))
	}
}
