package display

import "slices"

const chartBlock = "chart"

// maxColumns and maxFields bound how wide a block is.
const (
	maxColumns = 200
	maxFields  = 200
)

// content makes what a block of the chosen type holds.
func (v *view) content() map[string]any {
	if v.block == chartBlock {
		if block := v.chart(); block != nil {
			return block
		}
		v.undrawable()
	}
	switch v.block {
	case "table":
		return v.table()
	case "list":
		return map[string]any{"items": v.entries(), "data": v.records()}
	case "card":
		return v.card()
	case "form":
		return v.form()
	case "confirmation":
		return v.confirmation()
	case "toast":
		return map[string]any{"text": v.sentence(), "level": v.level()}
	}
	return v.plainContent()
}

// undrawable turns a chart of data that cannot be drawn into what is shown instead.
func (v *view) undrawable() {
	other := textOf(v.typeMap[v.text("display_type")])
	if other == "" || other == chartBlock {
		other = textOf(v.byShape[v.shape])
	}
	if other == chartBlock {
		other = "card"
	}
	v.as(other)
	v.limit("chart_data", "block", other)
}

// plainContent is that of a type of block that only the spec knows: the data by its shape.
func (v *view) plainContent() map[string]any {
	switch v.shape {
	case shapeRows:
		return v.table()
	case shapeItems:
		return map[string]any{"items": v.entries()}
	case shapeObject:
		return map[string]any{"fields": v.fields()}
	default:
		return map[string]any{"text": v.sentence()}
	}
}

// records returns the data as a list, whatever its shape.
func (v *view) records() []any {
	switch {
	case v.items != nil:
		return v.items
	case v.object != nil:
		return []any{v.object}
	}
	return []any{v.scalar}
}

// table makes rows and columns. What is not an object stands in a column of its own.
func (v *view) table() map[string]any {
	rows := v.records()
	if v.shape == shapeItems || v.shape == shapeText {
		wrapped := make([]any, len(rows))
		for i, item := range rows {
			if row, ok := item.(map[string]any); ok {
				wrapped[i] = row
			} else {
				wrapped[i] = map[string]any{"value": item}
			}
		}
		rows = wrapped
	}
	names, all := v.columns(rows, maxColumns)
	if all > len(names) {
		v.limit("columns", "shown", v.plainText(len(names)), "total", v.plainText(all))
	}
	columns := make([]any, len(names))
	for i, name := range names {
		columns[i] = map[string]any{"key": name, "label": v.columnLabel(name), "kind": kindOf(rows, name)}
	}
	return map[string]any{"columns": columns, "data": rows}
}

func (v *view) columnLabel(name string) string {
	if name == "value" && v.shape != shapeRows && v.shape != shapeObject {
		return textOf(v.labels["value"])
	}
	return v.label(name)
}

// kindOf tells what the values of a column are.
func kindOf(rows []any, name string) string {
	kind := ""
	for _, r := range rows {
		row, _ := r.(map[string]any)
		here := "other"
		switch row[name].(type) {
		case nil:
			continue
		case int, float64:
			here = "number"
		case bool:
			here = "boolean"
		case string:
			here = "text"
		}
		if kind != "" && kind != here {
			return "other"
		}
		kind = here
	}
	if kind == "" {
		return "other"
	}
	return kind
}

// entries makes the items of a list: {text, detail}.
func (v *view) entries() []any {
	if v.shape == shapeObject {
		out := []any{}
		for _, f := range v.fields() {
			field, _ := f.(map[string]any)
			out = append(out, map[string]any{"text": textOf(field["label"]) + ": " + v.plainText(field["value"]), "detail": ""})
		}
		return out
	}
	records := v.records()
	var names []string
	if v.shape == shapeRows {
		names, _ = v.columns(records, maxColumns)
	}
	out := make([]any, len(records))
	for i, r := range records {
		row, ok := r.(map[string]any)
		if !ok {
			out[i] = map[string]any{"text": v.plainText(r), "detail": ""}
			continue
		}
		out[i] = v.entry(row, names)
	}
	return out
}

// headings are the fields that a record is called by, the best first.
var headings = []string{"title", "name", "label", "subject", "text", "summary"}

func heading(row map[string]any) string {
	for _, name := range headings {
		if text := textOf(row[name]); text != "" {
			return name
		}
	}
	return ""
}

// entry is a record in one line: what it is called, and the rest beside it.
func (v *view) entry(row map[string]any, names []string) map[string]any {
	head := heading(row)
	if head == "" {
		return map[string]any{"text": v.plainText(row), "detail": ""}
	}
	if names == nil {
		names = sortedKeys(row)
	}
	detail := ""
	for _, name := range names {
		if value := row[name]; name != head && !isEmpty(value) {
			if detail != "" {
				detail += ", "
			}
			detail += v.label(name) + ": " + v.plainText(value)
		}
	}
	return map[string]any{"text": textOf(row[head]), "detail": detail}
}

// card makes the fields of an object, or the text.
func (v *view) card() map[string]any {
	switch v.shape {
	case shapeObject:
		return map[string]any{"fields": v.fields(), "text": ""}
	case shapeText:
		return map[string]any{"fields": []any{}, "text": v.sentence()}
	}
	block := v.plainContent()
	block["fields"], block["text"] = []any{}, ""
	return block
}

// fields makes the fields of an object: {key, label, value}. The frame's columns give
// their order.
func (v *view) fields() []any {
	names, all := v.columns([]any{v.object}, maxFields)
	if all > len(names) {
		v.limit("fields", "shown", v.plainText(len(names)), "total", v.plainText(all))
	}
	out := make([]any, 0, len(names))
	for _, name := range names {
		if value, ok := v.object[name]; ok {
			out = append(out, map[string]any{"key": name, "label": v.label(name), "value": value})
		}
	}
	return out
}

// sentence is the data in words.
func (v *view) sentence() string {
	if v.object == nil {
		if v.items != nil {
			return v.plainText(v.items)
		}
		return v.plainText(v.scalar)
	}
	for _, name := range []string{"text", "message", "question", "title"} {
		if text := textOf(v.object[name]); text != "" {
			return text
		}
	}
	return v.plainText(v.object)
}

func (v *view) confirmation() map[string]any {
	actions := []any{}
	for _, id := range []string{"confirm", "cancel"} {
		actions = append(actions, map[string]any{"id": id, "label": textOf(v.labels[id])})
	}
	return map[string]any{"text": v.sentence(), "actions": actions}
}

// level is how serious a toast is.
func (v *view) level() string {
	for _, given := range []any{v.frame["level"], v.object["level"]} {
		if slices.Contains(v.levels, given) {
			return textOf(given)
		}
	}
	if v.frame["error"] != nil {
		return "error"
	}
	return "info"
}
