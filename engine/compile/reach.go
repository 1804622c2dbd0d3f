package compile

import (
	"math/bits"

	"github.com/weft-engine/weft/engine"
)

// bitset is a set of nodes.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

func (b bitset) add(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) union(other bitset) {
	for i, w := range other {
		b[i] |= w
	}
}

func (b bitset) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// reach is which nodes can follow which, over one edge or more.
type reach struct {
	part []int    // the strongly connected part that a node is in
	rows []bitset // by part: the nodes that can follow
}

// has reports whether b can follow a.
func (r *reach) has(a, b int) bool { return r.rows[r.part[a]].has(b) }

// to reports whether a run that is at one node can be at another, now or later.
func (r *reach) to(from, to int) bool {
	return from != engine.End && (from == to || r.has(from, to))
}

// looped reports whether an edge lies on a loop.
func (r *reach) looped(from, to int) bool { return r.part[from] == r.part[to] && r.has(from, to) }

// reachable returns what can follow what. It takes edges times nodes / 64.
func (g *graph) reachable() *reach {
	if g.reach != nil {
		return g.reach
	}
	next := make([][]int, len(g.nodes))
	for i, n := range g.nodes {
		next[i] = n.next
	}
	part, parts := components(next)
	r := &reach{part: part, rows: make([]bitset, len(parts))}
	for p, members := range parts { // what a part leads to comes before it
		row := newBitset(len(g.nodes))
		for _, n := range members {
			for _, to := range next[n] {
				row.add(to)
				if part[to] != p {
					row.union(r.rows[part[to]])
				}
			}
		}
		r.rows[p] = row
	}
	g.reach = r
	return r
}

// from returns the nodes that some run comes to that starts at `start` and does not pass
// through the node `without`; -1 leaves none out.
func (g *graph) from(start, without int) bitset {
	seen := newBitset(len(g.nodes))
	todo := []int{start}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == engine.End || n == without || seen.has(n) {
			continue
		}
		seen.add(n)
		todo = append(todo, g.nodes[n].next...)
	}
	return seen
}

// mayEnd reports whether a path can end at the node: it leads to the end, nowhere, or
// its choice has no default.
func (n *node) mayEnd() bool {
	sure := false
	for _, e := range n.edges {
		if e.to == engine.End {
			return true
		}
		sure = sure || !e.when
	}
	return !sure
}

// fans returns the groups of nodes that one edge leads to at once.
func (g *graph) fans() [][]int {
	if g.fanned != nil {
		return g.fanned
	}
	out := [][]int{}
	for _, n := range g.nodes {
		for _, e := range n.out.Next {
			if len(e.To) > 1 {
				out = append(out, e.To)
			}
		}
		if n.out.OnError != nil && len(n.out.OnError.To) > 1 {
			out = append(out, n.out.OnError.To)
		}
	}
	g.fanned = out
	return out
}

// maxEffort bounds the work of judging one graph. When it is spent, what is left is not
// judged: a graph so large is taken for right.
const maxEffort = 20_000_000

// spend takes from the effort and reports whether there was enough.
func (g *graph) spend(n int) bool {
	g.effort += n
	return g.effort <= maxEffort
}

// beside reports whether a and b can lie on branches that run in parallel: a fan-out
// leads to the one by one of its targets and to the other by another. With later, b
// is not itself a target: a step lies between the fan-out and it. When that is too
// much to find out, they can.
func (g *graph) beside(a, b int, later bool) bool {
	r := g.reachable()
	for _, fan := range g.fans() {
		if !g.spend(len(fan)) {
			return true
		}
		onlyA, onlyB, shared := 0, 0, 0
		for _, x := range fan {
			toA, toB := r.to(x, a), r.to(x, b)
			if later {
				toB = x != engine.End && r.has(x, b)
			}
			switch {
			case toA && toB:
				shared++
			case toA:
				onlyA++
			case toB:
				onlyB++
			}
		}
		if onlyA > 0 && onlyB > 0 || shared > 0 && onlyA+onlyB > 0 || shared > 1 {
			return true
		}
	}
	return false
}
