package draw

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// The measures of a picture, in pixels.
const (
	letter   = 7.2 // how wide a letter is, about: no font is asked
	lineRise = 17.0
	padX     = 14.0
	padY     = 9.0
	gapX     = 26.0 // between boxes of one layer
	gapY     = 22.0 // between layers
	margin   = 24.0
	titleRow = 26.0
)

// box is a node, or a bend of an edge, with its place. X and Y are its middle.
type box struct {
	node   *shape // nil: a bend
	layer  int
	x, y   float64
	w, h   float64
	up, dn []*box // what it is tied to in the layers above and below
}

// wire is an edge with the boxes it goes through, from its source to its target.
type wire struct {
	arrow
	through []*box
	label   *box // the bend that makes room for its label
}

// plan is a group laid out: boxes in layers, from the top.
type plan struct {
	group  *group
	layers [][]*box
	wires  []*wire
	index  map[string]*box
	w, h   float64
	bends  int
}

// maxBends bounds the work of a layout: edges beyond it are drawn straight.
const maxBends = 20_000

// lay places the nodes of a group in layers so that edges lead down, but for those that
// close a loop, and cross little. The same group is always laid out the same way.
func lay(g *group) *plan {
	p := &plan{group: g, index: map[string]*box{}}
	for i := range g.nodes {
		n := &g.nodes[i]
		w, h := size(n)
		p.index[n.id] = &box{node: n, w: w, h: h}
	}
	p.rank()
	p.route()
	for range 6 {
		p.order(func(b *box) []*box { return b.up }, false)
		p.order(func(b *box) []*box { return b.dn }, true)
	}
	p.place()
	return p
}

// size returns how much room a node takes.
func size(n *shape) (w, h float64) {
	if n.form == first || n.form == last {
		return 22, 22
	}
	for _, l := range n.lines {
		w = max(w, letter*float64(utf8.RuneCountInString(l)))
	}
	w, h = w+2*padX, lineRise*float64(len(n.lines))+2*padY
	if n.form == human || n.form == timer {
		w += 16
	}
	return w, h
}

// rank gives each node its layer: below every node that leads to it without closing a
// loop. Layers are even numbers; the odd ones are for bends and labels.
func (p *plan) rank() {
	back := p.backEdges()
	for range len(p.group.nodes) { // as often as the longest path may be
		moved := false
		for i, e := range p.group.edges {
			from, to := p.index[e.from], p.index[e.to]
			if from == nil || to == nil || from == to || back[i] {
				continue
			}
			if to.layer < from.layer+2 {
				to.layer, moved = from.layer+2, true
			}
		}
		if !moved {
			return
		}
	}
}

// backEdges returns the edges that close a loop, seen from the first node on.
func (p *plan) backEdges() map[int]bool {
	back := map[int]bool{}
	out := map[string][]int{}
	for i, e := range p.group.edges {
		out[e.from] = append(out[e.from], i)
	}
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(id string)
	visit = func(id string) {
		state[id] = open
		for _, i := range out[id] {
			switch to := p.group.edges[i].to; state[to] {
			case open:
				back[i] = true
			case done:
			default:
				visit(to)
			}
		}
		state[id] = done
	}
	for _, n := range p.group.nodes {
		if state[n.id] == 0 {
			visit(n.id)
		}
	}
	return back
}

// route makes the bends of every edge, and fills the layers.
func (p *plan) route() {
	depth := 0
	for _, n := range p.group.nodes {
		depth = max(depth, p.index[n.id].layer)
	}
	p.layers = make([][]*box, depth+1)
	for _, n := range p.group.nodes {
		b := p.index[n.id]
		p.layers[b.layer] = append(p.layers[b.layer], b)
	}
	for _, e := range p.group.edges {
		from, to := p.index[e.from], p.index[e.to]
		if from == nil {
			continue
		}
		w := &wire{arrow: e, through: []*box{from}}
		p.wires = append(p.wires, w)
		if to == nil || from == to {
			continue
		}
		p.bend(w, from, to)
	}
}

