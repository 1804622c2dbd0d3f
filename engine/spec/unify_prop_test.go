package spec_test

import (
	"encoding/json"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

// scalars are written as JSON.
var scalars = []string{
	"null", "true", "false", "0", "1", "-1", "1.0", "1.00", "10", "1e1", "10.0", "100000000000000000000", `""`, `"a"`, `"1"`, `"\u0061"`, `"\n"`,
}

func genJSON(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		if depth == 0 || kind < 2 {
			return rapid.SampledFrom(scalars).Draw(t, "scalar")
		}
		out, n := "", rapid.IntRange(0, 3).Draw(t, "n")
		for i := range n {
			if i > 0 {
				out += ","
			}
			if kind > 2 {
				out += string(rune('"')) + string(rune('a'+i)) + `":`
			}
			out += genJSON(depth-1).Draw(t, "v")
		}
		if kind > 2 {
			return "{" + out + "}"
		}
		return "[" + out + "]"
	})
}

// Plain data is unified without CUE, and comes out as CUE would have it.
func TestUnifyIsCUEs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genJSON(3).Draw(t, "a")
		b := a
		if rapid.Bool().Draw(t, "other") {
			b = genJSON(3).Draw(t, "b")
		}
		ctx := cuecontext.New()
		v := ctx.CompileString(a).Unify(ctx.CompileString(b))
		cueErr := v.Validate(cue.Concrete(true))
		s, list := spec.Load(files("a.json", `{"name": "x", "types": {"T": {"v": `+a+`}}}`, "b.yaml", `types: {T: {"v": `+b+`}}`), ".", spec.Options{})
		if (cueErr == nil) != !list.HasErrors() {
			t.Fatalf("%s & %s: CUE says %v, the loader %v", a, b, cueErr, list.Sorted())
		}
		if cueErr != nil {
			return
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := source.DecodeJSON(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, s.Root.Get("types").Get("T").Get("v").Go()); diff != "" {
			t.Fatal(diff)
		}
	})
}
