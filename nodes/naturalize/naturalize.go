// Package naturalize is the node type naturalize: it has a model say a text in other
// words. A model may restyle but not change facts: every amount, date, name, address,
// link and code of the text, and every value in keep, must be in the answer, and no new
// amount, date, address, link or code. Otherwise, and when the model fails or talks
// nonsense, the text stays what it was and the node says why. Its output is
//
//	text      the text to use
//	restyled  whether it is the model's
//	called    whether a model was asked
//	fallback  why the text stayed what it was: "model_failed", "empty", "too_long", "echo"
//	          (the model repeated its instructions) or "changed_facts"; null when it did not
//	reason    the same for people; "" when there is none
//	lost, added  facts that the answer had not, or had too much
//	model, temperature  what the provider calls the model, and how freely it was to speak
//
// With an empty text, and with skip, no model is asked.
//
// With stream the answer is shown while it is being written, sentence by sentence: each is
// compared first, and the first that brings a fact is not shown, nor what follows it. What
// counts is the output.
package naturalize

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/nodes/internal/conversation"
)

// Type returns the node type naturalize, which asks models through the client.
func Type(models chat.Client) build.NodeType {
	return build.NodeType{
		Name: "naturalize", Rules: []diag.Rule{conversation.BadMessages, notRestyler},
		Build: func(s *build.Scope, config *source.Value) build.Node {
			p := newPlan(s, config)
			p.models = models
			return build.Node{Plan: p, Output: outputType}
		},
	}
}

func newPlan(s *build.Scope, v *source.Value) *plan {
	p := &plan{
		model: s.Model(v.Get("model"), v.Pos), text: s.Text(v.Get("text")), system: s.Prompt(v.Get("system")), prompt: s.Prompt(v.Get("prompt")),
		messages: conversation.Compile(s, v.Get("messages")), keep: s.Value(v.Get("keep")), skip: s.Value(v.Get("skip")),
		temperature: s.Value(v.Get("temperature")), stream: s.Value(v.Get("stream")), by: s.Value(v.Get("by")), verify: true,
	}
	if p.by != nil {
		p.prompts = s.Restylers(v.Get("with"))
		named(s, v.Get("by"), p.prompts)
	}
	p.history, _ = v.Get("history").Go().(int)
	p.maxTokens, _ = v.Get("max_tokens").Go().(int)
	if verify, ok := v.Get("verify").Go().(bool); ok {
		p.verify = verify
	}
	return p
}

var (
	text       = &shape.Type{Kind: shape.String}
	truth      = &shape.Type{Kind: shape.Bool}
	texts      = &shape.Type{Kind: shape.List, Elem: text}
	outputType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"text": text, "restyled": truth, "called": truth, "reason": text, "lost": texts, "added": texts,
		"fallback": {Kind: shape.String, Nullable: true}, "model": text, "temperature": {Kind: shape.Number, Nullable: true},
	}}
)

// plan is a configured naturalize.
type plan struct {
	models         chat.Client
	model          *chat.Model
	text           *engine.Text
	system, prompt *engine.Text
	by             *expr.Value
	prompts        map[string]*engine.Text // that by may name
	messages       *conversation.Source
	history        int // 0: all
	keep           *expr.Value
	verify         bool
	skip           *expr.Value
	temperature    *expr.Value
	maxTokens      int
	stream         *expr.Value
}

var notRestyler = diag.Rule{
	Code: "naturalize/by", Severity: diag.Error, Summary: "A text is to be restyled by a template that no response names.",
	Explain: "`by` chooses among the templates that responses or intents name as their `naturalize`. One that is always the same is written as " +
		"`system`.\n\n" +
		"    naturalize: {text: …, by: weave, with: {…}}                      # wrong, when no response names it\n" +
		"    naturalize: {text: …, system: {template: weave, with: {…}}}     # right\n",
}

// named reports a name that is written in place and that no response names.
func named(s *build.Scope, v *source.Value, prompts map[string]*engine.Text) {
	if strings.Contains(v.Text, "{{") || v.Text == "" || prompts[v.Text] != nil {
		return
	}
	f := notRestyler.At(v.Pos, "no response names a template %q as its naturalize", v.Text)
	if near := diag.Nearest(v.Text, slices.Sorted(maps.Keys(prompts))); near != "" {
		s.Report(f.WithHint("Did you mean %q?", near))
		return
	}
	s.Report(f.WithHint("Write system: {template: %s, with: {…}}, or name it in a response.", v.Text))
}
