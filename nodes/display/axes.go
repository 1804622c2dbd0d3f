package display

import (
	"slices"
	"strings"

	"github.com/weft-engine/weft/nodes/internal/plot"
)

// axes say which fields a chart draws: x across, y up, one series for each of several
// y, or for each value of series. An empty x is the place in the list, an empty y a count.
type axes struct {
	x      string
	xKind  string // category, number or time
	y      []string
	series string
}

// The kinds of values across.
const (
	category = "category"
	number   = "number"
	instant  = "time"
)

// maxSeries bounds how many series a chart has.
const maxSeries = 12

// chartRows returns the records to draw as rows with named fields: numbers become the
// field value, an object becomes a row for each of its numbers. nil when nothing can be drawn.
func (v *view) chartRows() []any {
	switch v.shape {
	case shapeRows:
		return v.items
	case shapeItems:
		rows := make([]any, 0, len(v.items))
		for _, item := range v.items {
			if !isNumber(item) {
				return nil
			}
			rows = append(rows, map[string]any{"value": item})
		}
		return rows
	case shapeObject:
		var rows []any
		all := 0
		for _, name := range sortedKeys(v.object) {
			if value := v.object[name]; isNumber(value) {
				if all++; all <= v.pageSize {
					rows = append(rows, map[string]any{"name": v.label(name), "value": value})
				}
			}
		}
		if all > len(rows) {
			v.limit("fields", "shown", v.plainText(len(rows)), "total", v.plainText(all))
		}
		return rows
	}
	return nil
}

func isNumber(v any) bool {
	switch v.(type) {
	case int, float64:
		return true
	}
	return false
}

// axes chooses the fields: those of the frame's axes {x, y, series}, else by what they hold.
func (v *view) axes(rows []any, kind string) axes {
	names, _ := v.columns(rows, maxColumns)
	var numbers, texts []string
	for _, name := range names {
		switch kindOf(rows, name) {
		case "number":
			numbers = append(numbers, name)
		case "text", "boolean":
			texts = append(texts, name)
		}
	}
	a := v.told(names)
	if a.x == "" {
		a.x = v.across(rows, numbers, texts, kind)
	}
	if len(a.y) == 0 {
		a.y = up(numbers, a.x)
	}
	a.xKind = kindAcross(rows, a.x, kind)
	if a.series == "" && len(a.y) == 1 {
		a.series = grouping(rows, texts, a)
	}
	return a
}

// told reads the axes of the frame; fields that the rows do not have are left out.
func (v *view) told(names []string) axes {
	given, _ := v.frame["axes"].(map[string]any)
	has := func(name any) string {
		if text := textOf(name); slices.Contains(names, text) {
			return text
		}
		return ""
	}
	a := axes{x: has(given["x"]), series: has(given["series"])}
	ys, ok := given["y"].([]any)
	if !ok {
		ys = []any{given["y"]}
	}
	for _, y := range ys {
		if name := has(y); name != "" {
			a.y = append(a.y, name)
		}
	}
	return a
}

// across chooses x: instants, else texts, else a number that by its name is no measure;
// in a scatter plot the first number.
func (v *view) across(rows []any, numbers, texts []string, kind string) string {
	if kind == "scatter" && len(numbers) > 1 {
		return numbers[0]
	}
	for _, name := range texts {
		if instants(rows, name) {
			return name
		}
	}
	if len(texts) > 0 {
		return texts[0]
	}
	for _, name := range v.axisNames {
		if i := slices.Index(numbers, textOf(name)); i >= 0 && len(numbers) > 1 {
			return numbers[i]
		}
	}
	return ""
}

// up chooses y: the numbers beside x, without those that only name a record.
func up(numbers []string, x string) []string {
	var out, keys []string
	for _, name := range numbers {
		switch {
		case name == x:
		case name == "id" || strings.HasSuffix(name, "_id"):
			keys = append(keys, name)
		default:
			out = append(out, name)
		}
	}
	if len(out) == 0 && len(keys) > 0 {
		return keys[:1]
	}
	return out
}

// kindAcross tells how x is spaced. Bars stand side by side whatever they are for.
func kindAcross(rows []any, x, chart string) string {
	switch {
	case chart == "bar" || chart == "stack":
		return category
	case x == "" || kindOf(rows, x) == "number":
		return number
	case instants(rows, x):
		return instant
	}
	return category
}

// grouping is the text beside x that tells several values at the same x apart.
func grouping(rows []any, texts []string, a axes) string {
	if a.x == "" {
		return ""
	}
	for _, name := range texts {
		if name == a.x {
			continue
		}
		seen, groups, repeated := map[any]bool{}, map[any]bool{}, false
		for _, r := range rows {
			row, _ := r.(map[string]any)
			repeated = repeated || seen[scalar(row[a.x])]
			seen[scalar(row[a.x])] = true
			groups[scalar(row[name])] = true
		}
		if repeated && len(groups) <= maxSeries {
			return name
		}
	}
	return ""
}

// scalar is a value that maps can be keyed by.
func scalar(v any) any {
	switch v.(type) {
	case string, bool, int, float64:
		return v
	}
	return nil
}

// instants reports whether a field holds dates or times, and only those.
func instants(rows []any, name string) bool {
	some := false
	for _, r := range rows {
		row, _ := r.(map[string]any)
		if row[name] == nil {
			continue
		}
		if _, ok := plot.ParseTime(textOf(row[name])); !ok {
			return false
		}
		some = true
	}
	return some
}
