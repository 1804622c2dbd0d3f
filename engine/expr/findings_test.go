package expr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
)

// show writes findings as col code: message | hint.
func show(list *diag.List) []string {
	var out []string
	for _, f := range list.Sorted() {
		out = append(out, fmt.Sprintf("%d:%d %s: %s | %s", f.Pos.Line, f.Pos.Col, f.Code, f.Message, f.Hint))
	}
	return out
}

func TestFindings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{`classfication == "respond"`, []string{`1:1 expr/unknown-name: unknown name "classfication" | Did you mean "classification"?`}},
		{`email.boddy`, []string{"1:7 expr/unknown-field: `email` has no field \"boddy\" | Did you mean \"body\"?"}},
		{`email.x == 1 and emial.y`, []string{
			"1:7 expr/unknown-field: `email` has no field \"x\" | It has body, from, id, snippet, subject, to.",
			`1:18 expr/unknown-name: unknown name "emial" | Did you mean "email"?`,
		}},
		{`any(output.calls, .naame == "done")`, []string{"1:20 expr/unknown-field: `.` has no field \"naame\" | Did you mean \"name\"?"}},
		{`messages[0].replies[0].replies[1].rle`, []string{
			"1:35 expr/unknown-field: `messages[0].replies[0].replies[1]` has no field \"rle\" | Did you mean \"role\"?",
		}},
		{`messages.content`, []string{
			"1:10 expr/type: `messages` is a list, which has no field \"content\" | Take an item, for example last(…).content, or all of them: map(…, .content).",
		}},
		{`classification == "reply"`, []string{"1:19 expr/enum: `classification` is never \"reply\" | It can be \"ignore\", \"notify\", \"respond\"."}},
		{`"repond" != classification`, []string{"1:1 expr/enum: `classification` is never \"repond\" | Did you mean \"respond\"?"}},
		{`classification in ["notify", "responded"]`, []string{"1:30 expr/enum: `classification` is never \"responded\" | Did you mean \"respond\"?"}},
		{`any_of == "other"`, []string{"1:11 expr/enum: `any_of` is never \"other\" | It can be \"a\", \"b\"."}},
		{`"usr" in map(messages, .role)`, []string{"1:1 expr/enum: `map(messages, .role)` is never \"usr\" | Did you mean \"user\"?"}},
		{`any_of == classification`, []string{
			"1:8 expr/enum: `any_of` and `classification` have no value in common | The one can be \"a\", \"b\", the other \"ignore\", \"notify\", \"respond\".",
		}},
		{`email.subject > 3`, []string{
			"1:15 expr/type: > does not work on a string and an integer: `email.subject`, `3` | Convert one side with string(…), int(…) or float(…).",
		}},
		{`i == "3"`, []string{
			"1:3 expr/type: == compares an integer with a string, which are never equal: `i`, `\"3\"` | Convert one side with string(…), int(…) or float(…).",
		}},
		{`run.now + duration("5 minutes")`, []string{
			"1:20 expr/type: duration cannot read this: the text \"5 minutes\" is no duration, such as 1h30m or PT1H30M | Write duration(text string|duration) duration.",
		}},
		{`date("28.1.2026") > run.now`, []string{
			"1:6 expr/type: date cannot read this: the text \"28.1.2026\" is no time | Write date(text string|time[, layout string[, zone string]]) time.",
		}},
		{`run.now > "2026-01-01"`, []string{
			"1:9 expr/type: > does not work on a time and a string: `run.now`, `\"2026-01-01\"` | Make a time of the text with date(…).",
		}},
		{`email.subject + i`, []string{
			"1:15 expr/type: + does not work on a string and an integer: `email.subject`, `i` | Convert the other side with string(…), or use a template.",
		}},
		{`days + days`, []string{"1:6 expr/type: + does not work on a list and a list: `days`, `days` | Join lists with concat(a, b)."}},
		{`messages and done`, []string{"1:1 expr/type: and wants true or false, but `messages` is a list | Compare its length, for example len(…) > 0."}},
		{`not email.subject`, []string{"1:5 expr/type: not wants true or false, but `email.subject` is a string | Compare it, for example with == or != \"\"."}},
		{`filter(email, true)`, []string{"1:8 expr/type: filter wants a list, but `email` is an object | Give a list; for an object, its values(…)."}},
		{`filter(days, #)`, []string{"1:14 expr/type: the condition of filter wants true or false, but `#` is a string | Compare it, for example with == or != \"\"."}},
		{`days contains "x"`, []string{"1:6 expr/type: contains does not work on a list and a string: `days`, `\"x\"` | Use in to look for an item of a list: x in list."}},
		{`"x" in email.subject`, []string{"1:5 expr/type: in does not work on a string and a string: `\"x\"`, `email.subject` | Use contains to look into a string."}},
		{`truncate(email.to, 3)`, []string{
			"1:10 expr/type: truncate wants a string for text, but `email.to` is a list | Write truncate(text string, most integer) string.",
		}},
		{`truncate(email.id)`, []string{`1:1 expr/type: truncate is called with 1 argument | Write truncate(text string, most integer) string.`}},
		{`lenn(days)`, []string{`1:1 expr/unknown-function: unknown function "lenn" | Did you mean "len"?`}},
		{`now() > run.now`, []string{`1:1 expr/unknown-function: unknown function "now" | Use run.now, the time of the step: a replay must see the same.`}},
		{`toPairs(email)`, []string{`1:1 expr/unknown-function: unknown function "toPairs" | Use to_pairs(…).`}},
		{`email.lower()`, []string{"1:7 expr/unknown-function: `email` has no method \"lower\" | Call it as a function: lower(…)."}},
		{`run.now.Yearr()`, []string{"1:9 expr/unknown-function: `run.now` has no method \"Yearr\" | Did you mean \"Year\"?"}},
		{`classification == null`, []string{`1:19 expr/unknown-name: unknown name "null" | Write nil.`}},
		{`$env`, []string{`1:1 expr/unknown-name: unknown name "$env" | Use one of any, any_of, classification, data, days, done, email, emails, …, or put a text in quotes.`}},
		{`let i = 1; i`, []string{`1:5 expr/type: "i" is in scope already | Choose another name for the let.`}},
		{`let len = 1; len`, []string{`1:5 expr/type: "len" is a function | Choose another name for the let.`}},
		{`email.subject matches "("`, []string{"1:23 expr/syntax: the pattern cannot be read: missing closing ): \"(\" | Correct the pattern; its syntax is RE2."}},
		{`days["x"]`, []string{"1:6 expr/type: `days` is a list, which has no field \"x\" | Take an item, for example last(…).x, or all of them: map(…, .x)."}},
		{`days[1.5]`, []string{"1:6 expr/type: `days` is a list, whose items are not found by a number | Use an integer for a list, a string for an object."}},
		{`b"x"`, []string{"1:1 expr/type: there are no byte strings | Remove the b before the quote."}},
		{`run.now.year`, []string{"1:9 expr/unknown-field: `run.now` is a time, which has no field \"year\" | Call one of its methods: Year, Month, Day, Hour, Minute, Second, YearDay, Weekday, Unix."}},
		{`run.left == 3`, []string{"1:10 expr/type: == compares a duration with an integer, which are never equal: `run.left`, `3` | Write durations as duration(\"24h\")."}},
		{``, []string{"1:1 expr/syntax: the expression is empty | Write an expression, or remove the field."}},
		{`classification = "respond"`, []string{`1:16 expr/syntax: "=" is not expected here | Write == to compare.`}},
		{`i ==`, []string{"1:4 expr/syntax: the expression ends too early | Complete it, or close the bracket that is still open."}},
		{`(i == 1`, []string{"1:7 expr/syntax: the expression ends too early | Complete it, or close the bracket that is still open."}},
		{`i == 1)`, []string{`1:7 expr/syntax: ")" is not expected here | Check that each bracket has its counterpart.`}},
		{`classification == "respond`, []string{"1:19 expr/syntax: the text literal is not closed | Close it with the quote it begins with, on the same line."}},
		{`i == @`, []string{"1:6 expr/syntax: the letter '@' has no meaning here | Put text in quotes."}},
		{`"größe" == ß.x`, []string{`1:14 expr/unknown-name: unknown name "ß" | Use one of any, any_of, classification, data, days, done, email, emails, …, or put a text in quotes.`}},
		{`{{ i == 1 }}`, []string{"1:2 expr/syntax: the expression has braces around it | Write the expression bare, without {{ and }}."}},
		{`i 3`, []string{`1:3 expr/syntax: "3" is not expected here | Put an operator before it, or quote it when it belongs to a text.`}},
		{`"\q"`, []string{`1:3 expr/syntax: the text literal has an escape that does not exist | Write \\ for a backslash, or put the text in back quotes.`}},
		{`any.x and data[0].y + 1 > any.z`, nil},
		{`flags.whatever == 1`, nil},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			var list diag.List
			x := expr.CompileExpr(str(tt.text), assistantEnv(), &list)
			got := show(&list)
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if x == nil || x.Type() == nil {
				t.Fatal("nil")
			}
			if _, err := x.Eval(nil); err == nil && len(tt.want) > 0 {
				t.Error("a broken expression evaluates")
			}
		})
	}
}

