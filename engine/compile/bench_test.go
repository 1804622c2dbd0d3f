package compile_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/spec"
)

// large is a spec of graphs with n nodes and two expressions each: a condition and what
// a node writes, beside its prompt.
func large(n int) string {
	var b strings.Builder
	b.WriteString("name: large\nmodels: {default: {provider: ollama, model: qwen3}}\n" +
		"types:\n  Email: {type: object, required: [id], properties: {id: {type: string}, subject: {type: string}, size: {type: integer}}}\ngraphs:\n")
	const graphs = 6
	for g := range graphs {
		fmt.Fprintf(&b, "  g%d:\n    input: {type: object, properties: {email: {$ref: \"#/types/Email\"}}}\n    state:\n"+
			"      email: {$ref: \"#/types/Email\"}\n      count: {type: integer, default: 0}\n      notes: {type: array, items: {type: string}, reduce: append}\n"+
			"    output: {notes: \"{{ notes }}\"}\n    start: n0\n    nodes:\n", g)
		for i := range n / graphs {
			last := i == n/graphs-1
			to := fmt.Sprintf("n%d", i+1)
			if last {
				to = "end"
			}
			fmt.Fprintf(&b, "      n%d:\n        llm_call: {prompt: \"Summarise this e-mail in one sentence.\"}\n"+
				"        set: {notes: \"{{ email.subject + ' ' + output.text }}\"}\n"+
				"        next: [{when: len(notes) > %d and email.size < 1000, to: end}, {to: %s}]\n", i, i, to)
		}
	}
	return b.String()
}

func BenchmarkValidate600(b *testing.B) {
	fsys := fstest.MapFS{"spec.yaml": &fstest.MapFile{Data: []byte(large(600))}}
	for b.Loop() {
		sp, list := spec.Load(fsys, ".", spec.Options{})
		if err := list.Err(); err != nil {
			b.Fatal(err)
		}
		if _, list = compile.Program(sp, types()); list.Len() > 0 {
			b.Fatal(list.Sorted()[0])
		}
	}
}

func BenchmarkCompile600(b *testing.B) {
	sp := load(b, map[string]string{"spec.yaml": large(600)})
	for b.Loop() {
		if _, list := compile.Program(sp, types()); list.Len() > 0 {
			b.Fatal(list.Sorted()[0])
		}
	}
}
