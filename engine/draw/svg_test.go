package draw_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/draw"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

func svgRoot(t *testing.T, text string) *source.Value {
	t.Helper()
	v, list := spec.Decode([]byte(text), "spec.yaml")
	if list.HasErrors() {
		t.Fatal(list.Err())
	}
	return v
}

const looping = `
graphs:
  main:
    start: a
    nodes:
      a: {llm_call: {prompt: hi}, next: [{when: 'x < 1 & y == "<&>"', to: b}, {to: c}]}
      b: {tool: {name: t}, next: a, on_error: {to: end}}
      c: {interrupt: {policy: p}, next: c}
      d: {wait: {for: 1h}}
      e: {graph: {name: other}, next: [d, a]}
  other:
    start: a
    nodes: {a: {next: end}}
`

// elements counts the elements of a document and collects its text.
func elements(t *testing.T, doc string) (map[string]int, string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(doc))
	n, text := map[string]int{}, ""
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return n, text
		}
		if err != nil {
			t.Fatalf("not XML: %v\n%s", err, doc)
		}
		switch token := token.(type) {
		case xml.StartElement:
			n[token.Name.Local]++
		case xml.CharData:
			text += string(token) + "\n"
		}
	}
}

func TestSVGShowsEveryNodeAndEdge(t *testing.T) {
	v := svgRoot(t, looping)
	doc := draw.Graph(v, "main").SVG()
	n, text := elements(t, doc)
	for _, want := range []string{"main", "other", "a", "b", "c", "d", "e", `x < 1 & y == "<&>"`, "on error"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%q is not shown in:\n%s", want, text)
		}
	}
	// 10 edges in main, 2 in other, the tip, and the bars of the tool.
	if n["path"] != 14 || n["script"] != 0 {
		t.Errorf("elements: %v", n)
	}
	if again := draw.Graph(v, "main").SVG(); again != doc {
		t.Error("the same graph was drawn in two ways")
	}
}

func TestSVGOfHostileNames(t *testing.T) {
	v := svgRoot(t, "graphs: {main: {start: \"a\\u0007</text><script>\", nodes: {\"a\\u0007</text><script>\": {next: end}}}}")
	n, _ := elements(t, draw.Graph(v, "main").SVG())
	if n["script"] != 0 {
		t.Error("a name became an element")
	}
}

func TestSVGOfALargeGraph(t *testing.T) {
	var b strings.Builder
	b.WriteString("graphs: {main: {start: n0, nodes: {")
	for i := range 600 {
		b.WriteString("n" + itoa(i) + ": {next: [{when: x, to: n" + itoa((i+1)%600) + "}, {to: n" + itoa(i*7%600) + "}]},")
	}
	b.WriteString("}}}")
	n, _ := elements(t, draw.Graph(svgRoot(t, b.String()), "main").SVG())
	if n["path"] < 1200 {
		t.Errorf("elements: %v", n)
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}
