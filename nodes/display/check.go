package display

import (
	"fmt"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
)

// checking is a configured node that checks a block which is shown.
type checking struct{ block, degraded, rows, limit *expr.Value }

func checkedType() *shape.Type {
	return &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"failed": {Kind: shape.List, Elem: &shape.Type{Kind: shape.String}},
	}}
}

// Next makes the checks.
func (p *checking) Next(in *engine.Invocation) (engine.Move, error) {
	var block, degraded, rows, limit any
	for _, part := range []struct {
		name string
		from *expr.Value
		to   *any
	}{{"check", p.block, &block}, {"degraded", p.degraded, &degraded}, {"source_rows", p.rows, &rows}, {"limit", p.limit, &limit}} {
		if part.from == nil {
			continue
		}
		v, err := part.from.Eval(in.Scope)
		if err != nil {
			return engine.Move{}, fmt.Errorf("%s: %w", part.name, err)
		}
		*part.to = v
	}
	b, _ := block.(map[string]any)
	most, ok := limit.(int)
	if !ok {
		most = defaults().pageSize
	}
	total, ok := rows.(int)
	if !ok {
		total = -1
	}
	return engine.Finish(map[string]any{"failed": rendered(b, most, total, degraded == true || b["degraded"] == true)}), nil
}

// contents are the fields of a block that hold what it shows.
var contents = []string{"data", "items", "fields", "series", "text"}

// rendered makes the checks of a block that is shown. total is how many records the
// source has, -1 when only the block itself tells.
func rendered(block map[string]any, limit, total int, degraded bool) []any {
	failed := []any{}
	if blank(block) {
		failed = append(failed, checkRendered)
	}
	rows, counted := block["rows"].(int)
	if t, ok := block["total"].(int); ok && total < 0 {
		total = t
	}
	if silent := block["truncated"] != true && total > rows; counted && (silent || rows > limit) {
		failed = append(failed, checkTruncated)
	}
	if degraded && block["limitation"] != true {
		failed = append(failed, checkDegraded)
	}
	return failed
}

// blank reports a block that shows nothing. A count of rows is believed when the block
// does not hold them itself.
func blank(block map[string]any) bool {
	if textOf(block["type"]) == "" {
		return true
	}
	held := false
	for _, name := range contents {
		v, ok := block[name]
		held = held || ok
		if ok && !isEmpty(v) {
			return false
		}
	}
	rows, counted := block["rows"].(int)
	return held || !counted || rows == 0
}
