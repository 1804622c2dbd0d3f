package compile

import (
	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
)

// unwritten reports reads of state fields that nothing can have written: they have no
// default, the input does not bring them, and on no path that leads to the reader does
// a node write them. A field that is written on some paths only is not reported. It
// comes after the expressions, which say what they read, and needs sound edges.
func unwritten(c *compilation) {
	for _, g := range c.graphs {
		if !g.sound {
			continue
		}
		d := dataflow{g: g, given: g.given()}
		for _, n := range g.nodes {
			d.check(c, n, n.before, false)
			d.check(c, n, n.after, true)
		}
		d.output(c)
	}
}

// given returns the fields that have a value when a run starts.
func (g *graph) given() map[string]bool {
	out := map[string]bool{}
	input := g.sig.InputType()
	for _, f := range g.out.Fields {
		out[f.Name] = f.Has || input.Fields[f.Name] != nil
	}
	return out
}

// dataflow answers whether a field can have been written.
type dataflow struct {
	g     *graph
	given map[string]bool
	after reach
}

func (d *dataflow) check(c *compilation, n *node, refs []expr.Ref, own bool) {
	for _, r := range refs {
		name := r.Path[0]
		if d.g.fields[name] == nil || d.given[name] || d.written(n, name, own) {
			continue
		}
		c.list.Add(d.finding(r.Pos, n, name))
	}
}

func (d *dataflow) finding(pos diag.Pos, n *node, name string) diag.Finding {
	f := unwrittenField.At(pos, "field %q has no value when node %q reads it: nothing before it writes the field", name, n.Key)
	return f.WithHint("Give the field a default, write it in an earlier node, or add it to the graph's input.").
		WithRelated(d.g.Value.Get("state").KeyPos(name), "the field")
}

// written reports whether some run can have written a field when n reads it. With own,
// what n itself writes counts.
func (d *dataflow) written(n *node, field string, own bool) bool {
	if d.after == nil {
		d.after = d.g.reachable()
	}
	for _, w := range d.g.nodes {
		if !w.wrote(field, own && w == n) {
			continue
		}
		if own && w == n || d.after[w.out.Index][n.out.Index] || d.beside(w.out.Index, n.out.Index) {
			return true
		}
	}
	return false
}

// wrote reports whether a node writes a field. What it writes only after an error does
// not count for its own edges.
func (n *node) wrote(field string, edges bool) bool {
	for _, w := range n.writes {
		if w.field == field && (!edges || !w.catch) {
			return true
		}
	}
	return false
}

// beside reports whether w can run before n on a parallel branch: a fan-out leads to
// both, and n does not follow it at once.
func (d *dataflow) beside(w, n int) bool {
	for _, fan := range d.g.fans() {
		for _, x := range fan {
			for _, y := range fan {
				if x != y && d.after.to(x, w) && y != engine.End && d.after[y][n] {
					return true
				}
			}
		}
	}
	return false
}

// output checks what the graph's output reads: any node may have written it.
func (d *dataflow) output(c *compilation) {
	for _, r := range d.g.reads {
		name := r.Path[0]
		if d.g.fields[name] == nil || d.given[name] {
			continue
		}
		wrote := false
		for _, n := range d.g.nodes {
			wrote = wrote || n.wrote(name, false)
		}
		if !wrote {
			c.list.Add(unwrittenField.At(r.Pos, "field %q has no value when the graph ends: no node writes it", name).
				WithHint("Write the field in a node, or leave it out of the output.").
				WithRelated(d.g.Value.Get("state").KeyPos(name), "the field"))
		}
	}
}
