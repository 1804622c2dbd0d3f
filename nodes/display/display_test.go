package display_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes/display"
	"github.com/weft-engine/weft/nodes/internal/nodetest"
)

const shows = `
name: shows
graphs:
  main:
    input:
      type: object
      additionalProperties: true
    start: show
    nodes:
      show:
        display:
          frame: "{{ get(input, 'frame') }}"
          hint: "{{ get(input, 'hint') }}"
          previous: "{{ get(input, 'previous') }}"
          tables: "{{ get(input, 'tables') }}"
          block_id: "{{ get(input, 'block_id') }}"
          settings: "{{ get(input, 'settings') }}"
      check:
        display: {check: "{{ get(input, 'block') }}", degraded: "{{ get(input, 'degraded') }}", source_rows: "{{ get(input, 'source_rows') }}", limit: "{{ get(input, 'limit') }}"}
`

type object = map[string]any

type list = []any

func load(t testing.TB, yaml string) *source.Value {
	t.Helper()
	sp, found := spec.Load(fstest.MapFS{"spec.yaml": {Data: []byte(yaml)}}, ".", spec.Options{})
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return sp.Root
}

var types = build.Types{Nodes: []build.NodeType{display.Type()}}

func plan(t testing.TB, node string) engine.Plan {
	t.Helper()
	return nodetest.Plan(t, types, load(t, shows), "main", node).Plan
}

func run(t testing.TB, p engine.Plan, input object) object {
	t.Helper()
	out, err := (&nodetest.Run{Plan: p, Scope: object{"input": input}}).Do(t)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := out.(object)
	return m
}

func rows(n int) list {
	out := make(list, n)
	for i := range out {
		out[i] = object{"id": i + 1}
	}
	return out
}

// pick returns the named values: of the output, or of its block.
func pick(out object, want object) object {
	block, _ := out["block"].(object)
	got := object{}
	for name := range want {
		v, ok := out[name]
		if !ok {
			v = block[name]
		}
		got[name] = v
	}
	return got
}

