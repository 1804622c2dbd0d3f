package expr

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/shape"
)

func numberFunctions() []*function {
	sameNumber := func(args []operand) *shape.Type {
		if kindOf(args[0].typ) == shape.Int {
			return intType
		}
		return numberType
	}
	return append([]*function{
		{
			Function: Function{Signature: "abs(x number) number", Doc: "Returns the number without its sign.", Example: `abs(-3) == 3`},
			typ:      sameNumber, call: absolute,
		},
		rounding("ceil", "Rounds up.", `ceil(1.2) == 2`, math.Ceil),
		rounding("floor", "Rounds down.", `floor(1.8) == 1`, math.Floor),
		rounding("round", "Rounds to the nearest integer, halves away from zero.", `round(1.5) == 2`, math.Round),
		{
			Function: Function{Signature: "int(x number|string) integer", Doc: "Makes an integer of a number, cutting its fraction, or of a text.", Example: `int("42") == 42`},
			call:     func(_ *machine, a []any) (any, error) { return makeInt(a[0]) },
		},
		{
			Function: Function{Signature: "float(x number|string) number", Doc: "Makes a number of a text.", Example: `float("1.5") == 1.5`},
			call:     func(_ *machine, a []any) (any, error) { return makeFloat(a[0]) },
		},
		aggregate("max", "Returns the greatest of the numbers, or of a list of them; null when there is none.", `max(1, 3, 2) == 3`, greatest),
		aggregate("min", "Returns the least of the numbers, or of a list of them; null when there is none.", `min([4, 2]) == 2`, least),
		aggregate("mean", "Returns the average of the numbers, or of a list of them; 0 when there is none.", `mean([1, 2]) == 1.5`, mean),
		aggregate("median", "Returns the middle one of the numbers, or of a list of them; 0 when there is none.", `median([3, 1, 2]) == 2`, median),
	}, bitFunctions()...)
}

func absolute(m *machine, a []any) (any, error) {
	if f, ok := a[0].(float64); ok {
		return math.Abs(f), nil
	}
	if i := integer(a, 0, 0); i < 0 {
		return m.multiply(i, -1)
	}
	return a[0], nil
}

func rounding(name, doc, example string, f func(float64) float64) *function {
	return &function{
		Function: Function{Signature: name + "(x number) number", Doc: doc, Example: example},
		call: func(_ *machine, a []any) (any, error) {
			x, _ := toFloat(a[0])
			return f(x), nil
		},
	}
}

func makeInt(v any) (any, error) {
	switch v := v.(type) {
	case string:
		i, err := strconv.Atoi(strings.TrimSpace(v))
		if err != nil {
			return nil, fmt.Errorf("the text %s is no integer", quoted(v))
		}
		return i, nil
	case float64:
		if math.Abs(v) >= math.MaxInt64 || math.IsNaN(v) {
			return nil, errOverflow
		}
		return int(v), nil
	}
	return v, nil
}

func makeFloat(v any) (any, error) {
	if s, ok := v.(string); ok {
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return nil, fmt.Errorf("the text %s is no number", quoted(s))
		}
		return finite(f)
	}
	f, _ := toFloat(v)
	return f, nil
}

// quoted shows a text of data in a message, shortened.
func quoted(s string) string { return strconv.Quote(truncateText(s, 40)) }

func aggregate(name, doc, example string, f func(m *machine, numbers []any) (any, error)) *function {
	fn := &function{
		Function: Function{Signature: name + "(numbers number|list...) number", Doc: doc, Example: example},
		call: func(m *machine, a []any) (any, error) {
			flat, err := flatNumbers(m, a)
			if err != nil {
				return nil, err
			}
			return f(m, flat)
		},
	}
	if name == "max" || name == "min" {
		fn.typ = func(args []operand) *shape.Type {
			var t *shape.Type
			for _, a := range args {
				if kindOf(a.typ) == shape.List {
					t = union(t, elemOf(a.typ))
				} else {
					t = union(t, a.typ)
				}
			}
			if kindOf(t) == shape.Int {
				return nullable(intType)
			}
			return nullable(numberType)
		}
	}
	return fn
}

