package modalitytest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/nodes/ues/simulator/modality"
	"github.com/weft-engine/weft/nodes/ues/simulator/ordered"
)

// Hostile checks what Fuzz checks with payloads and states that are right but for a few
// values: others, missing ones, strange ones.
func Hostile(t *testing.T, kind modality.Kind, seeds ...string) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		doc := MustObject(rapid.SampledFrom(seeds).Draw(rt, "seed"))
		for range rapid.IntRange(1, 4).Draw(rt, "changes") {
			spoil(rt, doc)
		}
		Fuzz(t, kind, string(doc.AppendJSON(nil)))
	})
}

// strange are values that few fields expect.
func strange() []any {
	return []any{
		nil, true, "", "x", "this", "2026-01-28T06:00:00Z", "2026-01-28T06:00:00", "a@x.io", "\u0000'\"\\", ordered.Number("0"), ordered.Number("-1"), ordered.Number("1.5"),
		ordered.Number("1e999"), ordered.Number("9223372036854775807"), ordered.Number("99999999999999999999"),
		[]any{},
		[]any{nil},
		[]any{"x", "x"},
		&ordered.Map{},
		ordered.NewMap(ordered.Member{Name: "x", Value: &ordered.Map{}}),
	}
}

// spoil changes one member somewhere in an object.
func spoil(t *rapid.T, doc *ordered.Map) {
	var names []string
	for name := range doc.All() {
		names = append(names, name)
	}
	if len(names) == 0 {
		return
	}
	name := rapid.SampledFrom(names).Draw(t, "member")
	v, _ := doc.Get(name)
	if rapid.IntRange(0, 3).Draw(t, "deeper") > 0 {
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[rapid.IntRange(0, len(list)-1).Draw(t, "item")]
		}
		if inner, ok := v.(*ordered.Map); ok && inner.Len() > 0 {
			spoil(t, inner)
			return
		}
	}
	switch rapid.IntRange(0, 4).Draw(t, "how") {
	case 0:
		doc.Delete(name)
	case 1:
		v, _ := doc.Get(rapid.SampledFrom(names).Draw(t, "other"))
		doc.Set(name, ordered.Clone(v))
	case 2:
		if list, ok := v.([]any); ok {
			doc.Set(name, slices.Concat(list, list))
			return
		}
		doc.Set("copy of "+name, ordered.Clone(v))
	default:
		doc.Set(name, rapid.SampledFrom(strange()).Draw(t, "value"))
	}
}
