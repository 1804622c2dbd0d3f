package display

// vegaSchema is the version of Vega-Lite that is written.
const vegaSchema = "https://vega.github.io/schema/vega-lite/v6.json"

// vega writes a chart as a Vega-Lite specification with its data. The fields of the data
// are always x, y and series: names of the frame are only titles, never expressions.
func vega(c *figures) map[string]any {
	x := map[string]any{"field": "x", "type": vegaType(c), "title": c.XTitle}
	if len(c.Labels) > 0 {
		x["sort"] = nil
	}
	y := map[string]any{"field": "y", "type": "quantitative", "title": c.YTitle}
	encoding := map[string]any{"x": x, "y": y}
	mark := map[string]any{"type": "bar", "tooltip": true}
	switch c.Kind {
	case "area", "line":
		mark["type"] = c.Kind
	case "scatter":
		mark["type"] = "point"
	case "stack":
		y["stack"] = "zero"
	case "bar":
		if len(c.Series) > 1 {
			encoding["xOffset"] = map[string]any{"field": "series"}
		}
	}
	if c.Kind == "area" {
		y["stack"] = nil
		mark["opacity"] = 0.5
	}
	names := make([]string, len(c.Series))
	for i, s := range c.Series {
		names[i] = s.Name
	}
	color := map[string]any{"field": "series", "type": "nominal", "title": nil, "scale": map[string]any{"domain": texts(names), "range": texts(used(c))}}
	if len(c.Series) < 2 {
		color["legend"] = nil
	}
	encoding["color"] = color
	out := map[string]any{
		"$schema": vegaSchema, "data": map[string]any{"values": vegaValues(c)}, "mark": mark, "encoding": encoding, "width": "container",
	}
	if c.Title != "" {
		out["title"] = c.Title
	}
	return out
}

// used returns a color for each series.
func used(c *figures) []string {
	out := make([]string, len(c.Series))
	for i := range out {
		out[i] = c.Color(i)
	}
	return out
}

func vegaType(c *figures) string {
	switch string(c.XKind) {
	case instant:
		return "temporal"
	case number:
		return "quantitative"
	}
	return "nominal"
}

func vegaValues(c *figures) []any {
	out := make([]any, 0, len(c.names)*len(c.Series))
	for _, s := range c.Series {
		for i, y := range s.Values {
			value := plainNumber(y)
			if value == nil {
				continue
			}
			x := c.names[i]
			if string(c.XKind) == instant {
				x = vegaTime(c.X[i])
			}
			out = append(out, map[string]any{"x": x, "y": value, "series": s.Name})
		}
	}
	return out
}
