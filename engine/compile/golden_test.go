package compile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/expr"
)

// TestGolden compiles the specs in testdata and compares the programs, dumped, with
// `want`. UPDATE=1 rewrites it: read what it writes.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files, want := map[string]string{}, -1
			for i, f := range a.Files {
				if f.Name == "want" {
					want = i
					continue
				}
				files[f.Name] = string(f.Data)
			}
			sp := load(t, files)
			p, list := compile.Program(sp, types())
			got := dump(p)
			if p == nil {
				got = list.Err().Error() + "\n"
			}
			if want < 0 {
				t.Fatal("the file has no `want`")
			}
			if string(a.Files[want].Data) == got {
				return
			}
			if os.Getenv("UPDATE") == "" {
				t.Fatalf("program (-want +got):\n%s", cmp.Diff(string(a.Files[want].Data), got))
			}
			a.Files[want].Data = []byte(got)
			if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// dump writes a program in a few lines, without what differs from run to run.
func dump(p *engine.Program) string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	for _, g := range p.Graphs {
		fmt.Fprintf(&b, "graph %s: start %s, %d steps", g.Name, g.Nodes[g.Start].Name, g.Steps)
		if g.Timeout > 0 {
			fmt.Fprintf(&b, ", %s", g.Timeout)
		}
		b.WriteString("\n")
		for _, f := range g.Fields {
			fmt.Fprintf(&b, "  field %s: %s", f.Name, f.Reduce)
			if f.Has {
				fmt.Fprintf(&b, ", from %v", f.Default)
			}
			b.WriteString("\n")
		}
		for _, n := range g.Nodes {
			dumpNode(&b, g, n)
		}
		dumpAssigns(&b, "  output", g.Output)
	}
	return b.String()
}

func dumpNode(b *strings.Builder, g *engine.Graph, n *engine.Node) {
	fmt.Fprintf(b, "  node %s", n.Name)
	if p, ok := n.Plan.(*plan); ok {
		fmt.Fprintf(b, ": %s", p.said)
	}
	b.WriteString("\n")
	if f := n.ForEach; f != nil {
		fmt.Fprintf(b, "    for each %s, %s in %s, %d at a time\n", f.As, f.Index, text(f.In), f.MaxParallel)
	}
	if len(n.Join) > 0 {
		fmt.Fprintf(b, "    waits for %s\n", names(g, n.Join))
	}
	if n.Timeout > 0 {
		fmt.Fprintf(b, "    timeout %s\n", n.Timeout)
	}
	if r := n.Retry; r != nil {
		fmt.Fprintf(b, "    retry %d, %s to %s\n", r.Attempts, r.Backoff, r.MaxBackoff)
	}
	if c := n.Cache; c != nil {
		fmt.Fprintf(b, "    cache %s by %s\n", c.TTL, text(c.Key))
	}
	for _, m := range n.Memory {
		fmt.Fprintf(b, "    memory %s\n", m.Name)
	}
	dumpAssigns(b, "    set", n.Set)
	for _, e := range n.Next {
		fmt.Fprintf(b, "    next %s", names(g, e.To))
		if e.When != nil {
			fmt.Fprintf(b, " when %s", text(e.When))
		}
		b.WriteString("\n")
	}
	if c := n.OnError; c != nil {
		dumpAssigns(b, "    on error set", c.Set)
		fmt.Fprintf(b, "    on error %s\n", names(g, c.To))
	}
}

func dumpAssigns(b *strings.Builder, what string, assigns []engine.Assign) {
	for _, a := range assigns {
		fmt.Fprintf(b, "%s %s", what, a.Name)
		if a.Check != nil {
			b.WriteString(", checked")
		}
		b.WriteString("\n")
	}
}

func names(g *engine.Graph, nodes []int) string {
	var out []string
	for _, n := range nodes {
		if n == engine.End {
			out = append(out, "end")
			continue
		}
		out = append(out, g.Nodes[n].Name)
	}
	return strings.Join(out, " and ")
}

// text is an expression by what it reads.
func text(x *expr.Expr) string {
	if x == nil {
		return "the request"
	}
	var out []string
	for _, r := range x.Refs() {
		out = append(out, strings.Join(r.Path, "."))
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func TestTheSameProgramEachTime(t *testing.T) {
	sp := load(t, map[string]string{"spec.yaml": large(60)})
	first, _ := program(t, sp)
	for range 20 {
		again, found := program(t, sp)
		if diff := cmp.Diff(dump(first), dump(again)); diff != "" || len(found) > 0 {
			t.Fatalf("%v\n%s", found, diff)
		}
	}
	if len(first.Graphs) != 6 || !slices.ContainsFunc(first.Graphs[0].Fields, func(f *engine.Field) bool { return f.Name == "notes" }) {
		t.Fatalf("the program is not what was compiled: %s", dump(first))
	}
}
