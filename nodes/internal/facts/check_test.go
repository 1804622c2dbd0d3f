package facts_test

import (
	"testing"

	"github.com/weft-engine/weft/nodes/internal/facts"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const before = "Ann pays €5 on Monday, then 10 for X-1."
	for _, tt := range []struct {
		name   string
		pieces []string
		last   bool // whether the last piece passes; those before it do
	}{
		{"nothing new", []string{"Well! ", "€5 is due on Monday. ", "After that 10 for X-1."}, true},
		{"facts left out", []string{"Done. ", "Bye."}, true},
		{"a number again", []string{"10 is due. ", "Yes, 10."}, true},
		{"a number came", []string{"Done. ", "It was 11."}, false},
		{"another currency", []string{"$5 is due."}, false},
		{"numbers change places", []string{"10 is due. ", "€5 too."}, false},
		{"a day came", []string{"€5 is due. ", "By Tuesday."}, false},
		{"a day is meant", []string{"€5 is due. ", "By Mon."}, true},
		{"turned around", []string{"€5 is due. ", "10 is not."}, false},
		{"a link came", []string{"See www.evil.example."}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := facts.NewCheck(before)
			for i, piece := range tt.pieces {
				if got, want := c.Passes(piece), i < len(tt.pieces)-1 || tt.last; got != want {
					t.Errorf("%q: %v", piece, got)
				}
			}
		})
	}
}