func flatNumbers(m *machine, args []any) ([]any, error) {
	var out []any
	for _, a := range args {
		items, ok := a.([]any)
		if !ok {
			items = []any{a}
		}
		if err := m.list(len(items)); err != nil {
			return nil, err
		}
		for _, v := range items {
			v = canonical(v)
			if !isNumeric(kindOfValue(v)) {
				return nil, fmt.Errorf("the list has %s in it, not only numbers", describeValue(v))
			}
			out = append(out, v)
		}
	}
	return out, nil
}

func greatest(_ *machine, numbers []any) (any, error) { return extreme(numbers, 1) }

func least(_ *machine, numbers []any) (any, error) { return extreme(numbers, -1) }

func extreme(numbers []any, sign int) (any, error) {
	var best any
	for i, v := range numbers {
		if i == 0 {
			best = v
			continue
		}
		c, err := compare(v, best)
		if err != nil {
			return nil, err
		}
		if c*sign > 0 {
			best = v
		}
	}
	return best, nil
}

func mean(_ *machine, numbers []any) (any, error) {
	if len(numbers) == 0 {
		return 0.0, nil
	}
	sum := 0.0
	for _, v := range numbers {
		f, _ := toFloat(v)
		sum += f
	}
	return finite(sum / float64(len(numbers)))
}

func median(m *machine, numbers []any) (any, error) {
	n := len(numbers)
	if n == 0 {
		return 0.0, nil
	}
	if err := m.spend(2 * n); err != nil {
		return nil, err
	}
	values := make([]float64, n)
	for i, v := range numbers {
		values[i], _ = toFloat(v)
	}
	slices.Sort(values)
	return finite((values[(n-1)/2] + values[n/2]) / 2)
}

var errShift = errors.New("the number of bits to shift by must not be negative")

func bitFunctions() []*function {
	bits := func(name, doc, example string, f func(x, y int) (any, error)) *function {
		return &function{
			Function: Function{Signature: name + "(x integer, y integer) integer", Doc: doc, Example: example},
			call:     func(_ *machine, a []any) (any, error) { return f(integer(a, 0, 0), integer(a, 1, 0)) },
		}
	}
	shift := func(f func(x, y int) int) func(x, y int) (any, error) {
		return func(x, y int) (any, error) {
			if y < 0 {
				return nil, errShift
			}
			return f(x, y), nil
		}
	}
	return []*function{
		bits("bitand", "Returns the bits that both have.", `bitand(6, 3) == 2`, func(x, y int) (any, error) { return x & y, nil }),
		bits("bitor", "Returns the bits that one of them has.", `bitor(4, 1) == 5`, func(x, y int) (any, error) { return x | y, nil }),
		bits("bitxor", "Returns the bits that only one of them has.", `bitxor(6, 3) == 5`, func(x, y int) (any, error) { return x ^ y, nil }),
		bits("bitnand", "Returns the bits of x that y does not have.", `bitnand(6, 3) == 4`, func(x, y int) (any, error) { return x &^ y, nil }),
		bits("bitshl", "Shifts the bits of x left.", `bitshl(1, 3) == 8`, shift(func(x, y int) int { return x << y })),
		bits("bitshr", "Shifts the bits of x right.", `bitshr(8, 3) == 1`, shift(func(x, y int) int { return x >> y })),
		bits("bitushr", "Shifts the bits of x right, filling with zeros.", `bitushr(8, 3) == 1`,
			shift(func(x, y int) int { return int(uint(x) >> y) })),
		{
			Function: Function{Signature: "bitnot(x integer) integer", Doc: "Inverts the bits.", Example: `bitnot(0) == -1`},
			call:     func(_ *machine, a []any) (any, error) { return ^integer(a, 0, 0), nil },
		},
	}
}
