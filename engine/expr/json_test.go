package expr_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/source"
)

func anyData(depth int) *rapid.Generator[any] {
	leaf := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int().AsAny(), rapid.String().AsAny(),
		rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) && f != math.Trunc(f) }).AsAny(),
		rapid.SampledFrom([]string{"\x00\x1f\"\\\n\r\t", "<&>", "\u2028\u2029", "\xff\xfe", "😀ß"}).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaf...)
	}
	return rapid.OneOf(append(leaf,
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(anyData(depth-1), 0, 4).Draw(t, "list") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.MapOfN(rapid.String(), anyData(depth-1), 0, 4).Draw(t, "object") }),
	)...)
}

// json writes what the standard library reads as the same data, in one form only.
func TestJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := anyData(3).Draw(rt, "v")
		got, err := eval(t, "json(any)", data{"any": v})
		if err != nil {
			rt.Fatal(err)
		}
		text, _ := got.(string)
		theirs, err := json.Marshal(v)
		if err != nil {
			rt.Fatal(err)
		}
		want, err := source.DecodeJSON(theirs)
		if err != nil {
			rt.Fatal(err)
		}
		back, err := source.DecodeJSON([]byte(text))
		if err != nil {
			rt.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, back); diff != "" {
			rt.Fatalf("-want +got:\n%s", diff)
		}
		again, err := eval(t, "json(from_json(json(any)))", data{"any": v})
		if err != nil || again != text {
			rt.Fatalf("%s, then %s, %v", text, again, err)
		}
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	scope := data{"any": math.MaxInt, "data": 1e300, "i": math.MinInt, "ratio": 3.0, "days": []any{"a"}}
	for text, want := range map[string]any{
		`string(1e21)`: "1e+21", `string(0.0000001)`: "1e-07", `string(100000000.0)`: "100000000", `any - 1`: math.MaxInt - 1, `ratio == 3`: true,
		`days[any - any]`: "a", `int(3.9)`: 3, `int(-3.9)`: -3, `float("1e3")`: 1000.0, `abs(-1.5)`: 1.5, `sum([])`: 0, `max([])`: nil,
		`duration("1h") + duration("30m")`: "1h30m0s", `-duration("1h")`: "-1h0m0s", `1.5 * duration("2s")`: "3s",
	} {
		if got, err := eval(t, text, scope); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: got %v (%T), %v", text, got, got, err)
		}
	}
	for _, text := range []string{
		`any + 1`, `any * 2`, `i - 1`, `-i`, `abs(i)`, `data * data`, `data ** 2`, `0 / 0`, `1 / (ratio - 3)`, `int(data)`, `int(data * 10)`, `bitshl(1, -1)`,
		`float("1e999")`, `duration("2000000h") * 10`, `indent("a", -1)`, `repeat("a", -1)`, `fromBase64("?")`, `fromPairs([1])`,
		`max(["a"])`, `sort(["a"], "up")`, `from_json("nope")`, `date(lower("x"), "2006")`,
	} {
		if v, err := eval(t, text, scope); err == nil {
			t.Errorf("%s gives %v", text, v)
		}
	}
}
