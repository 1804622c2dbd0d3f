package preview

import (
	"bytes"
	"encoding/json"
	"html/template"
	"math"
	"strconv"

	"github.com/weft-engine/weft/nodes/internal/plot"
)

// block is a block as the template sees it: only what is to be shown, as texts.
type block struct {
	Type, Title, Text, Level, Notice, Source string
	Inline                                   bool
	Limitations                              []string
	Columns                                  []column
	Rows                                     [][]cell
	Items                                    []item
	Fields                                   []field
	Inputs                                   []input
	Submit                                   string
	Actions                                  []string
	Chart                                    template.HTML
	Summary                                  string
	Pages                                    string
	More                                     bool
}

type column struct {
	Label string
	Right bool
}

type cell struct {
	Text  string
	Right bool
}

type item struct{ Text, Detail string }

type field struct{ Label, Value string }

type input struct {
	Name, Label, Kind, Value, Min, Max, Step, Hint, Description string
	Required, Checked                                           bool
	Options                                                     []option
}

type option struct {
	Value, Label string
	Chosen       bool
}

func newBlock(b map[string]any) *block {
	v := &block{
		Type: textOf(b["type"]), Title: textOf(b["title"]), Text: textOf(b["text"]), Level: level(b), Notice: textOf(b["notice"]),
		Source: textOf(b["source"]), Inline: b["inline"] == true || b["placement"] == "inline", Submit: textOf(b["submit"]), Summary: textOf(b["summary"]),
	}
	if v.Title == "" {
		v.Title = textOf(b["display_name"])
	}
	for _, l := range listOf(b["limitations"]) {
		v.Limitations = append(v.Limitations, words(objectOf(l)["text"]))
	}
	for _, a := range listOf(b["actions"]) {
		v.Actions = append(v.Actions, called(a))
	}
	for _, i := range listOf(b["items"]) {
		v.Items = append(v.Items, item{called(i), textOf(objectOf(i)["detail"])})
	}
	if v.Type == "form" {
		v.inputs(listOf(b["fields"]))
	} else {
		for _, f := range listOf(b["fields"]) {
			v.Fields = append(v.Fields, field{textOf(objectOf(f)["label"]), words(objectOf(f)["value"])})
		}
	}
	v.table(listOf(b["columns"]), listOf(b["data"]))
	v.paging(objectOf(b["pagination"]))
	if v.Type == "chart" {
		v.chart(b)
	}
	return v
}

// level is one of those that the style knows.
func level(b map[string]any) string {
	switch s := textOf(b["level"]); s {
	case "success", "warning", "error":
		return s
	}
	return "info"
}

func (v *block) table(columns, rows []any) {
	keys := make([]string, len(columns))
	for i, c := range columns {
		c := objectOf(c)
		keys[i] = textOf(c["key"])
		v.Columns = append(v.Columns, column{textOf(c["label"]), c["kind"] == "number"})
	}
	if len(keys) == 0 {
		return
	}
	for _, r := range rows {
		row := objectOf(r)
		cells := make([]cell, len(keys))
		for i, key := range keys {
			cells[i] = cell{words(row[key]), v.Columns[i].Right}
		}
		v.Rows = append(v.Rows, cells)
	}
}

func (v *block) paging(p map[string]any) {
	if p == nil {
		return
	}
	v.Pages = "Page " + words(p["page"])
	if p["pages"] != nil {
		v.Pages += " of " + words(p["pages"])
	}
	v.More = p["has_more"] == true
}

// chart draws the figures, and puts them into a table for those who cannot see.
func (v *block) chart(b map[string]any) {
	x, y := objectOf(b["x"]), objectOf(b["y"])
	c := &plot.Chart{
		Kind: textOf(b["chart_type"]), Title: v.Summary, XTitle: textOf(x["label"]), YTitle: textOf(y["label"]), XKind: plot.Kind(textOf(x["kind"])),
	}
	names := listOf(x["values"])
	for _, name := range names {
		place(c, name)
	}
	for _, color := range listOf(b["colors"]) {
		c.Colors = append(c.Colors, textOf(color))
	}
	v.Columns = []column{{Label: c.XTitle}}
	v.Rows = make([][]cell, len(names))
	for i, name := range names {
		v.Rows[i] = []cell{{Text: words(name)}}
	}
	for _, s := range listOf(b["series"]) {
		s := objectOf(s)
		one := plot.Series{Name: textOf(s["name"])}
		values := listOf(s["values"])
		v.Columns = append(v.Columns, column{one.Name, true})
		for i := range names {
			var value any
			if i < len(values) {
				value = values[i]
			}
			one.Values = append(one.Values, number(value))
			v.Rows[i] = append(v.Rows[i], cell{words(value), true})
		}
		c.Series = append(c.Series, one)
	}
	if svg, err := plot.SVG(c); err == nil {
		v.Chart = template.HTML(svg) //nolint:gosec // drawn here; its texts are escaped
	}
}

func place(c *plot.Chart, name any) {
	switch c.XKind {
	case plot.Number:
		c.X = append(c.X, number(name))
	case plot.Time:
		at := math.NaN()
		if t, ok := plot.ParseTime(textOf(name)); ok {
			at = float64(t.UnixMilli()) / 1000
		}
		c.X = append(c.X, at)
	default:
		c.XKind = plot.Category
		c.Labels = append(c.Labels, words(name))
	}
}

// number is a number of a payload; NaN is none.
func number(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

func listOf(v any) []any {
	l, _ := v.([]any)
	return l
}

func objectOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// called is a text, or what an object is called.
func called(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return words(v)
	}
	for _, name := range []string{"label", "text", "title", "name", "id"} {
		if s := textOf(m[name]); s != "" {
			return s
		}
	}
	return words(m)
}

// words writes a value for people: null is nothing, lists and objects are JSON.
func words(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
