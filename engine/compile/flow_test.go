package compile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// edges is the edges of a small random graph: for each node its targets, -1 for the end.
// A node whose targets are a choice leads on only if a condition holds.
type edges struct {
	to     [][]int
	choice []bool
}

func draw(t *rapid.T) edges {
	n := rapid.IntRange(1, 6).Draw(t, "nodes")
	var e edges
	for range n {
		e.to = append(e.to, rapid.SliceOfNDistinct(rapid.IntRange(-1, n-1), 0, 3, rapid.ID[int]).Draw(t, "to"))
		e.choice = append(e.choice, rapid.Bool().Draw(t, "choice"))
	}
	return e
}

func (e edges) yaml() string {
	name := func(i int) string {
		if i < 0 {
			return "end"
		}
		return fmt.Sprintf("n%d", i)
	}
	var b strings.Builder
	b.WriteString("start: n0\nnodes:\n")
	for i, to := range e.to {
		var parts []string
		for _, x := range to {
			if e.choice[i] {
				parts = append(parts, fmt.Sprintf("{when: run.step > %d, to: %s}", len(parts), name(x)))
			} else {
				parts = append(parts, name(x))
			}
		}
		fmt.Fprintf(&b, "  n%d: {next: [%s]}\n", i, strings.Join(parts, ", "))
	}
	return b.String()
}

// reached returns the nodes that a run can come to from these, step by step.
func (e edges) reached(from []int) []bool {
	out := make([]bool, len(e.to))
	for range len(e.to) + 1 {
		for _, i := range from {
			if i >= 0 {
				out[i] = true
			}
		}
		for i := range out {
			if out[i] {
				from = append(from, e.to[i]...)
			}
		}
		from = slices.Compact(slices.Sorted(slices.Values(from)))
	}
	return out
}

// ends reports whether a run at a node can end there.
func (e edges) ends(i int) bool {
	return len(e.to[i]) == 0 || e.choice[i] || slices.Contains(e.to[i], -1)
}

// TestFlowAgreesWithAWalk compares what is found about paths with what a walk over the
// graph finds.
func TestFlowAgreesWithAWalk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		e := draw(rt)
		want := map[string]bool{}
		from := e.reached([]int{0})
		for i := range e.to {
			after := e.reached(e.to[i])
			trapped := !e.ends(i)
			for j, yes := range after {
				trapped = trapped && (!yes || !e.ends(j))
			}
			want["graph/unreachable-node"] = want["graph/unreachable-node"] || !from[i]
			want["graph/never-ends"] = want["graph/never-ends"] || from[i] && trapped
			want["graph/unbounded-loop"] = want["graph/unbounded-loop"] || after[i]
		}
		if want["graph/never-ends"] {
			want["graph/unbounded-loop"] = false
		}
		_, found := program(t, load(t, yaml("", e.yaml())))
		for code, yes := range want {
			if got := slices.ContainsFunc(found, func(f string) bool { return strings.HasSuffix(f, code) }); got != yes {
				rt.Fatalf("%s: found %v, want %t\n%s", code, found, yes, e.yaml())
			}
		}
	})
}
