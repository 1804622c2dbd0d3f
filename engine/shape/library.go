package shape

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// The resources of a library's validator. They are names, not places.
const (
	typesURL = "weft:///types"
	shapeURL = "weft:///shape/"
)

// Library is the named types of a spec; it compiles the schemas that refer to them.
// It is safe for concurrent use.
type Library struct {
	types   map[string]*node
	names   []string // of types, sorted
	lenient bool

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	waiting  map[string]func() any // schemas that the compiler has not been given yet, by resource
	shapes   int
}

// NewLibrary compiles the spec's `types` section (nil when there is none) and adds
// the built-in types Message and ToolCall.
func NewLibrary(types *source.Value, list *diag.List) *Library {
	return newLibrary(types, list, false)
}

func newLibrary(types *source.Value, list *diag.List, lenient bool) *Library {
	l := &Library{types: map[string]*node{}, lenient: lenient, compiler: newCompiler(), waiting: map[string]func() any{}}
	fields := append(builtins(), l.own(types, list)...)
	for _, f := range fields {
		l.types[f.Key] = &node{}
		l.names = append(l.names, f.Key)
	}
	slices.Sort(l.names)
	roots := make([]*node, 0, len(fields))
	for _, f := range fields {
		n := l.types[f.Key]
		n.name = f.Key
		p := parser{lib: l, list: list, root: n}
		p.into(n, f.Value, 0)
		roots = append(roots, n)
	}
	survey(roots)
	l.finish(roots, list)
	l.waiting[typesURL] = func() any { return map[string]any{"$defs": l.definitions(l.names, forValidator)} }
	for _, n := range roots {
		l.defaults(n, typesURL+"#"+locator("$defs", n.name), list)
	}
	return l
}

// own returns the definitions of the spec that may be used.
func (l *Library) own(types *source.Value, list *diag.List) []source.Field {
	if types == nil || types.Kind == source.Null {
		return nil
	}
	if types.Kind != source.Map {
		list.Add(invalid.At(types.Pos, "`types` must be an object from names to schemas, not %s", article(types.Kind)).
			WithHint("Write types: {Email: {type: object, …}}."))
		return nil
	}
	var out []source.Field
	for _, f := range types.Fields {
		if f.Key == "Message" || f.Key == "ToolCall" {
			list.Add(reservedType.At(f.Pos, "type %q is built in and cannot be defined again", f.Key).
				WithHint("Choose another name, or use the built-in one: {$ref: \"#/types/%s\"}.", f.Key))
			continue
		}
		out = append(out, f)
	}
	return out
}

// Compile compiles one schema of the spec. It never returns nil: what is wrong is
// reported to list, and a schema with errors allows everything, though its type is as
// good as can be told. A nil v, nothing written, allows everything too.
func (l *Library) Compile(v *source.Value, list *diag.List) *Shape {
	if v == nil {
		return Anything()
	}
	n := &node{}
	p := parser{lib: l, list: list, root: n}
	p.into(n, v, 0)
	n.reach.join()
	l.finish([]*node{n}, list)
	s := &Shape{lib: l, root: n, typ: n.typ, free: n.bad || n.free()}
	if !s.free {
		s.url = l.await(n)
		l.defaults(n, s.url+"#", list)
	}
	return s
}

// Names returns the names of the types, sorted, the built-in ones too.
func (l *Library) Names() []string { return slices.Clone(l.names) }

// Type returns the static type of a named type, nil when there is none of that name.
func (l *Library) Type(name string) *Type {
	if n := l.types[name]; n != nil {
		return n.typ
	}
	return nil
}

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(refuse{})
	return c
}

// refuse is the loader that loads nothing.
type refuse struct{}

// Load refuses.
func (refuse) Load(url string) (any, error) {
	return nil, fmt.Errorf("schema %q is not part of the spec", url)
}

// await names a schema for when it is compiled.
func (l *Library) await(n *node) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shapes++
	url := fmt.Sprintf("%s%d", shapeURL, l.shapes)
	l.waiting[url] = func() any { return export(n.src, forValidator) }
	return url
}

// compile makes the validator of a schema: a resource, or a place in one.
func (l *Library) compile(url string) (*jsonschema.Schema, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	resource, _, _ := strings.Cut(url, "#")
	for _, name := range []string{typesURL, resource} {
		doc, ok := l.waiting[name]
		if !ok {
			continue
		}
		delete(l.waiting, name)
		if err := l.compiler.AddResource(name, doc()); err != nil {
			return nil, err
		}
	}
	return l.compiler.Compile(url)
}
