package preview_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes/display"
	"github.com/weft-engine/weft/nodes/display/preview"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

type object = map[string]any

type list = []any

const shows = `
name: shows
graphs:
  main:
    input: {type: object, additionalProperties: true}
    start: show
    nodes:
      show: {display: {frame: "{{ get(input, 'frame') }}", hint: "{{ get(input, 'hint') }}", settings: {page_size: 4, chart_types: [area, bar, stack, scatter, line]}}}
`

// block makes a block with the display node.
func block(t testing.TB, frame object, hint string) object {
	t.Helper()
	sp, found := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(shows)}}, ".", spec.Options{})
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	p := nodetest.Plan(t, build.Types{Nodes: []build.NodeType{display.Type()}}, sp.Root, "main", "show").Plan
	if frame["display_type"] == nil {
		frame["display_type"] = "Default"
	}
	move, err := p.Next(engine.NewInvocation(object{"input": object{"frame": frame, "hint": hint}}))
	if err != nil {
		t.Fatal(err)
	}
	out, _ := move.Output.(object)
	b, ok := out["block"].(object)
	if !ok {
		t.Fatalf("no block: %v", out)
	}
	return b
}

func payloads(t testing.TB) map[string]object {
	t.Helper()
	orders := list{}
	for i := range 6 {
		orders = append(orders, object{"id": i + 1, "customer": fmt.Sprintf("Customer %d", i+1), "total": float64(i) * 12.5, "paid": i%2 == 0})
	}
	return map[string]object{
		"table": {
			"message": "I found <strong>6</strong> orders. You can see them on the right.", "actions": list{"Show all", object{"label": "Only unpaid"}}, "interaction": nil,
			"code_snippet": object{"source": "SQL", "snippet": "SELECT *\nFROM orders\nWHERE total < 100"},
			"frame":        block(t, object{"data": orders, "display_name": "Orders", "source": "SQL", "table_id": "t1", "row_count": 900, "columns": list{"id", "customer", "total", "paid"}}, ""),
		},
		"chart": {
			"message": "<p>Sales are up.</p>\n<ul>\n<li>January</li>\n</ul>",
			"frame": block(t, object{"chart_type": "bar", "display_name": "Sales", "data": list{
				object{"month": "January", "sales": 3, "cost": 2}, object{"month": "February", "sales": 5, "cost": -1},
			}}, ""),
		},
		"days": {
			"message": "Here is the load.",
			"frame":   block(t, object{"chart_type": "line", "data": list{object{"day": "2026-01-01", "load": 3}, object{"day": "2026-01-02", "load": 5}}}, ""),
		},
		"degraded": {
			"message": "Here it is.",
			"frame":   block(t, object{"chart_type": "pie", "warning": "Two sources did not answer.", "data": list{object{"a": 1}}}, ""),
		},
		"list": {"message": "These fit.", "frame": block(t, object{"data": list{object{"title": "Dal", "minutes": 30}, object{"title": "Pho"}}}, "list")},
		"card": {"message": "The draft is ready.", "frame": block(t, object{"display_name": "Slow Bread", "data": object{"body": "Two\nlines", "tags": list{"a", "b"}}}, "card")},
		"form": {"message": "", "frame": block(t, object{"display_name": "New event", "data": object{"fields": list{
			object{"name": "title", "required": true, "placeholder": "Dentist"},
			object{"name": "notes", "type": "FreeTextSlot", "value": "a\nb", "description": "Markdown"},
			object{"name": "who", "type": "CategorySlot", "options": list{"Ann", "Bo"}, "value": "Bo"},
			object{"name": "days", "type": "ChecklistSlot", "options": list{"Mon", "Tue"}, "value": list{"Mon"}},
			object{"name": "room", "type": "SourceSlot", "options": list{object{"id": 1, "name": "Red"}}, "value": 1},
			object{"name": "seats", "type": "LevelSlot", "min": 1, "max": 9, "step": 2, "value": 3},
			object{"name": "online", "value": true},
		}}}, "form")},
		"toast":        {"message": "Saved.", "frame": block(t, object{"data": "Saved: unit = EUR", "level": "success"}, "toast")},
		"confirmation": {"message": "Shall I?", "actions": list{"Yes"}, "frame": block(t, object{"data": "Delete Gym? This cannot be undone."}, "confirmation")},
		"silent":       {"message": "", "frame": nil, "interaction": object{"type": "pick", "options": list{1, 2}}},
	}
}

