package display_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
)

var allCharts = object{"chart_types": list{"area", "bar", "stack", "scatter", "line"}}

// figures are what a chart shows, in few words.
func figures(out object) string {
	block, _ := out["block"].(object)
	x, _ := block["x"].(object)
	series, _ := block["series"].(list)
	text := fmt.Sprintf("%v %v/%v%v", block["chart_type"], x["label"], x["kind"], x["values"])
	for _, s := range series {
		one, _ := s.(object)
		text += fmt.Sprintf(" %v%v", one["name"], one["values"])
	}
	return text
}

func TestChartFigures(t *testing.T) {
	p := plan(t, "show")
	for _, tt := range []struct {
		name  string
		frame object
		want  string
	}{
		{
			"text across, numbers up",
			object{"chart_type": "bar", "data": list{object{"month": "Jan", "sales": 3, "cost": 1.5}, object{"month": "Feb", "sales": 5}}},
			"bar Month/category[Jan Feb] Cost[1.5 <nil>] Sales[3 5]",
		},
		{"only numbers", object{"chart_type": "bar", "data": list{object{"m": 1}, object{"m": 2}}}, "bar #/category[1 2] M[1 2]"},
		{"the only number is a key", object{"chart_type": "bar", "data": list{object{"id": 7}}}, "bar #/category[1] Id[7]"},
		{"keys are not drawn", object{"chart_type": "bar", "data": list{object{"name": "a", "id": 7, "user_id": 8, "n": 1}}}, "bar Name/category[a] N[1]"},
		{
			"a number that is no measure",
			object{"chart_type": "line", "data": list{object{"sales": 3, "year": 2025}, object{"sales": 4, "year": 2024}}},
			"line Year/number[2024 2025] Sales[4 3]",
		},
		{
			"days",
			object{"chart_type": "line", "data": list{object{"day": "2026-01-02", "n": 1, "who": "x"}, object{"day": "2026-01-01", "n": 2, "who": "y"}}},
			"line Day/time[2026-01-01 2026-01-02] N[2 1]",
		},
		{"groups", object{"chart_type": "stack", "data": list{
			object{"month": "Jan", "region": "N", "n": 1}, object{"month": "Jan", "region": "S", "n": 2}, object{"month": "Feb", "region": "S", "n": 4}, object{"month": "Feb", "region": "S", "n": 8},
		}}, "stack Month/category[Jan Feb] N[1 <nil>] S[2 12]"},
		{"nothing to measure is counted", object{"chart_type": "bar", "data": list{object{"who": "a"}, object{"who": "b"}, object{"who": "a"}}}, "bar Who/category[a b] Count[2 1]"},
		{"points", object{"chart_type": "scatter", "data": list{object{"a": 2, "b": 1}, object{"a": 1, "b": 5}, object{"a": 1, "b": 6}}}, "scatter A/number[1 1 2] B[5 6 1]"},
		{"numbers", object{"chart_type": "area", "data": list{1, 2.5, -3}}, "area #/number[1 2 3] Value[1 2.5 -3]"},
		{"an object of numbers", object{"chart_type": "bar", "data": object{"red": 1, "blue": 2, "note": "x"}}, "bar Name/category[Blue Red] Value[2 1]"},
		{"told axes", object{"chart_type": "bar", "axes": object{"x": "b", "y": list{"id", "nothing"}}, "data": list{object{"a": "x", "b": "y", "id": 3, "n": 4}}}, "bar B/category[y] Id[3]"},
		{
			"told axes and groups",
			object{"chart_type": "bar", "axes": object{"x": "a", "y": "n", "series": "b"}, "labels": object{"a": "Aaa"}, "data": list{object{"a": "x", "b": true, "n": 4}}},
			"bar Aaa/category[x] yes[4]",
		},
		{"no type", object{"data": list{object{"m": 1}}, "display_type": "Charted"}, "bar #/category[1] M[1]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.frame["display_type"] == nil {
				tt.frame["display_type"] = "Default"
			}
			settings := object{"type_map": object{"Charted": "chart"}, "chart_types": list{"bar", "line", "stack", "scatter", "area"}}
			out := run(t, p, object{"frame": tt.frame, "settings": settings})
			if got := figures(out); got != tt.want || out["degraded"] != false {
				t.Errorf("%s, degraded %v; want %s", got, out["degraded"], tt.want)
			}
		})
	}
}

