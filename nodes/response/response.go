// Package response is the node type response: it looks up what the spec says to an
// intent or a dialogue act, and fills it. Both are pure; missing values are reported,
// never an error.
//
//	response: {find: {dact: "{{ flow.name }}", intent: "{{ flow.intent }}", flags: "{{ flags }}"}}
//
// gives
//
//	template         name of the template; null when there is none
//	id               its name and version, as records show it; null
//	source, key      "override" and the dialogue act, or "base" and the intent; null
//	intent, base     the intent, and the one whose base template counts for it
//	known            whether the spec has the intent
//	speaks           whether the intent says anything under the flags
//	block_hint       how the text wants to be shown; null
//	skip_naturalize  whether the text is said as it is
//	naturalize       template of the prompt that restyles it, its own or the intent's; null
//	temperature      how freely; null
//	min_tokens, max_tokens  bounds of its length, its own or the intent's; null
//
// and
//
//	response: {fill: {template: "{{ found.template }}", from: ["{{ flow.slots }}", "{{ frame }}"], locale: de, seed: "{{ run.id }}"}}
//
// gives
//
//	text      the text; "" without a template
//	coverage  {placeholders, filled, missing: [name]}
//	values    the texts that were put in
//	sections  [{held, text}], one for each part
//	variation which of the variations was said, from 0
package response

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	registry "github.com/weft-engine/weft/engine/response"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Type returns the node type response.
func Type() build.NodeType {
	return build.NodeType{
		Name: "response", Rules: Rules(),
		Build: func(s *build.Scope, config *source.Value) build.Node {
			if v := config.Get("find"); v != nil {
				return build.Node{Output: foundType, Plan: &find{
					registry: s.Responses(), act: s.Value(v.Get("dact")), intent: s.Value(v.Get("intent")), flags: s.Value(v.Get("flags")),
				}}
			}
			v := config.Get("fill")
			named(s, v.Get("template"))
			return build.Node{Output: filledType, Plan: &fill{
				registry: s.Responses(), template: s.Value(v.Get("template")), from: s.Value(v.Get("from")),
				locale: s.Value(v.Get("locale")), seed: s.Value(v.Get("seed")),
			}}
		},
	}
}

var (
	text    = &shape.Type{Kind: shape.String}
	maybe   = &shape.Type{Kind: shape.String, Nullable: true}
	truth   = &shape.Type{Kind: shape.Bool}
	integer = &shape.Type{Kind: shape.Int}
	count   = &shape.Type{Kind: shape.Int, Nullable: true}
	texts   = &shape.Type{Kind: shape.List, Elem: text}

	foundType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"template": maybe, "id": maybe, "source": maybe, "key": maybe, "intent": text, "base": text, "known": truth, "speaks": truth,
		"block_hint": maybe, "skip_naturalize": truth, "naturalize": maybe,
		"temperature": {Kind: shape.Number, Nullable: true}, "min_tokens": count, "max_tokens": count,
	}}
	filledType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"text": text, "values": texts, "variation": integer,
		"coverage": {Kind: shape.Object, Fields: map[string]*shape.Type{"placeholders": integer, "filled": integer, "missing": texts}},
		"sections": {Kind: shape.List, Elem: &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"held": truth, "text": text}}},
	}}
)

var notResponse = diag.Rule{
	Code: "response/template", Severity: diag.Error, Summary: "A response is filled that there is not.",
	Explain: "`fill` takes the name of a response: a template that belongs to an intent or a dialogue act. Most often it is what `find` gave.\n\n" +
		"    response: {fill: {template: a_prompt}}                     # wrong\n" +
		"    response: {fill: {template: \"{{ found.template }}\"}}      # right\n",
}

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{notResponse} }

// named reports a name that is written in place and is no response's.
func named(s *build.Scope, v *source.Value) {
	if v == nil || strings.Contains(v.Text, "{{") || v.Text == "" || s.Responses().Named[v.Text] != nil {
		return
	}
	names := slices.Sorted(maps.Keys(s.Responses().Named))
	f := notResponse.At(v.Pos, "there is no response template %q", v.Text)
	if near := diag.Nearest(v.Text, names); near != "" {
		s.Report(f.WithHint("Did you mean %q?", near))
		return
	}
	s.Report(f.WithHint("Give the template an intent or a dact, or correct the name."))
}

// said evaluates a text that may be absent or null.
func said(x *expr.Value, scope map[string]any) (string, error) {
	if x == nil {
		return "", nil
	}
	return x.String(scope)
}

type find struct {
	registry           *registry.Registry
	act, intent, flags *expr.Value
}

