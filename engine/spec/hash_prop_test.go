package spec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/spec"
)

// pick returns part of a spec that uses every field.
func pick(t *rapid.T, full map[string]any) map[string]any {
	part := map[string]any{"name": full["name"]}
	for range 3 {
		key := rapid.SampledFrom(slices.Sorted(maps.Keys(full))).Draw(t, "section")
		part[key] = full[key]
	}
	delete(part, "default_profile")
	return part
}

// ordered reports whether the keys of a map must keep their order.
func ordered(path []string) bool {
	n := len(path)
	return n == 3 && path[0] == "graphs" && path[2] == "nodes" || n > 0 && path[n-1] == "properties"
}

// render writes data as JSON, which is YAML too, with keys in any order and blanks anywhere.
func render(t *rapid.T, b *bytes.Buffer, v any, path []string) {
	gap := rapid.SampledFrom([]string{"", " ", "\n  ", "\n\n "})
	b.WriteString(gap.Draw(t, "gap"))
	switch v := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if !ordered(path) {
			keys = rapid.Permutation(keys).Draw(t, "keys")
		}
		b.WriteString("{")
		for i, key := range keys {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(b, "%s%q:", gap.Draw(t, "gap"), key)
			render(t, b, v[key], append(slices.Clone(path), key))
		}
		b.WriteString(gap.Draw(t, "gap") + "}")
	case []any:
		b.WriteString("[")
		for i, item := range v {
			if i > 0 {
				b.WriteString(",")
			}
			render(t, b, item, append(slices.Clone(path), ""))
		}
		b.WriteString("]")
	default:
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if f, ok := v.(float64); ok && f == float64(int(f)) {
			text += ".0"
		}
		b.WriteString(text)
	}
}

// split deals the fields of a map to n maps.
func split(t *rapid.T, v map[string]any, n int, path []string) []map[string]any {
	out := make([]map[string]any, n)
	for i := range out {
		out[i] = map[string]any{}
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		here := append(slices.Clone(path), key)
		child, ok := v[key].(map[string]any)
		if !ok || len(child) == 0 || ordered(here) || rapid.Bool().Draw(t, "whole") {
			out[rapid.IntRange(0, n-1).Draw(t, "file")][key] = v[key]
			continue
		}
		for i, part := range split(t, child, n, here) {
			if len(part) > 0 {
				out[i][key] = part
			}
		}
	}
	return out
}

func write1(t *rapid.T, fsys fstest.MapFS, name string, v map[string]any) {
	var b bytes.Buffer
	render(t, &b, v, nil)
	if strings.HasSuffix(name, ".yaml") {
		b.WriteString("\n# a comment\n")
	}
	fsys[name] = &fstest.MapFile{Data: b.Bytes()}
}

// The hash is that of the content: however it is dealt to files, ordered and laid out.
func TestHashIsOfTheContent(t *testing.T) {
	full := fullSpec(t)
	rapid.Check(t, func(t *rapid.T) {
		part := pick(t, full)
		one := fstest.MapFS{"about.md": {Data: []byte("x")}, "env.json": {Data: []byte("{}")}}
		many := maps.Clone(one)
		write1(t, one, "s.yaml", part)
		n := rapid.IntRange(1, 4).Draw(t, "files")
		names := rapid.Permutation([]string{"a.yaml", "b.json", "z.yml", "m.yaml"}).Draw(t, "names")
		for i, piece := range split(t, part, n, nil) {
			write1(t, many, names[i], piece)
		}
		first, list := spec.Load(one, ".", spec.Options{})
		if list.HasErrors() {
			t.Fatal(list.Sorted())
		}
		second, list := spec.Load(many, ".", spec.Options{})
		if list.HasErrors() {
			t.Fatal(list.Sorted())
		}
		if first.Hash != second.Hash {
			t.Fatal(cmp.Diff(string(first.Bundle()), string(second.Bundle())))
		}
		again, list := spec.FromBundle(second.Bundle())
		if list.HasErrors() || again.Hash != first.Hash {
			t.Fatalf("from its bundle the spec is another: %v\n%s", list.Sorted(), second.Bundle())
		}
	})
}

// What means something else has another hash.
func TestHashTellsSpecsApart(t *testing.T) {
	base := "name: a\ngraphs: {g: {start: x, nodes: {x: {set: {v: 1}}, y: {}}, input: {properties: {p: {}, q: {}}}}}\n"
	seen := map[string]string{}
	for _, text := range []string{
		base,
		strings.Replace(base, "v: 1", "v: 2", 1),
		strings.Replace(base, "v: 1", "v: 1.0", 1),
		strings.Replace(base, "v: 1", "v: '1'", 1),
		strings.Replace(base, "v: 1", "v: true", 1),
		strings.Replace(base, "v: 1", "v: [1]", 1),
		strings.Replace(base, "v: 1", "v: null", 1),
		strings.Replace(base, "v: 1", "w: 1", 1),
		strings.Replace(base, "x: {set: {v: 1}}, y: {}", "y: {}, x: {set: {v: 1}}", 1), // the order of writes
		strings.Replace(base, "p: {}, q: {}", "q: {}, p: {}", 1),                       // the order models see
		strings.Replace(base, "name: a", "name: b", 1),
		base + "profiles: {p: {}}\ndefault_profile: p\nversion: '1'\n",
	} {
		s := load(t, files("s.yaml", text), ".", spec.Options{})
		if other, twice := seen[s.Hash]; twice {
			t.Errorf("one hash for\n%s\nand\n%s", other, text)
		}
		seen[s.Hash] = text
	}
	same := strings.Replace(base, "v: 1", "v: 0x1", 1) + "profiles: {p: {}}\n"
	if s := load(t, files("s.yaml", same), ".", spec.Options{}); seen[s.Hash] == "" {
		t.Error("another way to write 1, or a profile that is not used, changes the hash")
	}
}
