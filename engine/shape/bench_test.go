package shape_test

import (
	"fmt"
	"testing"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/shape"
)

var mail = map[string]any{"id": "m1", "subject": "Lunch on Friday?", "to": []any{"a@example.com", "b@example.com"}}

func BenchmarkCheck(b *testing.B) {
	for name, schema := range map[string]string{
		"any": `{}`, "string": `{"type": "string"}`, "object": `{"$ref": "#/types/Email"}`,
		"validator": `{"$ref": "#/types/Email", "minProperties": 1}`,
	} {
		b.Run(name, func(b *testing.B) {
			s := compile(b, email, schema)
			var v any = mail
			if name == "string" {
				v = "text"
			}
			b.ReportAllocs()
			for b.Loop() {
				if s.Check(v) != nil {
					b.Fatal("does not fit")
				}
			}
		})
	}
}

func BenchmarkCheckWrong(b *testing.B) {
	s := compile(b, email, `{"$ref": "#/types/Email"}`)
	for b.Loop() {
		if s.Check(map[string]any{"id": 1, "subjet": ""}) == nil {
			b.Fatal("fits")
		}
	}
}

func BenchmarkCoerce(b *testing.B) {
	s := compile(b, email, `{"$ref": "#/types/Email"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := s.Coerce(mail); problems != nil {
			b.Fatal(problems)
		}
	}
}

// 300 types of six properties, and 600 shapes that refer to them: a large spec.
func BenchmarkCompile(b *testing.B) {
	types := map[string]any{}
	str := map[string]any{"type": "string"}
	for i := range 300 {
		types[fmt.Sprintf("T%d", i)] = map[string]any{"type": "object", "required": []any{"a"}, "properties": map[string]any{
			"a": str, "b": str, "c": map[string]any{"type": "integer"}, "d": map[string]any{"enum": []any{"x", "y"}},
			"e": map[string]any{"type": "array", "items": str}, "f": map[string]any{"$ref": fmt.Sprintf("#/types/T%d", (i+1)%300)},
		}}
	}
	tv := shape.FromGo(types)
	sv := shape.FromGo(map[string]any{"type": "object", "properties": map[string]any{"t": map[string]any{"$ref": "#/types/T7"}, "n": str}})
	for b.Loop() {
		var list diag.List
		lib := shape.NewLibrary(tv, &list)
		for range 600 {
			lib.Compile(sv, &list)
		}
		if list.Len() > 0 {
			b.Fatal(list.Sorted())
		}
	}
}
