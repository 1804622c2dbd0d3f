package source_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/weft-engine/weft/engine/source"
)

// reference is what encoding/json writes without HTML escapes.
func reference(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func TestAppendJSON(t *testing.T) {
	for _, v := range []any{
		nil, true, 0, -7, 1.5, 1e21, 1e-7, -2.5e-9, 123456789.25, 1e300, "", "plain", "a\"b\\c\b\f\n\r\t\x00\x1f\x7f",
		"<a href='x'>&amp;</a>", "\u2028\u2029é😀",
		[]any{},
		[]any{1, []any{nil}, "x"},
		map[string]any{},
		map[string]any{"b": 1, "a": []any{map[string]any{"z": nil}}, "é\n": "v"},
		[]any(nil), map[string]any(nil),
	} {
		got, err := source.AppendJSON([]byte("x"), v)
		if err != nil {
			t.Fatal(err)
		}
		if want := "x" + reference(t, v); string(got) != want {
			t.Errorf("%#v:\n got %s\nwant %s", v, got, want)
		}
	}
	if got := source.AppendText(nil, "broken \xff\xfe utf-8"); string(got) != "\"broken \uFFFD\uFFFD utf-8\"" {
		t.Errorf("what is no UTF-8 became %s", got)
	}
	for _, v := range []any{math.NaN(), math.Inf(-1), int64(1), []any{struct{}{}}, map[string]any{"a": []string{}}} {
		if got, err := source.AppendJSON(nil, v); err == nil {
			t.Errorf("%#v gave %s, and is not plain data", v, got)
		}
	}
}

func FuzzAppendJSON(f *testing.F) {
	f.Add([]byte(`{"b":[1,2.5,"x\u2028"],"a":{"":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := source.DecodeJSON(data)
		if err != nil {
			return
		}
		got, err := source.AppendJSON(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if want := reference(t, v); string(got) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestAppendJSONInOrder(t *testing.T) {
	number := func(text string) *source.Value { return &source.Value{Kind: source.Number, Text: text} }
	v := &source.Value{Kind: source.Map, Fields: []source.Field{
		{Key: "z", Value: &source.Value{Kind: source.List, Items: []*source.Value{number("1"), number("2.50"), number("NaN"), {Kind: source.Bool, Bool: true}}}},
		{Key: "a\"", Value: &source.Value{Kind: source.String, Text: "<é>"}},
		{Key: "m", Value: &source.Value{Kind: source.Map}},
		{Key: "b", Value: &source.Value{}},
	}}
	want := `x{"z":[1,2.5,"NaN",true],"a\"":"<é>","m":{},"b":null}`
	if got := string(v.AppendJSON([]byte("x"))); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := string((*source.Value)(nil).AppendJSON(nil)); got != "null" {
		t.Errorf("nothing is %s", got)
	}
}
