package compile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const head = "models: {default: {provider: ollama, model: qwen3}}\n"

// TestFindings holds what the passes find in small graphs, and above all what they do
// not: a spec that works must not be refused. testdata/errors has an example of each
// finding with its text.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string // line:column code
	}{
		{"an empty graph", "start: a\nnodes: {}\n", []string{"4:12 graph/unknown-node"}},
		{"a choice without default may end", `
start: a
limits: {steps: 9}
nodes:
  a: {next: [{when: run.step > 3, to: b}]}
  b: {next: a}
`, nil},
		{"two nodes that lead to each other are one trap", `
start: a
limits: {steps: 9}
nodes:
  a: {next: b}
  b: {next: c}
  c: {next: b}
`, []string{"7:7 graph/never-ends"}},
		{"two traps", `
start: a
limits: {steps: 9}
nodes:
  a: {next: [{when: run.step > 3, to: b}, {to: c}]}
  b: {next: b}
  c: {next: c}
`, []string{"7:7 graph/never-ends"}},
		{"a node that catches its error may end there", `
start: a
limits: {steps: 9}
nodes:
  a: {wait: {for: 1s}, next: a, on_error: {to: end}}
`, nil},
		{"a loop by way of on_error", `
start: a
nodes:
  a: {wait: {for: 1s}, next: end, on_error: {to: b}}
  b: {next: a}
`, []string{"7:17 graph/unbounded-loop"}},
		{"a join on nodes of one path", `
start: a
nodes:
  a: {next: b}
  b: {next: c}
  c: {join: [a, b]}
`, nil},
		{"a join on branches of branches", `
start: a
nodes:
  a: {next: [b, c]}
  b: {next: [{when: run.step > 1, to: d}, {to: e}]}
  c: {next: [f, g]}
  d: {next: z}
  e: {next: z}
  f: {next: z}
  g: {next: z}
  z: {join: [d, f, g]}
`, nil},
		{"a join on both ends of a choice", `
start: a
nodes:
  a: {next: [b, c]}
  b: {next: [{when: run.step > 1, to: d}, {to: e}]}
  c: {next: z}
  d: {next: z}
  e: {next: z}
  z: {join: [c, d, e]}
`, []string{"11:24 graph/join"}},
		{"a join on both ends of a choice in a loop", `
start: a
limits: {steps: 9}
nodes:
  a: {next: [{when: run.step > 1, to: d}, {to: e}]}
  d: {next: [a, z]}
  e: {next: [a, z]}
  z: {join: [d, e]}
`, nil},
		{"a join on a choice that is come to twice", `
start: a
nodes:
  a: {next: [b, c]}
  b: {next: d}
  c: {next: d}
  d: {next: [{when: run.step > 3, to: e}, {to: f}]}
  e: {next: z}
  f: {next: z}
  z: {join: [e, f]}
`, nil},
		{"a join on a choice that two branches come to", `
start: a
limits: {steps: 9}
nodes:
  a: {next: [b, c]}
  b: {next: [{when: run.step > 3, to: e}, {to: f}]}
  c: {next: [{when: run.step > 4, to: e}, {to: f}]}
  e: {next: z}
  f: {next: z}
  z: {join: [e, f]}
`, nil},
		{"written in an earlier node", `
start: a
state: {x: {type: string}}
nodes:
  a: {set: {x: b}, next: b}
  b: {set: {x: "{{ x + 'c' }}"}}
`, nil},
		{"written on one path of two", `
start: a
state: {x: {type: string}}
nodes:
  a: {next: [{when: run.step > 3, to: b}, {to: c}]}
  b: {set: {x: b}, next: c}
  c: {set: {x: "{{ x }}"}}
`, nil},
		{"written in the loop only", `
start: a
limits: {steps: 9}
state: {x: {type: array, items: {type: string}, reduce: append}}
nodes:
  a: {set: {x: "{{ len(x) > 0 ? x[0] : '' }}"}, next: [{when: len(x) > 3, to: end}, {to: a}]}
`, nil},
		{"an edge sees what its node wrote", `
start: a
state: {x: {type: integer}}
nodes:
  a: {set: {x: 1}, next: [{when: x == 1, to: end}]}
`, nil},
		{"set does not see what its node wrote", `
start: a
state: {x: {type: integer}, y: {type: integer}}
nodes:
  a: {set: {x: 1, y: "{{ x }}"}}
`, []string{"7:30 graph/unwritten-field"}},
		{"written after an error", `
start: a
state: {x: {type: string}}
nodes:
  a: {wait: {for: 1s}, on_error: {set: {x: "{{ error.message }}"}, to: b}}
  b: {set: {x: "{{ x }}"}}
`, nil},
		{"brought by the input", `
start: a
input: {type: object, properties: {x: {type: string}}}
state: {x: {type: string}}
nodes:
  a: {set: {x: "{{ x }}"}}
`, nil},
		{"written on a branch beside", `
start: a
state: {x: {type: string}, y: {type: string}}
nodes:
  a: {next: [b, c]}
  b: {set: {x: b}}
  c: {next: d}
  d: {set: {y: "{{ x }}"}}
`, nil},
		{"written in the same step", `
start: a
state: {x: {type: string}, y: {type: string}}
nodes:
  a: {next: [b, c]}
  b: {set: {x: b}}
  c: {set: {y: "{{ x }}"}}
`, []string{"9:24 graph/unwritten-field"}},
		{"two writers a step later", `
start: a
state: {x: {type: string}}
nodes:
  a: {next: [b, c]}
  b: {next: d}
  c: {next: e}
  d: {set: {x: d}}
  e: {set: {x: e}}
`, []string{"11:17 graph/two-writers"}},
		{"two writers in different steps", `
start: a
state: {x: {type: string}}
nodes:
  a: {next: [b, c]}
  b: {set: {x: b}}
  c: {next: d}
  d: {set: {x: d}}
`, nil},
		{"two writers of which a choice takes one", `
start: a
state: {x: {type: string}}
nodes:
  a: {next: [{when: run.step > 1, to: b}, {to: c}]}
  b: {set: {x: b}}
  c: {set: {x: c}}
`, nil},
		{"two writers that meet in one node", `
start: a
state: {x: {type: string}}
nodes:
  a: {next: [b, c]}
  b: {next: d}
  c: {next: d}
  d: {set: {x: d}}
`, nil},
		{"two writers with a reducer", `
start: a
state: {x: {type: integer, reduce: sum}}
nodes:
  a: {next: [b, c]}
  b: {set: {x: 1}}
  c: {set: {x: 2}}
`, nil},
		{"two writers of which one waits", `
start: a
state: {x: {type: string}}
nodes:
  a: {next: [b, c, e]}
  b: {next: w}
  c: {next: d}
  d: {set: {x: d}}
  e: {next: f}
  f: {next: w}
  w: {join: [b, f], set: {x: w}}
`, nil},
		{"names that mean something else", `
start: a
state: {input: {type: string}, memory: {type: string}, run: {type: string}, error: {type: string}, output: {type: string}}
nodes:
  a: {}
  end: {}
`, []string{
			"5:13 graph/reserved-name", "5:36 graph/reserved-name", "5:60 graph/reserved-name", "5:81 graph/reserved-name", "5:104 graph/reserved-name",
			"8:7 graph/reserved-name", "8:7 graph/unreachable-node",
		}},
		{"append takes a list, one item and null", `
start: a
state: {x: {type: array, items: {type: string}, reduce: append}, y: {type: string}}
nodes:
  a: {set: {x: [a, b], y: c}, next: b}
  b: {set: {x: "{{ y }}"}, next: c}
  c: {set: {x: null}}
`, nil},
		{"merge takes some of the fields", `
start: a
state: {x: {type: object, required: [a, b], additionalProperties: false, properties: {a: {type: string}, b: {type: string}}, reduce: merge}}
nodes:
  a: {set: {x: {a: b}}, next: b}
  b: {set: {x: {c: b}}}
`, []string{"8:20 graph/set-type"}},
		{"a value that may fit is checked when it runs", `
start: a
input: {type: object, properties: {n: {type: number}, any: {}}}
state: {x: {type: integer}, y: {type: string}}
nodes:
  a: {set: {x: "{{ input.n }}", y: "{{ input.any }}"}}
`, nil},
		{"a graph that runs itself on some paths", `
start: a
nodes:
  a: {next: [{when: run.step > 1, to: b}, {to: end}]}
  b: {graph: {name: main}}
`, nil},
		{"a graph that runs itself for each item", `
start: a
input: {type: object, properties: {xs: {type: array, items: {type: string}}}}
nodes:
  a: {for_each: {in: input.xs}, graph: {name: main, input: {xs: []}}}
`, nil},
		{"a graph that runs itself and catches that", `
start: a
nodes:
  a: {graph: {name: main}, on_error: {to: end}}
`, nil},
		{"an edge behind one that always holds", `
start: a
nodes:
  a: {next: [{to: b}, {when: run.step > 1, to: end}]}
  b: {}
`, []string{"6:27 graph/dead-edge"}},
		{"the output of for_each is a list", `
start: a
input: {type: object, properties: {xs: {type: array, items: {type: string}}}}
state: {x: {type: string}, y: {type: integer}}
nodes:
  a: {for_each: {in: input.xs}, graph: {name: main, input: "{{ input }}"}, set: {x: "{{ output[0].x }}", y: "{{ output.y }}"}}
`, []string{"8:124 expr/type"}},
		{"a graph that runs itself", `
start: a
nodes:
  a: {next: b}
  b: {graph: {name: main}}
`, []string{"7:7 graph/endless-recursion"}},
		{"a name that is wrong says nothing of the paths", `
start: a
nodes:
  a: {next: bb}
  b: {next: b}
`, []string{"6:17 graph/unknown-node"}},
		{"output without a type is null", `
start: a
state: {x: {type: string}}
nodes:
  a: {set: {x: "{{ output.text }}"}}
`, []string{"7:31 expr/type"}},
		{"names of for_each are not in scope of set", `
start: a
input: {type: object, properties: {xs: {type: array, items: {type: string}}}}
state: {x: {type: string}}
nodes:
  a: {for_each: {in: input.xs, as: one}, wait: {for: 1s}, set: {x: "{{ one }}"}}
`, []string{"8:76 expr/unknown-name"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sp := load(t, yaml("", strings.TrimPrefix(c.body, "\n")))
			p, got := program(t, sp)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Fatalf("findings (-want +got):\n%s", diff)
			}
			if (p != nil) != (len(got) == 0) {
				t.Fatalf("program is %v with findings %v", p, got)
			}
		})
	}
}

