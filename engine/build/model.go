package build

import (
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// What a model has that does not say otherwise.
const (
	modelTimeout    = 60 * time.Second
	modelAttempts   = 3
	modelBackoff    = 500 * time.Millisecond
	modelMaxBackoff = 10 * time.Second
)

// DefaultModel is the model that is meant where none is named.
const DefaultModel = "default"

// keyed is the providers that refuse requests without a key.
var keyed = map[string]bool{"openai": true, "azure": true, "anthropic": true, "google": true}

// addressed is the providers that have no address of their own.
var addressed = map[string]bool{"azure": true, "openai_compatible": true}

// Model returns the model of that name; a nil v means the default one. Nil when there
// is none, which is reported.
func (s *Scope) Model(v *source.Value, at diag.Pos) *chat.Model {
	name := DefaultModel
	if v != nil {
		name = text(v)
	}
	m := s.spec.model[name]
	switch {
	case m != nil:
		s.place.uses.Models.add(name)
	case v != nil:
		s.Report(Unknown(unknownModel, "model", v, s.spec.models.names))
	default:
		s.Report(unknownModel.At(at, "no model is named here, and the spec has no model \"default\"").
			WithHint("Name one with `model`, or define models.default."))
	}
	return m
}

func (p *Spec) buildModels(list *diag.List) {
	p.model = make(map[string]*chat.Model, len(p.models.fields))
	for _, f := range p.models.fields {
		p.model[f.Key] = newModel(f, list)
	}
	for _, f := range p.models.fields {
		p.linkModel(f, list)
	}
	p.checkFallbacks(list)
}

func newModel(f source.Field, list *diag.List) *chat.Model {
	v := f.Value
	m := &chat.Model{
		Name: f.Key, Provider: text(v.Get("provider")), Model: text(v.Get("model")),
		APIKey: secretRef(v.Get("api_key")), BaseURL: text(v.Get("base_url")),
		MaxTokens: integer(v.Get("max_tokens"), 0), Timeout: modelTimeout,
		Retry: chat.Retry{Attempts: modelAttempts, Backoff: modelBackoff, MaxBackoff: modelMaxBackoff},
	}
	if t := v.Get("temperature"); t != nil {
		temperature := decimal(t)
		m.Temperature = &temperature
	}
	if v.Has("timeout") {
		m.Timeout = duration(v.Get("timeout"), list)
	}
	if r := retry(v.Get("retry"), list); r != nil {
		m.Retry = chat.Retry(*r)
	}
	m.Budget = chat.Budget{
		TokensPerRun: integer(v.Get("budget").Get("tokens_per_run"), 0),
		USDPerRun:    decimal(v.Get("budget").Get("usd_per_run")),
	}
	m.Prices = chat.Prices{
		InputPerMillion:  decimal(v.Get("prices").Get("input_per_million")),
		OutputPerMillion: decimal(v.Get("prices").Get("output_per_million")),
	}
	checkModel(m, f, list)
	return m
}

func checkModel(m *chat.Model, f source.Field, list *diag.List) {
	if keyed[m.Provider] && !f.Value.Has("api_key") {
		list.Add(modelKey.At(f.Pos, "model %q has no api_key, and %s answers nobody without one", m.Name, m.Provider).
			WithHint("Say where the key is kept: api_key: {env: NAME}."))
	}
	if addressed[m.Provider] && m.BaseURL == "" {
		list.Add(modelAddress.At(f.Pos, "model %q has no base_url, and %s has no address of its own", m.Name, m.Provider).
			WithHint("Add base_url, the address of the server."))
	}
	if m.Budget.USDPerRun > 0 && m.Prices == (chat.Prices{}) {
		list.Add(modelPrices.At(f.Value.Get("budget").KeyPos("usd_per_run"), "model %q has a budget in dollars but no prices, so nothing is ever counted", m.Name).
			WithHint("Add prices: {input_per_million: …, output_per_million: …}."))
	}
}

func (p *Spec) linkModel(f source.Field, list *diag.List) {
	v := f.Value.Get("fallback")
	if v == nil {
		return
	}
	m := p.model[text(v)]
	if m == nil {
		list.Add(Unknown(unknownModel, "model", v, p.models.names))
		return
	}
	p.model[f.Key].Fallback = m
	p.uses.Models.add(m.Name)
}

// checkFallbacks cuts chains of fallbacks that come back to where they began.
func (p *Spec) checkFallbacks(list *diag.List) {
	for _, f := range p.models.fields {
		first := p.model[f.Key]
		seen := map[*chat.Model]bool{first: true}
		for m := first; m.Fallback != nil; m = m.Fallback {
			if seen[m.Fallback] {
				v := p.modelField(m.Name).Get("fallback")
				list.Add(modelCycle.At(v.Pos, "the fallback of model %q leads back to %q", m.Name, m.Fallback.Name).
					WithHint("Let the last model of the chain have no fallback."))
				m.Fallback = nil
				break
			}
			seen[m.Fallback] = true
		}
	}
}

func (p *Spec) modelField(name string) *source.Value {
	f, _ := p.models.get(name)
	return f.Value
}

// retry reads a retry policy, nil when v is nil.
func retry(v *source.Value, list *diag.List) *engine.Retry {
	if v == nil {
		return nil
	}
	r := &engine.Retry{Attempts: integer(v.Get("attempts"), modelAttempts), Backoff: modelBackoff, MaxBackoff: modelMaxBackoff}
	if v.Has("backoff") {
		r.Backoff = duration(v.Get("backoff"), list)
	}
	if v.Has("max_backoff") {
		r.MaxBackoff = duration(v.Get("max_backoff"), list)
	}
	r.MaxBackoff = max(r.MaxBackoff, r.Backoff)
	return r
}

// Retry reads a retry policy, nil when v is nil.
func (s *Scope) Retry(v *source.Value) *engine.Retry { return retry(v, s.place.list) }
