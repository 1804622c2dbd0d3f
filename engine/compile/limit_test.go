package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLargeGraphsAreJudged compiles graphs that are made to be hard to judge.
func TestLargeGraphsAreJudged(t *testing.T) {
	list := func(n int, format string) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf(format, i))
		}
		return "[" + strings.Join(names, ", ") + "]"
	}
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a line of 10,000 nodes that read what the last one writes": {func() string {
			var b strings.Builder
			b.WriteString("start: n0\nlimits: {steps: 10}\nstate: {x: {type: integer}}\nnodes:\n")
			for i := range 9999 {
				fmt.Fprintf(&b, "  n%d: {next: [{when: x > 1, to: n%d}]}\n", i, i+1)
			}
			return b.String() + "  n9999: {set: {x: 1}, next: n0}\n"
		}(), nil},
		"a fan-out of 5,000 and a join": {func() string {
			var b strings.Builder
			fmt.Fprintf(&b, "start: fan\nstate: {x: {type: integer, reduce: sum, default: 0}, y: {type: integer}}\nnodes:\n  fan: {next: %s}\n", list(5000, "n%d"))
			for i := range 5000 {
				fmt.Fprintf(&b, "  n%d: {set: {x: 1}, next: [{when: x > 1, to: all}, {to: all}]}\n", i)
			}
			return b.String() + fmt.Sprintf("  all: {join: %s, set: {x: \"{{ y }}\"}}\n", list(5000, "n%d"))
		}(), []string{"graph/unwritten-field"}},
		"480 nodes that lead to all": {func() string {
			var b strings.Builder
			b.WriteString("start: n0\nlimits: {steps: 10}\nstate: {x: {type: integer}, y: {type: integer, default: 0}}\nnodes:\n")
			for i := range 480 {
				fmt.Fprintf(&b, "  n%d: {set: {y: \"{{ x ?? %d }}\"}, next: [{when: y > 1, to: end}, {to: %s}]}\n", i, i, list(480, "n%d"))
			}
			return b.String()
		}(), []string{"graph/unwritten-field", "graph/two-writers"}},
		"1,000 fan-outs in a row": {func() string {
			var b strings.Builder
			b.WriteString("start: a0\nstate: {x: {type: integer}}\nnodes:\n")
			for i := range 1000 {
				fmt.Fprintf(&b, "  a%d: {next: [b%d, c%d, d%d]}\n  b%d: {next: e%d}\n  c%d: {next: e%d}\n  d%d: {next: e%d}\n  e%d: {join: [b%d, c%d, d%d], next: a%d}\n",
					i, i, i, i, i, i, i, i, i, i, i, i, i, i, i+1)
			}
			return b.String() + "  a1000: {set: {x: 1}}\n"
		}(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			sp := load(t, yaml("", c.body))
			_, found := program(t, sp)
			for i := range found {
				_, found[i], _ = strings.Cut(found[i], " ")
			}
			if diff := cmp.Diff(c.want, found); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTextsThatMultiply: a text counts as often as it is compiled, with templates in
// templates' places and policies of tools.
func TestTextsThatMultiply(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	nodes := func(n int, format string) string {
		var b strings.Builder
		b.WriteString("start: n0\nnodes:\n")
		for i := range n {
			fmt.Fprintf(&b, "  n%d: {next: n%d, %s}\n", i, i+1, format)
		}
		fmt.Fprintf(&b, "  n%d: {}\n", n)
		return b.String()
	}
	for _, c := range []struct {
		name, head, body string
		refused          bool
	}{
		{"a template in many nodes", head + "templates: {t: {text: " + long + "}}\n", nodes(33, "llm_call: {prompt: {template: t}}"), true},
		{"in few", head + "templates: {t: {text: " + long + "}}\n", nodes(3, "llm_call: {prompt: {template: t}}"), false},
		{"with parameters", head + "templates: {t: {params: {type: object}, text: " + long + "}}\n", nodes(33, "llm_call: {prompt: {template: t}}"), false},
		{"a policy of a tool", "interrupts: {p: {allow: [ignore], title: " + long + "}}\ntools: {t: {expr: \"1\", interrupt: p}}\n", nodes(33, "tool: {name: t}"), true},
		{"a policy of tools in lists", "interrupts: {p: {allow: [ignore], title: " + long + "}}\ntools: {t: {expr: \"1\", interrupt: p}}\n", nodes(33, "tool: {calls: \"{{ [] }}\"}"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, found := program(t, load(t, yaml(c.head, c.body)))
			if got := len(found) == 1 && strings.HasSuffix(found[0], " template/too-often"); got != c.refused || !got && len(found) > 0 {
				t.Fatalf("found %v", found)
			}
		})
	}
}
