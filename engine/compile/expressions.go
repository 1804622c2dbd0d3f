package compile

import (
	"runtime"
	"strings"
	"sync"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// expressions compiles what nodes do, write and decide. It comes after everything that
// expressions can name.
func expressions(c *compilation) {
	var jobs []job
	for _, g := range c.graphs {
		g.scope = c.spec.GraphScope(g.sig, c.list).Calling(g.tools)
		for _, n := range g.nodes {
			jobs = append(jobs, job{g, n})
		}
	}
	for len(jobs) > 0 {
		c.compile(jobs)
		jobs = c.again()
	}
	for _, g := range c.graphs {
		for _, n := range g.nodes {
			if !c.wrong.node(g, n) {
				c.list.Merge(&n.list)
			}
			g.uses.Merge(&n.uses)
		}
		c.output(g)
	}
}

// job is a node to compile.
type job struct {
	g *graph
	n *node
}

// compile compiles nodes in parallel, each with its own list of findings; the lists are
// merged in the order of the nodes.
func (c *compilation) compile(jobs []job) {
	next := make(chan job)
	var workers sync.WaitGroup
	for range min(len(jobs), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for j := range next {
				c.node(j.g, j.n)
			}
		})
	}
	for _, j := range jobs {
		next <- j
	}
	close(next)
	workers.Wait()
}

// node compiles one node. It writes to the node alone.
func (c *compilation) node(g *graph, n *node) {
	n.list, n.writes = diag.List{}, nil
	s := g.scope.At(n.Pos, &n.list)
	inner := c.forEach(g, n, s)
	if n.typ != nil {
		n.built = n.typ.Build(inner, n.config)
		n.out.Plan = n.built.Plan
	}
	n.out.Timeout = s.Duration(n.Value.Get("timeout"))
	n.out.Retry = s.Retry(n.Value.Get("retry"))
	if v := n.Value.Get("cache"); v != nil {
		n.out.Cache = &engine.Cache{TTL: s.Duration(v.Get("ttl")), Key: inner.Expr(v.Get("key"))}
	}
	n.out.Set = c.set(g, n, s.With("output", n.outputType()), n.Value.Get("set"), false)
	if v := n.Value.Get("on_error"); v != nil {
		n.out.OnError.Set = c.set(g, n, s.With("error", errorType), v.Get("set"), true)
	}
	n.before, n.uses, n.does, n.flows = s.Refs(), *s.Uses(), s.Does(), s.Flows()
	c.conditions(g, n)
}

// conditions compiles the edges. They see what the node wrote.
func (c *compilation) conditions(g *graph, n *node) {
	s := g.scope.At(n.Pos, &n.list)
	out := s.With("output", n.outputType())
	for i, f := range nextForms(n.Value.Get("next")) {
		n.out.Next[i].When = out.Condition(f.when)
	}
	n.after = s.Refs()
	n.uses.Merge(s.Uses())
}

// errorType is the type of `error` in on_error.
var errorType = &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
	"message": {Kind: shape.String}, "node": {Kind: shape.String},
	"class": {Kind: shape.String, Enum: []any{"transient", "permanent", "uncertain", "timeout"}},
}}

// outputType is the type of `output` in set and next.
func (n *node) outputType() *shape.Type {
	t := n.built.Output
	switch {
	case n.typ == nil && !n.unsure:
		t = &shape.Type{Kind: shape.Null}
	case t == nil:
		t = &shape.Type{Kind: shape.Any}
	}
	if n.out.ForEach != nil {
		return &shape.Type{Kind: shape.List, Elem: t}
	}
	return t
}

func (c *compilation) forEach(g *graph, n *node, s *build.Scope) *build.Scope {
	v := n.Value.Get("for_each")
	if v == nil {
		return s
	}
	f := &engine.ForEach{In: s.Expr(v.Get("in")), As: "item", Index: "index"}
	f.MaxParallel, _ = v.Get("max_parallel").Go().(int)
	elem := &shape.Type{Kind: shape.Any}
	switch t := f.In.Type(); {
	case t == nil || t.Kind == shape.Any || t.Kind == shape.List && t.Elem == nil:
	case t.Kind == shape.List:
		elem = t.Elem
	default:
		n.list.Add(notList.At(v.Get("in").Pos, "for_each needs a list, and this is %s", build.Describe(t)).
			WithHint("Give it a list, one item for each time the node is to run."))
	}
	f.As, f.Index = n.itemName(g, v, "as", f.As), n.itemName(g, v, "index", f.Index)
	if f.As == f.Index {
		n.list.Add(reservedName.At(v.Pos, "the item and its index are both called %q", f.As).WithHint("Choose two names."))
	}
	n.out.ForEach = f
	if t := f.In.Type(); t != nil && t.Untrusted {
		of := *elem
		of.Untrusted = true
		elem = &of
	}
	return s.With(f.As, elem).With(f.Index, &shape.Type{Kind: shape.Int})
}

// itemName reads a name that for_each puts in scope.
func (n *node) itemName(g *graph, v *source.Value, key, dflt string) string {
	name, pos := dflt, v.Pos
	if w := v.Get(key); w != nil {
		name, pos = text(w), w.Pos
	}
	for _, r := range reserved {
		if r == name {
			n.list.Add(reservedName.At(pos, "for_each cannot call it %q: expressions know something else by that name", name).
				WithHint("Choose another name with `%s`.", key))
		}
	}
	if g.fields[name] != nil {
		n.list.Add(reservedName.At(pos, "for_each hides the state field %q", name).
			WithHint("Choose another name with `%s`.", key))
	}
	return name
}

// output compiles what a graph gives. It comes after the nodes so that its findings do
// too.
func (c *compilation) output(g *graph) {
	v := g.Value.Get("output")
	if v == nil {
		return
	}
	if v.Kind != source.Map {
		c.list.Add(badOutput.At(v.Pos, "the output of a graph must name its fields").
			WithHint("Write output: {name: \"{{ … }}\"}."))
		return
	}
	s := g.scope.At(v.Pos, c.list)
	for _, f := range v.Fields {
		g.out.Output = append(g.out.Output, engine.Assign{Name: f.Key, Value: s.Value(f.Value)})
	}
	g.reads = s.Refs()
	g.uses.Merge(s.Uses())
}

// join lists names in a sentence.
func join(names []string) string { return strings.Join(names, ", ") }
