package expr_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
)

// patience is far more than any of these takes on a busy machine, and far less than
// what is not bounded would take.
const patience = time.Minute

func numbers(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// No expression runs or grows without bound.
func TestEvaluationIsBounded(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("0123456789", 100_000)
	scope := data{"any": numbers(2000), "data": big, "days": []any{big, big}}
	lets := "let a0 = [1, 1]; "
	for i := 1; i < 60; i++ {
		lets += fmt.Sprintf("let a%d = [a%d, a%d]; ", i, i-1, i-1)
	}
	for name, text := range map[string]string{
		"nested predicates":        `all(any, all(any, all(any, # >= 0)))`,
		"nested maps":              `map(any, map(any, map(any, #)))`,
		"wide body":                `all(1..100000, ` + strings.Repeat("# + ", 500) + `# > 0)`,
		"range":                    `1..2000000`,
		"huge range":               `-9223372036854775807..9223372036854775807`,
		"sum of ranges":            `map(1..2000, sum(1..#))`,
		"doubling text":            `reduce(1..100, #acc + #acc, "ab")`,
		"doubling list":            `reduce(1..100, [#acc, #acc], [1])`,
		"doubling list, as JSON":   `json(reduce(1..100, [#acc, #acc], [1]))`,
		"doubling list, compared":  `let x = reduce(1..60, [#acc, #acc], [1]); let y = reduce(1..60, [#acc, #acc], [1]); x == y`,
		"doubling list, flattened": `flatten(reduce(1..60, [#acc, #acc], [1]))`,
		"doubling list, unique":    `unique([reduce(1..60, [#acc, #acc], [1])])`,
		"doubling by let":          lets + "a59",
		"deep list":                `reduce(1..100000, [#acc], [1])`,
		"repeat":                   `repeat("abc", 1000000000)`,
		"repeat of a long text":    `repeat(data, 1000)`,
		"replace":                  `replace(data, "", data)`,
		"replace often":            `reduce(1..50, replace(#acc, "a", "aaaa"), "a")`,
		"join":                     `join(map(1..1000000, data), "")`,
		"join of few":              `join(map(1..1000, data), "")`,
		"concat":                   `reduce(1..100, concat(#acc, #acc), [1])`,
		"split":                    `map(1..1000, split(data, ""))`,
		"search":                   `all(1..20000, not (data contains "x#"))`,
		"pattern":                  `all(1..1000, not (data matches "(x+x+)+y(a{1,20}){1,20}"))`,
		"pattern of the run":       `all(1..100000, not (data matches ("x" + string(#))))`,
		"fence":                    `map(1..1000, fence(data))`,
		"search by function":       `all(1..20000, indexOf(data, "x#") < 0)`,
		"html":                     `map(1..1000, html_to_text("<p>" + data))`,
		"markdown":                 `map(1..1000, markdown_to_html(data[0:50000]))`,
		"large objects":            `map(1..200000, merge({a: 1, b: 2}, {c: 3, d: 4}))`,
		"grouping":                 `map(1..1000, groupBy(any, #))`,
		"sorting":                  `map(1..1000, sort(any))`,
		"equal texts":              `all(1..20000, days[0] == days[1])`,
		"in":                       `all(1..100000, not (-1 in any))`,
		"upper":                    `map(1..1000, upper(data))`,
		"text of lists":            `map(1..100000, string(any))`,
		"json and back":            `map(1..1000, from_json(json(any)))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list diag.List
			x := expr.CompileExpr(str(text), assistantEnv(), &list)
			if err := list.Err(); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, err := x.Eval(scope)
			if !errors.Is(err, expr.ErrLimit) {
				t.Errorf("got %v", err)
			}
			if d := time.Since(start); d > patience {
				t.Errorf("it took %s", d)
			}
		})
	}
}

// What is large but reasonable is not refused.
func TestBoundsLeaveRoom(t *testing.T) {
	t.Parallel()
	messages := make([]any, 10_000)
	for i := range messages {
		messages[i] = data{"role": "user", "content": strings.Repeat("words ", 100)}
	}
	scope := data{"messages": messages, "days": []any{"urgent", "asap"}, "data": strings.Repeat("many words of a mail ", 40_000)}
	for _, text := range []string{
		`messages`, `concat(messages, [{role: "user", content: "x"}])`, `filter(messages, .role == "user")`, `len(json(messages)) > 0`,
		`sum(map(messages, len(.content)))`, `any(days, data contains #)`, `data matches "(?i)unsubscribe"`, `sortBy(messages, .content)`,
		`let n = len(messages); map(messages, .content)`, `[messages, messages]`, `last_message(messages).content`, `sum(1..100000)`,
		`html_to_text("<p>" + data)`, `markdown_to_html(data[0:60000])`, `fence(data)`,
	} {
		if _, err := eval(t, text, scope); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTemplatesAreBounded(t *testing.T) {
	t.Parallel()
	scope := data{"any": numbers(2000), "data": strings.Repeat("0123456789", 100_000)}
	for name, text := range map[string]string{
		"nested loops": `{% for a in any %}{% for b in any %}{% for c in any %}{{ c }}{% endfor %}{% endfor %}{% endfor %}`,
		"silent loops": `{% for a in any %}{% for b in any %}{% endfor %}{% endfor %}`,
		"long text":    `{% for a in any %}{{ data }}{% endfor %}`,
		"long literal": `{% for a in any %}` + strings.Repeat("x", 100_000) + `{% endfor %}`,
		"many results": `{% for a in 1..900000 %}{{ a }}{{ any }}{% endfor %}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list diag.List
			x := expr.CompileText(str(text), assistantEnv(), &list)
			if err := list.Err(); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if _, err := x.String(scope); !errors.Is(err, expr.ErrLimit) {
				t.Errorf("got %v", err)
			}
			if d := time.Since(start); d > patience {
				t.Errorf("it took %s", d)
			}
		})
	}
}

// No text takes long to compile, and what is too large is said to be.
func TestCompilationIsBounded(t *testing.T) {
	t.Parallel()
	chain := "i"
	for range 150 {
		chain = "(1 < " + chain + " < 3)"
	}
	elvis := "done"
	for range 150 {
		elvis = "(" + elvis + " ?: false)"
	}
	for name, text := range map[string]string{
		"brackets":     strings.Repeat("(", 30_000),
		"closed":       strings.Repeat("(", 5_000) + "1" + strings.Repeat(")", 5_000),
		"signs":        strings.Repeat("-", 30_000) + "1",
		"spaced signs": strings.Repeat("- ", 30_000) + "1",
		"nots":         strings.Repeat("not ", 10_000) + "done",
		"conditions":   strings.Repeat("done ? 1 : ", 5_000) + "1",
		"powers":       strings.Repeat("2 ** ", 5_000) + "2",
		"lets":         strings.Repeat("let a = 1; ", 5_000) + "a",
		"elses":        strings.Repeat("if done { 1 } else ", 3_000) + "{ 2 }",
		"sum":          strings.Repeat("i + ", 15_000) + "i",
		"list":         "[" + strings.Repeat("1, ", 15_000) + "1]",
		"members":      "any" + strings.Repeat(".a", 10_000),
		"indexes":      "any" + strings.Repeat("[0]", 10_000),
		"shared nodes": chain,
		"shared elvis": elvis,
		"bytes":        strings.Repeat("i  ", 30_000),
		"letters":      strings.Repeat("ß + ", 12_000) + "i",
		"predicates":   strings.Repeat("all(any, ", 3_000),
		"pattern":      `"x" matches "` + strings.Repeat("(a{1,9})", 500) + `"`,
		"big pattern":  `"x" matches "((a{100}){100}){100}"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list diag.List
			start := time.Now()
			x := expr.CompileExpr(str(text), assistantEnv(), &list)
			if d := time.Since(start); d > patience {
				t.Errorf("it took %s", d)
			}
			if !list.HasErrors() {
				t.Error("it has no findings")
			}
			if _, err := x.Eval(assistantScope()); err == nil {
				t.Error("it evaluates")
			}
		})
	}
	for name, text := range map[string]string{
		"tags":       strings.Repeat("{{ i }}", 20_000),
		"many tags":  strings.Repeat("{{ email.subject }} ß\n", 9_999),
		"wrong tags": strings.Repeat("{{ email.subjct }} ß\n", 9_999),
		"blocks":     strings.Repeat("{% if done %}", 9_000),
		"loops":      strings.Repeat("{% for x in days %}", 9_000),
		"ends":       strings.Repeat("{% endif %}", 9_000),
		"open tags":  strings.Repeat("{{", 400_000),
		"quotes":     "{{" + strings.Repeat(`"`, 900_000),
		"long":       "{{ i }}" + strings.Repeat("x", 2<<20),
		"crossed":    strings.Repeat("{% if done %}{% endfor %}", 4_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list diag.List
			start := time.Now()
			expr.CompileValue(str(text), assistantEnv(), &list)
			if d := time.Since(start); d > patience {
				t.Errorf("it took %s", d)
			}
			if list.HasErrors() == (name == "many tags") {
				t.Error(list.Len(), "findings")
			}
		})
	}
}

func TestTooLargeFindings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Repeat("(", 300):                  "1:201 expr/too-large: the expression nests more than 200 levels deep",
		strings.Repeat("i + ", 20_000) + "i":      "1:1 expr/too-large: the expression has more than 64 KiB",
		"[" + strings.Repeat("1,", 12_000) + "1]": "expr/too-large: the expression has more than 10000 parts",
	} {
		var list diag.List
		expr.CompileExpr(str(text), assistantEnv(), &list)
		if got := strings.Join(show(&list), "\n"); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
