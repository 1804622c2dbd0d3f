package spec_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weft-engine/weft/engine/spec"
)

// One mistake may stand in many places, by aliases. Where it stands in very many, the rest
// of the spec is not judged; it is told either way.
func TestDraftsAreBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		places  int
		drafted bool
	}{{1, true}, {500, true}, {501, false}} {
		var b strings.Builder
		b.WriteString("name: x\ngraphs: {main: {start: a, nodes: {a: {}}}}\ntools:\n  t0: &t {expr: '1', bogus: 1}\n")
		for i := range tt.places - 1 {
			_, _ = fmt.Fprintf(&b, "  t%d: *t\n", i+1)
		}
		sp, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(b.String())}}, ".", spec.Options{})
		if !list.HasErrors() {
			t.Errorf("%d places: nothing is found", tt.places)
		}
		if (sp.Draft != nil) != tt.drafted {
			t.Errorf("%d places: draft %v", tt.places, sp.Draft != nil)
		}
	}
}
