package ordered_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		` {"b": 1, "a": [true, false, null], "b": 2.50} `: `{"b":2.5,"a":[true,false,null]}`,
		`[]`:                            `[]`,
		`{}`:                            `{}`,
		`"\"\\\/\b\f\n\r\t\u00e9"`:      `"\"\\/\b\f\n\r\té"`,
		`"\ud83d\ude00 \ud83d \ude00x"`: `"😀 ` + "\uFFFD \uFFFD" + `x"`,
		`[NaN, Infinity, -Infinity]`:    `[null,null,null]`,
		`[-0, 1e5, 1E-7, 12345678901234567890123]`: `[-0,100000.0,1e-07,12345678901234567890123]`,
		"\uFEFF1": `1`,
	} {
		v, err := ordered.Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := string(ordered.Append(nil, v)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestParseErrors has Python's own messages and positions.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:              "Expecting value 0",
		`  `:            "Expecting value 2",
		`{`:             "Expecting property name enclosed in double quotes 1",
		`{a:1}`:         "Expecting property name enclosed in double quotes 1",
		`{"a":1,}`:      "Expecting property name enclosed in double quotes 7",
		`{"a"`:          "Expecting ':' delimiter 4",
		`{"a" 1}`:       "Expecting ':' delimiter 5",
		`{"a":`:         "Expecting value 5",
		`{"a":1`:        "Expecting ',' delimiter 6",
		`{"a":1 "b":2}`: "Expecting ',' delimiter 7",
		`[1,]`:          "Expecting value 3",
		`[1 2]`:         "Expecting ',' delimiter 3",
		`"abc`:          "Unterminated string starting at 0",
		`"\`:            "Unterminated string starting at 0",
		"\"a\nb\"":      "Invalid control character at 2",
		`"\x"`:          `Invalid \escape 1`,
		`"\u12g4"`:      `Invalid \uXXXX escape 2`,
		`"\u+123"`:      `Invalid \uXXXX escape 2`,
		`"\ud83d\u12"`:  `Invalid \uXXXX escape 8`,
		`nul`:           "Expecting value 0",
		`[1]x`:          "Extra data 3",
		`01`:            "Extra data 1",
		`1.`:            "Extra data 1",
		`1e`:            "Extra data 1",
		`.5`:            "Expecting value 0",
		`-`:             "Expecting value 0",
		`{"é":x}`:       "Expecting value 5",
	} {
		_, err := ordered.Parse([]byte(text))
		var syntax *ordered.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := fmt.Sprint(syntax.Msg, " ", syntax.At); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if _, err := ordered.Parse([]byte("\"\xff\"")); !errors.Is(err, ordered.ErrEncoding) {
		t.Errorf("no UTF-8: %v", err)
	}
	deep := strings.Repeat("[", ordered.MaxDepth) + strings.Repeat("]", ordered.MaxDepth)
	if _, err := ordered.Parse([]byte(deep)); err != nil {
		t.Errorf("as deep as allowed: %v", err)
	}
	if _, err := ordered.Parse([]byte("[" + deep + "]")); !errors.Is(err, ordered.ErrDepth) {
		t.Errorf("too deep: %v", err)
	}
	if _, err := ordered.ParseObject([]byte("[]")); err == nil {
		t.Error("an array is no object")
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for n, want := range map[ordered.Number]float64{"1": 1, "-2.5": -2.5, "1e400": math.Inf(1), "-Infinity": math.Inf(-1)} {
		if got := n.Float(); got != want {
			t.Errorf("%s: %v", n, got)
		}
	}
	for f, want := range map[float64]ordered.Number{1: "1.0", 1e20: "1e+20", math.Inf(1): "Infinity", math.Inf(-1): "-Infinity"} {
		if got := ordered.Float(f); got != want {
			t.Errorf("%v: %s", f, got)
		}
	}
	for text, want := range map[string]string{`[1,{"a":NaN}]`: "nan", `1e999`: "inf", `{"a":[-Infinity]}`: "-inf", `[1,2.5,"NaN"]`: ""} {
		v, err := ordered.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, found := ordered.NonFinite(v); got != want || found != (want != "") {
			t.Errorf("%s: %q %v", text, got, found)
		}
	}
}

// TestMapModel compares a Map with a slice of pairs.
func TestMapModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &ordered.Map{}
		var keys []string
		values := map[string]int{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := fmt.Sprint("k", rapid.IntRange(0, 30).Draw(t, "key"))
			if rapid.IntRange(0, 3).Draw(t, "what") == 0 {
				m.Delete(key)
				if _, found := values[key]; found {
					delete(values, key)
					for i, k := range keys {
						if k == key {
							keys = append(keys[:i:i], keys[i+1:]...)
						}
					}
				}
				continue
			}
			n := rapid.Int().Draw(t, "value")
			m.Set(key, n)
			if _, found := values[key]; !found {
				keys = append(keys, key)
			}
			values[key] = n
		}
		i := 0
		for key, v := range m.All() {
			if key != keys[i] || v != values[key] {
				t.Fatalf("member %d is %s=%v, want %s=%v", i, key, v, keys[i], values[keys[i]])
			}
			i++
		}
		for k := range 31 {
			key := fmt.Sprint("k", k)
			v, found := m.Get(key)
			if want, known := values[key]; found != known || known && v != want {
				t.Fatalf("Get(%s) = %v %v", key, v, found)
			}
		}
		if i != m.Len() || i != len(keys) {
			t.Fatalf("%d members, Len %d, want %d", i, m.Len(), len(keys))
		}
	})
}

func TestClone(t *testing.T) {
	t.Parallel()
	m := ordered.NewMap(ordered.Member{Name: "a", Value: []any{ordered.NewMap(ordered.Member{Name: "b", Value: "c"})}})
	c := m.Clone()
	inner, _ := c.Get("a")
	inner.([]any)[0].(*ordered.Map).Set("b", "changed")
	if got := string(m.AppendJSON(nil)); got != `{"a":[{"b":"c"}]}` {
		t.Errorf("the original changed: %s", got)
	}
	if (*ordered.Map)(nil).Clone() != nil || (*ordered.Map)(nil).Len() != 0 {
		t.Error("a nil map is empty")
	}
}

// dump is the content of a table, for comparing.
func dump(t *ordered.Table[int]) []string {
	list := []string{}
	for k, v := range t.All() {
		list = append(list, fmt.Sprint(k, "=", v))
	}
	return list
}

// TestTableUndo takes random changes of a table back one by one.
func TestTableUndo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := &ordered.Table[int]{}
		var dumps [][]string
		var undo []func()
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			dumps = append(dumps, dump(table))
			key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "key")
			if rapid.Bool().Draw(t, "delete") {
				e := table.Delete(key)
				undo = append(undo, func() { table.Restore(e) })
				continue
			}
			old, found := table.Get(key)
			table.Set(key, i)
			undo = append(undo, func() {
				if found {
					table.Set(key, old)
				} else {
					table.Delete(key)
				}
			})
		}
		for i, step := range slices.Backward(undo) {
			step()
			if diff := cmp.Diff(dumps[i], dump(table)); diff != "" {
				t.Fatalf("step %d (-before +undone):\n%s", i, diff)
			}
			if table.Len() != len(dumps[i]) || len(table.Keys()) != len(dumps[i]) {
				t.Fatalf("Len %d, %d keys, want %d", table.Len(), len(table.Keys()), len(dumps[i]))
			}
		}
	})
}

// TestTableRestoreLate restores entries when the table has changed meanwhile: nothing is
// lost and nothing is listed twice.
func TestTableRestoreLate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := &ordered.Table[int]{}
		var gone []*ordered.Entry[int]
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			key := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				table.Set(key, i)
			case 1:
				gone = append(gone, table.Delete(key))
			default:
				if len(gone) > 0 {
					table.Restore(rapid.SampledFrom(gone).Draw(t, "entry"))
				}
			}
			if seen := dump(table); len(seen) != table.Len() {
				t.Fatalf("%d listed, Len %d: %v", len(seen), table.Len(), seen)
			}
			for _, k := range table.Keys() {
				if !table.Has(k) {
					t.Fatalf("%s is listed but not found", k)
				}
			}
		}
	})
}

// TestBagUndo takes random changes of a bag back one by one.
func TestBagUndo(t *testing.T) {
	t.Parallel()
	list := func(b *ordered.Bag) string { return string(b.AppendJSON(nil)) }
	rapid.Check(t, func(t *rapid.T) {
		bag := &ordered.Bag{}
		var before []string
		var undo []func()
		model := []string{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			before = append(before, list(bag))
			id := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id")
			if rapid.Bool().Draw(t, "remove") {
				l := bag.Remove(id)
				undo = append(undo, func() { bag.Restore(l) })
				for i, x := range model {
					if x == id {
						model = append(model[:i:i], model[i+1:]...)
						break
					}
				}
			} else {
				bag.Add(id)
				undo = append(undo, bag.Drop)
				model = append(model, id)
			}
			var got []string
			for x := range bag.All() {
				got = append(got, x)
			}
			if strings.Join(got, "") != strings.Join(model, "") || bag.Len() != len(model) {
				t.Fatalf("bag %v (Len %d), want %v", got, bag.Len(), model)
			}
			if bag.Has(id) != strings.Contains(strings.Join(model, ""), id) {
				t.Fatalf("Has(%s) in %v", id, model)
			}
		}
		for i, step := range slices.Backward(undo) {
			step()
			if got := list(bag); got != before[i] {
				t.Fatalf("step %d undone: %s, want %s", i, got, before[i])
			}
		}
	})
}

func TestBagRestoreLate(t *testing.T) {
	t.Parallel()
	bag := &ordered.Bag{}
	for _, id := range []string{"a", "b", "c"} {
		bag.Add(id)
	}
	b := bag.Remove("b")
	bag.Remove("a")
	bag.Restore(b)
	if got := string(bag.AppendJSON(nil)); got != `["c","b"]` || bag.Len() != 2 {
		t.Errorf("restored late: %s", got)
	}
}

func TestTableClear(t *testing.T) {
	t.Parallel()
	var table ordered.Table[int]
	table.Set("a", 1)
	table.Clear()
	table.Set("b", 2)
	if diff := cmp.Diff([]string{"b=2"}, dump(&table)); diff != "" {
		t.Error(diff)
	}
}

// FuzzParse compares with encoding/json, which takes less (no NaN) and otherwise means the
// same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e3,"x\u00e9"],"b":null}`, `[NaN]`, `"\ud83d\ude00"`, `{"a":1,"a":2}`, `01`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := ordered.Parse(text)
		var other any
		plain := json.Unmarshal(text, &other)
		if err != nil {
			if plain == nil && !errors.Is(err, ordered.ErrEncoding) && !errors.Is(err, ordered.ErrDepth) {
				t.Fatalf("%q: %v, but it is JSON", text, err)
			}
			return
		}
		written := ordered.Append(nil, v)
		if !json.Valid(written) {
			t.Fatalf("%q was written as %q", text, written)
		}
		again, err := ordered.Parse(written)
		if err != nil {
			t.Fatalf("%q was written as %q: %v", text, written, err)
		}
		if second := ordered.Append(nil, again); string(second) != string(written) {
			t.Fatalf("%q, read again, is %q", written, second)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text := []byte(`{"from_address":"a@example.com","to_addresses":["user@example.com"],"subject":"Hello","body_text":"Some text that is not too short.","priority":"normal"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ordered.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
