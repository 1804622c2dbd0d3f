package modality

import (
	"slices"

	"github.com/weft-engine/weft/nodes/ues/simulator/field"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Reversal is what takes the steps of a change back, in the order in which they were
// taken.
type Reversal []func()

// Add notes how to take back a step that was just taken.
func (r *Reversal) Add(step func()) { *r = append(*r, step) }

// Run takes the steps back, last one first.
func (r Reversal) Run() {
	for _, step := range slices.Backward(r) {
		step()
	}
}

// Touched notes a change in a stamp and makes the Undo of the whole change.
func (s *Stamp) Touched(at field.Time, action string, undo Reversal) Undo {
	before := *s
	s.Touch(at)
	return func() (string, error) {
		undo.Run()
		*s = before
		return action, nil
	}
}

// Assign changes a variable and gives what takes that back.
func Assign[T any](p *T, value T) func() {
	old := *p
	*p = value
	return func() { *p = old }
}

// Put sets an entry of a table and gives what takes that back.
func Put[V any](t *ordered.Table[V], key string, value V) func() {
	if old, found := t.Get(key); found {
		t.Set(key, value)
		return func() { t.Set(key, old) }
	}
	t.Set(key, value)
	return func() { t.Delete(key) }
}

// Remove takes an entry out of a table and gives what takes that back.
func Remove[V any](t *ordered.Table[V], key string) func() {
	entry := t.Delete(key)
	return func() { t.Restore(entry) }
}

// Enlist adds an identifier to a bag of a table, which is created on demand, and gives
// what takes that back.
func Enlist(bags *ordered.Table[*ordered.Bag], key, id string) func() {
	bag, found := bags.Get(key)
	if !found {
		bag = &ordered.Bag{}
		bags.Set(key, bag)
	}
	bag.Add(id)
	return func() {
		if bag.Drop(); !found {
			bags.Delete(key)
		}
	}
}
