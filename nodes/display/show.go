package display

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// The checks by name, in the order they are made.
const (
	checkFrame     = "frame_present"
	checkRequired  = "required_attributes"
	checkChart     = "chart_type_supported"
	checkPages     = "pagination_resolvable"
	checkRendered  = "block_rendered"
	checkTruncated = "truncation_bounded"
	checkDegraded  = "degradation_visible"
)

// request is what a block is made of: plain data.
type request struct {
	frame    any
	hint     string
	previous any
	tables   any
	id       string
	key      string // of the place, unique
	settings *settings
}

// view is a block in the making.
type view struct {
	*settings
	frame
	page
	block       string // its type
	placed      string
	failed      []any
	limitations []any
}

// fail notes a failed check, and limit that something cannot be shown as it was asked for.
func (v *view) fail(check string, pairs ...string) {
	v.failed = append(v.failed, check)
	v.limit(check, pairs...)
}

func (v *view) limit(reason string, pairs ...string) {
	v.limitations = append(v.limitations, map[string]any{"reason": reason, "text": fill(v.reasons[reason], pairs...)})
}

// show makes the output of the node.
func show(r *request) map[string]any {
	v := &view{settings: r.settings, failed: []any{}, limitations: []any{}}
	if r.frame == nil {
		return v.output(nil, nil, nil)
	}
	f, _ := r.frame.(map[string]any)
	v.frame = f
	id, render := r.identity(f)
	if !v.complete() {
		return v.output(nil, id, render)
	}
	v.page = v.first(v.pageSize)
	v.marks()
	v.choose(r.hint)
	paging := v.paging(r.tables)
	block := v.content()
	v.common(block, id, paging)
	if failed := rendered(block, v.pageSize, -1, len(v.limitations) > 0); len(failed) > 0 {
		for _, name := range failed {
			v.fail(textOf(name))
		}
		block = nil
	}
	return v.output(block, id, render)
}

// identity tells which block is meant, and whether it is new. A frame of the same flow
// as the previous block is shown in its place.
func (r *request) identity(f frame) (id, render any) {
	flow := f.text("flow_id")
	if last, _ := r.previous.(map[string]any); flow != "" && textOf(last["flow_id"]) == flow {
		if id := textOf(last["block_id"]); id != "" {
			return id, "update"
		}
	}
	switch {
	case r.id != "":
		return r.id, "create"
	case flow != "":
		return "block-" + flow, "create"
	}
	h := fnv.New64a()
	h.Write([]byte(r.key))
	return "block-" + strconv.FormatUint(h.Sum64(), 16), "create"
}

// complete makes the checks without which there is no block.
func (v *view) complete() bool {
	if len(v.frame) == 0 {
		v.fail(checkFrame)
	}
	if missing := v.missing(); len(missing) > 0 {
		v.fail(checkRequired, "missing", strings.Join(missing, ", "))
	}
	return len(v.failed) == 0
}

// maxMarks bounds the limitations that a frame brings.
const maxMarks = 20

// marks takes over the limitations that the frame itself tells of.
func (v *view) marks() {
	for _, name := range v.markers {
		mark := v.frame[textOf(name)]
		if mark == nil || mark == false || isEmpty(mark) {
			continue
		}
		items, ok := mark.([]any)
		if !ok {
			items = []any{mark}
		}
		for _, item := range items[:min(len(items), maxMarks)] {
			v.limit("frame", "detail", v.detail(item))
		}
	}
}

// detail is the wording of a limitation of the frame: a text, or an object that has one.
func (v *view) detail(mark any) string {
	switch mark := mark.(type) {
	case string:
		return mark
	case map[string]any:
		for _, name := range []string{"text", "message", "reason"} {
			if text := textOf(mark[name]); text != "" {
				return text
			}
		}
	}
	return textOf(v.labels["frame"])
}

// choose decides the type of the block: a chart when the frame says of which type, else
// what the text hints at, unless that takes no data of this shape, else what the display
// type stands for.
func (v *view) choose(hint string) {
	chart := v.frame["chart_type"]
	if slices.Contains(v.chartTypes, chart) && drawn[textOf(chart)] {
		v.as(chartBlock)
		return
	}
	v.as(v.mapped(hint))
	if !isEmpty(chart) {
		v.fail(checkChart, "chart_type", v.plainText(chart), "block", v.block)
	}
}

func (v *view) as(block string) { v.block, v.placed = block, v.placement(block) }

func (v *view) mapped(hint string) string {
	if takes, known := v.takes(hint, v.shape); takes && known {
		return hint
	}
	kind := v.text("display_type")
	if block := textOf(v.typeMap[kind]); block != "" {
		return block
	}
	block := textOf(v.byShape[v.shape])
	v.limit("type", "display_type", kind, "block", block)
	return block
}

// output is what the node gives.
func (v *view) output(block map[string]any, id, render any) map[string]any {
	out := map[string]any{
		"block": nil, "block_id": id, "render": render, "placement": nil, "panel_ref": "",
		"failed": v.failed, "degraded": len(v.limitations) > 0, "limitations": v.limitations,
	}
	if block == nil {
		return out
	}
	out["block"], out["placement"] = block, v.placed
	if v.placed == panel {
		out["panel_ref"] = v.panelRef
	}
	return out
}

// common adds what all blocks have.
func (v *view) common(block map[string]any, id, paging any) {
	for _, name := range []string{"display_name", "display_type", "source", "flow_id"} {
		block[name] = v.frame[name]
	}
	block["block_id"], block["type"], block["inline"], block["placement"] = id, v.block, v.placed == inline, v.placed
	block["title"] = v.text("display_name")
	block["rows"], block["total"] = v.shown(), any(v.total)
	if v.total < 0 {
		block["total"] = nil
	}
	block["truncated"], block["notice"], block["pagination"] = v.more, v.notice(), paging
	block["degraded"], block["limitation"], block["limitations"] = len(v.limitations) > 0, len(v.limitations) > 0, v.limitations
}

func (v *view) notice() string {
	shown := strconv.Itoa(v.shown())
	switch {
	case !v.more:
		return ""
	case v.total < 0:
		return fill(v.labels["truncated_open"], "shown", shown)
	}
	return fill(v.labels["truncated"], "shown", shown, "total", strconv.Itoa(v.total))
}

// paging is how the rest of the rows is had; nil when it cannot be.
func (v *view) paging(tables any) any {
	id := v.frame["table_id"]
	if isEmpty(id) {
		return nil
	}
	known, listed := tables.([]any)
	name, isText := id.(string)
	if !isText || listed && !slices.Contains(known, any(name)) || tables != nil && !listed {
		v.fail(checkPages, "shown", strconv.Itoa(v.shown()))
		return nil
	}
	if v.items == nil {
		return nil
	}
	out := map[string]any{"table_id": name, "page": 1, "page_size": v.pageSize, "total": nil, "pages": nil, "has_more": v.more, "load_more": nil}
	if v.total >= 0 {
		out["total"], out["pages"] = v.total, (v.total+v.pageSize-1)/v.pageSize
	}
	if v.more {
		out["load_more"] = map[string]any{"table_id": name, "offset": v.shown(), "limit": v.pageSize}
	}
	return out
}
