package expr

import (
	"fmt"

	"github.com/weft-engine/weft/engine/shape"
)

// itemOf is the type of an item of the first argument, or null.
func itemOf(args []operand) *shape.Type { return nullable(elemOf(args[0].typ)) }

// listLike is the type of a list of items of the first argument.
func listLike(args []operand) *shape.Type { return listOf(elemOf(args[0].typ)) }

func listFunctions() []*function { return append(itemFunctions(), joinFunctions()...) }

// itemFunctions take items out of a list.
func itemFunctions() []*function {
	return []*function{
		{
			Function: Function{Signature: "first(items list) any", Doc: "Returns the first item, null of an empty list.", Example: `first([1, 2]) == 1`},
			typ:      itemOf,
			call: func(_ *machine, a []any) (any, error) {
				if l := list(a, 0); len(l) > 0 {
					return canonical(l[0]), nil
				}
				return nil, nil
			},
		},
		{
			Function: Function{Signature: "last(items list) any", Doc: "Returns the last item, null of an empty list.", Example: `last([1, 2]) == 2`},
			typ:      itemOf,
			call: func(_ *machine, a []any) (any, error) {
				if l := list(a, 0); len(l) > 0 {
					return canonical(l[len(l)-1]), nil
				}
				return nil, nil
			},
		},
		{
			Function: Function{Signature: "take(items list, count integer) list", Doc: "Returns the first items.", Example: `take([1, 2, 3], 2) == [1, 2]`},
			typ:      listLike,
			call: func(_ *machine, a []any) (any, error) {
				l := list(a, 0)
				n := min(max(integer(a, 1, 0), 0), len(l))
				return l[:n:n], nil
			},
		},
		{
			Function: Function{Signature: "reverse(items list) list", Doc: "Returns the items in the opposite order.", Example: `reverse([1, 2]) == [2, 1]`},
			typ:      listLike, call: reverse,
		},
		{
			Function: Function{
				Signature: "unique(items list) list", Doc: "Returns the items, each once, where it first stands.",
				Example: `unique([1, 2, 1]) == [1, 2]`,
			},
			typ: listLike, call: unique,
		},
	}
}

// joinFunctions make lists of lists.
func joinFunctions() []*function {
	return []*function{
		{
			Function: Function{Signature: "concat(lists list...) list", Doc: "Joins lists to one.", Example: `concat([1], [2, 3]) == [1, 2, 3]`},
			typ: func(args []operand) *shape.Type {
				var elem *shape.Type
				for _, a := range args {
					if kindOf(a.typ) != shape.Null {
						elem = union(elem, elemOf(a.typ))
					}
				}
				return listOf(elem)
			},
			call: concat,
		},
		{
			Function: Function{Signature: "flatten(items list) list", Doc: "Replaces lists in the list by their items, deeply.", Example: `flatten([1, [2, [3]]]) == [1, 2, 3]`},
			call: func(m *machine, a []any) (any, error) {
				out := []any{}
				err := m.flatten(list(a, 0), &out, 0)
				return out, err
			},
		},
		{
			Function: Function{
				Signature: "sort(items list[, order string]) list", Doc: `Sorts numbers, strings or times; order is "asc" or "desc".`,
				Example: `sort([2, 3, 1], "desc") == [3, 2, 1]`,
			},
			typ: listLike, call: sortItems,
		},
	}
}

func reverse(m *machine, a []any) (any, error) {
	l := list(a, 0)
	if err := m.list(len(l)); err != nil {
		return nil, err
	}
	out := make([]any, len(l))
	for i, v := range l {
		out[len(l)-1-i] = v
	}
	return out, nil
}

// unique compares scalars as they are, and lists and objects by their JSON.
func unique(m *machine, a []any) (any, error) {
	l := list(a, 0)
	if err := m.list(4 * len(l)); err != nil {
		return nil, err
	}
	if err := m.spend(len(l)); err != nil {
		return nil, err
	}
	type composite string
	seen, out := make(map[any]bool, len(l)), make([]any, 0, len(l))
	for _, v := range l {
		v = canonical(v)
		key := v
		switch x := v.(type) {
		case float64:
			if i, ok := toInt(x); ok {
				key = i
			}
		case []any, map[string]any:
			data, err := m.appendJSON(nil, x, 0)
			if err != nil {
				return nil, err
			}
			if err := m.grow(len(data)); err != nil {
				return nil, err
			}
			key = composite(data)
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, v)
		}
	}
	return out, nil
}

func concat(m *machine, a []any) (any, error) {
	n := 0
	for i := range a {
		n += len(list(a, i))
	}
	if err := m.list(n); err != nil {
		return nil, err
	}
	out := make([]any, 0, n)
	for i := range a {
		out = append(out, list(a, i)...)
	}
	return out, nil
}

func (m *machine) flatten(items []any, out *[]any, depth int) error {
	if err := m.deeper(depth, len(items)); err != nil {
		return err
	}
	if err := m.list(len(items)); err != nil {
		return err
	}
	for _, v := range items {
		if inner, ok := canonical(v).([]any); ok {
			if err := m.flatten(inner, out, depth+1); err != nil {
				return err
			}
			continue
		}
		*out = append(*out, v)
	}
	return nil
}

func sortItems(m *machine, a []any) (any, error) {
	order := text(a, 1)
	if order != "" && order != "asc" && order != "desc" {
		return nil, fmt.Errorf(`the order is "asc" or "desc", not %s`, quoted(order))
	}
	l := list(a, 0)
	rows := make([]keyed, len(l))
	for i, v := range l {
		v = canonical(v)
		rows[i] = keyed{v, v}
	}
	return m.sorted(rows, order == "desc")
}
