package build

import (
	"slices"
	"time"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// defaultToolTimeout bounds a call of a tool that does not say.
const defaultToolTimeout = 60 * time.Second

// Tool is a tool as it is called from one place.
type Tool struct {
	*engine.Tool             // its policy's texts see the names of the place
	Output       *shape.Type // of the result; nil is not known
	Settles      bool        // calls in doubt can be settled without a human
	Graph        string      // the graph that it runs, if it runs one
	Pos          diag.Pos    // of its name in the spec
}

// toolDef is a tool of the spec without its policy, which depends on the place.
type toolDef struct {
	source.Field
	tool    engine.Tool
	backend Backend
	output  *shape.Type
	call    *shape.Type // of `call` in its policy
	policy  *source.Value
}

// Bind returns a tool for a model to know of. It has no policy: calls are made by
// nodes that get it from Tool or Callable. Nil when there is none, which is reported.
func (s *Scope) Bind(v *source.Value) *engine.Tool {
	def := s.toolDef(v)
	if def == nil {
		return nil
	}
	t := def.tool
	return &t
}

// Tool returns the tool of that name as it is called here. Nil when there is none,
// which is reported.
func (s *Scope) Tool(v *source.Value) *Tool {
	def := s.toolDef(v)
	if def == nil {
		return nil
	}
	var t *Tool
	s.within(v.Pos, func() { t = s.here(def) })
	if t.Policy == nil && t.Graph != "" {
		s.place.does.Runs = append(s.place.does.Runs, t.Graph)
	}
	return t
}

// Callable returns the tools that a list of calls may name here, in the order of the
// spec: those that models of the graph are told of, or all when there is no such model.
func (s *Scope) Callable() []*Tool {
	s.place.uses.Calls = true
	var out []*Tool
	for _, f := range s.spec.tools.fields {
		if s.place.callable == nil || slices.Contains(s.place.callable, f.Key) {
			s.within(s.place.pos, func() { out = append(out, s.here(s.spec.tool[f.Key])) })
		}
	}
	return out
}

func (s *Scope) toolDef(v *source.Value) *toolDef {
	def := s.spec.tool[text(v)]
	if def == nil {
		s.Report(Unknown(unknownTool, "tool", v, s.spec.tools.names))
		return nil
	}
	s.place.uses.Tools.add(def.Key)
	return def
}

// here compiles a tool's policy in the scope of the place.
func (s *Scope) here(def *toolDef) *Tool {
	t := def.tool
	if def.policy != nil {
		t.Policy = s.Policy(def.policy, def.call)
		s.place.does.Asks = true
	}
	s.place.does.Changes = s.place.does.Changes || t.Effect == engine.EffectOnce || t.Effect == engine.EffectIdempotent
	s.place.does.Live = s.place.does.Live || def.backend.Live
	if t.Effect == engine.EffectOnce && !def.backend.Settles && t.Retry == nil {
		s.place.does.Unsettled = true
	}
	return &Tool{Tool: &t, Output: def.output, Settles: def.backend.Settles, Graph: def.backend.Graph, Pos: def.Pos}
}

// CallType returns the type of `call` for a call with such arguments; args may be nil.
func CallType(args *shape.Type) *shape.Type {
	if args == nil {
		args = &shape.Type{Kind: shape.Object, Open: true}
	}
	return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"id": textType, "name": textType, "args": args}}
}

// Tools returns the tools by name, without their policies, which depend on the place.
func (p *Spec) Tools() map[string]*engine.Tool {
	out := make(map[string]*engine.Tool, len(p.tool))
	for name, def := range p.tool {
		t := def.tool
		out[name] = &t
	}
	return out
}

func (p *Spec) buildTools(list *diag.List) {
	p.tool = make(map[string]*toolDef, len(p.tools.fields))
	for _, f := range p.tools.fields {
		p.tool[f.Key] = p.newTool(f, list)
	}
}

