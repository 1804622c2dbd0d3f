package display

import "sync"

// The places of blocks.
const (
	panel  = "panel"
	inline = "inline"
)

// The shapes of data.
const (
	shapeRows   = "rows"   // a list of objects
	shapeItems  = "items"  // another list
	shapeObject = "object" // an object
	shapeText   = "text"   // a text, a number or a boolean
)

func list(items ...string) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}

// defaults are the settings of a spec that says nothing. Never written to.
var defaults = sync.OnceValue(func() *settings {
	return &settings{
		pageSize:   512,
		chartTypes: list("bar", "line"),
		inline:     list("toast", "progress", "loading", "confirmation"),
		markers:    list("error", "warning", "limitation", "degradation"),
		levels:     list("info", "success", "warning", "error"),
		axisNames:  list("x", "date", "time", "year", "quarter", "month", "week", "day", "hour", "index", "id"),
		colors:     list("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#edc948", "#9c755f", "#ff9da7", "#bab0ac"),
		typeMap: map[string]any{
			"Default": "table", "Derived": "table", "Dynamic": "list", "Decision": "form", "Pivot": "table",
		},
		accepts:  defaultAccepts(),
		byShape:  map[string]any{shapeRows: "table", shapeItems: "list", shapeObject: "card", shapeText: "card"},
		inputs:   defaultInputs(),
		reasons:  defaultReasons(),
		labels:   defaultLabels(),
		panelRef: "on the right",
		picture:  true,
	}
})

func defaultAccepts() map[string]any {
	return map[string]any{
		"table": list(shapeRows), "chart": list(shapeRows), "list": list(shapeItems, shapeRows), "card": list(shapeObject, shapeText),
		"form": list(shapeObject), "selector": list(shapeItems, shapeRows), "date_picker": list(shapeObject, shapeText),
		"confirmation": list(shapeText), "toast": list(shapeText),
		"progress": list(shapeObject, shapeText), "loading": list(shapeText),
		"tabs": list(shapeItems, shapeRows), "breadcrumbs": list(shapeItems, shapeRows), "pagination": list(shapeObject),
		"diff": list(shapeText, shapeObject), "terminal": list(shapeText, shapeItems), "timer": list(shapeText, shapeObject),
	}
}

func defaultInputs() map[string]any {
	return map[string]any{
		"base": "text", "group": "list", "source": "select", "target": "text", "removal": "select", "freetext": "textarea",
		"level": "number", "range": "range", "exact": "text", "dictionary": "key_value", "category": "radio", "checklist": "checkboxes",
		"string": "text", "text": "text", "number": "number", "integer": "number", "boolean": "checkbox", "date": "date", "time": "time",
		"datetime": "datetime", "email": "email", "url": "url", "array": "list", "list": "list", "object": "key_value",
	}
}

func defaultReasons() map[string]any {
	return map[string]any{
		checkFrame:    "There was nothing to show.",
		checkRequired: "The result could not be shown: {missing} is missing.",
		checkChart:    "A chart of type {chart_type} cannot be shown here; this is a {block} instead.",
		checkPages:    "Only the first {shown} rows can be shown; the rest cannot be loaded.",
		checkRendered: "There was nothing to show.",
		"chart_data":  "This data cannot be drawn as a chart; this is a {block} instead.",
		"chart_svg":   "The picture of the chart could not be drawn.",
		"series":      "Only the first {shown} of {total} series are drawn.",
		"columns":     "Only the first {shown} of {total} columns are shown.",
		"fields":      "Only the first {shown} of {total} fields are shown.",
		"options":     "Only the first {shown} of {total} options are offered.",
		"type":        "Nothing says how {display_type} is shown; this is a {block}.",
		"frame":       "{detail}",
	}
}

func defaultLabels() map[string]any {
	return map[string]any{
		"truncated": "Showing {shown} of {total} rows.", "truncated_open": "Showing the first {shown} rows.",
		"submit": "Submit", "confirm": "Confirm", "cancel": "Cancel", "yes": "yes", "no": "no",
		"value": "Value", "count": "Count", "index": "#", "choice": "Choose one", "frame": "The result is not complete.",
		"summary": "{chart_type} chart: {series} by {x}, {points} points",
	}
}
