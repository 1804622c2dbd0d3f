package expr

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/weft-engine/weft/engine/shape"
)

// kindOfValue returns the kind of a value at run time; Any for what is no data.
func kindOfValue(v any) shape.Kind {
	switch v.(type) {
	case nil:
		return shape.Null
	case bool:
		return shape.Bool
	case int:
		return shape.Int
	case float64:
		return shape.Number
	case string:
		return shape.String
	case []any:
		return shape.List
	case map[string]any:
		return shape.Object
	case time.Time:
		return shape.Time
	case time.Duration:
		return shape.Duration
	}
	return shape.Any
}

func describeValue(v any) string { return article(kindOfValue(v).String()) }

// same compares without looking into lists and objects.
func same(a, b any) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case int:
		switch y := b.(type) {
		case int:
			return x == y
		case float64:
			return float64(x) == y
		}
	case float64:
		switch y := b.(type) {
		case int:
			return x == float64(y)
		case float64:
			return x == y
		}
	case time.Time:
		y, ok := b.(time.Time)
		return ok && x.Equal(y)
	case time.Duration:
		y, ok := b.(time.Duration)
		return ok && x == y
	}
	return false
}

// equal compares any two values, deeply.
func (m *machine) equal(a, b any, depth int) (bool, error) {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		if !ok || len(x) != len(y) {
			return false, nil
		}
		return x == y, m.read(len(x))
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false, nil
		}
		return m.equalLists(x, y, depth)
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false, nil
		}
		return m.equalObjects(x, y, depth)
	}
	return same(a, b), nil
}

func (m *machine) deeper(depth, size int) error {
	if depth >= maxDataDepth {
		return fmt.Errorf("data is nested more than %d levels deep: %w", maxDataDepth, ErrLimit)
	}
	return m.spend(size/8 + 1)
}

func (m *machine) equalLists(x, y []any, depth int) (bool, error) {
	if err := m.deeper(depth, len(x)); err != nil {
		return false, err
	}
	for i := range x {
		if ok, err := m.equal(x[i], y[i], depth+1); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (m *machine) equalObjects(x, y map[string]any, depth int) (bool, error) {
	if err := m.deeper(depth, len(x)); err != nil {
		return false, err
	}
	for _, k := range sortedKeys(x) { // whether a limit is reached must not depend on the order
		w, there := y[k]
		if !there {
			return false, nil
		}
		if ok, err := m.equal(x[k], w, depth+1); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// compare orders two values of one kind: -1, 0 or 1.
func compare(a, b any) (int, error) {
	if x, y, ok := numbers(a, b); ok {
		if i, iok := a.(int); iok {
			if j, jok := b.(int); jok {
				return order(i, j), nil
			}
		}
		return order(x, y), nil
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), nil
		}
	case time.Time:
		if y, ok := b.(time.Time); ok {
			return x.Compare(y), nil
		}
	case time.Duration:
		if y, ok := b.(time.Duration); ok {
			return order(x, y), nil
		}
	}
	return 0, fmt.Errorf("%s and %s have no order", describeValue(a), describeValue(b))
}

func order[T int | float64 | time.Duration](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func numbers(a, b any) (x, y float64, ok bool) {
	if x, ok = toFloat(a); ok {
		y, ok = toFloat(b)
	}
	return x, y, ok
}

func toFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// toInt accepts a float without fraction: numbers of data may arrive as either.
func toInt(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int(v), true
		}
	}
	return 0, false
}

var (
	errOverflow = errors.New("the integer does not fit into 64 bits")
	errZero     = errors.New("division by zero")
	errInfinite = errors.New("the result is not a finite number")
)

func finite(f float64) (any, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, errInfinite
	}
	return f, nil
}

func noOperator(op string, a, b any) error {
	return fmt.Errorf("%s does not work on %s and %s", op, describeValue(a), describeValue(b))
}

func (m *machine) add(a, b any) (any, error) {
	switch x := a.(type) {
	case int:
		if y, ok := b.(int); ok {
			return addInts(x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			if err := m.grow(len(x) + len(y)); err != nil {
				return nil, err
			}
			return x + y, nil
		}
	case time.Time:
		if y, ok := b.(time.Duration); ok {
			return x.Add(y), nil
		}
	case time.Duration:
		switch y := b.(type) {
		case time.Time:
			return y.Add(x), nil
		case time.Duration:
			return x + y, nil
		}
	}
	if x, y, ok := numbers(a, b); ok {
		return finite(x + y)
	}
	return nil, noOperator("+", a, b)
}

func addInts(x, y int) (any, error) {
	if sum := x + y; (sum > x) == (y > 0) {
		return sum, nil
	}
	return nil, errOverflow
}

func (m *machine) subtract(a, b any) (any, error) {
	switch x := a.(type) {
	case int:
		if y, ok := b.(int); ok {
			if diff := x - y; (diff < x) == (y > 0) {
				return diff, nil
			}
			return nil, errOverflow
		}
	case time.Time:
		switch y := b.(type) {
		case time.Time:
			return x.Sub(y), nil
		case time.Duration:
			return x.Add(-y), nil
		}
	case time.Duration:
		if y, ok := b.(time.Duration); ok {
			return x - y, nil
		}
	}
	if x, y, ok := numbers(a, b); ok {
		return finite(x - y)
	}
	return nil, noOperator("-", a, b)
}

func (m *machine) multiply(a, b any) (any, error) {
	if x, ok := a.(int); ok {
		if y, ok := b.(int); ok {
			return multiplyInts(x, y)
		}
	}
	if x, y, ok := numbers(a, b); ok {
		return finite(x * y)
	}
	if d, ok := a.(time.Duration); ok {
		return scale(d, b)
	}
	if d, ok := b.(time.Duration); ok {
		return scale(d, a)
	}
	return nil, noOperator("*", a, b)
}

func scale(d time.Duration, factor any) (any, error) {
	f, ok := toFloat(factor)
	if !ok {
		return nil, noOperator("*", d, factor)
	}
	out := float64(d) * f
	if math.Abs(out) >= math.MaxInt64 || math.IsNaN(out) {
		return nil, errOverflow
	}
	return time.Duration(out), nil
}

func multiplyInts(x, y int) (any, error) {
	if x == 0 || y == 0 {
		return 0, nil
	}
	p := x * y
	if p/y != x || x == -1 && y == math.MinInt || y == -1 && x == math.MinInt {
		return nil, errOverflow
	}
	return p, nil
}

func (m *machine) divide(a, b any) (any, error) {
	x, y, ok := numbers(a, b)
	if !ok {
		return nil, noOperator("/", a, b)
	}
	if y == 0 {
		return nil, errZero
	}
	return finite(x / y)
}

func (m *machine) modulo(a, b any) (any, error) {
	x, xok := toInt(a)
	y, yok := toInt(b)
	if !xok || !yok {
		return nil, noOperator("%", a, b)
	}
	if y == 0 {
		return nil, errZero
	}
	return x % y, nil
}

func (m *machine) power(a, b any) (any, error) {
	x, y, ok := numbers(a, b)
	if !ok {
		return nil, noOperator("**", a, b)
	}
	return finite(math.Pow(x, y))
}
