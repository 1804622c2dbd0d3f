package display_test

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
)

// Whatever a frame holds, there is a block or a reason, the block passes its own checks,
// and the frame is as it was.
func TestAnyFrame(t *testing.T) {
	show, check := plan(t, "show"), plan(t, "check")
	rapid.Check(t, func(rt *rapid.T) {
		frame, input := anyFrame(rt), object{}
		input["frame"] = frame
		input["hint"] = rapid.SampledFrom([]any{nil, "", "table", "card", "form", "list", "toast", "confirmation", "chart", "progress", "nothing"}).Draw(rt, "hint")
		input["settings"] = rapid.SampledFrom([]any{nil, object{"page_size": 2, "chart_types": list{"area", "bar", "stack", "scatter", "line"}, "svg": false}}).Draw(rt, "settings")
		before := fmt.Sprintf("%#v", frame)
		out := run(t, show, input)
		if after := fmt.Sprintf("%#v", frame); before != after {
			rt.Fatalf("the frame was %s and is %s", before, after)
		}
		failed, _ := out["failed"].(list)
		limitations, _ := out["limitations"].(list)
		if out["degraded"] != (len(limitations) > 0) || len(failed) > len(limitations) {
			rt.Fatalf("degraded: %v, failed %v, limitations %v", out["degraded"], failed, limitations)
		}
		if out["block"] == nil {
			if len(failed) == 0 {
				rt.Fatalf("no block, and nothing failed: %v", out)
			}
			return
		}
		limit := 512
		if input["settings"] != nil {
			limit = 2
		}
		if again := run(t, check, object{"block": out["block"], "limit": limit}); !reflect.DeepEqual(again["failed"], list{}) {
			rt.Fatalf("the block fails %v: %v", again["failed"], out["block"])
		}
	})
}

func anyFrame(t *rapid.T) object {
	frame := object{}
	for _, name := range []string{
		"data", "display_type", "chart_type", "display_name", "table_id", "row_count", "columns", "labels", "axes", "colors", "error", "flow_id", "level",
	} {
		switch rapid.IntRange(0, 3).Draw(t, name) {
		case 0:
			frame[name] = anyValue(t, 3)
		case 1:
			frame[name] = rapid.SampledFrom([]any{"Default", "Dynamic", "Decision", "bar", "line", "scatter", "x", "y", list{"x", "y"}, object{"x": "x", "y": list{"y"}, "series": "z"}, 7}).Draw(t, "known")
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "rows") > 0 {
		data := list{}
		for range rapid.IntRange(1, 4).Draw(t, "count") {
			row := object{}
			for _, name := range []string{"x", "y", "z"} {
				row[name] = anyValue(t, 1)
			}
			data = append(data, row)
		}
		frame["data"] = data
	}
	return frame
}

func anyValue(t *rapid.T, depth int) any {
	most := 8
	if depth == 0 {
		most = 6
	}
	switch rapid.IntRange(0, most).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return rapid.IntRange(-5, 5).Draw(t, "int")
	case 3:
		return rapid.SampledFrom([]any{0.5, -1e300, 1e18 + 0.5, 5e-324}).Draw(t, "float")
	case 4, 5, 6:
		return rapid.SampledFrom([]string{"", "a", "<b>", "2026-01-02", "2026-01-02T03:04:05Z", "{shown}", "title", "9999-99-99"}).Draw(t, "text")
	case 7:
		out := list{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			out = append(out, anyValue(t, depth-1))
		}
		return out
	}
	out := object{}
	for range rapid.IntRange(0, 3).Draw(t, "fields") {
		out[rapid.SampledFrom([]string{"title", "type", "options", "name", "fields", "value", "x", ""}).Draw(t, "name")] = anyValue(t, depth-1)
	}
	return out
}

// BenchmarkFirstPage shows that the size of a frame does not matter.
func BenchmarkFirstPage(b *testing.B) {
	p := plan(b, "show")
	for _, n := range []int{1_000, 1_000_000} {
		in := engine.NewInvocation(object{"input": object{"frame": object{"data": rows(n), "display_type": "Default", "table_id": "t1"}}})
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Next(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCard(b *testing.B) {
	p := plan(b, "show")
	in := engine.NewInvocation(object{"input": object{"frame": object{"data": object{"title": "Dentist", "when": "Fri 09:00"}, "display_type": "Default"}, "hint": "card"}})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Next(in); err != nil {
			b.Fatal(err)
		}
	}
}
