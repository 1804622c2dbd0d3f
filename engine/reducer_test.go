package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
)

type (
	list   = []any
	object = map[string]any
)

func TestReducers(t *testing.T) {
	for _, c := range []struct {
		name       string
		reducer    engine.Reducer
		old, value any
		want       any
		err        string
	}{
		{"replace", engine.Replace, 1, "x", "x", ""},
		{"append to nothing", engine.Append, nil, list{1}, list{1}, ""},
		{"append a list", engine.Append, list{1}, list{2, 3}, list{1, 2, 3}, ""},
		{"append one item", engine.Append, list{1}, 2, list{1, 2}, ""},
		{"append null", engine.Append, list{1}, nil, list{1}, ""},
		{"append to a text", engine.Append, "x", 1, nil, "append needs a list, the field holds a text"},
		{"merge", engine.Merge, object{"a": 1, "b": 1}, object{"b": 2}, object{"a": 1, "b": 2}, ""},
		{"merge a list", engine.Merge, object{}, list{}, nil, "merge needs an object, got a list"},
		{"by_id replaces in place", engine.ByID, list{object{"id": "a", "v": 1}, object{"id": "b"}}, list{object{"id": "a", "v": 2}, object{"id": "c"}}, list{object{"id": "a", "v": 2}, object{"id": "b"}, object{"id": "c"}}, ""},
		{"by_id, twice in one write", engine.ByID, nil, list{object{"id": "a", "v": 1}, object{"id": "a", "v": 2}}, list{object{"id": "a", "v": 2}}, ""},
		{"by_id without an id", engine.ByID, list{"x"}, list{"x"}, list{"x", "x"}, ""},
		{"by_id with a list for an id", engine.ByID, nil, list{object{"id": list{1}}}, list{object{"id": list{1}}}, ""},
		{"sum", engine.Sum, 1, 2, 3, ""},
		{"sum of floats", engine.Sum, 1, 2.5, 3.5, ""},
		{"sum that is whole", engine.Sum, 1.5, 2.5, 4, ""},
		{"sum of a text", engine.Sum, 1, "x", nil, "sum needs numbers, got a number and a text"},
		{"min", engine.Min, 3, 2, 2, ""},
		{"min keeps", engine.Min, 2, 3, 2, ""},
		{"max", engine.Max, 3, 4.5, 4.5, ""},
		{"max of texts", engine.Max, "a", "b", "b", ""},
		{"max of nothing", engine.Max, nil, 1, 1, ""},
		{"max of both", engine.Max, 1, "a", nil, "min and max need two numbers or two texts, got a number and a text"},
		{"union", engine.Union, list{1, object{"a": 1}}, list{object{"a": 1}, 2, 2}, list{1, object{"a": 1}, 2}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.reducer.Apply(c.old, c.value)
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Fatalf("error %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReducersChangeNoValueThatIsSeen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := engine.Reducer(rapid.IntRange(0, 7).Draw(rt, "reducer"))
		old, value := plainGen().Draw(rt, "old"), plainGen().Draw(rt, "value")
		oldWas, valueWas := clone(t, old), clone(t, value)
		first, err := r.Apply(old, value)
		if err != nil {
			return
		}
		firstWas := clone(t, first)
		if _, err := r.Apply(first, value); err != nil {
			rt.Fatalf("%s takes %v but then not once more: %v", r, value, err)
		}
		for _, pair := range [][2]any{{oldWas, old}, {valueWas, value}, {firstWas, first}} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				rt.Fatalf("%s changed a value:\n%s", r, diff)
			}
		}
	})
}

func clone(t *testing.T, v any) any {
	return through(t, &engine.CallDone{At: epoch, Value: v}).(*engine.CallDone).Value
}

func TestReducerNames(t *testing.T) {
	for _, name := range engine.ReducerNames() {
		r, ok := engine.ReducerByName(name)
		if !ok || r.String() != name {
			t.Errorf("%s: %v %v", name, r, ok)
		}
	}
	if _, ok := engine.ReducerByName("concat"); ok {
		t.Error("concat is taken for a reducer")
	}
}
