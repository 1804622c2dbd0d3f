// Package draw makes pictures of a spec's graphs, as Mermaid or DOT text or SVG: nodes with
// what they use, edges with their conditions, where a human is asked, and the graphs
// that a graph runs. It reads the tree of a spec that has been compiled without errors
// and makes the same text of the same spec. Its main function is Graph.
package draw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// maxLabel is how many letters of an expression fit into a picture.
const maxLabel = 60

// Picture is a graph and the graphs that it runs, ready to be written down.
type Picture struct {
	groups []group
}

// group is one graph.
type group struct {
	id, name string
	nodes    []shape
	edges    []arrow
}

// form is what a node looks like.
type form uint8

const (
	plain form = iota
	model
	tool
	human
	inner
	timer
	first
	last
)

type shape struct {
	id    string
	form  form
	lines []string // the name, then what it uses
}

type arrow struct {
	from, to, label string
	dashed          bool // after an error, or into another graph
}

// types is the forms of node types; others are plain.
var types = map[string]form{"llm_call": model, "tool": tool, "interrupt": human, "graph": inner, "wait": timer}

// common is the keys of a node that are no type.
var common = []string{"description", "set", "next", "for_each", "join", "timeout", "retry", "on_error", "cache"}

// Graph draws the graph of that name with the graphs that it runs. It is nil when the
// spec has no such graph.
func Graph(root *source.Value, name string) *Picture {
	if root.Get("graphs").Get(name) == nil {
		return nil
	}
	d := drawing{root: root, graphs: root.Get("graphs"), ids: map[string]int{}}
	d.need(name)
	for i := 0; i < len(d.todo); i++ {
		d.group(d.todo[i])
	}
	return &Picture{groups: d.groups}
}

type drawing struct {
	root, graphs *source.Value
	ids          map[string]int // of graphs
	todo         []string
	groups       []group
}

// need returns the number of a graph and has it drawn.
func (d *drawing) need(name string) int {
	if id, ok := d.ids[name]; ok {
		return id
	}
	d.ids[name] = len(d.todo)
	d.todo = append(d.todo, name)
	return d.ids[name]
}

func (d *drawing) group(name string) {
	def := d.graphs.Get(name)
	g := group{id: fmt.Sprintf("g%d", d.ids[name]), name: name}
	ids := map[string]string{"end": g.id + "_end"}
	for i, f := range fields(def.Get("nodes")) {
		ids[f.Key] = fmt.Sprintf("%s_n%d", g.id, i)
	}
	g.nodes = append(g.nodes, shape{id: g.id + "_start", form: first, lines: []string{"start"}})
	g.edges = append(g.edges, arrow{from: g.id + "_start", to: ids[text(def.Get("start"))]})
	for _, f := range fields(def.Get("nodes")) {
		d.node(&g, f, ids)
	}
	g.nodes = append(g.nodes, shape{id: g.id + "_end", form: last, lines: []string{"end"}})
	d.groups = append(d.groups, g)
}

// node adds a node and its edges.
func (d *drawing) node(g *group, f source.Field, ids map[string]string) {
	s := shape{id: ids[f.Key], lines: []string{f.Key}}
	for _, k := range f.Value.Fields {
		if !slices.Contains(common, k.Key) {
			s.form = types[k.Key]
			s.lines = append(s.lines, d.uses(k)...)
		}
	}
	if v := f.Value.Get("for_each"); v != nil {
		s.lines = append(s.lines, "for each of "+short(text(v.Get("in"))))
	}
	g.nodes = append(g.nodes, s)
	for _, a := range ways(f.Value) {
		g.edges = append(g.edges, arrow{from: s.id, to: ids[a.to], label: a.label, dashed: a.dashed})
	}
	if called := d.calls(f.Value); called != "" {
		g.edges = append(g.edges, arrow{from: s.id, to: fmt.Sprintf("g%d_start", d.need(called)), label: "runs", dashed: true})
	}
}

// calls returns the graph that a node runs, "" when it runs none.
func (d *drawing) calls(node *source.Value) string {
	name := text(node.Get("graph").Get("name"))
	if t := text(node.Get("tool").Get("name")); t != "" {
		name = text(d.root.Get("tools").Get(t).Get("graph").Get("name"))
	}
	if d.graphs.Get(name) == nil {
		return ""
	}
	return name
}

// uses says in a few lines what a node works with.
func (d *drawing) uses(typ source.Field) []string {
	v := typ.Value
	var out []string
	switch typ.Key {
	case "llm_call":
		out = append(out, "model: "+orDefault(text(v.Get("model"))))
		if tools := items(v.Get("tools")); len(tools) > 0 {
			out = append(out, "tools: "+d.tools(tools))
		}
	case "tool":
		if name := v.Get("name"); name != nil {
			return append(out, "tool: "+d.tools([]*source.Value{name}))
		}
		out = append(out, "tool calls")
	case "interrupt":
		out = append(out, "asks "+text(v.Get("policy")))
	case "graph":
		out = append(out, "graph: "+text(v.Get("name")))
	case "template":
		out = append(out, "template "+text(v.Get("name")))
	case "memory":
		for _, f := range fields(v) {
			out = append(out, strings.TrimSpace(f.Key+" "+text(f.Value)+text(f.Value.Get("memory"))))
		}
	case "wait":
		out = append(out, "wait "+short(text(v.Get("for"))+text(v.Get("until"))))
	default:
		out = append(out, typ.Key)
	}
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// tools lists tools, those that ask a human with their policy.
func (d *drawing) tools(names []*source.Value) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = text(n)
		if p := text(d.root.Get("tools").Get(text(n)).Get("interrupt")); p != "" {
			words[i] += " (asks " + p + ")"
		}
	}
	return strings.Join(words, ", ")
}

func orDefault(name string) string {
	if name == "" {
		return "default"
	}
	return name
}

// ways returns the edges of a node, their targets by name.
func ways(node *source.Value) []arrow {
	var out []arrow
	next := node.Get("next")
	switch {
	case next == nil || next.Kind == source.List && len(next.Items) == 0:
		out = append(out, arrow{to: "end"})
	case next.Kind == source.String || next.Items[0].Kind == source.String:
		out = targets(next, arrow{})
	default:
		for _, item := range next.Items {
			out = append(out, targets(item.Get("to"), arrow{label: short(text(item.Get("when")))})...)
		}
		if next.Items[len(next.Items)-1].Has("when") {
			out = append(out, arrow{to: "end", label: "otherwise"})
		}
	}
	if v := node.Get("on_error"); v != nil {
		out = append(out, targets(v.Get("to"), arrow{label: "on error", dashed: true})...)
	}
	return out
}

func targets(to *source.Value, like arrow) []arrow {
	names := []*source.Value{to}
	if to != nil && to.Kind == source.List {
		names = to.Items
	}
	var out []arrow
	for _, n := range names {
		a := like
		a.to = text(n)
		out = append(out, a)
	}
	return out
}

func fields(v *source.Value) []source.Field {
	if v == nil {
		return nil
	}
	return v.Fields
}

func items(v *source.Value) []*source.Value {
	if v == nil {
		return nil
	}
	return v.Items
}

func text(v *source.Value) string {
	if v == nil || v.Kind != source.String {
		return ""
	}
	return v.Text
}

// short is an expression in one line, cut to what fits.
func short(s string) string {
	letters := []rune(strings.Join(strings.Fields(s), " "))
	if len(letters) <= maxLabel {
		return string(letters)
	}
	return string(letters[:maxLabel-1]) + "…"
}
