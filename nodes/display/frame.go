package display

import (
	"maps"
	"slices"
)

// frame is the data to show, as it was left. It is only read.
type frame map[string]any

func (f frame) text(name string) string { return textOf(f[name]) }

// isEmpty reports null, "", [] and {}.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// missing names what a frame needs and does not have.
func (f frame) missing() []string {
	var out []string
	if isEmpty(f["data"]) {
		out = append(out, "data")
	}
	if f.text("display_type") == "" {
		out = append(out, "display_type")
	}
	return out
}

// page is the part of a frame's data that a block holds: the first records of a list,
// without a copy, or the whole of anything else.
type page struct {
	shape  string
	items  []any          // rows, items
	object map[string]any // object
	scalar any            // text
	total  int            // records in the source; -1 when that is not known
	more   bool           // the source has more than the page
}

// first returns the first page of the data. What it costs does not depend on how much
// data there is.
func (f frame) first(size int) page {
	switch data := f["data"].(type) {
	case []any:
		return f.firstOf(data, size)
	case map[string]any:
		return page{shape: shapeObject, object: data, total: 1}
	default:
		return page{shape: shapeText, scalar: data, total: 1}
	}
}

func (f frame) firstOf(data []any, size int) page {
	n := min(size, len(data))
	p := page{shape: shapeRows, items: data[:n:n], total: len(data)}
	if !slices.ContainsFunc(p.items, func(v any) bool { _, ok := v.(map[string]any); return !ok }) {
		p.shape = shapeRows
	} else {
		p.shape = shapeItems
	}
	count, counted := f["row_count"].(int)
	switch {
	case counted:
		p.total = max(count, len(data))
	case f.text("table_id") != "" && n == size:
		p.total = -1 // data is a page of a source that may have more
	}
	p.more = p.total < 0 || p.total > n
	return p
}

// shown is how many records the page has.
func (p *page) shown() int {
	if p.items == nil {
		return 1
	}
	return len(p.items)
}

// columns returns the names of the fields of rows, in the order the frame tells, else
// sorted; at most so many, and how many there are.
func (f frame) columns(rows []any, most int) (names []string, all int) {
	listed, _ := f["columns"].([]any)
	for i, c := range listed {
		name := textOf(c)
		if m, ok := c.(map[string]any); ok {
			name = textOf(m["key"])
		}
		if name == "" || slices.Contains(names, name) {
			continue
		}
		if len(names) == most {
			return names, most + len(listed) - i
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		seen := map[string]bool{}
		for _, r := range rows {
			row, _ := r.(map[string]any)
			for name := range row {
				seen[name] = true
			}
		}
		names = sortedKeys(seen)
	}
	return names[:min(len(names), most)], len(names)
}

// label returns the words for a field: those of the frame's labels or columns, or those
// made of its name.
func (f frame) label(name string) string {
	if labels, ok := f["labels"].(map[string]any); ok {
		if text := textOf(labels[name]); text != "" {
			return text
		}
	}
	listed, _ := f["columns"].([]any)
	for _, c := range listed[:min(len(listed), maxColumns)] {
		if m, ok := c.(map[string]any); ok && textOf(m["key"]) == name {
			if text := textOf(m["label"]); text != "" {
				return text
			}
		}
	}
	return label(name)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