func TestBlocks(t *testing.T) {
	p := plan(t, "show")
	for _, tt := range []struct {
		name  string
		input object
		want  object
	}{
		{"no frame", object{"frame": nil, "hint": "card"}, object{
			"block": nil, "block_id": nil, "render": nil, "placement": nil, "panel_ref": "", "failed": list{}, "degraded": false, "limitations": list{},
		}},
		{"an empty frame", object{"frame": object{}}, object{
			"block": nil, "render": "create", "failed": list{"frame_present", "required_attributes"}, "degraded": true, "panel_ref": "",
		}},
		{"no data", object{"frame": object{"display_type": "Default"}}, object{"block": nil, "failed": list{"required_attributes"}, "degraded": true, "limitations": list{
			object{"reason": "required_attributes", "text": "The result could not be shown: data is missing."},
		}}},
		{"empty data", object{"frame": object{"display_type": "Default", "data": list{}}}, object{"block": nil, "failed": list{"required_attributes"}}},
		{"no display type", object{"frame": object{"data": rows(1)}}, object{"block": nil, "failed": list{"required_attributes"}, "degraded": true}},
		{"no frame but a text", object{"frame": "a frame"}, object{"block": nil, "failed": list{"frame_present", "required_attributes"}}},
		{"hint", object{"frame": object{"data": object{"title": "x"}, "display_type": "Default"}, "hint": "card"}, object{
			"type": "card", "placement": "panel", "inline": false, "degraded": false, "limitation": false, "panel_ref": "on the right", "title": "",
			"fields": list{object{"key": "title", "label": "Title", "value": "x"}}, "rows": 1, "total": 1, "truncated": false, "notice": "",
		}},
		{"chart type before hint", object{"frame": object{"data": list{object{"m": 1}}, "display_type": "Default", "chart_type": "bar"}, "hint": "table"}, object{
			"type": "chart", "placement": "panel", "chart_type": "bar", "degraded": false, "rows": 1,
		}},
		{"shape before hint", object{"frame": object{"data": rows(2), "display_type": "Default"}, "hint": "card"}, object{
			"type": "table", "placement": "panel", "degraded": false, "data": rows(2), "columns": list{object{"key": "id", "label": "Id", "kind": "number"}},
		}},
		{"toast", object{"frame": object{"data": "Saved", "display_type": "Default"}, "hint": "toast"}, object{
			"type": "toast", "placement": "inline", "inline": true, "panel_ref": "", "text": "Saved", "level": "info", "degraded": false,
		}},
		{"toast with a level", object{"frame": object{"data": "Saved", "display_type": "Default", "level": "success"}, "hint": "toast"}, object{"level": "success"}},
		{"toast about an error", object{"frame": object{"data": "x", "display_type": "Default", "error": "Lost connection."}, "hint": "toast"}, object{
			"level": "error", "limitation": true, "degraded": true, "limitations": list{object{"reason": "frame", "text": "Lost connection."}},
		}},
		{"confirmation", object{"frame": object{"data": "Delete?", "display_type": "Default"}, "hint": "confirmation"}, object{
			"type": "confirmation", "placement": "inline", "text": "Delete?", "degraded": false,
			"actions": list{object{"id": "confirm", "label": "Confirm"}, object{"id": "cancel", "label": "Cancel"}},
		}},
		{"attributes", object{"frame": object{"data": rows(1), "display_type": "Default", "display_name": "orders", "source": "sql"}}, object{
			"type": "table", "display_name": "orders", "source": "sql", "title": "orders", "display_type": "Default", "flow_id": nil,
		}},
		{"no hint", object{"frame": object{"data": object{"a": 1}, "display_type": "Dynamic"}}, object{"type": "list", "items": list{object{"text": "A: 1", "detail": ""}}}},
		{"unknown hint", object{"frame": object{"data": rows(1), "display_type": "Default"}, "hint": "sparkline"}, object{"type": "table", "degraded": false}},
		{"unknown display type", object{"frame": object{"data": object{"a": 1}, "display_type": "Odd"}}, object{
			"type": "card", "degraded": true, "failed": list{}, "limitations": list{object{"reason": "type", "text": "Nothing says how Odd is shown; this is a card."}},
		}},
		{"an unknown display type with a hint", object{"frame": object{"data": object{"a": 1}, "display_type": "Odd"}, "hint": "card"}, object{"type": "card", "degraded": false}},
		{"a type of the spec's own", object{"frame": object{"data": rows(2), "display_type": "Odd"}, "hint": "sparkline", "settings": object{
			"accepts": object{"sparkline": list{"rows"}}, "inline_types": list{"sparkline"}, "panel_ref": "below",
		}}, object{"type": "sparkline", "placement": "inline", "panel_ref": "", "data": rows(2)}},
		{"one's own words", object{"frame": object{"data": rows(2), "display_type": "Default"}, "settings": object{"panel_ref": "below", "page_size": 1, "labels": object{"truncated": "{shown}/{total}"}}}, object{
			"panel_ref": "below", "notice": "1/2", "truncated": true,
		}},
		{"marks", object{"frame": object{"data": rows(1), "display_type": "Default", "warning": list{"a", object{"message": "b"}, 3}, "degradation": true, "error": false}}, object{
			"degraded": true, "limitation": true, "failed": list{}, "limitations": list{
				object{"reason": "frame", "text": "a"},
				object{"reason": "frame", "text": "b"},
				object{"reason": "frame", "text": "The result is not complete."},
				object{"reason": "frame", "text": "The result is not complete."},
			},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pick(run(t, p, tt.input), tt.want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPaging(t *testing.T) {
	p := plan(t, "show")
	frame := func(n int, more object) object {
		f := object{"data": rows(n), "display_type": "Default"}
		maps.Copy(f, more)
		return f
	}
	pages := func(total, pages any, more bool, load any) object {
		return object{"table_id": "t1", "page": 1, "page_size": 512, "total": total, "pages": pages, "has_more": more, "load_more": load}
	}
	for _, tt := range []struct {
		name  string
		input object
		want  object
	}{
		{"below the limit", object{"frame": frame(511, nil)}, object{"rows": 511, "total": 511, "truncated": false, "pagination": nil, "notice": "", "degraded": false}},
		{"the limit", object{"frame": frame(512, nil)}, object{"rows": 512, "total": 512, "truncated": false, "pagination": nil, "degraded": false}},
		{"above the limit", object{"frame": frame(513, nil)}, object{
			"rows": 512, "total": 513, "truncated": true, "pagination": nil, "notice": "Showing 512 of 513 rows.", "degraded": false, "failed": list{},
		}},
		{"a domain's limit", object{"frame": frame(1000, nil), "settings": object{"page_size": 1024}}, object{"rows": 1000, "truncated": false, "pagination": nil}},
		{"a source", object{"frame": frame(512, object{"table_id": "t1", "row_count": 900}), "tables": list{"t0", "t1"}}, object{
			"rows": 512, "total": 900, "truncated": true, "degraded": false, "failed": list{}, "notice": "Showing 512 of 900 rows.",
			"pagination": pages(900, 2, true, object{"table_id": "t1", "offset": 512, "limit": 512}),
		}},
		{"every source", object{"frame": frame(5, object{"table_id": "t1"})}, object{"total": 5, "truncated": false, "pagination": pages(5, 1, false, nil)}},
		{"a source that does not tell its size", object{"frame": frame(512, object{"table_id": "t1"})}, object{
			"total": nil, "truncated": true, "notice": "Showing the first 512 rows.",
			"pagination": pages(nil, nil, true, object{"table_id": "t1", "offset": 512, "limit": 512}),
		}},
		{"a source that cannot be found", object{"frame": frame(1, object{"table_id": "t9", "row_count": 900}), "tables": list{}}, object{
			"rows": 1, "total": 900, "truncated": true, "failed": list{"pagination_resolvable"}, "degraded": true, "limitation": true, "pagination": nil, "type": "table",
			"limitations": list{object{"reason": "pagination_resolvable", "text": "Only the first 1 rows can be shown; the rest cannot be loaded."}},
		}},
		{"a source that is no text", object{"frame": frame(1, object{"table_id": 7})}, object{"failed": list{"pagination_resolvable"}, "pagination": nil}},
		{"a size that is less than the data", object{"frame": frame(10, object{"row_count": -3})}, object{"total": 10, "truncated": false}},
		{"a list", object{"frame": object{"data": list{"a", "b", "c"}, "display_type": "Dynamic"}, "settings": object{"page_size": 2, "type_map": object{"Dynamic": "list"}}}, object{
			"type": "list", "rows": 2, "truncated": true, "items": list{object{"text": "a", "detail": ""}, object{"text": "b", "detail": ""}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pick(run(t, p, tt.input), tt.want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestIdentity(t *testing.T) {
	p := plan(t, "show")
	whole := object{"data": rows(1), "display_type": "Default", "flow_id": "f1"}
	for _, tt := range []struct {
		name   string
		input  object
		id     any
		render any
	}{
		{"new", object{"frame": whole}, "block-f1", "create"},
		{"new, with an id", object{"frame": whole, "block_id": "b7"}, "b7", "create"},
		{"the same flow", object{"frame": whole, "block_id": "b7", "previous": object{"flow_id": "f1", "block_id": "b1"}}, "b1", "update"},
		{"another flow", object{"frame": whole, "previous": object{"flow_id": "f0", "block_id": "b1"}}, "block-f1", "create"},
		{"no flow", object{"frame": object{"data": "x", "display_type": "Default"}, "previous": object{"block_id": "b1"}}, "block-ad6dfc11349c80d7", "create"},
		{"an update that cannot be shown", object{"frame": object{"flow_id": "f1", "updated": true}, "previous": object{"flow_id": "f1", "block_id": "b1"}}, "b1", "update"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := run(t, p, tt.input)
			if out["block_id"] != tt.id || out["render"] != tt.render {
				t.Errorf("%v %v, want %v %v", out["render"], out["block_id"], tt.render, tt.id)
			}
			if block, ok := out["block"].(object); ok && block["block_id"] != tt.id {
				t.Errorf("the block says %v", block["block_id"])
			}
		})
	}
}

func TestContents(t *testing.T) {
	p := plan(t, "show")
	for _, tt := range []struct {
		name  string
		frame object
		hint  string
		want  object
	}{
		{"table with columns", object{"data": list{object{"b": "x", "a": nil, "c": true}, object{"b": "y", "c": 1}}, "columns": list{"b", object{"key": "c", "label": "Sea"}}, "labels": object{"b": "Bee"}}, "table", object{
			"columns": list{object{"key": "b", "label": "Bee", "kind": "text"}, object{"key": "c", "label": "Sea", "kind": "other"}},
		}},
		{"table of anything", object{"data": list{1, object{"a": 2}}}, "", object{
			"type": "table", "data": list{object{"value": 1}, object{"a": 2}},
			"columns": list{object{"key": "a", "label": "A", "kind": "number"}, object{"key": "value", "label": "Value", "kind": "number"}},
		}},
		{"table of an object", object{"data": object{"due_date": "2026-01-02"}}, "", object{
			"type": "table", "data": list{object{"due_date": "2026-01-02"}}, "columns": list{object{"key": "due_date", "label": "Due date", "kind": "text"}},
		}},
		{"list of rows", object{"data": list{object{"name": "Dal", "min": 30, "vegan": true, "tags": list{"a", "b"}}, object{"id": 1}}}, "list", object{
			"items": list{object{"text": "Dal", "detail": "Min: 30, Tags: a, b, Vegan: yes"}, object{"text": "Id: 1", "detail": ""}},
		}},
		{"card of a text", object{"data": "Hello"}, "card", object{"text": "Hello", "fields": list{}}},
		{"form", object{"data": object{
			"who": object{"type": "CategorySlot", "label": "Person", "options": list{"Ann", object{"id": 7, "name": "Bo"}}, "priority": "required"},
			"n":   3, "note": "a\nb", "ok": false, "tags": list{"x"}, "extra": object{"k": "v"}, "level": object{"type": "level", "min": 1, "max": 5, "value": 2},
		}}, "form", object{"submit": "Submit", "fields": list{
			object{"name": "extra", "label": "Extra", "input": "key_value", "value": object{"k": "v"}, "required": false},
			object{"name": "level", "label": "Level", "input": "number", "value": 2, "required": false, "min": 1, "max": 5},
			object{"name": "n", "label": "N", "input": "number", "value": 3, "required": false},
			object{"name": "note", "label": "Note", "input": "textarea", "value": "a\nb", "required": false},
			object{"name": "ok", "label": "Ok", "input": "checkbox", "value": false, "required": false},
			object{"name": "tags", "label": "Tags", "input": "list", "value": list{"x"}, "required": false},
			object{"name": "who", "label": "Person", "input": "radio", "value": nil, "required": true, "options": list{
				object{"value": "Ann", "label": "Ann"}, object{"value": 7, "label": "Bo"},
			}},
		}}},
		{"form in order", object{"data": object{"fields": list{object{"name": "b", "type": "FreeTextSlot", "required": true}, object{"name": "a", "input": "color"}}}}, "form", object{"fields": list{
			object{"name": "b", "label": "B", "input": "textarea", "value": nil, "required": true}, object{"name": "a", "label": "A", "input": "color", "value": nil, "required": false},
		}}},
		{"form of slots", object{"data": object{"title": "x", "slots": object{"a": object{"type": "date"}}}}, "form", object{"fields": list{
			object{"name": "a", "label": "A", "input": "date", "value": nil, "required": false},
		}}},
		{"columns told twice", object{"data": list{object{"a": 1, "b": 2}}, "columns": list{"a", "a", 3, "a"}}, "table", object{
			"degraded": false, "columns": list{object{"key": "a", "label": "A", "kind": "number"}},
		}},
		{"form of rows", object{"data": list{object{"id": 1, "title": "One"}}, "display_type": "Decision"}, "", object{"type": "form", "fields": list{
			object{"name": "choice", "label": "Choose one", "input": "select", "value": nil, "required": true, "options": list{object{"value": 1, "label": "One"}}},
		}}},
		{"a type without content of its own", object{"data": object{"percent": 40}}, "progress", object{"type": "progress", "placement": "inline", "fields": list{object{"key": "percent", "label": "Percent", "value": 40}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.frame["display_type"] == nil {
				tt.frame["display_type"] = "Default"
			}
			if diff := cmp.Diff(tt.want, pick(run(t, p, object{"frame": tt.frame, "hint": tt.hint}), tt.want)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWideData(t *testing.T) {
	p := plan(t, "show")
	wide := object{}
	for i := range 300 {
		wide[fmt.Sprintf("c%03d", i)] = i
	}
	for hint, reason := range map[string]string{"table": "columns", "card": "fields", "form": "fields"} {
		data := any(list{wide})
		if hint != "table" {
			data = wide
		}
		out := run(t, p, object{"frame": object{"data": data, "display_type": "Default"}, "hint": hint})
		block, _ := out["block"].(object)
		shown := block["columns"]
		if hint != "table" {
			shown = block["fields"]
		}
		want := list{object{"reason": reason, "text": "Only the first 200 of 300 " + reason + " are shown."}}
		if n, _ := shown.(list); len(n) != 200 || !cmp.Equal(want, block["limitations"]) || block["limitation"] != true {
			t.Errorf("%s: %d shown, %v", hint, len(n), block["limitations"])
		}
	}
}

// What is left out is said.
func TestLimits(t *testing.T) {
	p := plan(t, "show")
	settings := object{"page_size": 2}
	numbers, options, columns := object{}, list{}, list{}
	for i := range 210 {
		numbers[fmt.Sprintf("n%03d", i)] = i
		options = append(options, i)
		columns = append(columns, fmt.Sprintf("n%03d", i))
	}
	for _, tt := range []struct {
		name  string
		input object
		want  string
	}{
		{
			"options",
			object{"frame": object{"data": object{"a": object{"type": "category", "options": options}}, "display_type": "Default"}, "hint": "form", "settings": settings},
			"Only the first 2 of 210 options are offered.",
		},
		{"numbers of an object", object{"frame": object{"data": numbers, "display_type": "Default", "chart_type": "bar"}, "settings": settings}, "Only the first 2 of 210 fields are shown."},
		{"told columns", object{"frame": object{"data": list{numbers}, "columns": columns, "display_type": "Default"}}, "Only the first 200 of 210 columns are shown."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			limitations, _ := run(t, p, tt.input)["limitations"].(list)
			if len(limitations) != 1 {
				t.Fatalf("%v", limitations)
			}
			if one, _ := limitations[0].(object); one["text"] != tt.want {
				t.Errorf("got %v, want %s", one, tt.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	p := plan(t, "check")
	block := func(more object) object {
		b := object{"type": "table", "rows": 10, "truncated": false, "limitation": false}
		maps.Copy(b, more)
		return b
	}
	for _, tt := range []struct {
		name  string
		input object
		want  list
	}{
		{"fine", object{"block": block(nil), "limit": 512}, list{}},
		{"empty", object{"block": block(object{"rows": 0})}, list{"block_rendered"}},
		{"nothing", object{"block": nil}, list{"block_rendered"}},
		{"without content", object{"block": object{"type": "card"}}, list{"block_rendered"}},
		{"with empty content", object{"block": object{"type": "card", "fields": list{}, "text": ""}}, list{"block_rendered"}},
		{"with content", object{"block": object{"type": "toast", "text": "x"}}, list{}},
		{"silently cut", object{"block": block(object{"rows": 512}), "source_rows": 900, "limit": 512, "degraded": false}, list{"truncation_bounded"}},
		{"cut and said", object{"block": block(object{"rows": 512, "truncated": true}), "source_rows": 900, "limit": 512}, list{}},
		{"beyond the limit", object{"block": block(object{"rows": 513}), "limit": 512}, list{"truncation_bounded"}},
		{"beyond the limit that always holds", object{"block": block(object{"rows": 513})}, list{"truncation_bounded"}},
		{"the block's own total", object{"block": block(object{"total": 11})}, list{"truncation_bounded"}},
		{"silently degraded", object{"block": block(nil), "degraded": true}, list{"degradation_visible"}},
		{"degraded and said", object{"block": block(object{"limitation": true}), "degraded": true}, list{}},
		{"everything", object{"block": block(object{"rows": 0}), "degraded": true, "source_rows": 3}, list{"block_rendered", "truncation_bounded", "degradation_visible"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(object{"failed": tt.want}, run(t, p, tt.input)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBadSettings(t *testing.T) {
	p := plan(t, "show")
	for _, tt := range []struct {
		settings any
		want     string
	}{
		{3, "settings: a map is wanted"},
		{object{"page_size": 0}, "page_size: a whole number from 1 to 10000 is wanted"},
		{object{"panel_ref": 1}, "panel_ref: a text is wanted"},
		{object{"svg": "yes"}, "svg: true or false is wanted"},
		{object{"colors": "red"}, "colors: a list is wanted"},
		{object{"levels": list{1}}, "levels: a list of texts is wanted"},
		{object{"type_map": list{}}, "type_map: a map is wanted"},
		{object{"type_map": object{"a": 1}}, "type_map: a: a text is wanted"},
		{object{"accepts": object{"table": "rows"}}, "accepts: table: a list is wanted"},
	} {
		_, err := (&nodetest.Run{Plan: p, Scope: object{"input": object{"frame": object{"data": "x", "display_type": "Default"}, "settings": tt.settings}}}).Do(t)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want %s", tt.settings, err, tt.want)
		}
	}
	if out := run(t, p, object{"frame": nil, "settings": object{"types": list{"Default"}, "of_someone_else": 1}}); out["block"] != nil {
		t.Errorf("a section with other settings: %v", out)
	}
}

func TestFindings(t *testing.T) {
	for config, want := range map[string]string{
		`{frame: {}, hint: tabel}`: `display/block: there is no type of block "tabel"`,
		`{frame: {}, hint: sparkline, settings: {accepts: {sparkline: []}}}`: "",
		`{frame: {}, hint: "{{ 'tabel' + '' }}"}`:                            "",
		`{frame: {}, settings: {svg: "{{ 1 }}"}}`:                            "",
		`{frame: {}, settings: {panel_ref: "", page_size: 3}}`:               "",
	} {
		root := load(t, "name: a\ngraphs:\n  main:\n    start: show\n    nodes:\n      show:\n        display: "+config+"\n")
		_, findings := nodetest.Node(t, types, root, "main", "show")
		got := ""
		for _, f := range findings {
			got += string(f.Code) + ": " + f.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", config, got, want)
		}
	}
}
