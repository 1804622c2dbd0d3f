package draw_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-graphviz"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/draw"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

func root(t testing.TB, text string) *source.Value {
	t.Helper()
	v, list := spec.Decode([]byte(text), "spec.yaml")
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestGolden draws the graph main of each spec in testdata. UPDATE=1 rewrites the
// pictures: look at them.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			p := draw.Graph(root(t, string(a.Files[0].Data)), "main")
			got := &txtar.Archive{Comment: a.Comment, Files: []txtar.File{
				a.Files[0], {Name: "mermaid", Data: []byte(p.Mermaid())}, {Name: "dot", Data: []byte(p.DOT())},
			}}
			diff := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got)))
			if diff == "" {
				return
			}
			if os.Getenv("UPDATE") == "" {
				t.Fatalf("picture (-want +got):\n%s", diff)
			}
			if err := os.WriteFile(path, txtar.Format(got), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestNoSuchGraph(t *testing.T) {
	if p := draw.Graph(root(t, "graphs: {main: {start: a, nodes: {a: {}}}}"), "mian"); p != nil {
		t.Fatalf("a graph that is not there is drawn: %v", p)
	}
}

// TestAnyTextCanBeDrawn: whatever a spec says, the pictures stay whole: one line for
// each node and edge in Mermaid, and DOT that Graphviz reads.
func TestAnyTextCanBeDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.StringOf(rapid.RuneFrom([]rune("ab\"'\\<>|{}[]();#&`%\n\r\t\x00ö—"))).Draw(t, "text")
		text := func(s string) *source.Value { return &source.Value{Kind: source.String, Text: s} }
		object := func(fields ...source.Field) *source.Value { return &source.Value{Kind: source.Map, Fields: fields} }
		field := func(key string, v *source.Value) source.Field { return source.Field{Key: key, Value: v} }
		edge := object(field("when", text(said)), field("to", text("a")))
		node := object(field("llm_call", object(field("model", text(said)))), field("for_each", object(field("in", text(said)))),
			field("next", &source.Value{Kind: source.List, Items: []*source.Value{edge}}))
		tree := object(field("graphs", object(field("main", object(field("start", text("a")), field("nodes", object(field("a", node))))))))
		p := draw.Graph(tree, "main")
		if got := strings.Count(p.Mermaid(), "\n"); got != 9 {
			t.Fatalf("%d lines:\n%s", got, p.Mermaid())
		}
		for line := range strings.Lines(p.Mermaid()) {
			if strings.Count(line, `"`)%2 != 0 {
				t.Fatalf("a quote is open: %s", line)
			}
		}
		g, err := graphviz.ParseBytes([]byte(p.DOT()))
		if err != nil {
			t.Fatalf("%v:\n%s", err, p.DOT())
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
