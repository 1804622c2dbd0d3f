package expr_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the tests must not need the zones of the machine

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
)

type data = map[string]any

// eval compiles without findings and evaluates.
func eval(t *testing.T, text string, scope data) (any, error) {
	t.Helper()
	var list diag.List
	x := expr.CompileExpr(str(text), assistantEnv(), &list)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return x.Eval(scope)
}

func assistantScope() data {
	return data{
		"classification": "respond", "i": 3, "limit": 10, "ratio": 0.5, "done": true,
		"email": data{"id": "m1", "from": "sam@example.com", "subject": "Budget", "to": []any{"alex@example.com"}, "body": "See <b>this</b>", "snippet": nil},
		"emails": []any{
			data{"id": "m1", "subject": "B", "body": "x"}, data{"id": "m2", "subject": "A", "body": "y"},
		},
		"messages": []any{
			data{"role": "user", "content": "Hi"},
			data{"role": "assistant", "content": "", "tool_calls": []any{
				data{"id": "c1", "name": "send_email", "args": data{"to": "a"}}, data{"id": "c2", "name": "done", "args": data{}},
			}},
			data{"role": "tool", "content": "sent", "tool_call_id": "c1"},
		},
		"output": data{"calls": []any{data{"id": "c1", "name": "send_email"}, data{"id": "c2", "name": "done"}}, "stopped": false},
		"days":   []any{"2026-01-28", "2026-01-29"},
		"run":    data{"id": "r1", "now": time.Date(2026, 1, 28, 6, 0, 0, 0, time.UTC), "left": 90 * time.Minute},
		"flags":  data{"keep_going": true}, "data": data{"xs": []any{1, 2.0, 3}, "deep": data{"a": data{"b": 7}}},
	}
}