// bend leads an edge through a bend in each layer between its ends. The one in the
// middle is as wide as the label.
func (p *plan) bend(w *wire, from, to *box) {
	step := 1
	if to.layer < from.layer {
		step = -1
	}
	p.bends += max(to.layer-from.layer, from.layer-to.layer)
	if to.layer == from.layer || p.bends > maxBends { // loops of each other, or too many to be worth the room
		w.through = append(w.through, to)
		return
	}
	at := from
	middle := from.layer + step
	for layer := from.layer + step; layer != to.layer; layer += step {
		b := &box{layer: layer, w: 8}
		if layer == middle && w.arrow.label != "" {
			b.w, b.h, w.label = letter*float64(utf8.RuneCountInString(w.arrow.label))+10, lineRise, b
		}
		p.layers[layer] = append(p.layers[layer], b)
		tie(at, b, step)
		w.through = append(w.through, b)
		at = b
	}
	tie(at, to, step)
	w.through = append(w.through, to)
}

func tie(a, b *box, step int) {
	if step < 0 {
		a, b = b, a
	}
	a.dn = append(a.dn, b)
	b.up = append(b.up, a)
}

// order sorts each layer by where the neighbours of its boxes stand.
func (p *plan) order(near func(*box) []*box, upwards bool) {
	for i := range p.layers {
		layer := p.layers[i]
		if upwards {
			layer = p.layers[len(p.layers)-1-i]
		}
		for j, b := range layer {
			b.x = float64(j)
			if ties := near(b); len(ties) > 0 {
				b.x = 0
				for _, t := range ties {
					b.x += t.x
				}
				b.x /= float64(len(ties))
			}
		}
		slices.SortStableFunc(layer, func(a, b *box) int { return cmp.Compare(a.x, b.x) })
		for j, b := range layer {
			b.x = float64(j) / float64(len(layer)) // comparable between layers of different length
		}
	}
}

// place gives every box its coordinates: layers below each other, boxes in a layer
// beside each other and near to what they are tied to.
func (p *plan) place() {
	y := margin + titleRow
	for _, layer := range p.layers {
		tall, x := 0.0, 0.0
		for _, b := range layer {
			tall = max(tall, b.h)
			b.x = x + b.w/2
			x += b.w + gapX
		}
		for _, b := range layer {
			b.y = y + tall/2
			if b.node == nil { // an edge passes a layer straight, beside its boxes
				b.h = tall
			}
		}
		y += tall + gapY
	}
	for i := range 24 {
		p.pull(i%2 == 0)
	}
	p.frame(y)
}

// pull moves every box towards the middle of what it is tied to, as far as its
// neighbours let it.
func (p *plan) pull(fromLeft bool) {
	for _, layer := range p.layers {
		for i := range layer {
			at := i
			if !fromLeft {
				at = len(layer) - 1 - i
			}
			b := layer[at]
			if len(b.up)+len(b.dn) == 0 {
				continue
			}
			want := b.middle()
			if at > 0 {
				want = max(want, layer[at-1].x+(layer[at-1].w+b.w)/2+gapX)
			}
			if at < len(layer)-1 {
				next := layer[at+1].x - (layer[at+1].w+b.w)/2 - gapX
				want = min(want, max(next, b.x))
			}
			b.x = want
		}
	}
}

// middle is the mean place of what a box is tied to.
func (b *box) middle() float64 {
	sum := 0.0
	for _, t := range b.up {
		sum += t.x
	}
	for _, t := range b.dn {
		sum += t.x
	}
	return sum / float64(len(b.up)+len(b.dn))
}

// frame moves everything to the right of the margin and measures the whole.
func (p *plan) frame(bottom float64) {
	left, right := 0.0, 0.0
	for _, layer := range p.layers {
		for _, b := range layer {
			left, right = min(left, b.x-b.w/2), max(right, b.x+b.w/2)
		}
	}
	for _, layer := range p.layers {
		for _, b := range layer {
			b.x += margin - left
		}
	}
	p.w = right - left + 2*margin + selfLoop
	p.w = max(p.w, letter*float64(utf8.RuneCountInString(p.group.name))+2*margin)
	p.h = bottom - gapY + margin
}

// selfLoop is the room to the right for edges from a node to itself.
const selfLoop = 24.0
