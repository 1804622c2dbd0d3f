package spec_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weft-engine/weft/engine/spec"
)

// large is a spec of n nodes, each with a condition, a write and a text.
func large(n int) fstest.MapFS {
	var b strings.Builder
	b.WriteString("name: large\nmodels: {default: {provider: openai, model: m, api_key: {env: KEY}}}\n" +
		"tools:\n  t: {description: d, parameters: {type: object, properties: {a: {type: string}}}, result: x}\n" +
		"graphs:\n  g:\n    state: {count: {type: integer, default: 0}}\n    start: n0\n    nodes:\n")
	for i := range n {
		fmt.Fprintf(&b, "      n%d:\n", i)
		switch i % 3 {
		case 0:
			b.WriteString("        llm_call: {system: \"You are {{ count }}\", prompt: {file: p.md}, tools: [t]}\n")
		case 1:
			b.WriteString("        tool: {name: t, args: {a: \"{{ count }}\"}}\n")
		case 2:
			b.WriteString("        template: {text: \"hello {{ count }}\"}\n")
		}
		b.WriteString("        set: {count: \"{{ count + 1 }}\"}\n        next:\n          - {when: count > 3, to: end}\n")
		fmt.Fprintf(&b, "          - {to: n%d}\n", (i+1)%n)
	}
	return fstest.MapFS{"s.yaml": {Data: []byte(b.String())}, "p.md": {Data: []byte("Answer {{ count }}.\n")}}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{6, 60, 600} {
		fsys := large(n)
		b.Run(fmt.Sprintf("%d_nodes", n), func(b *testing.B) {
			b.SetBytes(int64(len(fsys["s.yaml"].Data)))
			for b.Loop() {
				load(b, fsys, ".", spec.Options{})
			}
		})
	}
	b.Run("cue_600_nodes", func(b *testing.B) {
		fsys := large(600)
		fsys["c.cue"] = &fstest.MapFile{Data: []byte("version: \"1\"\n")}
		for b.Loop() {
			load(b, fsys, ".", spec.Options{})
		}
	})
}

func BenchmarkFromBundle(b *testing.B) {
	bundle := load(b, large(600), ".", spec.Options{}).Bundle()
	b.SetBytes(int64(len(bundle)))
	for b.Loop() {
		if _, list := spec.FromBundle(bundle); list.Len() > 0 {
			b.Fatal(list.Sorted())
		}
	}
}

// Finding what is wrong must not cost more than finding nothing.
func BenchmarkFindings(b *testing.B) {
	fsys := large(600)
	fsys["s.yaml"].Data = []byte(strings.ReplaceAll(string(fsys["s.yaml"].Data), "llm_call: {system", "llm_call: {sistem"))
	for b.Loop() {
		if _, list := spec.Load(fsys, ".", spec.Options{}); list.Len() != 200 {
			b.Fatal(list.Len())
		}
	}
}
