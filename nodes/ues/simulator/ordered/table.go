package ordered

import "iter"

// Table is a map from identifiers to values that keeps the order of insertion. Every
// operation costs the same however large it is. An entry that was deleted can be put back
// exactly where it was; that is what undoing needs. The zero value is empty and ready.
type Table[V any] struct {
	index map[string]*Entry[V]
	first *Entry[V]
	last  *Entry[V]
}

// Entry is one identifier and its value in a Table.
type Entry[V any] struct {
	Key        string
	Value      V
	prev, next *Entry[V]
	live       bool // in the table
}

// Len is the number of entries.
func (t *Table[V]) Len() int { return len(t.index) }

// Get gives the value of a key.
func (t *Table[V]) Get(key string) (V, bool) {
	if e := t.index[key]; e != nil {
		return e.Value, true
	}
	var none V
	return none, false
}

// Has tells whether the key is there.
func (t *Table[V]) Has(key string) bool { return t.index[key] != nil }

// Set gives a key a value: in its old place when it has one, else at the end.
func (t *Table[V]) Set(key string, value V) {
	if e := t.index[key]; e != nil {
		e.Value = value
		return
	}
	if t.index == nil {
		t.index = map[string]*Entry[V]{}
	}
	t.link(&Entry[V]{Key: key, Value: value, prev: t.last})
}

// Delete takes an entry out and gives it for Restore, or nil when there is none.
func (t *Table[V]) Delete(key string) *Entry[V] {
	e := t.index[key]
	if e == nil {
		return nil
	}
	delete(t.index, key)
	e.live = false
	if e.prev == nil {
		t.first = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		t.last = e.prev
	} else {
		e.next.prev = e.prev
	}
	return e
}

// Restore puts a deleted entry back where it was. When the table is not as it was right
// after the deletion, so that the place is not there any more, the entry goes to the end;
// when its key is taken by now it stays out. A nil entry does nothing.
func (t *Table[V]) Restore(e *Entry[V]) {
	if e == nil || t.index[e.Key] != nil {
		return
	}
	if t.index == nil {
		t.index = map[string]*Entry[V]{}
	}
	if !t.fits(e) {
		e.prev, e.next = t.last, nil
	}
	t.link(e)
}

// fits tells whether an entry's neighbours are in the table, side by side.
func (t *Table[V]) fits(e *Entry[V]) bool {
	before, after := t.first, t.last
	if e.prev != nil {
		before = e.prev.next
	}
	if e.next != nil {
		after = e.next.prev
	}
	return (e.prev == nil || e.prev.live) && (e.next == nil || e.next.live) && before == e.next && after == e.prev
}

// link makes the table know an entry and the entry's neighbours point at it.
func (t *Table[V]) link(e *Entry[V]) {
	t.index[e.Key] = e
	e.live = true
	if e.prev == nil {
		t.first = e
	} else {
		e.prev.next = e
	}
	if e.next == nil {
		t.last = e
	} else {
		e.next.prev = e
	}
}

// All ranges over keys and values in order. The current entry may be deleted meanwhile.
func (t *Table[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for e := t.first; e != nil; e = e.next {
			if !yield(e.Key, e.Value) {
				return
			}
		}
	}
}

// Keys are the keys in order.
func (t *Table[V]) Keys() []string {
	keys := make([]string, 0, t.Len())
	for e := t.first; e != nil; e = e.next {
		keys = append(keys, e.Key)
	}
	return keys
}

// Clear empties the table.
func (t *Table[V]) Clear() { *t = Table[V]{} }