func write(t testing.TB, p preview.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := preview.HTML(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPages holds the pages equal to those that were looked at. UPDATE=1 writes them.
func TestPages(t *testing.T) {
	for name, payload := range payloads(t) {
		t.Run(name, func(t *testing.T) {
			got := write(t, preview.Page{Title: "Preview of " + name, Payload: payload})
			file := filepath.Join("testdata", name+".html")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("UPDATE=1 rewrites (-want +got):\n%s", diff)
			}
			inspect(t, got)
		})
	}
}

// inspect fails when a page runs or loads something, or is hard to use without eyes or a mouse.
func inspect(t testing.TB, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, labels := map[string]bool{}, map[string]bool{}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("the page has a comment: %s", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		attributes(t, n, attr, ids, labels)
		switch n.Data {
		case "script", "iframe", "object", "embed", "img", "link", "base", "image", "use", "foreignobject", "animate", "set", "video", "audio", "template":
			t.Errorf("the page has <%s>", n.Data)
		case "th":
			if attr["scope"] == "" {
				t.Errorf("a header of a table does not say what it heads")
			}
		case "svg":
			if attr["role"] != "img" || attr["aria-label"] == "" {
				t.Errorf("a picture has no name")
			}
		}
	}
	for id := range ids {
		if !labels[id] {
			t.Errorf("the field %s has no label", id)
		}
	}
}

func attributes(t testing.TB, n *html.Node, attr map[string]string, ids, labels map[string]bool) {
	t.Helper()
	for key, value := range attr {
		if strings.HasPrefix(key, "on") || key == "src" || key == "srcdoc" || key == "formaction" || key == "action" || key == "style" && strings.Contains(value, "url") {
			t.Errorf("<%s> has %s=%q", n.Data, key, value)
		}
		if strings.HasSuffix(key, "href") && !strings.HasPrefix(value, "http") && !strings.HasPrefix(value, "mailto:") {
			t.Errorf("<%s> leads to %q", n.Data, value)
		}
	}
	if id := attr["id"]; id != "" {
		if ids[id] {
			t.Errorf("two elements have the id %q", id)
		}
		ids[id] = true
	}
	if n.Data == "label" {
		labels[attr["for"]] = true
	}
}

const evil = `"'></style></script></svg></textarea></title></option><script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a><!--{{.}}`

// poison puts a hostile text into every place of a payload.
func poison(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for key, item := range v {
			switch key {
			case "type", "placement", "kind", "input", "chart_type": // these choose what is shown
				out[key] = item
			default:
				out[key] = poison(item)
			}
		}
		return out
	case list:
		out := list{}
		for _, item := range v {
			out = append(out, poison(item))
		}
		return out
	case string, nil:
		return evil
	}
	return v
}

func TestNothingOfAPayloadIsMarkup(t *testing.T) {
	for name, payload := range payloads(t) {
		t.Run(name, func(t *testing.T) {
			hostile, _ := poison(payload).(object)
			inspect(t, write(t, preview.Page{Title: evil, Lang: evil, Payload: hostile}))
			// and with what chooses what is shown
			frame, ok := hostile["frame"].(object)
			if !ok {
				return
			}
			for _, key := range []string{"type", "placement", "chart_type"} {
				was := frame[key]
				frame[key] = evil
				inspect(t, write(t, preview.Page{Payload: hostile}))
				frame[key] = was
			}
		})
	}
}

// A value of an odd kind anywhere is left out, never the end of a page.
func TestOddPayloads(t *testing.T) {
	for _, odd := range []any{nil, 1, 1.5, true, "x", list{1, nil, list{}, "x"}, object{"x": list{}}} {
		page := object{}
		for _, key := range []string{"message", "actions", "interaction", "code_snippet", "frame"} {
			page[key] = odd
		}
		inspect(t, write(t, preview.Page{Payload: page}))
		for _, kind := range []string{"chart", "table", "form", "list", "card", "toast"} {
			frame := object{"type": kind}
			for _, key := range []string{
				"columns", "data", "items", "fields", "actions", "limitations", "pagination", "x", "y", "series", "colors", "text", "title", "level", "notice",
			} {
				frame[key] = odd
			}
			inspect(t, write(t, preview.Page{Payload: object{"frame": frame}}))
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left")

func TestWriteError(t *testing.T) {
	if err := preview.HTML(full{}, preview.Page{}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkPage(b *testing.B) {
	p := preview.Page{Payload: payloads(b)["table"]}
	b.ReportAllocs()
	for b.Loop() {
		write(b, p)
	}
}
