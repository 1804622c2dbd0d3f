package display

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-engine/weft/nodes/internal/plot"
)

// drawn are the types of charts that can be drawn.
var drawn = map[string]bool{"area": true, "bar": true, "stack": true, "scatter": true, "line": true}

// chart makes a chart: its figures, which are the same for everyone who draws it, the
// Vega-Lite of them and the picture. nil when the data has none.
func (v *view) chart() map[string]any {
	rows := v.chartRows()
	if len(rows) == 0 {
		return nil
	}
	kind := textOf(v.frame["chart_type"])
	if kind == "" {
		kind = v.firstChart()
	}
	a := v.axes(rows, kind)
	c := v.figures(rows, a)
	c.Kind, c.Title, c.Colors = kind, v.text("display_name"), v.palette()
	c.XTitle, c.YTitle = v.acrossTitle(a), v.upTitle(a)
	block := map[string]any{"chart_type": kind, "spec": vega(&c), "svg": nil, "summary": v.summary(&c)}
	block["x"] = map[string]any{"label": c.XTitle, "kind": a.xKind, "values": c.marks()}
	block["y"] = map[string]any{"label": c.YTitle}
	block["series"] = c.series()
	block["colors"] = texts(c.Colors)
	if v.picture {
		svg, err := plot.SVG(&c.Chart)
		if err != nil {
			v.limit("chart_svg")
		} else {
			block["svg"] = svg
		}
	}
	return block
}

// firstChart is the type of a chart that the frame does not name.
func (v *view) firstChart() string {
	for _, name := range v.chartTypes {
		if drawn[textOf(name)] {
			return textOf(name)
		}
	}
	return "bar"
}

func (v *view) acrossTitle(a axes) string {
	if a.x == "" {
		return textOf(v.labels["index"])
	}
	return v.label(a.x)
}

func (v *view) upTitle(a axes) string {
	switch len(a.y) {
	case 0:
		return textOf(v.labels["count"])
	case 1:
		return v.label(a.y[0])
	}
	return textOf(v.labels["value"])
}

// palette is the frame's colors, then those of the settings; only those written #rrggbb
// or #rgb.
func (v *view) palette() []string {
	var out []string
	given, _ := v.frame["colors"].([]any)
	for _, c := range append(slices.Clone(given[:min(len(given), maxSeries)]), v.colors...) {
		if s := textOf(c); plot.IsColor(s) && len(out) < maxSeries {
			out = append(out, s)
		}
	}
	return out
}

func (v *view) summary(c *figures) string {
	names := make([]string, len(c.Series))
	for i, s := range c.Series {
		names[i] = s.Name
	}
	return fill(v.labels["summary"], "chart_type", c.Kind, "series", strings.Join(names, ", "), "x", c.XTitle, "points", strconv.Itoa(len(c.names)))
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// figures are the points of a chart, all series over the same places across.
type figures struct {
	plot.Chart
	names []any // what stands across: texts, numbers, or instants as they were written
}

// marks returns what stands across.
func (c *figures) marks() []any { return append([]any{}, c.names...) }

// series returns {name, values}; a value that is missing is null.
func (c *figures) series() []any {
	out := make([]any, len(c.Series))
	for i, s := range c.Series {
		values := make([]any, len(s.Values))
		for j, y := range s.Values {
			values[j] = plainNumber(y)
		}
		out[i] = map[string]any{"name": s.Name, "values": values}
	}
	return out
}

// plainNumber is a number as plain data: whole ones are integers, missing ones null.
func plainNumber(f float64) any {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return nil
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return int(f)
	}
	return f
}

// place is one mark across.
type place struct {
	key  any
	name any
	at   float64
}

// figures collects the points: values at the same place of the same series are added up,
// but in a scatter plot, where every row is a place of its own.
func (v *view) figures(rows []any, a axes) figures {
	groups := v.groups(rows, a)
	apart := textOf(v.frame["chart_type"]) == "scatter"
	places, index := []place{}, map[any]int{}
	sums := make([][]float64, len(groups))
	for i, r := range rows {
		row, _ := r.(map[string]any)
		p := v.place(row, a, i)
		if apart {
			p.key = i
		}
		j, ok := index[p.key]
		if !ok {
			j = len(places)
			index[p.key] = j
			places = append(places, p)
			for g := range sums {
				sums[g] = append(sums[g], math.NaN())
			}
		}
		for g, group := range groups {
			group.add(&sums[g][j], row, a)
		}
	}
	return sorted(places, sums, groups, a)
}

// group is one series: a field, or the rows with a value.
type group struct {
	name  string
	field string // "" counts rows
	value any    // of the series field
	all   bool   // whatever the series field is
}

func (g *group) add(to *float64, row map[string]any, a axes) {
	if !g.all && scalar(row[a.series]) != g.value {
		return
	}
	y := 1.0
	if g.field != "" {
		switch n := row[g.field].(type) {
		case int:
			y = float64(n)
		case float64:
			y = n
		default:
			return
		}
	}
	if math.IsNaN(*to) {
		*to = 0
	}
	*to += y
}

// groups returns the series, and limits their number.
func (v *view) groups(rows []any, a axes) []group {
	var out []group
	switch {
	case a.series != "":
		field := ""
		if len(a.y) > 0 {
			field = a.y[0]
		}
		seen := map[any]bool{}
		for _, r := range rows {
			row, _ := r.(map[string]any)
			if value := scalar(row[a.series]); !seen[value] {
				seen[value] = true
				out = append(out, group{name: v.plainText(value), field: field, value: value})
			}
		}
	case len(a.y) == 0:
		out = []group{{name: textOf(v.labels["count"]), all: true}}
	default:
		for _, name := range a.y {
			out = append(out, group{name: v.label(name), field: name, all: true})
		}
	}
	if len(out) > maxSeries {
		v.limit("series", "shown", strconv.Itoa(maxSeries), "total", strconv.Itoa(len(out)))
		out = out[:maxSeries]
	}
	return out
}

// place is where a row stands across.
func (v *view) place(row map[string]any, a axes, i int) place {
	if a.x == "" {
		return place{key: i, name: i + 1, at: float64(i + 1)}
	}
	value := scalar(row[a.x])
	p := place{key: value, name: value, at: float64(i)}
	switch a.xKind {
	case number:
		switch n := value.(type) {
		case int:
			p.at = float64(n)
		case float64:
			p.at = n
		}
	case instant:
		if t, ok := plot.ParseTime(textOf(value)); ok {
			p.at = float64(t.UnixMilli()) / 1000
		}
	default:
		p.name = cut(v.plainText(value), wordLimit)
	}
	return p
}

// sorted puts the places of numbers and times in order; categories stay as they came.
func sorted(places []place, sums [][]float64, groups []group, a axes) figures {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	if a.xKind != category {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(places[i].at, places[j].at) })
	}
	c := figures{names: make([]any, len(places))}
	c.XKind = plot.Kind(a.xKind)
	for i, from := range order {
		c.names[i] = places[from].name
		switch a.xKind {
		case category:
			c.Labels = append(c.Labels, textOf(places[from].name))
		default:
			c.X = append(c.X, places[from].at)
		}
	}
	for g, group := range groups {
		values := make([]float64, len(places))
		for i, from := range order {
			values[i] = sums[g][from]
		}
		c.Series = append(c.Series, plot.Series{Name: group.name, Values: values})
	}
	return c
}

// vegaTime writes an instant as Vega-Lite reads it.
func vegaTime(at float64) string {
	return time.UnixMilli(int64(at * 1000)).UTC().Format("2006-01-02T15:04:05Z")
}
