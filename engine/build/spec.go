package build

import (
	"maps"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/response"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// Spec is the definitions of a spec that nodes and tools refer to by name. New builds
// all of them that do not depend on a place; after that a Spec does not change and is
// safe for concurrent use.
type Spec struct {
	types Types
	lib   *shape.Library

	models, tools, memory, templates, policies, intents, graphs section

	model     map[string]*chat.Model
	memories  map[string]*engine.Memory
	memType   *shape.Type
	tool      map[string]*toolDef
	template  map[string]*templateDef
	signature map[string]*Signature
	data      map[string]any // the section of that name
	responses *response.Registry
	prompts   []string // names of the templates that restyle responses, sorted
	env       any      // what Types.Environment made of the section of that name
	uses      Uses     // of the definitions themselves
}

// New builds the definitions of a spec: types, models, memories, templates with
// parameters, signatures of graphs, and tools. Root is the whole spec.
func New(root *source.Value, types Types, list *diag.List) *Spec {
	p := &Spec{types: types, lib: shape.NewLibrary(root.Get("types"), list)}
	p.models, p.tools, p.memory = newSection(root.Get("models")), newSection(root.Get("tools")), newSection(root.Get("memory"))
	p.templates, p.policies = newSection(root.Get("templates")), newSection(root.Get("interrupts"))
	p.graphs, p.intents = newSection(root.Get("graphs")), newSection(root.Get("intents"))
	p.data, _ = root.Get("data").Go().(map[string]any)
	if types.Environment != nil {
		p.env = types.Environment(p.NewScope(nil, list), root.Get("environment"))
	}
	p.buildModels(list)
	p.declareMemories(list)
	p.buildTemplates(list)
	p.buildResponses(list)
	p.buildSignatures(list)
	p.buildTools(list)
	p.buildMemories(list)
	return p
}

// Library returns the spec's types.
func (p *Spec) Library() *shape.Library { return p.lib }

// Memories returns the memories by name.
func (p *Spec) Memories() map[string]*engine.Memory { return p.memories }

// Environment returns what Types.Environment made of the spec's `environment`.
func (p *Spec) Environment() any { return p.env }

// Responses returns what the spec says to people.
func (p *Spec) Responses() *response.Registry { return p.responses }

// Uses returns what the definitions themselves use: models that fall back on others,
// tools that run graphs, memories that ask models.
func (p *Spec) Uses() *Uses { return &p.uses }

// Names returns the names that every place has, with these added.
func (p *Spec) Names(more map[string]*shape.Type) map[string]*shape.Type {
	out := map[string]*shape.Type{"memory": p.memType, "run": runType}
	maps.Copy(out, more)
	return out
}

// runType is the type of `run`.
var runType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
	"id": textType, "thread": textType, "graph": textType, "step": {Kind: shape.Int},
	"started_at": {Kind: shape.Time}, "now": {Kind: shape.Time},
}}

var textType = &shape.Type{Kind: shape.String}
