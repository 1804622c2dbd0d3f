package compile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLargeGraphsAreJudgedInTime compiles graphs that are made to be hard to judge.
func TestLargeGraphsAreJudgedInTime(t *testing.T) {
	list := func(n int, format string) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf(format, i))
		}
		return "[" + strings.Join(names, ", ") + "]"
	}
	for name, body := range map[string]string{
		"a line of 10,000 nodes that read what the last one writes": func() string {
			var b strings.Builder
			b.WriteString("start: n0\nlimits: {steps: 10}\nstate: {x: {type: integer}}\nnodes:\n")
			for i := range 9999 {
				fmt.Fprintf(&b, "  n%d: {next: [{when: x > 1, to: n%d}]}\n", i, i+1)
			}
			return b.String() + "  n9999: {set: {x: 1}, next: n0}\n"
		}(),
		"a fan-out of 5,000 and a join": func() string {
			var b strings.Builder
			fmt.Fprintf(&b, "start: fan\nstate: {x: {type: integer, reduce: sum, default: 0}, y: {type: integer}}\nnodes:\n  fan: {next: %s}\n", list(5000, "n%d"))
			for i := range 5000 {
				fmt.Fprintf(&b, "  n%d: {set: {x: 1}, next: [{when: x > 1, to: all}, {to: all}]}\n", i)
			}
			return b.String() + fmt.Sprintf("  all: {join: %s, set: {x: \"{{ y }}\"}}\n", list(5000, "n%d"))
		}(),
		"500 nodes that lead to all": func() string {
			var b strings.Builder
			b.WriteString("start: n0\nlimits: {steps: 10}\nstate: {x: {type: integer}, y: {type: integer, default: 0}}\nnodes:\n")
			for i := range 500 {
				fmt.Fprintf(&b, "  n%d: {set: {y: \"{{ x ?? %d }}\"}, next: [{when: y > 1, to: end}, {to: %s}]}\n", i, i, list(500, "n%d"))
			}
			return b.String()
		}(),
		"1,000 fan-outs in a row": func() string {
			var b strings.Builder
			b.WriteString("start: a0\nstate: {x: {type: integer}}\nnodes:\n")
			for i := range 1000 {
				fmt.Fprintf(&b, "  a%d: {next: [b%d, c%d, d%d]}\n  b%d: {next: e%d}\n  c%d: {next: e%d}\n  d%d: {next: e%d}\n  e%d: {join: [b%d, c%d, d%d], next: a%d}\n",
					i, i, i, i, i, i, i, i, i, i, i, i, i, i, i+1)
			}
			return b.String() + "  a1000: {set: {x: 1}}\n"
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			sp := load(t, yaml("", body))
			begin := time.Now()
			p, found := program(t, sp)
			if took := time.Since(begin); took > 20*time.Second {
				t.Fatalf("took %s", took)
			}
			t.Log(time.Since(begin), p != nil, len(found), found[:min(3, len(found))])
		})
	}
}
