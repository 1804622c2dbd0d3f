package expr_test

import (
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
)

func BenchmarkCondition(b *testing.B) {
	scope := map[string]any{
		"classification": "respond", "i": 3, "limit": 10,
		"output": map[string]any{"calls": []any{map[string]any{"name": "a"}, map[string]any{"name": "done"}}},
	}
	for _, text := range []string{
		`i < limit`, `classification == "respond"`, `classification in ["notify", "respond"] and i < 5`, `any(output.calls, .name == "done")`,
	} {
		b.Run(text, func(b *testing.B) {
			var list diag.List
			x := expr.CompileCondition(str(text), assistantEnv(), &list)
			if err := list.Err(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := x.Bool(scope); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	env := assistantEnv()
	for _, text := range []string{
		`classification == "respond"`, `any(output.calls, .name == "done") and len(messages) > 3 and classification in ["notify", "respond"]`,
	} {
		b.Run(text[:10], func(b *testing.B) {
			src := str(text)
			b.ReportAllocs()
			for b.Loop() {
				var list diag.List
				expr.CompileExpr(src, env, &list)
				if list.Len() > 0 {
					b.Fatal(list.Err())
				}
			}
		})
	}
}

func BenchmarkTemplateTenSections(b *testing.B) {
	var text strings.Builder
	for range 10 {
		text.WriteString("Subject: {{ email.subject }}\n{% if len(messages) > 1 %}\nThere are {{ len(messages) }} messages.\n{% else %}\nNo messages.\n{% endif %}\n" +
			"{% for m in messages %}\n- {{ m.role }}: {{ m.content }}\n{% endfor %}\n")
	}
	var list diag.List
	x := expr.CompileText(str(text.String()), assistantEnv(), &list)
	if err := list.Err(); err != nil {
		b.Fatal(err)
	}
	message := map[string]any{"role": "user", "content": "Hello there"}
	scope := map[string]any{
		"email": map[string]any{"subject": "Budget"}, "messages": []any{message, message, message},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.String(scope); err != nil {
			b.Fatal(err)
		}
	}
}

// assistantEnv is the names of a graph that answers mail.
func assistantEnv() *expr.Env {
	text := &shape.Type{Kind: shape.String}
	email := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"id": text, "from": text, "subject": text, "to": {Kind: shape.List, Elem: text},
		"body": {Kind: shape.String, Untrusted: true}, "snippet": {Kind: shape.String, Nullable: true},
	}}
	call := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{"id": text, "name": text, "args": {Kind: shape.Object, Open: true}}}
	message := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"role": {Kind: shape.String, Enum: []any{"user", "assistant", "tool"}}, "content": text, "tool_calls": {Kind: shape.List, Elem: call},
	}}
	message.Fields["replies"] = &shape.Type{Kind: shape.List, Elem: message}
	return expr.NewEnv(map[string]*shape.Type{
		"classification": {Kind: shape.String, Enum: []any{"ignore", "notify", "respond"}},
		"i":              {Kind: shape.Int}, "limit": {Kind: shape.Int}, "ratio": {Kind: shape.Number}, "done": {Kind: shape.Bool},
		"email": email, "emails": {Kind: shape.List, Elem: email}, "messages": {Kind: shape.List, Elem: message},
		"output": {Kind: shape.Object, Fields: map[string]*shape.Type{"calls": {Kind: shape.List, Elem: call}, "stopped": {Kind: shape.Bool}}},
		"days":   {Kind: shape.List, Elem: text}, "flags": {Kind: shape.Object, Open: true}, "any": {}, "data": {},
		"run":    {Kind: shape.Object, Fields: map[string]*shape.Type{"id": text, "now": {Kind: shape.Time}, "left": {Kind: shape.Duration}}},
		"any_of": {Enum: []any{"a", "b"}},
	})
}

func BenchmarkMessage(b *testing.B) {
	for name, text := range map[string]string{
		"plain": "I found 2 slots in June.", "marks": "Booked **Dentist** for *Friday*, see https://e.org.\n\n- one\n- two\n",
	} {
		b.Run(name, func(b *testing.B) {
			var list diag.List
			x := expr.CompileExpr(str("message_html(data)"), assistantEnv(), &list)
			if err := list.Err(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := x.Eval(map[string]any{"data": text}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
