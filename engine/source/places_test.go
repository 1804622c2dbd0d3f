package source_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// A place belongs to what stands there or began last before it; what one text stands for
// several times has all its paths.
func TestPlaces(t *testing.T) {
	t.Parallel()
	at := func(line, col int) diag.Pos { return diag.Pos{File: "a.yaml", Line: line, Col: col} }
	leaf := func(pos diag.Pos) *source.Value { return &source.Value{Kind: source.String, Text: "x", Pos: pos} }
	shared := leaf(at(3, 9))
	root := &source.Value{Kind: source.Map, Pos: at(1, 1), Fields: []source.Field{
		{Key: "a", Pos: at(1, 1), Value: leaf(at(1, 4))},
		{Key: "b", Pos: at(2, 1), Value: &source.Value{Kind: source.Map, Pos: at(3, 3), Fields: []source.Field{
			{Key: "c", Pos: at(3, 3), Value: shared},
			{Key: "d", Pos: at(4, 3), Value: &source.Value{Kind: source.List, Pos: at(4, 6), Items: []*source.Value{leaf(at(4, 7)), shared}}},
			{Key: "e", Pos: at(5, 3), Value: leaf(diag.Pos{File: "e.md", Line: 1, Col: 1})},
		}}},
	}}
	places := source.NewPlaces(root)
	for _, tt := range []struct {
		name string
		pos  diag.Pos
		want [][]string
	}{
		{"a value", at(1, 4), [][]string{{"a"}}},
		{"inside of a value", at(1, 30), [][]string{{"a"}}},
		{"a key", at(4, 3), [][]string{{"b", "d"}}},
		{"an item", at(4, 8), [][]string{{"b", "d"}}},
		{"a map and its first key", at(3, 5), [][]string{{"b", "c"}}},
		{"an alias", at(3, 9), [][]string{{"b", "c"}, {"b", "d"}}},
		{"another file", diag.Pos{File: "e.md", Line: 9, Col: 3}, [][]string{{"b", "e"}}},
		{"a file that is not known", diag.Pos{File: "f.md", Line: 1, Col: 1}, nil},
		{"before everything", diag.Pos{File: "a.yaml"}, nil},
	} {
		if diff := cmp.Diff(tt.want, places.At(tt.pos)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
