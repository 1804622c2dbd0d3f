package shape

import "github.com/weft-engine/weft/engine/diag"

// maxWeight is how many schemas may look at one and the same value.
const maxWeight = 10_000

// The states of a walk.
const (
	walked uint8 = iota + 1
	walking
)

// weigh reports schemas that are in their own place, and those that multiply without
// bound in one place. A reference that closes a circle is cut.
func (l *Library) weigh(n *node, list *diag.List) {
	todo := []*node{n}
	for len(todo) > 0 {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		w := weigher{list: list}
		w.weigh(next)
		todo = append(todo, w.inside...)
	}
}

type weigher struct {
	list   *diag.List
	inside []*node
}

func (w *weigher) weigh(n *node) int {
	if n.state != 0 {
		return n.weight
	}
	n.state, n.weight = walking, 1
	for _, sub := range n.inPlace() {
		if sub.state == walking {
			w.list.Add(badRef.At(n.refPos, "type %q is defined as itself, without end", n.refName).
				WithHint("Remove the reference, or put it under `properties` or `items`."))
			n.refTo, n.root.bad = nil, true
			continue
		}
		n.weight += w.weigh(sub)
	}
	if n.weight > maxWeight {
		w.list.Add(tooComplex.At(n.src.Pos, "more than %d schemas would look at one value", maxWeight).
			WithHint("Use each type once in allOf, anyOf and oneOf."))
		n.weight, n.root.bad = 1, true
	}
	n.state = walked
	n.quicken()
	w.inside = append(w.inside, n.inside()...)
	return n.weight
}

// settle computes the views of everything that n's data is made of, so that they are
// only read from then on.
func settle(n *node) {
	todo := []*node{n}
	for len(todo) > 0 {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if next == nil {
			continue
		}
		v := look(next)
		if v.settled {
			continue
		}
		v.settled = true
		for _, name := range sortedKeys(v.fields) {
			todo = append(todo, v.fields[name])
			if from := filler(v.fields[name]); from != nil {
				v.fills = append(v.fills, fill{name: name, from: from})
			}
		}
		todo = append(todo, v.items, v.rest)
	}
}
