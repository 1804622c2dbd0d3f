package ordered

import (
	"iter"

	"github.com/weft-engine/weft/nodes/ues/simulator/jsontext"
)

// Bag is a list of identifiers in order of insertion, in which one may stand several
// times. Adding, finding and taking out cost the same however long it is. The zero value
// is empty and ready.
type Bag struct {
	index map[string]*Link // the first of each
	first *Link
	last  *Link
	size  int
}

// Link is one place in a Bag.
type Link struct {
	id         string
	prev, next *Link
	same       *Link // the next link with this identifier, in order
	live       bool  // in the bag
}

// Len is the number of places.
func (b *Bag) Len() int { return b.size }

// Has tells whether an identifier stands in the bag.
func (b *Bag) Has(id string) bool { return b.index[id] != nil }

// Add puts an identifier at the end.
func (b *Bag) Add(id string) {
	l := &Link{id: id, prev: b.last}
	b.join(l)
	if b.index == nil {
		b.index = map[string]*Link{}
	}
	first := b.index[id]
	if first == nil {
		b.index[id] = l
		return
	}
	for first.same != nil {
		first = first.same
	}
	first.same = l
}

// Drop takes the last place out, whatever stands there; it reverses Add.
func (b *Bag) Drop() {
	l := b.last
	if l == nil {
		return
	}
	b.part(l)
	first := b.index[l.id]
	if first == l {
		delete(b.index, l.id)
		return
	}
	for first.same != l {
		first = first.same
	}
	first.same = nil
}

// Remove takes the first place of an identifier out and gives it for Restore, or nil when
// there is none.
func (b *Bag) Remove(id string) *Link {
	l := b.index[id]
	if l == nil {
		return nil
	}
	b.part(l)
	if l.same == nil {
		delete(b.index, id)
	} else {
		b.index[id] = l.same
	}
	return l
}

// Restore puts a place back where Remove found it. When the bag is not as it was right
// after that, so that the place is not there any more, it goes to the end. A nil link
// does nothing.
func (b *Bag) Restore(l *Link) {
	if l == nil || l.live {
		return
	}
	if !b.fits(l) || l.same != b.index[l.id] {
		b.Add(l.id)
		return
	}
	if b.index == nil {
		b.index = map[string]*Link{}
	}
	b.index[l.id] = l
	b.join(l)
}

// fits tells whether a link's neighbours are in the bag, side by side.
func (b *Bag) fits(l *Link) bool {
	before, after := b.first, b.last
	if l.prev != nil {
		before = l.prev.next
	}
	if l.next != nil {
		after = l.next.prev
	}
	return (l.prev == nil || l.prev.live) && (l.next == nil || l.next.live) && before == l.next && after == l.prev
}

func (b *Bag) join(l *Link) {
	b.size++
	l.live = true
	if l.prev == nil {
		b.first = l
	} else {
		l.prev.next = l
	}
	if l.next == nil {
		b.last = l
	} else {
		l.next.prev = l
	}
}

func (b *Bag) part(l *Link) {
	b.size--
	l.live = false
	if l.prev == nil {
		b.first = l.next
	} else {
		l.prev.next = l.next
	}
	if l.next == nil {
		b.last = l.prev
	} else {
		l.next.prev = l.prev
	}
}

// All ranges over the identifiers in order.
func (b *Bag) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for l := b.first; l != nil; l = l.next {
			if !yield(l.id) {
				return
			}
		}
	}
}

// AppendJSON writes the identifiers as a JSON array.
func (b *Bag) AppendJSON(dst []byte) []byte {
	dst = append(dst, '[')
	for l := b.first; l != nil; l = l.next {
		if l != b.first {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(dst, l.id)
	}
	return append(dst, ']')
}
