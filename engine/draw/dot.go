package draw

import (
	"fmt"
	"strings"
)

// dotForms is the attributes of a node, by form.
var dotForms = [...]string{
	plain: `shape=box`, model: `shape=box, style="rounded,filled", fillcolor="#e8f0fe"`,
	tool:  `shape=component, style=filled, fillcolor="#e6f4ea"`,
	human: `shape=hexagon, style=filled, fillcolor="#fef7e0"`,
	inner: `shape=box3d`, timer: `shape=cds`, first: `shape=circle`, last: `shape=doublecircle`,
}

// dotText replaces what DOT would take for its own.
var dotText = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ", "\x00", "")

// DOT returns the picture in the language of Graphviz.
func (p *Picture) DOT() string {
	var b strings.Builder
	b.WriteString("digraph weft {\n  rankdir=TB;\n  node [fontname=\"Helvetica\", fontsize=11];\n  edge [fontname=\"Helvetica\", fontsize=10];\n")
	for _, g := range p.groups {
		fmt.Fprintf(&b, "  subgraph cluster_%s {\n    label=\"%s\";\n", g.id, dotText.Replace(g.name))
		for _, n := range g.nodes {
			lines := make([]string, len(n.lines))
			for i, l := range n.lines {
				lines[i] = dotText.Replace(l)
			}
			fmt.Fprintf(&b, "    %s [label=\"%s\", %s];\n", n.id, strings.Join(lines, `\n`), dotForms[n.form])
		}
		b.WriteString("  }\n")
	}
	for _, g := range p.groups {
		for _, e := range g.edges {
			fmt.Fprintf(&b, "  %s -> %s%s;\n", e.from, e.to, e.dot())
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func (e arrow) dot() string {
	var out []string
	if e.label != "" {
		out = append(out, `label="`+dotText.Replace(e.label)+`"`)
	}
	if e.dashed {
		out = append(out, "style=dashed")
	}
	if len(out) == 0 {
		return ""
	}
	return " [" + strings.Join(out, ", ") + "]"
}
