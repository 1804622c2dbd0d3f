package compile

import (
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
)

// unwritten reports reads of state fields that nothing can have written: they have no
// default, the input does not bring them, and on no path that leads to the reader does
// a node write them. A field that is written on some paths only is not reported, and a
// field once only. It comes after the expressions, which say what they read, and needs
// sound edges.
func unwritten(c *compilation) {
	for _, g := range c.graphs {
		if !g.sound {
			continue
		}
		d := dataflow{graph: g, given: g.given(), writers: g.writers(), told: map[string]bool{}}
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

// writers returns the nodes that write each field.
func (g *graph) writers() map[string][]*node {
	out := map[string][]*node{}
	for _, n := range g.nodes {
		for _, w := range n.writes {
			out[w.field] = append(out[w.field], n)
		}
	}
	return out
}

// dataflow answers whether a field can have been written.
type dataflow struct {
	*graph
	given   map[string]bool
	writers map[string][]*node
	told    map[string]bool
}

// check reports what n reads in vain. With own, what n itself writes counts.
func (d *dataflow) check(c *compilation, n *node, refs []expr.Ref, own bool) {
	for _, r := range refs {
		name := r.Path[0]
		if d.fields[name] == nil || d.given[name] || d.told[name] || d.written(n, name, own) {
			continue
		}
		d.told[name] = true
		c.list.Add(d.finding(r.Pos, "field %q has no value when node %q reads it: nothing before it writes the field", name, n.Key).
			WithHint("Give the field a default, write it in an earlier node, or add it to the graph's input."))
	}
}

func (d *dataflow) finding(pos diag.Pos, format, field string, args ...any) diag.Finding {
	return unwrittenField.At(pos, format, append([]any{field}, args...)...).
		WithRelated(d.Value.Get("state").KeyPos(field), "the field")
}

// written reports whether some run can have written a field when n reads it.
func (d *dataflow) written(n *node, field string, own bool) bool {
	r := d.reachable()
	for _, w := range d.writers[field] {
		if !d.spend(1) || r.has(w.out.Index, n.out.Index) || own && w == n && n.sets(field) {
			return true
		}
	}
	for _, w := range d.writers[field] {
		if d.beside(w.out.Index, n.out.Index, true) {
			return true
		}
	}
	return false
}

// sets reports whether a node writes a field when it does not fail.
func (n *node) sets(field string) bool {
	for _, w := range n.writes {
		if w.field == field && !w.catch {
			return true
		}
	}
	return false
}

// output checks what the graph's output reads: any node may have written it.
func (d *dataflow) output(c *compilation) {
	for _, r := range d.reads {
		name := r.Path[0]
		if d.fields[name] == nil || d.given[name] || d.told[name] || len(d.writers[name]) > 0 {
			continue
		}
		d.told[name] = true
		c.list.Add(d.finding(r.Pos, "field %q has no value when the graph ends: no node writes it", name).
			WithHint("Write the field in a node, or leave it out of the output."))
	}
}