func TestConditionFindings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`messages`:             "1:1 expr/not-boolean: the condition gives a list, not true or false | Compare its length, for example len(…) > 0.",
		`i > 1 ? "yes" : "no"`: "1:1 expr/not-boolean: the condition gives a string, not true or false | Compare it, for example with == or != \"\".",
		`nil`:                  "1:1 expr/not-boolean: the condition gives null, not true or false | Compare it with something, for example != nil.",
		`any`:                  "",
		`done`:                 "",
		`i > 1 ? done : any.x`: "",
		`  email.boddy`:        "1:9 expr/unknown-field: `email` has no field \"boddy\" | Did you mean \"body\"?",
	} {
		var list diag.List
		x := expr.CompileCondition(str(text), assistantEnv(), &list)
		if got := strings.Join(show(&list), "\n"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
		if _, err := x.Bool(nil); (err != nil) != (want != "") && !strings.Contains(text, "any") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Every code that Rules lists has a finding in the tests of this file or of templates.
func TestRules(t *testing.T) {
	t.Parallel()
	seen := map[diag.Code]bool{}
	for _, r := range expr.Rules() {
		if seen[r.Code] || r.Summary == "" || r.Explain == "" || r.Severity == "" {
			t.Errorf("rule %q is twice or incomplete", r.Code)
		}
		seen[r.Code] = true
	}
}