func TestChartsThatCannotBe(t *testing.T) {
	p := plan(t, "show")
	frame := func(chart any, data any) object {
		return object{"frame": object{"data": data, "display_type": "Default", "chart_type": chart}, "settings": allCharts}
	}
	for _, tt := range []struct {
		name  string
		input object
		want  object
	}{
		{"a type that is not allowed", object{"frame": object{"data": rows(1), "display_type": "Default", "chart_type": "scatter"}}, object{
			"type": "table", "failed": list{"chart_type_supported"}, "degraded": true, "limitation": true, "data": rows(1),
			"limitations": list{object{"reason": "chart_type_supported", "text": "A chart of type scatter cannot be shown here; this is a table instead."}},
		}},
		{"a type that is not allowed, with a hint", object{"frame": object{"data": rows(1), "display_type": "Default", "chart_type": "scatter"}, "hint": "list"}, object{
			"type": "list", "failed": list{"chart_type_supported"},
		}},
		{"a type that nobody draws", object{"frame": object{"data": rows(1), "display_type": "Default", "chart_type": "pie"}, "settings": object{"chart_types": list{"pie"}}}, object{
			"type": "table", "failed": list{"chart_type_supported"},
		}},
		{"no text as type", frame(object{"a": 1}, rows(1)), object{"type": "table", "failed": list{"chart_type_supported"}}},
		{"a text", frame("bar", "words"), object{"type": "table", "failed": list{}, "degraded": true, "limitations": list{
			object{"reason": "chart_data", "text": "This data cannot be drawn as a chart; this is a table instead."},
		}}},
		{"words", frame("bar", list{"a", "b"}), object{"type": "table", "degraded": true}},
		{"numbers beyond all", frame("bar", list{1e300}), object{"type": "chart", "svg": nil, "degraded": true, "limitations": list{
			object{"reason": "chart_svg", "text": "The picture of the chart could not be drawn."},
		}}},
		{"no picture", object{"frame": object{"data": rows(1), "display_type": "Default", "chart_type": "bar"}, "settings": object{"svg": false}}, object{"svg": nil, "degraded": false}},
		{"a page of a chart", object{"frame": object{"data": rows(3), "display_type": "Default", "chart_type": "bar"}, "settings": object{"page_size": 2}}, object{
			"rows": 2, "total": 3, "truncated": true, "notice": "Showing 2 of 3 rows.",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pick(run(t, p, tt.input), tt.want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestManySeries(t *testing.T) {
	row := object{"x": "a"}
	for i := range 15 {
		row[fmt.Sprintf("y%02d", i)] = i
	}
	out := run(t, plan(t, "show"), object{"frame": object{"data": list{row}, "display_type": "Default", "chart_type": "bar"}})
	block, _ := out["block"].(object)
	series, _ := block["series"].(list)
	want := list{object{"reason": "series", "text": "Only the first 12 of 15 series are drawn."}}
	if diff := cmp.Diff(want, block["limitations"]); diff != "" || len(series) != 12 {
		t.Errorf("%d series, %s", len(series), diff)
	}
}

// What a chart says in Vega-Lite, whole.
func TestVega(t *testing.T) {
	out := run(t, plan(t, "show"), object{"settings": allCharts, "frame": object{
		"display_type": "Default", "chart_type": "line", "display_name": "Load", "colors": list{"#abc", "red;x"},
		"data": list{object{"at": "2026-01-01", "load[0].x": 1}, object{"at": "2026-01-02T12:00:00+02:00", "load[0].x": 2.5}, object{"at": "2026-01-03", "load[0].x": nil}},
	}})
	block, _ := out["block"].(object)
	got, err := json.Marshal(block["spec"])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"$schema":"https://vega.github.io/schema/vega-lite/v6.json",` +
		`"data":{"values":[{"series":"Load[0].x","x":"2026-01-01T00:00:00Z","y":1},{"series":"Load[0].x","x":"2026-01-02T10:00:00Z","y":2.5}]},` +
		`"encoding":{"color":{"field":"series","legend":null,"scale":{"domain":["Load[0].x"],"range":["#abc"]},"title":null,"type":"nominal"},` +
		`"x":{"field":"x","title":"At","type":"temporal"},"y":{"field":"y","title":"Load[0].x","type":"quantitative"}},` +
		`"mark":{"tooltip":true,"type":"line"},"title":"Load","width":"container"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Names and values of a frame are text in the picture, never markup.
func TestPictureIsInert(t *testing.T) {
	evil := `"><script>alert(1)</script>`
	out := run(t, plan(t, "show"), object{"frame": object{
		"display_type": "Default", "chart_type": "bar", "display_name": evil, "labels": object{"n": evil, "m": evil},
		"data": list{object{"x": evil, "n": 1, "m": 2}},
	}})
	block, _ := out["block"].(object)
	svg, _ := block["svg"].(string)
	if svg == "" || strings.Contains(svg, "<script") || !strings.Contains(svg, "&lt;script&gt;") {
		t.Errorf("the picture is %s", svg)
	}
}

func BenchmarkChart(b *testing.B) {
	p := plan(b, "show")
	data := make(list, 512)
	for i := range data {
		data[i] = object{"x": i, "sales": i % 97, "cost": i % 13}
	}
	for _, svg := range []bool{true, false} {
		in := engine.NewInvocation(object{"input": object{
			"frame": object{"data": data, "display_type": "Default", "chart_type": "line"}, "settings": object{"svg": svg},
		}})
		b.Run(fmt.Sprintf("svg=%v", svg), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Next(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// How the types of charts differ in Vega-Lite.
func TestVegaMarks(t *testing.T) {
	p := plan(t, "show")
	for kind, want := range map[string]string{
		"area":    `{"opacity":0.5,"tooltip":true,"type":"area"} null <nil> nominal`,
		"bar":     `{"tooltip":true,"type":"bar"} undefined {"field":"series"} nominal`,
		"stack":   `{"tooltip":true,"type":"bar"} "zero" <nil> nominal`,
		"line":    `{"tooltip":true,"type":"line"} undefined <nil> nominal`,
		"scatter": `{"tooltip":true,"type":"point"} undefined <nil> quantitative`,
	} {
		out := run(t, p, object{"settings": allCharts, "frame": object{"display_type": "Default", "chart_type": kind, "data": list{object{"x": "a", "n": 1, "m": 2}}}})
		block, _ := out["block"].(object)
		spec, _ := block["spec"].(object)
		encoding, _ := spec["encoding"].(object)
		x, _ := encoding["x"].(object)
		y, _ := encoding["y"].(object)
		stack := "undefined"
		if v, ok := y["stack"]; ok {
			stack = written(t, v)
		}
		offset := "<nil>"
		if encoding["xOffset"] != nil {
			offset = written(t, encoding["xOffset"])
		}
		if got := fmt.Sprint(written(t, spec["mark"]), " ", stack, " ", offset, " ", x["type"]); got != want {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
	}
}

func written(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
