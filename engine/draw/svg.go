package draw

import (
	"fmt"
	"html"
	"maps"
	"strings"
)

// SVG returns the picture as an SVG document that stands alone: no scripts, no fonts
// or images from elsewhere. The layout is our own, so that drawing needs nothing else.
func (p *Picture) SVG() string {
	d := &svg{at: map[string]*box{}}
	var plans []*plan
	w, h := 0.0, 0.0
	for i := range p.groups {
		g := lay(&p.groups[i])
		for _, layer := range g.layers {
			for _, b := range layer {
				b.x += w
			}
		}
		maps.Copy(d.at, g.index)
		plans = append(plans, g)
		d.group(g, w)
		w += g.w + margin
		h = max(h, g.h)
	}
	for _, g := range plans {
		for _, wire := range g.wires {
			d.wire(wire)
		}
	}
	for _, g := range plans {
		for i := range g.group.nodes {
			d.node(g.index[g.group.nodes[i].id])
		}
	}
	w, h = w-margin, h+1
	return fmt.Sprintf(svgHead, w, h, w, h, html.EscapeString(p.groups[0].name)) + d.b.String() + "</svg>\n"
}

// svgHead is the document before the drawing: its size, name and arrow head.
const svgHead = `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="Helvetica, Arial, sans-serif" font-size="13">
<title>%s</title>
<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0,0 L10,5 L0,10 z" fill="#5f6368"/></marker></defs>
<rect width="100%%" height="100%%" fill="white"/>
`

// svg is a document under construction.
type svg struct {
	b  strings.Builder
	at map[string]*box // of nodes, by id
}

func (d *svg) printf(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// svgText is text as XML holds it; what XML cannot hold is left out.
func svgText(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�")))
}

func (d *svg) group(g *plan, x float64) {
	d.printf(`<rect x="%.1f" y="0.5" width="%.1f" height="%.1f" rx="8" fill="#fafafa" stroke="#dadce0"/>`+"\n", x+0.5, g.w-1, g.h-1)
	d.printf(`<text x="%.1f" y="20" font-weight="bold" fill="#3c4043">%s</text>`+"\n", x+12, svgText(g.group.name))
}

// wire draws an edge as a smooth line through its bends, with its label.
func (d *svg) wire(w *wire) {
	from := w.through[0]
	to := d.at[w.to]
	if to == nil {
		return
	}
	style := ""
	if w.dashed {
		style = ` stroke-dasharray="5 4"`
	}
	var line string
	switch {
	case to == from:
		line = loop(from)
	case len(w.through) == 1: // into another group
		line = across(from, to)
	default:
		line = through(w.through)
	}
	d.printf(`<path d="%s" fill="none" stroke="#5f6368"%s marker-end="url(#tip)"/>`+"\n", line, style)
	if w.arrow.label == "" {
		return
	}
	x, y := (from.x+to.x)/2, (from.y+to.y)/2
	switch {
	case w.label != nil:
		x, y = w.label.x, w.label.y
	case to == from:
		x, y = from.x+from.w/2+selfLoop, from.y-from.h/2-4
	}
	width := letter*float64(len([]rune(w.arrow.label))) + 6
	d.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="16" fill="#fafafa" opacity="0.9"/>`, x-width/2, y-8, width)
	d.printf(`<text x="%.1f" y="%.1f" text-anchor="middle" font-size="12" fill="#3c4043">%s</text>`+"\n", x, y+4, svgText(w.arrow.label))
}

// through is a path down, or up, through boxes: out at an edge of the first, in at an
// edge of the last.
func through(boxes []*box) string {
	first, last := boxes[0], boxes[len(boxes)-1]
	sign := 1.0
	if last.y < first.y {
		sign = -1
	}
	x, y := first.x, first.y+sign*first.h/2
	var b strings.Builder
	fmt.Fprintf(&b, "M%.1f,%.1f", x, y)
	for _, next := range boxes[1:] {
		nx, ny := next.x, next.y-sign*next.h/2
		bow := (ny - y) / 2
		fmt.Fprintf(&b, " C%.1f,%.1f %.1f,%.1f %.1f,%.1f", x, y+bow, nx, ny-bow, nx, ny)
		x, y = nx, next.y+sign*next.h/2
		if next != last {
			fmt.Fprintf(&b, " V%.1f", y)
		}
	}
	return b.String()
}

// loop is a path from a box to itself, on its right.
func loop(b *box) string {
	x, y, out := b.x+b.w/2, b.y, selfLoop
	return fmt.Sprintf("M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f", x, y-6, x+out, y-16, x+out, y+16, x, y+6)
}

// across is a path from the side of a box to a box of another group.
func across(from, to *box) string {
	x1, x2 := from.x+from.w/2, to.x-to.w/2
	if to.x < from.x {
		x1, x2 = from.x-from.w/2, to.x+to.w/2
	}
	mid := (x1 + x2) / 2
	return fmt.Sprintf("M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f", x1, from.y, mid, from.y, mid, to.y, x2, to.y)
}

// fills is the colours of nodes, by form.
var fills = [...]string{
	plain: "white", model: "#e8f0fe", tool: "#e6f4ea", human: "#fef7e0", inner: "#f3e8fd", timer: "#fce8e6",
	first: "#3c4043", last: "white",
}

func (d *svg) node(b *box) {
	n := b.node
	const line = `stroke="#5f6368"`
	l, t, r, m := b.x-b.w/2, b.y-b.h/2, b.x+b.w/2, b.y+b.h/2
	fill := fills[n.form]
	switch n.form {
	case first:
		d.printf(`<circle cx="%.1f" cy="%.1f" r="7" fill="%s"/>`+"\n", b.x, b.y, fill)
		return
	case last:
		d.printf(`<circle cx="%.1f" cy="%.1f" r="10" fill="%s" %s/><circle cx="%.1f" cy="%.1f" r="6" fill="#3c4043"/>`+"\n", b.x, b.y, fill, line, b.x, b.y)
		return
	case human:
		d.printf(`<polygon points="%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f" fill="%s" %s/>`,
			l, b.y, l+12, t, r-12, t, r, b.y, r-12, m, l+12, m, fill, line)
	case timer:
		d.printf(`<polygon points="%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f" fill="%s" %s/>`,
			l, t, r-12, t, r, b.y, r-12, m, l, m, fill, line)
	case model:
		d.rect(l, t, b, 12, fill)
	case tool:
		d.rect(l, t, b, 2, fill)
		d.printf(`<path d="M%.1f,%.1f V%.1f M%.1f,%.1f V%.1f" %s/>`, l+5, t, m, r-5, t, m, line)
	case inner:
		d.rect(l, t, b, 2, fill)
		d.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="none" %s/>`, l+4, t+4, b.w-8, b.h-8, line)
	case plain:
		d.rect(l, t, b, 2, fill)
	}
	for i, text := range n.lines {
		weight := ""
		if i == 0 {
			weight = ` font-weight="bold"`
		}
		d.printf(`<text x="%.1f" y="%.1f" text-anchor="middle"%s>%s</text>`, b.x, t+padY+lineRise*float64(i)+13, weight, svgText(text))
	}
	d.printf("\n")
}

func (d *svg) rect(l, t float64, b *box, round float64, fill string) {
	d.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.0f" fill="%s" stroke="#5f6368"/>`, l, t, b.w, b.h, round, fill)
}