// TestDefinitions holds findings about definitions and their uses.
func TestDefinitions(t *testing.T) {
	const call = "start: a\nnodes:\n  a: {tool: {name: send}}\n"
	for _, c := range []struct {
		name, head, body string
		want             []string
	}{
		{"a tool's own retry with a key", "tools:\n  send: {http: {url: \"https://example.com\", idempotency_header: Key}, effect: once, retry: {attempts: 3}}\n", call, nil},
		{"a tool's own retry without", "tools:\n  send: {http: {url: \"https://example.com\"}, effect: once, retry: {attempts: 3}}\n", call, []string{"3:60 tool/once-retry"}},
		{"a node's retry of one attempt", "tools:\n  send: {exec: {command: [x]}}\n", "start: a\nnodes:\n  a: {tool: {name: send}, retry: {attempts: 1}}\n", nil},
		{"a node's retry", "tools:\n  send: {exec: {command: [x]}}\n", "start: a\nnodes:\n  a: {tool: {name: send}, retry: {attempts: 2}}\n", []string{"8:31 graph/once-retry"}},
		{"a cache of what changes the world", "tools:\n  send: {exec: {command: [x]}}\n", "start: a\nnodes:\n  a: {tool: {name: send}, cache: {ttl: 1h}}\n", []string{"8:31 graph/cache"}},
		{"a cache of a question", "interrupts: {ask: {allow: [ignore]}}\ntools:\n  send: {expr: \"1\", interrupt: ask}\n", "start: a\nnodes:\n  a: {tool: {name: send}, cache: {ttl: 1h}}\n", []string{"9:31 graph/cache"}},
		{"a cache of what may be repeated", "tools:\n  send: {exec: {command: [x]}, effect: idempotent}\n", "start: a\nnodes:\n  a: {tool: {name: send}, cache: {ttl: 1h}}\n", []string{"8:31 graph/cache"}},
		{"a cache of a pause", "", "start: a\nnodes:\n  a: {wait: {for: 1s}, cache: {ttl: 1h}}\n", []string{"6:28 graph/cache"}},
		{"a cache of nothing", "", "start: a\nnodes:\n  a: {cache: {ttl: 1h}}\n", []string{"6:11 graph/cache"}},
		{"a cache of what can be kept", "tools:\n  send: {expr: \"1\"}\n", "start: a\nnodes:\n  a: {tool: {name: send}, cache: {ttl: 1h}}\n", nil},
		{"one attempt is no retry", "tools:\n  send: {exec: {command: [x]}, retry: {attempts: 1}}\n", call, nil},
		{"a backend's effect counts", "tools:\n  send: {exec: {command: [x]}, retry: {attempts: 2}}\n", call, []string{"3:32 tool/once-retry"}},
		{"the effect that is said counts more", "tools:\n  send: {exec: {command: [x]}, effect: none, retry: {attempts: 2}}\n", call, nil},
		{"a question needs no backend", "interrupts: {ask: {allow: [respond, ignore]}}\ntools:\n  send: {interrupt: ask}\n", call, nil},
		{"a question that accept does not run", "interrupts: {ask: {allow: [accept, respond], on: {accept: {run: false}}}}\ntools:\n  send: {interrupt: ask}\n", call, nil},
		{"a policy in the calling graph's names", "interrupts: {ask: {allow: [respond], title: \"{{ nobody }}\"}}\ntools:\n  send: {interrupt: ask}\n", call, []string{"2:49 expr/unknown-name"}},
		{"calls reach all tools when no model is told of any", "tools: {send: {result: x}, other: {result: y}}\n", "start: a\nnodes:\n  a: {tool: {calls: \"{{ [] }}\"}}\n", nil},
		{"a fallback is a use", head[:len(head)-2] + ", small: {provider: ollama, model: q}}\n", "start: a\nnodes:\n  a: {llm_call: {prompt: Hi}}\n", []string{"2:53 spec/unused"}},
		{"a memory that is read is used", head + "memory: {m: {default: x, update: {model: default}}}\n", "start: a\nnodes:\n  a: {llm_call: {prompt: \"{{ memory.m }}\"}}\n", nil},
		{"a memory that is misspelt", head + "memory: {notes: {default: x}}\n", "start: a\nnodes:\n  a: {llm_call: {prompt: \"{{ memory.note }}\"}}\n", []string{"8:41 expr/unknown-field"}},
		{"an intent's template is used", "templates: {t: {text: x}}\nintents: {i: {template: t}}\n", "start: a\nnodes: {a: {}}\n", nil},
		{"a response template is used", "templates: {t: {dact: done, text: x}}\n", "start: a\nnodes: {a: {}}\n", nil},
		{
			"a template's sections", head + "templates:\n  t:\n    params: {type: object, properties: {n: {type: integer}}}\n    sections: [\"{{ n }} items\", {when: n, text: \"{{ m }}\", else: None}]\n",
			"start: a\nnodes:\n  a: {llm_call: {prompt: {template: t, with: {n: 3}}}}\n",
			[]string{"6:53 expr/unknown-name"},
		},
		{
			"a template without parameters sees the place and with", head + "templates: {t: {text: \"{{ who }} {{ input.a }}\"}}\n",
			"start: a\ninput: {type: object, properties: {a: {type: string}}}\nnodes:\n  a: {llm_call: {prompt: {template: t, with: {who: Ada}}}}\n", nil,
		},
		{
			"a template with parameters does not see the place", head + "templates: {t: {params: {type: object}, text: \"{{ input.a }}\"}}\n",
			"start: a\ninput: {type: object, properties: {a: {type: string}}}\nnodes:\n  a: {llm_call: {prompt: {template: t}}}\n",
			[]string{"3:51 expr/unknown-name"},
		},
		{"fenced text from outside", head, "start: a\ninput: {type: object, properties: {a: {type: string, untrusted: true}}}\nnodes:\n  a: {llm_call: {prompt: \"{{ fence(input.a, 'a') }} {{ len(input.a) }}\"}}\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			sp := load(t, yaml(c.head, c.body))
			_, got := program(t, sp)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Fatalf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingToCompile(t *testing.T) {
	if p, got := program(t, nil); p != nil || got != nil {
		t.Fatalf("a spec that did not load gives %v, %v", p, got)
	}
}
