package shape

import (
	"fmt"
	"math"
	"reflect"
)

// The bounds of data that is checked.
const (
	maxDepth  = 200
	maxValues = 5_000_000
)

// measure returns a problem when v is deeper or larger than what is checked, or has
// something in it that JSON cannot say.
func measure(v any) *Problem {
	left := maxValues
	return measureAt(v, maxDepth, &left)
}

func measureAt(v any, depth int, left *int) *Problem {
	if *left--; *left < 0 {
		p := tooLarge()
		return &p
	}
	switch v := v.(type) {
	case nil, bool, int, string:
		return nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &Problem{Message: "has a number that is not finite"}
		}
		return nil
	case []any:
		if depth == 0 {
			return tooDeep()
		}
		for _, item := range v {
			if p := measureAt(item, depth-1, left); p != nil {
				return p
			}
		}
		return nil
	case map[string]any:
		if depth == 0 {
			return tooDeep()
		}
		for _, item := range v {
			if p := measureAt(item, depth-1, left); p != nil {
				return p
			}
		}
		return nil
	}
	return &Problem{Message: fmt.Sprintf("has a %T in it, which is not plain data", v)}
}

func tooLarge() Problem {
	return Problem{Message: fmt.Sprintf("is too large to be checked: more than %d values", maxValues)}
}

func tooDeep() *Problem {
	return &Problem{Message: fmt.Sprintf("is too deep to be checked: more than %d levels", maxDepth)}
}

// size counts the values in v.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += size(item)
		}
	case map[string]any:
		for _, item := range v {
			n += size(item)
		}
	}
	return n
}

// copied returns a copy of v that shares nothing with it.
func copied(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = copied(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = copied(v[k])
		}
		return out
	}
	return v
}

// same reports whether a is b: lists and objects by identity.
func same(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && sameMap(x, y)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

func sameMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}