// Next looks the response up.
func (p *find) Next(in *engine.Invocation) (engine.Move, error) {
	act, err := said(p.act, in.Scope)
	if err != nil {
		return engine.Move{}, fmt.Errorf("dact: %w", err)
	}
	intent, err := said(p.intent, in.Scope)
	if err != nil {
		return engine.Move{}, fmt.Errorf("intent: %w", err)
	}
	flags := map[string]any{}
	if p.flags != nil {
		v, err := p.flags.Eval(in.Scope)
		if err != nil {
			return engine.Move{}, fmt.Errorf("flags: %w", err)
		}
		if fields, ok := v.(map[string]any); ok {
			flags = fields
		}
	}
	speaks, err := p.registry.Says(intent, flags)
	if err != nil {
		return engine.Move{}, fmt.Errorf("speaks of intent %q: %w", intent, err)
	}
	return engine.Finish(p.found(act, intent, speaks)), nil
}

func (p *find) found(act, intent string, speaks bool) map[string]any {
	t, from := p.registry.Find(act, intent)
	base := p.registry.Abstract(intent)
	of := p.registry.Intents[intent]
	out := map[string]any{
		"template": nil, "id": nil, "source": nil, "key": nil, "intent": intent, "base": base, "known": of != nil, "speaks": speaks,
		"block_hint": nil, "skip_naturalize": false, "naturalize": nil, "temperature": nil, "min_tokens": nil, "max_tokens": nil,
	}
	for _, i := range []*registry.Intent{p.registry.Intents[base], of} {
		if i != nil {
			out["naturalize"], out["min_tokens"], out["max_tokens"] = or(i.Naturalize, out["naturalize"]), orCount(i.Min, out["min_tokens"]), orCount(i.Max, out["max_tokens"])
		}
	}
	if t == nil {
		return out
	}
	out["template"], out["id"], out["source"], out["key"] = t.Name, t.ID(), string(from), act
	if from == registry.Base {
		out["key"] = base
	}
	out["block_hint"], out["skip_naturalize"] = or(t.Hint, nil), t.Verbatim
	out["naturalize"], out["min_tokens"], out["max_tokens"] = or(t.Naturalize, out["naturalize"]), orCount(t.Min, out["min_tokens"]), orCount(t.Max, out["max_tokens"])
	if t.Temperature != nil {
		out["temperature"] = *t.Temperature
	}
	return out
}

// or is a text, or what stands for it when it is empty.
func or(s string, other any) any {
	if s == "" {
		return other
	}
	return s
}

func orCount(n int, other any) any {
	if n == 0 {
		return other
	}
	return n
}

type fill struct {
	registry                     *registry.Registry
	template, from, locale, seed *expr.Value
}

// Next fills the response.
func (p *fill) Next(in *engine.Invocation) (engine.Move, error) {
	name, err := said(p.template, in.Scope)
	if err != nil {
		return engine.Move{}, fmt.Errorf("template: %w", err)
	}
	t := p.registry.Named[name]
	if t == nil {
		if name != "" {
			return engine.Move{}, fmt.Errorf("there is no response template %q", name)
		}
		return engine.Finish(Data(registry.Filled{})), nil
	}
	f, err := p.filling(in.Scope)
	if err != nil {
		return engine.Move{}, err
	}
	out, err := t.Fill(f)
	if err != nil {
		return engine.Move{}, fmt.Errorf("fill %q: %w", name, err)
	}
	return engine.Finish(Data(out)), nil
}

func (p *fill) filling(scope map[string]any) (out registry.Filling, err error) {
	if out.Locale, err = said(p.locale, scope); err != nil {
		return out, fmt.Errorf("locale: %w", err)
	}
	if out.Seed, err = said(p.seed, scope); err != nil {
		return out, fmt.Errorf("seed: %w", err)
	}
	if p.from == nil {
		return out, nil
	}
	v, err := p.from.Eval(scope)
	if err != nil {
		return out, fmt.Errorf("from: %w", err)
	}
	out.Sources, _ = v.([]any)
	return out, nil
}

// Data is a filled response as plain data: the output of the node.
func Data(f registry.Filled) map[string]any {
	sections := make([]any, len(f.Sections))
	for i, s := range f.Sections {
		sections[i] = map[string]any{"held": s.Held, "text": s.Text}
	}
	return map[string]any{
		"text": f.Text, "values": list(f.Values), "variation": f.Variation, "sections": sections,
		"coverage": map[string]any{"placeholders": f.Placeholders, "filled": f.Done, "missing": list(f.Missing)},
	}
}

func list(items []string) []any {
	out := make([]any, len(items))
	for i, s := range items {
		out[i] = s
	}
	return out
}
