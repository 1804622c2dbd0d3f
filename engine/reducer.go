package engine

import (
	"fmt"
	"maps"
)

// Reducer says how a write merges into a field's value.
type Reducer uint8

// The reducers.
const (
	Replace Reducer = iota // the new value
	Append                 // list: the new items after the old; a value that is no list is one item
	Merge                  // object: the new fields over the old
	ByID                   // list of objects: an item replaces the one with its `id` in place, others are appended
	Sum                    // number: old plus new
	Min                    // number or text: the smaller
	Max                    // number or text: the greater
	Union                  // list: the new items that are not in it yet
)

var reducerNames = [...]string{"replace", "append", "merge", "by_id", "sum", "min", "max", "union"}

// String returns the name in specs.
func (r Reducer) String() string { return reducerNames[r] }

// ReducerNames returns the names in specs, in the order of the constants.
func ReducerNames() []string { return reducerNames[:] }

// ReducerByName returns the reducer of that name; "" is Replace.
func ReducerByName(name string) (Reducer, bool) {
	if name == "" {
		return Replace, true
	}
	for i, n := range reducerNames {
		if n == name {
			return Reducer(i), true
		}
	}
	return Replace, false
}

// Empty returns what a field begins with that declares no default: an empty list or
// object, or zero. A field of another reducer begins with nothing.
func (r Reducer) Empty() (value any, ok bool) {
	switch r {
	case Append, ByID, Union:
		return []any{}, true
	case Merge:
		return map[string]any{}, true
	case Sum:
		return 0, true
	case Replace, Min, Max:
	}
	return nil, false
}

// Apply returns old with value merged in; neither is changed. Old is nil when the
// field was never written. An error says which kinds do not go together.
func (r Reducer) Apply(old, value any) (any, error) {
	switch r {
	case Append:
		return appendTo(old, value)
	case Merge:
		return merge(old, value)
	case ByID:
		return byID(old, value)
	case Sum:
		return sum(old, value)
	case Min:
		return extreme(old, value, -1)
	case Max:
		return extreme(old, value, +1)
	case Union:
		return union(old, value)
	case Replace:
	}
	return value, nil
}

// list returns a value as list items: nil is none, anything but a list is one.
func list(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	default:
		return []any{v}
	}
}

func oldList(r Reducer, old any) ([]any, error) {
	items, ok := old.([]any)
	if !ok && old != nil {
		return nil, fmt.Errorf("%s needs a list, the field holds %s", r, KindOf(old))
	}
	if items == nil {
		items = []any{}
	}
	return items, nil
}

// appendTo may write behind old's end, in its backing array: items that a reader of
// old can see never change, and a field begins with an array of its own (see own).
func appendTo(old, value any) (any, error) {
	items, err := oldList(Append, old)
	if err != nil {
		return nil, err
	}
	return append(items, list(value)...), nil
}

func merge(old, value any) (any, error) {
	before, ok := old.(map[string]any)
	if !ok && old != nil {
		return nil, fmt.Errorf("merge needs an object, the field holds %s", KindOf(old))
	}
	fields, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, fmt.Errorf("merge needs an object, got %s", KindOf(value))
	}
	out := make(map[string]any, len(before)+len(fields))
	maps.Copy(out, before)
	maps.Copy(out, fields)
	return out, nil
}

func byID(old, value any) (any, error) {
	items, err := oldList(ByID, old)
	if err != nil {
		return nil, err
	}
	fresh := lastOfEach(list(value))
	at := make(map[any]int, len(fresh))
	for i, item := range fresh {
		if id, ok := idOf(item); ok {
			at[id] = i
		}
	}
	placed := make([]bool, len(fresh))
	out := items
	for i, item := range items {
		id, ok := idOf(item)
		if !ok {
			continue
		}
		j, replaced := at[id]
		if !replaced {
			continue
		}
		if len(out) > 0 && &out[0] == &items[0] {
			out = append(make([]any, 0, len(items)+len(fresh)), items...)
		}
		out[i], placed[j] = fresh[j], true
	}
	for j, item := range fresh {
		if !placed[j] {
			out = append(out, item)
		}
	}
	return out, nil
}

// lastOfEach keeps, of items with one id, the last, in the place of the first.
func lastOfEach(items []any) []any {
	out := make([]any, 0, len(items))
	at := make(map[any]int, len(items))
	for _, item := range items {
		id, ok := idOf(item)
		if i, seen := at[id]; ok && seen {
			out[i] = item
			continue
		}
		if ok {
			at[id] = len(out)
		}
		out = append(out, item)
	}
	return out
}

// idOf returns an item's id. An id that is no text or number does not identify.
func idOf(item any) (any, bool) {
	fields, ok := item.(map[string]any)
	if !ok {
		return nil, false
	}
	switch id := fields["id"].(type) {
	case string, int, float64:
		return id, true
	default:
		return nil, false
	}
}

func union(old, value any) (any, error) {
	items, err := oldList(Union, old)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		seen[canonical(item)] = true
	}
	for _, item := range list(value) {
		if key := canonical(item); !seen[key] {
			seen[key] = true
			items = append(items, item)
		}
	}
	return items, nil
}

func sum(old, value any) (any, error) {
	if old == nil {
		old = 0
	}
	if value == nil {
		return old, nil
	}
	a, b, ok := numbers(old, value)
	if !ok {
		return nil, fmt.Errorf("sum needs numbers, got %s and %s", KindOf(old), KindOf(value))
	}
	if x, ok := old.(int); ok {
		if y, ok := value.(int); ok {
			return x + y, nil
		}
	}
	return plainFloat(a + b), nil
}

func extreme(old, value any, sign int) (any, error) {
	if old == nil {
		old = value
	}
	if value == nil {
		return old, nil
	}
	less, ok := lessThan(old, value)
	if !ok {
		return nil, fmt.Errorf("min and max need two numbers or two texts, got %s and %s", KindOf(old), KindOf(value))
	}
	more, _ := lessThan(value, old)
	if less && sign > 0 || more && sign < 0 {
		return value, nil
	}
	return old, nil
}

func lessThan(a, b any) (less, ok bool) {
	if x, y, ok := numbers(a, b); ok {
		return x < y, true
	}
	x, xok := a.(string)
	y, yok := b.(string)
	return x < y, xok && yok
}

func numbers(a, b any) (x, y float64, ok bool) {
	x, aok := float(a)
	y, bok := float(b)
	return x, y, aok && bok
}

func float(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	default:
		return 0, false
	}
}