func (p *Spec) newTool(f source.Field, list *diag.List) *toolDef {
	v := f.Value
	def := &toolDef{Field: f, policy: v.Get("interrupt")}
	def.tool = engine.Tool{
		Name: f.Key, Description: text(v.Get("description")), Effect: engine.Effect(text(v.Get("effect"))),
		Timeout: defaultToolTimeout, Retry: retry(v.Get("retry"), list),
	}
	if v.Has("timeout") {
		def.tool.Timeout = duration(v.Get("timeout"), list)
	}
	args := p.parameters(def, list)
	def.call = CallType(args)
	names := map[string]*shape.Type{"args": args, "call": def.call, "run": runType}
	s := p.NewScope(names, list)
	p.work(def, s)
	if def.tool.Effect == "" {
		def.tool.Effect = cmpEffect(def.backend.Effect)
	}
	p.uses.Merge(s.Uses())
	if def.backend.Graph != "" {
		p.uses.Graphs.add(def.backend.Graph)
	}
	p.checkTool(def, list)
	return def
}

func cmpEffect(e engine.Effect) engine.Effect {
	if e == "" {
		return engine.EffectNone
	}
	return e
}

// parameters compiles a tool's parameters and returns the type of its arguments.
func (p *Spec) parameters(def *toolDef, list *diag.List) *shape.Type {
	v := def.Value.Get("parameters")
	if v == nil {
		return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{}}
	}
	def.tool.Params = p.lib.Compile(v, list)
	t := def.tool.Params.Type()
	if t.Kind != shape.Object && (t.Kind != shape.Any || !v.Has("$ref")) {
		list.Add(toolParameters.At(v.Pos, "the parameters of tool %q are not an object", def.Key).
			WithHint("Models pass named arguments: write {type: object, properties: {…}}."))
		return &shape.Type{Kind: shape.Object, Open: true}
	}
	return t
}

// work builds what does a tool's work: a backend, a result, or a human's answer.
func (p *Spec) work(def *toolDef, s *Scope) {
	keys := p.backendKeys(def.Value)
	switch {
	case len(keys) > 1:
		s.Report(toolBackends.At(def.Value.KeyPos(keys[1]), "tool %q has two backends, %s and %s", def.Key, keys[0], keys[1]).
			WithHint("Keep one of them, or make two tools."))
	case len(keys) == 1:
		p.backend(def, s, keys[0])
	}
	if r := def.Value.Get("result"); r != nil {
		if len(keys) > 0 {
			s.Report(toolBackends.At(def.Value.KeyPos("result"), "tool %q has a backend, %s, and a result", def.Key, keys[0]).
				WithHint("Keep one of them."))
		}
		def.tool.Result = s.Value(r)
		def.output = def.tool.Result.Type()
		return
	}
	if len(keys) > 0 {
		return
	}
	def.output = textType
	if def.policy == nil {
		s.Report(toolBackend.At(def.Pos, "tool %q does nothing: it has no backend, no result, and nobody is asked", def.Key).
			WithHint("Give it a backend such as http or expr, a result, or an interrupt whose answer is the result."))
	}
}

// backendKeys returns the keys of a tool that name a backend of this binary.
func (p *Spec) backendKeys(v *source.Value) []string {
	var keys []string
	for _, f := range v.Fields {
		if p.types.Backend(f.Key) != nil || slices.Contains(laterBackends, f.Key) {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// laterBackends is the backends that the schema knows and a binary may lack.
var laterBackends = []string{"expr", "http", "graph", "exec", "gmail", "calendar", "ues", "mcp"}

func (p *Spec) backend(def *toolDef, s *Scope, key string) {
	b := p.types.Backend(key)
	if b == nil {
		s.Report(unknownBackend.At(def.Value.KeyPos(key), "tool %q needs the backend %q, which this program does not have", def.Key, key).
			WithHint("Use a profile that replaces it, or a program that has it."))
		def.backend.Backend = noBackend{}
		return
	}
	s.trusted(key, def.Value.Get(key))
	before := s.place.list.Len()
	def.backend = b.Build(s, &def.tool, def.Value.Get(key))
	if def.backend.Backend == nil && s.place.list.Len() == before {
		s.Report(unknownBackend.At(def.Value.KeyPos(key), "tool %q cannot be built", def.Key).WithHint("Check the configuration of %s.", key))
	}
	def.tool.Backend, def.output = def.backend.Backend, def.backend.Result
}
