package field

import (
	"fmt"
	"math"

	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Numeric are the numbers that can be bounded.
type Numeric interface{ ~int | ~float64 }

// Above takes numbers greater than n.
func Above[N Numeric](t Type[N], n N) Type[N] {
	return bounded(t, func(x N) bool { return x > n }, rule[N]{"greater_than", "greater than", "gt", n})
}

// AtLeast takes numbers greater than n or equal to it.
func AtLeast[N Numeric](t Type[N], n N) Type[N] {
	return bounded(t, func(x N) bool { return x >= n }, rule[N]{"greater_than_equal", "greater than or equal to", "ge", n})
}

// AtMost takes numbers less than n or equal to it.
func AtMost[N Numeric](t Type[N], n N) Type[N] {
	return bounded(t, func(x N) bool { return x <= n }, rule[N]{"less_than_equal", "less than or equal to", "le", n})
}

// Between takes numbers from least to most, both included.
func Between[N Numeric](t Type[N], least, most N) Type[N] {
	return AtMost(AtLeast(t, least), most)
}

// Finite takes numbers but NaN and the infinities, which JSON cannot say again.
func Finite(v any, at *Place) float64 {
	f := Float(v, at)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		at.Fail("finite_number", "Input should be a finite number", v)
	}
	return f
}

type rule[N Numeric] struct {
	kind, words, ctx string
	bound            N
}

func bounded[N Numeric](t Type[N], good func(N) bool, r rule[N]) Type[N] {
	return func(v any, at *Place) N {
		before := at.count()
		x := t(v, at)
		if at.count() == before && !good(x) {
			at.Fail(r.kind, fmt.Sprintf("Input should be %s %v", r.words, r.bound), v,
				ordered.Member{Name: r.ctx, Value: number(r.bound)})
		}
		return x
	}
}

func number[N Numeric](n N) ordered.Number {
	if f, ok := any(n).(float64); ok {
		return ordered.Float(f)
	}
	return ordered.Int(int(n))
}

// List takes arrays of at least least items of a type. The result is never nil.
func List[T any](t Type[T], least int) Type[[]T] {
	return func(v any, at *Place) []T {
		items, ok := v.([]any)
		if !ok {
			at.Fail("list_type", "Input should be a valid list", v)
			return []T{}
		}
		list := make([]T, len(items))
		before := at.count()
		inside := Place{up: at, list: true}
		for i, x := range items {
			inside.index = i
			list[i] = t(x, &inside)
		}
		if len(items) < least && at.count() == before {
			at.Fail("too_short", fmt.Sprintf("List should have at least %s after validation, not %d", many(least, "item"), len(items)), v,
				ordered.Member{Name: "field_type", Value: "List"}, limit("min_length", least), limit("actual_length", len(items)))
		}
		return list
	}
}

// Values takes objects whose values are all of a type, and keeps their order.
func Values[T any](t Type[T]) Type[*ordered.Table[T]] {
	return func(v any, at *Place) *ordered.Table[T] {
		table := &ordered.Table[T]{}
		inside := Place{up: at}
		for name, x := range Object(v, at).All() {
			inside.name = name
			table.Set(name, t(x, &inside))
		}
		return table
	}
}

// Model takes objects, whose fields the given function reads.
func Model[T any](read func(r *Reader) T) Type[T] {
	return func(v any, at *Place) T {
		doc, ok := v.(*ordered.Map)
		if !ok {
			var none T
			at.Fail("model_attributes_type", "Input should be a valid dictionary or object to extract fields from", v)
			return none
		}
		return read(&Reader{find: doc.Get, doc: doc, place: Place{up: at}})
	}
}

// Nullable takes null as well, for items of lists and values of maps.
func Nullable[T any](t Type[T]) Type[*T] {
	return func(v any, at *Place) *T {
		if v == nil {
			return nil
		}
		x := t(v, at)
		return &x
	}
}
