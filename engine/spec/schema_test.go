package spec_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	cuejson "cuelang.org/go/encoding/json"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/schemas"
)

// oracle is #Spec as CUE itself understands it.
type oracle struct {
	ctx    *cue.Context
	schema cue.Value
}

func newOracle(t testing.TB) *oracle {
	t.Helper()
	ctx := cuecontext.New()
	inst := build.NewContext().NewInstance("", nil)
	entries, err := schemas.FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := schemas.FS.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(e.Name(), data)
		if err != nil {
			t.Fatal(err)
		}
		if err := inst.AddSyntax(f); err != nil {
			t.Fatal(err)
		}
	}
	v := ctx.BuildInstance(inst).LookupPath(cue.ParsePath("#Spec"))
	if v.Err() != nil {
		t.Fatal(v.Err())
	}
	return &oracle{ctx, v}
}

// accepts asks CUE's evaluator.
func (o *oracle) accepts(t interface{ Fatal(...any) }, data []byte) (bool, error) {
	x, err := cuejson.Extract("spec.json", data)
	if err != nil {
		t.Fatal(err)
	}
	err = o.schema.Unify(o.ctx.BuildExpr(x)).Validate(cue.Concrete(true))
	return err == nil, err
}

// afterSchema are the findings that the schema knows nothing of.
var afterSchema = []diag.Code{"spec/file", "spec/outside", "spec/import", "spec/import-cycle", "spec/profile", "spec/conflict"}

// weftAccepts asks the loader, about the schema only.
func weftAccepts(data []byte) (bool, []diag.Finding) {
	fsys := fstest.MapFS{
		"spec.json": {Data: data}, "about.md": {Data: []byte("x")}, "env.txt": {Data: []byte("{}")},
	}
	_, list := spec.Load(fsys, ".", spec.Options{})
	findings := slices.DeleteFunc(list.Sorted(), func(f diag.Finding) bool { return slices.Contains(afterSchema, f.Code) })
	return len(findings) == 0, findings
}

// fullSpec is a spec that uses every field of the language, as plain data.
func fullSpec(t testing.TB) map[string]any {
	t.Helper()
	data, err := os.ReadFile("testdata/accept/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	v, list := spec.Decode(data, "full.yaml")
	if list.Len() > 0 {
		t.Fatal(list.Err())
	}
	m, ok := v.Go().(map[string]any)
	if !ok {
		t.Fatal("full.yaml is no map")
	}
	return m
}

// odd are values that fit in few places.
var odd = []any{
	nil, true, false, 0, 1, -1, 101, 1.5, 1e3, "", "x", "Not A Name", "{{ x }}", "30s", "PT1H", "accept", "openai", "end",
	[]any{},
	[]any{"a"},
	[]any{map[string]any{"to": "a"}},
	[]any{1},
	[]any{"accept"},
	map[string]any{},
	map[string]any{"file": "about.md"},
	map[string]any{"env": "A"},
	map[string]any{"template": "t"},
	map[string]any{"name": "a"},
	map[string]any{"a": "b"},
	map[string]any{"file": "about.md", "prefix": "x"},
	map[string]any{"file": "about.md", "x": 1},
	map[string]any{"file": 1},
	map[string]any{"text": "a"},
}

// mutate changes one place of a tree.
func mutate(t *rapid.T, v any) any {
	if rapid.IntRange(0, 3).Draw(t, "stop") == 0 {
		return rapid.SampledFrom(odd).Draw(t, "odd")
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return rapid.SampledFrom(odd).Draw(t, "odd")
		}
		key := rapid.SampledFrom(slices.Sorted(maps.Keys(v))).Draw(t, "key")
		out := maps.Clone(v)
		switch rapid.IntRange(0, 9).Draw(t, "change") {
		case 0:
			delete(out, key)
		case 1:
			out[key+"x"] = v[key]
		case 2:
			out[strings.ToUpper(key)] = v[key]
		default:
			out[key] = mutate(t, v[key])
		}
		return out
	case []any:
		if len(v) == 0 {
			return []any{rapid.SampledFrom(odd).Draw(t, "odd")}
		}
		i := rapid.IntRange(0, len(v)-1).Draw(t, "item")
		out := slices.Clone(v)
		out[i] = mutate(t, v[i])
		return out
	}
	return rapid.SampledFrom(odd).Draw(t, "odd")
}

// The loader's own checker and CUE's evaluator must agree on every spec.
func TestSchemaMeansWhatCUESays(t *testing.T) {
	o, full := newOracle(t), fullSpec(t)
	rapid.Check(t, func(t *rapid.T) {
		part := map[string]any{"name": full["name"]} // CUE is slow: look at a section at a time
		for range 2 {
			key := rapid.SampledFrom(slices.Sorted(maps.Keys(full))).Draw(t, "section")
			part[key] = full[key]
		}
		delete(part, "default_profile") // an unknown one stops the check of what is missing
		var root any = part
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			root = mutate(t, root)
		}
		if _, ok := root.(map[string]any); !ok {
			t.Skip("not a spec")
		}
		data, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		cueOK, cueErr := o.accepts(t, data)
		weftOK, findings := weftAccepts(data)
		if cueOK != weftOK {
			t.Fatalf("CUE accepts: %v (%v)\nthe loader accepts: %v %v\n%s", cueOK, cueErr, weftOK, findings, data)
		}
	})
}
