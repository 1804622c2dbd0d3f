package shape

import (
	"strconv"

	"github.com/weft-engine/weft/engine/diag"
)

// fill is a property that takes a default when it is missing.
type fill struct {
	name string
	from *node
}

// maxFill bounds the values in one default, with the defaults inside it.
const maxFill = 10_000

// filler returns the schema whose default n takes: its own, or that of what it refers to.
func filler(n *node) *node {
	if n.dflt != nil {
		return n
	}
	if n.refTo != nil {
		if from := filler(n.refTo); from != nil {
			return from
		}
	}
	for _, sub := range n.many["allOf"] {
		if from := filler(sub); from != nil {
			return from
		}
	}
	return nil
}

// defaults checks the defaults in the schema at loc and makes them ready to apply.
func (l *Library) defaults(n *node, loc string, list *diag.List) {
	if n.dflt != nil {
		l.ready(n, loc, list)
	}
	for _, k := range sortedKeys(n.one) {
		l.defaults(n.one[k], loc+locator(k), list)
	}
	for _, k := range sortedKeys(n.many) {
		for i, sub := range n.many[k] {
			l.defaults(sub, loc+locator(k, strconv.Itoa(i)), list)
		}
	}
	for _, k := range sortedKeys(n.named) {
		for _, m := range n.named[k] {
			l.defaults(m.node, loc+locator(k, m.key), list)
		}
	}
}

func (l *Library) ready(n *node, loc string, list *diag.List) {
	if n.root.bad {
		n.dflt = nil
		return
	}
	message := "contains itself without end, or grows too large"
	if n.prepare() {
		s := Shape{lib: l, root: n, url: loc}
		problems := s.Check(n.filled)
		if len(problems) == 0 {
			return
		}
		message = "does not fit: " + problems[0].String()
	}
	if !l.lenient {
		list.Add(badDefault.At(n.dflt.Pos, "the default %s", message).WithHint("Change the default, or the schema."))
		n.root.bad = true
	}
	n.dflt = nil
}

// prepare computes the default as it is applied, with the defaults inside it. It is
// false when there is no end to that.
func (n *node) prepare() bool {
	switch n.fillState {
	case walked:
		return n.dflt != nil
	case walking:
		return false
	}
	n.fillState = walking
	c := coercer{left: maxFill, preparing: true}
	n.filled = c.value(n, n.dflt.Go())
	n.fillState = walked
	return c.left >= 0
}
