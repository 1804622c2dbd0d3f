package compile

import (
	"slices"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// end is the name that finishes.
const end = "end"

// commonKeys is the fields of a node that are no type.
var commonKeys = []string{"description", "set", "next", "for_each", "join", "timeout", "retry", "on_error", "cache"}

// layout makes the nodes and the edges between them. It comes before the expressions,
// which are compiled node by node, and needs no types.
func layout(c *compilation) {
	for _, g := range c.graphs {
		c.nodes(g)
		before := c.list.Len()
		c.start(g)
		for _, n := range g.nodes {
			c.edges(g, n)
			n.follow()
		}
		g.sound = c.list.Len() == before && len(g.nodes) > 0 && !c.wrong.within("graphs", g.Key)
	}
}

func (c *compilation) nodes(g *graph) {
	nodes := g.Value.Get("nodes")
	if nodes == nil {
		return
	}
	for i, f := range nodes.Fields {
		if f.Key == end {
			c.list.Add(reservedName.At(f.Pos, "a node cannot be called \"end\": that is where a graph finishes").
				WithHint("Choose another name for the node."))
		}
		n := &node{Field: f, out: &engine.Node{Name: f.Key, Index: i, Description: text(f.Value.Get("description"))}}
		n.unsure = c.wrong.within("graphs", g.Key, "nodes", n.Key)
		c.typeOf(n)
		g.index[f.Key] = i
		g.names = append(g.names, f.Key)
		g.nodes = append(g.nodes, n)
		g.out.Nodes = append(g.out.Nodes, n.out)
	}
}

// typeOf finds the type key of a node.
func (c *compilation) typeOf(n *node) {
	for _, f := range n.Value.Fields {
		if slices.Contains(commonKeys, f.Key) {
			continue
		}
		switch t := c.types.Node(f.Key); {
		case t == nil:
			c.list.Add(unknownNodeType.At(f.Pos, "node %q has the type %q, which this program does not have", n.Key, f.Key).
				WithHint("Use one of: %s.", c.typeNames()))
		case n.typ != nil:
			c.list.Add(twoTypes.At(f.Pos, "node %q has two types, %s and %s", n.Key, n.typ.Name, f.Key).
				WithHint("Make two nodes of it, one after the other."))
		default:
			n.typ, n.config = t, f.Value
			n.out.Type = f.Key
		}
	}
}

func (c *compilation) start(g *graph) {
	v := g.Value.Get("start")
	if v == nil {
		if len(g.nodes) == 0 {
			return
		}
		c.list.Add(unknownNode.At(g.Pos, "graph %q does not say where it starts", g.Key).WithHint("Add start: %s.", g.names[0]))
		return
	}
	i, ok := g.index[text(v)]
	if !ok {
		c.list.Add(unknown(unknownNode, "node", v, g.names))
		return
	}
	g.out.Start = i
}

// edges reads next, on_error.to and join.
func (c *compilation) edges(g *graph, n *node) {
	for _, e := range nextForms(n.Value.Get("next")) {
		to := c.targets(g, e.to)
		n.out.Next = append(n.out.Next, engine.Edge{To: to})
		n.lead(to, e.to, e.when != nil)
	}
	c.choice(n)
	if v := n.Value.Get("on_error"); v != nil {
		n.out.OnError = &engine.Catch{To: c.targets(g, v.Get("to"))}
		n.lead(n.out.OnError.To, v.Get("to"), true)
	}
	if v := n.Value.Get("join"); v != nil {
		for _, item := range v.Items {
			i, ok := g.index[text(item)]
			switch {
			case !ok:
				c.list.Add(unknown(unknownNode, "node", item, g.names))
			case slices.Contains(n.out.Join, i):
			default:
				n.out.Join = append(n.out.Join, i)
			}
		}
	}
}

// form is one edge as it is written.
type form struct{ when, to *source.Value }

// nextForms returns the edges that next stands for: a name, a list of names that run in
// parallel, or a list of {when, to} of which the first that holds is taken.
func nextForms(v *source.Value) []form {
	switch {
	case v == nil:
		return nil
	case v.Kind != source.List || len(v.Items) > 0 && v.Items[0].Kind == source.String:
		return []form{{to: v}}
	}
	var out []form
	for _, item := range v.Items {
		out = append(out, form{when: item.Get("when"), to: item.Get("to")})
	}
	return out
}

// choice reports edges behind one that always holds.
func (c *compilation) choice(n *node) {
	forms := nextForms(n.Value.Get("next"))
	for i, f := range forms {
		if f.when == nil && i < len(forms)-1 {
			c.list.Add(deadEdge.At(n.Value.Get("next").Items[i+1].Pos, "this edge is never taken: the one before it always holds").
				WithHint("Give the edge before it a `when`, or move it to the end."))
			return
		}
	}
}

// lead notes the ways on that an edge opens.
func (n *node) lead(to []int, v *source.Value, when bool) {
	positions := positionsOf(v)
	for i, t := range to {
		pos := n.Pos
		if i < len(positions) {
			pos = positions[i]
		}
		n.edges = append(n.edges, edge{to: t, pos: pos, when: when})
	}
}

// follow collects the nodes that may come next.
func (n *node) follow() {
	seen := map[int]bool{engine.End: true}
	for _, e := range n.edges {
		if !seen[e.to] {
			seen[e.to] = true
			n.next = append(n.next, e.to)
		}
	}
}

func positionsOf(v *source.Value) []diag.Pos {
	if v == nil || v.Kind != source.List {
		if v == nil {
			return nil
		}
		return []diag.Pos{v.Pos}
	}
	var out []diag.Pos
	for _, item := range v.Items {
		out = append(out, item.Pos)
	}
	return out
}

// targets resolves a name or a list of names.
func (c *compilation) targets(g *graph, v *source.Value) []int {
	if v == nil {
		return nil
	}
	names := []*source.Value{v}
	if v.Kind == source.List {
		names = v.Items
	}
	var out []int
	for _, name := range names {
		to, ok := g.index[text(name)]
		switch {
		case text(name) == end:
			to = engine.End
		case !ok:
			c.list.Add(unknown(unknownNode, "node", name, append(slices.Clip(g.names), end)))
			continue
		}
		if slices.Contains(out, to) {
			c.list.Add(twiceTarget.At(name.Pos, "%q is named twice", text(name)).WithHint("Name each node once: it runs once in a step."))
			continue
		}
		out = append(out, to)
	}
	return out
}

func (c *compilation) typeNames() string {
	names := make([]string, len(c.types.Nodes))
	for i, t := range c.types.Nodes {
		names[i] = t.Name
	}
	return join(names)
}
