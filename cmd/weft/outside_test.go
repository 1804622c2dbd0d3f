package main_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
)

// Text from outside is told in a prompt by whatever way it came there, whether or not the
// fields on its way are marked, and where it comes in is told too.
func TestTextFromOutsideIsFollowed(t *testing.T) {
	t.Parallel()
	const head = "name: a\nmodels: {m: {provider: ollama, model: x}}\ngraphs:\n  main:\n    start: a\n" +
		"    input: {type: object, required: [b], properties: {b: {type: string, untrusted: true}, n: {type: integer}}}\n"
	const ask = "      z: {llm_call: {model: m, prompt: \"{{ t }}\"}}\n"
	for _, c := range []struct{ name, body, want string }{
		{"a field of the state", "    state: {t: {type: string}}\n    nodes:\n      a: {set: {t: \"Body: {{ input.b }}\"}, next: z}\n" + ask, "10:44 from 9:30"},
		{"two fields", "    state: {s: {type: string}, t: {type: string}}\n    nodes:\n      a: {set: {s: \"{{ input.b }}\"}, next: b}\n" +
			"      b: {set: {t: \"{{ upper(s) }}\"}, next: z}\n" + ask, "11:44 from 10:30"},
		{"a field that is read before it is written", "    state: {t: {type: string, default: x}}\n    limits: {steps: 9}\n    nodes:\n" +
			"      a: {next: z}\n      z: {llm_call: {model: m, prompt: \"{{ t }}\"}, next: [{when: t == 'x', to: b}, {to: end}]}\n" +
			"      b: {set: {t: \"{{ input.b }}\"}, next: z}\n", "11:44 from 12:24"},
		{"the input's field of the same name", "    state: {b: {type: string}}\n    nodes:\n      a: {llm_call: {model: m, prompt: \"{{ b }}\"}}\n", "9:44 from 7:13"},
		{"a list", "    state: {t: {type: array, items: {type: string}, reduce: append}}\n    nodes:\n      a: {set: {t: [\"{{ input.b }}\"]}, next: z}\n" +
			"      z: {for_each: {in: t}, llm_call: {model: m, prompt: \"{{ item }}\"}}\n", "10:63"},
		{"a node's output", "    state: {t: {type: string}}\n    nodes:\n      a: {template: {text: \"{{ input.b }}\"}, set: {t: \"{{ output }}\"}, next: z}\n" + ask, "10:44 from 9:59"},
		{"another graph and back", "    state: {t: {type: string}}\n    nodes:\n      a: {graph: {name: other, input: {c: \"{{ input.b }}\"}}, set: {t: \"{{ output.d }}\"}, next: z}\n" + ask +
			"  other: {input: {type: object, properties: {c: {type: string}}}, output: {d: \"{{ input.c }}\"}, start: a, nodes: {a: {}}}\n", "10:44 from 9:75"},
		{"another graph's prompt", "    nodes:\n      a: {graph: {name: other, input: {c: \"{{ input.b }}\"}}}\n" +
			"  other: {input: {type: object, properties: {c: {type: string}}}, start: a, nodes: {a: {llm_call: {model: m, prompt: \"{{ input.c }}\"}}}}\n", "9:122 from 8:47"},
		{"a parameter", "    state: {t: {type: string}}\n    nodes:\n      a: {set: {t: \"{{ input.b }}\"}, next: z}\n      z: {llm_call: {model: m, prompt: {template: p, with: {q: \"{{ t }}\"}}}}\n" +
			"templates: {p: {params: {type: object, properties: {q: {type: string}}}, text: \"{{ q }}\"}}\n", "10:64 from 9:24"},
		{"a trigger", "    nodes:\n      a: {llm_call: {model: m, prompt: \"{{ input.n }} {{ get(input, 'b') }}\"}, next: z}\n      z: {graph: {name: other, input: {c: x}}}\n" +
			"  other: {input: {type: object, properties: {c: {type: string}}}, start: a, nodes: {a: {llm_call: {model: m, prompt: \"{{ input.c }}\"}}}}\n" +
			"triggers: {t: {gmail: {}, graph: other, input: {c: \"{{ event.email.subject }}\"}}}\n", "8:62, 10:122 from 11:56"},
		{"a template's parameter on the way", "    state: {t: {type: string}}\n    nodes:\n      a: {template: {name: p, with: {q: \"{{ input.b }}\"}}, set: {t: \"{{ output }}\"}, next: z}\n" + ask +
			"templates: {p: {params: {type: object, properties: {q: {type: string}}}, text: \"{{ q }}\"}}\n", "10:44 from 9:73"},
		{"a template that fences it", "    state: {t: {type: string}}\n    nodes:\n      a: {template: {name: p, with: {q: \"{{ input.b }}\"}}, set: {t: \"{{ output }}\"}, next: z}\n" + ask +
			"templates: {p: {params: {type: object, properties: {q: {type: string, untrusted: true}}}, text: \"{{ fence(q) }}\"}}\n", ""},
		{"fenced on the way", "    state: {t: {type: string}}\n    nodes:\n      a: {set: {t: \"{{ fence(input.b) }}\"}, next: z}\n" + ask, ""},
		{"a number", "    state: {t: {type: integer}}\n    nodes:\n      a: {set: {t: \"{{ len(input.b) }}\"}, next: z}\n" + ask, ""},
		{"one of a list of values", "    state: {t: {enum: [x, y]}}\n    nodes:\n      a: {set: {t: \"{{ input.b == '' ? 'x' : 'y' }}\"}, next: z}\n" + ask, ""},
		{"no prompt", "    state: {t: {type: string}}\n    nodes:\n      a: {set: {t: \"{{ input.b }}\"}, next: y}\n      y: {template: {text: \"{{ t }}\"}, next: z}\n" +
			"      z: {llm_call: {model: m, prompt: Hello}}\n", ""},
	} {
		if got := unfenced(t, head+c.body); got != c.want {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
}

// unfenced returns where the text from outside is that a spec does not fence.
func unfenced(t *testing.T, text string) (found string) {
	t.Helper()
	sp, list := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(text)}}, ".", spec.Options{})
	if list.HasErrors() {
		t.Fatalf("%v\n%s", list.Err(), text)
	}
	_, list = compile.Program(sp, nodes.Types(nodes.Deps{}))
	for i, f := range list.Sorted() {
		if f.Code != "text/unfenced" {
			t.Errorf("%v\n%s", f, text)
		}
		if i > 0 {
			found += ", "
		}
		found += fmt.Sprintf("%d:%d", f.Pos.Line, f.Pos.Col)
		for _, r := range f.Related {
			found += fmt.Sprintf(" from %d:%d", r.Pos.Line, r.Pos.Col)
		}
	}
	return found
}
