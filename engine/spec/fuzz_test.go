package spec_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

// seeds are the files of the examples.
func seeds(f *testing.F, ext string) {
	f.Helper()
	paths, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if filepath.Ext(file.Name) == ext {
				f.Add(file.Data)
			}
		}
	}
	for _, path := range []string{"testdata/accept/full.yaml", "testdata/accept/env.json", "testdata/program/tools.yaml", "testdata/program/spec.cue"} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if filepath.Ext(path) == ext {
			f.Add(data)
		}
	}
}

// lineOf returns the line a position lies in, and fails when it lies outside of the file.
func lineOf(t *testing.T, p diag.Pos, data []byte) []byte {
	t.Helper()
	lines := bytes.Split(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
	if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len(lines[p.Line-1])+1 {
		t.Fatalf("%v lies outside of the file:\n%q", p, data)
	}
	return lines[p.Line-1][p.Col-1:]
}

// placed checks the positions of findings: none, or inside of the file.
func placed(t *testing.T, list *diag.List, data []byte) {
	t.Helper()
	for _, f := range list.Sorted() {
		if f.Pos.Known() {
			lineOf(t, f.Pos, data)
		}
		for _, r := range f.Related {
			lineOf(t, r.Pos, data)
		}
		if f.Message == "" || f.Hint == "" || f.Code == "" {
			t.Fatalf("incomplete: %+v", f)
		}
	}
}

// faithful checks that what a tree says of the notation is what stands in the file.
func faithful(t *testing.T, v *source.Value, data []byte) {
	t.Helper()
	rest := lineOf(t, v.Pos, data)
	if first, _, _ := strings.Cut(v.Raw, "\n"); v.Raw != "" && !bytes.HasPrefix(rest, []byte(strings.TrimSuffix(first, "\r"))) {
		t.Fatalf("%v: the file has %q, not %q\n%q", v.Pos, rest, v.Raw, data)
	}
	if v.Kind == source.String {
		for offset := range len(v.Text) + 1 {
			lineOf(t, v.At(offset), data)
		}
	}
	for _, item := range v.Items {
		faithful(t, item, data)
	}
	for _, field := range v.Fields {
		lineOf(t, field.Pos, data)
		faithful(t, field.Value, data)
	}
}

func FuzzLoad(f *testing.F) {
	seeds(f, ".yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		s, list := spec.Load(fstest.MapFS{"s.yaml": {Data: data}}, ".", spec.Options{})
		placed(t, list, data)
		if (s.Root == nil) != list.HasErrors() {
			t.Fatal("a spec and errors, or neither")
		}
		if s.Root == nil {
			return
		}
		again, list := spec.FromBundle(s.Bundle())
		if list.HasErrors() || again.Hash != s.Hash {
			t.Fatalf("from its bundle the spec is another: %v\n%s", list.Sorted(), s.Bundle())
		}
	})
}

func FuzzDecodeYAML(f *testing.F) {
	seeds(f, ".yaml")
	for _, seed := range []string{
		"a: |\n  x\n   y\n\nb: >-\n\n  folded\n  text\n", "- &a !!str x\n- *a\n- !!str\n  y\n", "'it''s': \"\\u00e9\\n\"\n", "? a\n: b\n", "x: plain\n  text\n\n  more\n",
		"\ufeffé: ü\r\nb: [a,\r\n c]\r\n", "a: \u2028b\n", "{<<: {a: 1}, b: 0x1f, c: 1_000, d: .5, e: 0777, f: 089}\n", "a: |2\n    x\n", "--- a\n...\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, list := spec.Decode(data, "f.yaml")
		placed(t, list, data)
		if (v == nil) != list.HasErrors() {
			t.Fatal("a tree and errors, or neither")
		}
		if v != nil && len(data) < 4000 {
			faithful(t, v, data)
		}
	})
}

func FuzzDecodeJSON(f *testing.F) {
	seeds(f, ".json")
	f.Add([]byte(`{"a": [1, -0.5e3, "\ud83d\ude00é", null, true], "b": {}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, list := spec.Decode(data, "f.json")
		placed(t, list, data)
		if (v == nil) != list.HasErrors() {
			t.Fatal("a tree and errors, or neither")
		}
		if v != nil && len(data) < 4000 {
			faithful(t, v, data)
		}
	})
}

func FuzzLoadCUE(f *testing.F) {
	seeds(f, ".cue")
	f.Fuzz(func(t *testing.T, data []byte) {
		s, list := spec.Load(fstest.MapFS{"s.cue": {Data: data}}, ".", spec.Options{})
		placed(t, list, data)
		if (s.Root == nil) != list.HasErrors() {
			t.Fatal("a spec and errors, or neither")
		}
	})
}
