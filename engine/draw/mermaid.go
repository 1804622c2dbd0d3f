package draw

import (
	"fmt"
	"strings"
)

// mermaidForms is the brackets around a label, by form.
var mermaidForms = [...][2]string{
	plain: {"[", "]"}, model: {"(", ")"}, tool: {"[[", "]]"}, human: {"{{", "}}"},
	inner: {"[/", "/]"}, timer: {">", "]"}, first: {"((", "))"}, last: {"(((", ")))"},
}

// mermaidText replaces what Mermaid and HTML would take for their own.
var mermaidText = strings.NewReplacer(
	"#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;", "|", "#124;",
	"\\", "#92;", ";", "#59;", "\n", " ", "\r", " ",
)

// Mermaid returns the picture as a Mermaid flowchart.
func (p *Picture) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for _, g := range p.groups {
		fmt.Fprintf(&b, "  subgraph %s[\"%s\"]\n", g.id, mermaidText.Replace(g.name))
		for _, n := range g.nodes {
			lines := make([]string, len(n.lines))
			for i, l := range n.lines {
				lines[i] = mermaidText.Replace(l)
			}
			form := mermaidForms[n.form]
			fmt.Fprintf(&b, "    %s%s\"%s\"%s\n", n.id, form[0], strings.Join(lines, "<br/>"), form[1])
		}
		b.WriteString("  end\n")
	}
	for _, g := range p.groups {
		for _, e := range g.edges {
			b.WriteString("  " + e.from + e.mermaid() + e.to + "\n")
		}
	}
	return b.String()
}

func (e arrow) mermaid() string {
	line := " --> "
	if e.dashed {
		line = " -.-> "
	}
	if e.label == "" {
		return line
	}
	return strings.TrimSuffix(line, " ") + "|\"" + mermaidText.Replace(e.label) + "\"| "
}