func TestEval(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want any
	}{
		{`classification == "respond"`, true},
		{`"notify" == classification`, false},
		{`classification != "respond"`, false},
		{`classification in ["notify", "respond"]`, true},
		{`classification not in ["notify", "respond"]`, false},
		{`i < limit and not done`, false},
		{`i < limit && ratio <= 0.5`, true},
		{`1 < i < 4`, true},
		{`1 < i < 3`, false},
		{`i + 1`, 4},
		{`i * 2 - 1`, 5},
		{`7 / 2`, 3.5},
		{`7 % 4`, 3},
		{`2 ** 10`, 1024.0},
		{`-i`, -3},
		{`i + ratio`, 3.5},
		{`"a" + "b"`, "ab"},
		{`i > 2 ? "many" : "few"`, "many"},
		{`if i > 2 { "many" } else { "few" }`, "many"},
		{`done ?: false`, true},
		{`email.subject`, "Budget"},
		{`email["subject"]`, "Budget"},
		{`email.to[0]`, "alex@example.com"},
		{`email.to[-1]`, "alex@example.com"},
		{`email.snippet`, nil},
		{`email.snippet ?? "none"`, "none"},
		{`data.deep.a.b`, 7},
		{`data.missing?.a.b`, nil},
		{`data?.deep?.a?.b`, 7},
		{`flags.keep_going`, true},
		{`flags.other`, nil},
		{`"keep_going" in flags`, true},
		{`days[0:1]`, []any{"2026-01-28"}},
		{`days[1:]`, []any{"2026-01-29"}},
		{`"größe"[1:3]`, "rö"},
		{`"größe"[2]`, "ö"},
		{`any(output.calls, .name == "done")`, true},
		{`all(output.calls, .name == "done")`, false},
		{`none(output.calls, .name == "x")`, true},
		{`one(output.calls, .name == "done")`, true},
		{`count(output.calls, .name startsWith "d")`, 1},
		{`filter(emails, .subject == "A")[0].id`, "m2"},
		{`emails | filter(.subject == "A") | map(.id)`, []any{"m2"}},
		{`map(emails, .id)`, []any{"m1", "m2"}},
		{`map(emails, #index)`, []any{0, 1}},
		{`map(emails, ({id: .id, n: #index}))`, []any{data{"id": "m1", "n": 0}, data{"id": "m2", "n": 1}}},
		{`map(1..3, map(1..#, # * 2))`, []any{[]any{2}, []any{2, 4}, []any{2, 4, 6}}},
		{`map([2, 3], len(filter([1, 2, 3], # > 1)) + #)`, []any{4, 5}},
		{`reduce([1, 2], #acc + sum(map([1], # * 10)) + #, 0)`, 23},
		{`find(emails, .id == "m2").subject`, "A"},
		{`find(emails, .id == "m9")`, nil},
		{`find(emails, .id == "m9")?.subject`, nil},
		{`findIndex(emails, .id == "m2")`, 1},
		{`sortBy(emails, .subject)[0].id`, "m2"},
		{`sortBy(emails, .subject, "desc")[0].id`, "m1"},
		{`keys(groupBy(emails, .subject))`, []any{"A", "B"}},
		{`sum(data.xs)`, 6.0},
		{`sum(emails, len(.id))`, 4},
		{`reduce(1..4, #acc * #, 1)`, 24},
		{`reduce(1..4, #acc + #)`, 10},
		{`let n = i + 1; n * n`, 16},
		{`let a = 1; let b = a + 1; [a, b]`, []any{1, 2}},
		{`map(1..2, let d = # * 2; d + 1)`, []any{3, 5}},
		{`{a: 1, "b c": [i]}`, data{"a": 1, "b c": []any{3}}},
		{`{(classification): 1}`, data{"respond": 1}},
		{`"Budget 2026" matches "(?i)budget \\d+"`, true},
		{`email.subject matches email.subject`, true},
		{`email.snippet matches "x"`, false},
		{`email.snippet contains "x"`, false},
		{`email.subject endsWith "get"`, true},
		{`nil == email.snippet`, true},
		{`[1, [2]] == [1, [2.0]]`, true},
		{`{a: 1} == {a: 1, b: 2}`, false},
		{`1 == 1.0`, true},
		{`len(messages)`, 3},
		{`len("größe")`, 5},
		{`tool_calls(messages)`, []any{data{"id": "c2", "name": "done", "args": data{}}}},
		{`last_message(messages).content`, "sent"},
		{`last_message(messages, "user").content`, "Hi"},
		{`last_message([], "user")`, nil},
		{`run.now`, "2026-01-28T06:00:00Z"},
		{`run.left`, "1h30m0s"},
		{`run`, data{"id": "r1", "now": "2026-01-28T06:00:00Z", "left": "1h30m0s"}},
		{`[run.now]`, []any{"2026-01-28T06:00:00Z"}},
		{`{a: [run.left, 1]}`, data{"a": []any{"1h30m0s", 1}}},
		{`run.now + duration("36h")`, "2026-01-29T18:00:00Z"},
		{`run.now - date("2026-01-27")`, "30h0m0s"},
		{`(run.now - date("2026-01-27")).Hours()`, 30.0},
		{`run.left * 2 > duration("PT2H")`, true},
		{`run.now.Weekday()`, "Wednesday"},
		{`run.now > date("2026-01-28T05:00:00Z")`, true},
		{`format_date(run.now, "15:04", "Europe/Berlin")`, "07:00"},
		{`date("28.01.2026", "02.01.2006", "Europe/Berlin")`, "2026-01-28T00:00:00+01:00"},
		{`string(1.0) + string(nil) + string([1, "a"]) + string(2.50)`, `1[1,"a"]2.5`},
		{`json({b: [1, nil, true], a: "<ü\n"})`, `{"a":"<ü\n","b":[1,null,true]}`},
		{`json([1], 2)`, "[\n  1\n]"},
		{`from_json('{"n": 1, "f": 1.5}')`, data{"n": 1, "f": 1.5}},
		{`default(email.snippet, "none")`, "none"},
		{`default(0, 1)`, 0},
		{`merge(flags, {keep_going: false})`, data{"keep_going": false}},
		{`unique([1, 1.0, "1", [1], [1]])`, []any{1, "1", []any{1}}},
		{`split("a,b", ",")`, []any{"a", "b"}},
		{`join(map(emails, .id), ", ")`, "m1, m2"},
		{`replace("a-b", "-", "+")`, "a+b"},
		{`truncate("Hello", 5)`, "Hello"},
		{`truncate("Hello world", 7)`, "Hello…"},
		{`slug("  Ünïcode -- Test!")`, "ünïcode-test"},
		{`quote("a\n\nb")`, "> a\n>\n> b"},
		{`min(data.xs)`, 1},
		{`median([1, 2, 3, 4])`, 2.5},
		{`html_to_text("<style>x{}</style><h1>Hi</h1><script>x()</script><p>a <a href='https://e.org'>b</a></p>")`, "# Hi\n\na [b](https://e.org)"},
		{`markdown_to_html("<script>x</script>\n\n[a](javascript:x) [b](https://e.org)")`, "<p>&lt;script&gt;x&lt;/script&gt;</p>\n<p>a <a href=\"https://e.org\" rel=\"nofollow noreferrer\">b</a></p>\n"},
		{`type(run.now) + type(nil) + type({}) + type(1.5)`, "timenilmapfloat"},
		{`get(email, "subject")`, "Budget"},
		{`get(data.xs, 10)`, nil},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got, err := eval(t, tt.text, assistantScope())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// State that no node has written is null, although it has a type.
func TestNull(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want any
	}{
		{`classification == "respond"`, false},
		{`classification != "respond"`, true},
		{`classification in ["notify"]`, false},
		{`i == 3`, false},
		{`done`, nil},
		{`not done`, true},
		{`done or i == nil`, true},
		{`done and true`, false},
		{`done ? 1 : 2`, 2},
		{`len(messages) == 0`, true},
		{`any(messages, .role == "user")`, false},
		{`map(messages, .role)`, []any{}},
		{`tool_calls(messages)`, []any{}},
		{`upper(email?.subject)`, ""},
		{`days[0:1]`, nil},
		{`messages ?? []`, []any{}},
		{`"x" in flags`, false},
		{`html_to_text(email?.body)`, ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got, err := eval(t, tt.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestEvalErrors(t *testing.T) {
	t.Parallel()
	scope := data{"any": "text", "i": "three", "data": data{"xs": []any{1}}, "email": data{"to": []any{}}}
	for _, tt := range []struct{ text, want string }{
		{`output.calls`, "spec.yaml:1:8: `output` is null, so it has no field \"calls\""},
		{`data.a.b`, "spec.yaml:1:8: `data.a` is null, so it has no field \"b\""},
		{`any.b`, "spec.yaml:1:5: `any` is a string, which has no field \"b\""},
		{`i < 3`, "spec.yaml:1:3: `i < 3`: a string and an integer have no order"},
		{`i - 1`, "spec.yaml:1:3: `i - 1`: - does not work on a string and an integer"},
		{`ratio * 2`, "spec.yaml:1:7: `ratio * 2`: * does not work on null and an integer"},
		{`email.to[3]`, "spec.yaml:1:9: `email.to`: the list has 0 items, none at index 3"},
		{`any and true`, "spec.yaml:1:1: `any` is a string, not true or false"},
		{`any(any, #)`, "spec.yaml:1:1: any(any, …) wants a list, but it is a string"},
		{`trim(data)`, "spec.yaml:1:6: `trim(data)`: trim wants a string for text, but it is an object"},
		{`1 / 0`, "spec.yaml:1:3: `1 / 0`: division by zero"},
		{`5 % 0`, "spec.yaml:1:3: `5 % 0`: division by zero"},
		{`9223372036854775807 + 1`, "spec.yaml:1:21: `9223372036854775807 + 1`: the integer does not fit into 64 bits"},
		{`int("x")`, "spec.yaml:1:1: `int(\"x\")`: the text \"x\" is no integer"},
		{`date(lower("x"))`, "spec.yaml:1:1: `date(lower(\"x\"))`: the text \"x\" is no time"},
		{`date("2026-01-28", "", trim("Local"))`, "spec.yaml:1:1: `date(\"2026-01-28\", \"\", trim(\"Local\"))`: there is no time zone \"Local\""},
		{`duration(upper("p1y"))`, "spec.yaml:1:1: `duration(upper(\"p1y\"))`: the text \"P1Y\" is no duration, such as 1h30m or PT1H30M"},
		{`reduce([], #acc + #)`, "spec.yaml:1:1: reduce of an empty list needs a third argument to begin with"},
		{`sort([1, "a"])`, "spec.yaml:1:1: `sort([1, \"a\"])`: a string and an integer have no order"},
		{`from_json("{")`, "spec.yaml:1:1: `from_json(\"{\")`: the text is no JSON: unexpected EOF"},
		{`data.xs.Year()`, "spec.yaml:1:9: `data.xs` is a list, which has no method \"Year\""},
		{`any matches "a" + any`, ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			_, err := eval(t, tt.text, scope)
			if tt.want == "" {
				return
			}
			var e *expr.Error
			if !errors.As(err, &e) || e.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestBool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, fails string
		want        bool
	}{
		{"output.stopped", "", false},
		{"any", "`any` is an integer, not true or false", false},
		{"data", "", false},
		{"i == 3", "", true},
	} {
		var list diag.List
		x := expr.CompileCondition(str(tt.text), assistantEnv(), &list)
		if err := list.Err(); err != nil {
			t.Fatal(err)
		}
		got, err := x.Bool(data{"output": data{}, "any": 1, "i": 3.0})
		if got != tt.want || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s: got %v, %v", tt.text, got, err)
		}
	}
}

// Go values of other types than plain data are taken as what they stand for.
func TestForeignValues(t *testing.T) {
	t.Parallel()
	type named string
	scope := data{
		"days": []string{"a", "b"}, "flags": map[string]int{"n": 1}, "i": int64(3), "any": []data{{"x": named("y")}},
		"data": struct {
			A int `json:"a"`
		}{7},
		"ratio": float32(0.5), "limit": uint8(9),
	}
	for text, want := range map[string]any{
		`days`: []any{"a", "b"}, `days[1]`: "b", `flags.n + i`: 4, `any[0].x`: "y", `data.a`: 7, `ratio`: 0.5, `i < limit`: true,
		`map(days, #)`: []any{"a", "b"}, `"a" in days`: true, `[any]`: []any{[]any{data{"x": "y"}}},
	} {
		got, err := eval(t, text, scope)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", text, diff)
		}
	}
}

// Times may be text in the scope, as they are in stored state.
func TestTimesAsText(t *testing.T) {
	t.Parallel()
	scope := data{"run": data{"now": "2026-01-28T06:00:00Z", "left": "90m"}}
	for text, want := range map[string]any{
		`run.now + duration("1h")`: "2026-01-28T07:00:00Z", `run.left > duration("PT1H")`: true, `run.now`: "2026-01-28T06:00:00Z",
	} {
		if got, err := eval(t, text, scope); got != want || err != nil {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
}

func TestConstants(t *testing.T) {
	t.Parallel()
	if got, err := expr.Literal([]any{1}).Eval(nil); err != nil || !cmp.Equal(got, []any{1}) {
		t.Errorf("got %v, %v", got, err)
	}
	if k := expr.Literal("x").Type().Kind; k != shape.String {
		t.Errorf("kind %v", k)
	}
}

func TestTruthy(t *testing.T) {
	t.Parallel()
	for _, v := range []any{nil, false, 0, 0.0, "", []any{}, data{}, time.Duration(0)} {
		if expr.Truthy(v) {
			t.Errorf("%#v holds", v)
		}
	}
	for _, v := range []any{true, -1, 0.1, " ", []any{nil}, data{"a": nil}, time.Second, time.Time{}} {
		if !expr.Truthy(v) {
			t.Errorf("%#v does not hold", v)
		}
	}
}
