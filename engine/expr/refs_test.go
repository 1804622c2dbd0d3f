package expr_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

func showRefs(refs []expr.Ref) string {
	var out []string
	for _, r := range refs {
		out = append(out, fmt.Sprintf("%s@%d", strings.Join(r.Path, "."), r.Pos.Col))
	}
	return strings.Join(out, " ")
}

func TestRefs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`i < limit`: "i@1 limit@5",
		`email.subject + email["id"] + email.snippet`:  "email.subject@1 email.id@17 email.snippet@31",
		`messages[0].content`:                          "messages@1",
		`any(output.calls, .name == email.id)`:         "output.calls@5 email.id@28",
		`let e = email; e.subject`:                     "email@9",
		`email?.snippet ?? days[i]`:                    "email.snippet@1 days@19 i@24",
		`tool_calls(messages) | filter(.id == run.id)`: "messages@12 run.id@38",
		`data["a"].b[0].c`:                             "data.a.b@1",
		`1 + 2`:                                        "",
		`run.now.Year()`:                               "run.now@1",
		`done ? {a: i} : [limit]`:                      "done@1 i@12 limit@18",
		`"ß" == email.id`:                              "email.id@9",
	} {
		var list diag.List
		x := expr.CompileExpr(str(text), assistantEnv(), &list)
		if got := showRefs(x.Refs()); got != want || list.Len() > 0 {
			t.Errorf("%s: got %q, want %q; %v", text, got, want, list.Err())
		}
	}
	var list diag.List
	v := expr.CompileValue(tree(data{
		"a": "{{ i }}", "b": []any{"{% for email in emails %}{{ email.id }} {{ limit }}{% endfor %} {{ email.id }}"}, "c": "x",
	}), assistantEnv(), &list)
	if got, want := showRefs(v.Refs()), "i@4 emails@17 limit@44 email.id@68"; got != want || list.Len() > 0 {
		t.Errorf("got %q, want %q; %v", got, want, list.Err())
	}
}

func TestUntrusted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{ email.body }}":                                        "email.body@4",
		"a {{ email.body }} b {{ email.subject }}":                "email.body@6",
		"{{ fence(email.body) }}":                                 "",
		"{{ fence(email, 'mail') }}":                              "",
		"{{ trim(fence(email.body)) }}":                           "",
		"{{ fence(email.body) + email.body }}":                    "email.body@24",
		"{{ 'From: ' + upper(trim(email.body)) }}":                "email.body@26",
		"{{ truncate(html_to_text(email.body), 100) }}":           "email.body@26",
		"{{ json(email) }}":                                       "email@9",
		"x {{ email }}":                                           "email@6",
		"{{ len(email.body) }} {{ email.body == 'x' }}":           "",
		"{{ email.body contains 'x' ? 'yes' : 'no' }}":            "",
		"{{ done ? email.body : '' }}":                            "email.body@11",
		"{{ email.snippet ?? email.body }}":                       "email.body@21",
		"{{ [email.body, email.id] }}":                            "email.body@5",
		"{{ {a: email.body}.a }}":                                 "email.body@8",
		"{{ {a: email.body, b: email.id}.b }}":                    "",
		"{{ map(emails, .body) }}":                                "emails@8",
		"{{ map(emails, .id) }}":                                  "",
		"{{ join(map(emails, .subject), ', ') }}":                 "",
		"{{ find(emails, .id == 'x').body }}":                     "emails@9",
		"{{ find(emails, .body == 'x').id }}":                     "",
		"{{ first(emails).body }}":                                "emails@10",
		"{{ filter(emails, .id == 'x') }}":                        "emails@11",
		"{{ from_json(email.body).title }}":                       "email.body@14",
		"{{ let b = email.body; lower(b) }}":                      "email.body@12",
		"{{ split(email.body, ' ')[0] }}":                         "email.body@10",
		"{{ email.body[0:10] }}":                                  "email.body@4",
		"{{ merge(email, {x: 1}).id }}":                           "",
		"{{ merge(email, {x: 1}).body }}":                         "email@10",
		"{{ groupBy(emails, .id) }}":                              "emails@12",
		"{{ reduce(emails, #acc + .body, '') }}":                  "emails@11",
		"{{ sum(emails, len(.body)) }}":                           "",
		"{% if email.body %}x{% endif %}":                         "",
		"{% for e in emails %}{{ e.body }}{{ e.id }}{% endfor %}": "e.body@25",
		"{% for e in emails %}{{ fence(e.body) }}{% endfor %}":    "",
		"{{ date(email.body).Year() }}":                           "",
		"{{ default(email.body, '-') }}":                          "email.body@12",
		"{{ email.body matches email.subject }}":                  "",
	} {
		var list diag.List
		for _, x := range []*expr.Value{expr.CompileText(str(text), assistantEnv(), &list), expr.CompileValue(str(text), assistantEnv(), &list)} {
			if got := showRefs(x.Untrusted()); got != want || list.Len() > 0 {
				t.Errorf("%s: got %q, want %q; %v", text, got, want, list.Err())
			}
			if x.Type().Untrusted != (want != "") && x.Type().Kind == shape.String {
				t.Errorf("%s: type %+v", text, x.Type())
			}
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`i + 1`: "integer", `i + ratio`: "number", `i / 2`: "number", `i == 1`: "boolean", `email.subject`: "string", `email.snippet`: "string or null",
		`email.snippet ?? ""`: "string", `[1, 2]`: `list of 1 | 2`, `["a", 1]`: "list of any", `days`: "list of string", `days[0]`: "string", `days[1:]`: "list of string",
		`map(emails, .id)`: "list of string", `filter(emails, true)[0].to`: "list of string", `done ? 1 : 2.5`: "number", `done ? "a" : "b"`: `"a" | "b"`,
		`done ? "a" : nil`: `"a" or null`, `done ? "a" : 1`: "any", `{a: 1, b: days}`: "{a: 1, b: list of string}", `len(days)`: "integer", `run.now`: "time",
		`run.now - run.now`: "duration", `run.now + run.left`: "time", `duration("1h") * 2`: "duration", `run.now.Year()`: "integer",
		`tool_calls(messages)[0].name`: "string", `last_message(messages).content`: "string", `first(days)`: "string or null", `any.x`: "any",
		`keys(flags)`: "list of string", `max(1, 2)`: "integer or null", `max(1, 2.5)`: "number or null", `1..3`: "list of integer", `groupBy(emails, .id)["x"][0].id`: "string",
		`find(emails, true)?.id`: "string or null", `concat(days, [email.id])`: "list of string", `concat(days, [1])`: "list of any", `merge({a: 1}, {b: "x"}).b`: `"x"`,
		`reduce(1..3, #acc + #, 0)`: "any", `sum(map(emails, len(.id)))`: "integer", `-i`: "integer", `not done`: "boolean", `get(email, "subject")`: "string or null",
		`if done { days } else { [] }`: "list of string", `classification`: `"ignore" | "notify" | "respond"`, `upper(classification)`: "string",
		`done ? {a: 1} : {a: 2, b: 3}`: "{a: 1 | 2, b: 3 or null}", `default(email.snippet, "x")`: "string", `string(i)`: "string", `json(email)`: "string",
		`messages[0].replies[0].replies`: "list of {content: string, replies: list, role: \"user\" | \"assistant\" | \"tool\", tool_calls: list}",
		`values({a: 1, b: 2})`:           "list of 1 | 2", `sortBy(emails, .id)[0].id`: "string", `flatten([days])`: "list", `count(days, true)`: "integer",
	} {
		var list diag.List
		x := expr.CompileExpr(str(text), assistantEnv(), &list)
		if got := x.Type().String(); got != want || list.Len() > 0 {
			t.Errorf("%s: got %s, want %s; %v", text, got, want, list.Err())
		}
	}
}

// scalar reads the value of key k of a YAML file, as the loader of specs does.
func scalar(t *testing.T, file string, indent int) *source.Value {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(file), &doc); err != nil {
		t.Fatal(err)
	}
	n := doc.Content[0].Content[1]
	at := n.Column - 1
	for line, rest := 1, file; line < n.Line; line++ {
		i := strings.IndexByte(rest, '\n') + 1
		at, rest = at+i, rest[i:]
	}
	return &source.Value{Kind: source.String, Text: n.Value, Raw: file[at:], Indent: indent, Pos: diag.Pos{File: "f.yaml", Line: n.Line, Col: n.Column}}
}

// Findings and refs point into the user's file, however the string is written.
func TestPositions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		indent     int
		want       string
	}{
		{"plain", "k: i == 1 and emial.id", 0, "1:15"},
		{"single", "k: 'email.id == ''x'' and emial.id'", 0, "1:27"},
		{"double", `k: "email.id == \"x\u0041\" and emial.id"`, 0, "1:33"},
		{"literal", "k: |\n  i == 1 and\n    emial.id\n", 2, "3:5"},
		{"literal, strip", "k: |-\n    {{ i }} ß\n    x {{ emial.id }}\n", 4, "3:10"},
		{"folded", "k: >\n  i == 1 and\n  emial.id\n", 2, "3:3"},
		{"plain of several lines", "k: i == 1\n   and emial.id", 0, "2:8"},
		{"block", "k: |\n  {% if emial.id %}\n  x\n  {% endif %}\n", 2, "2:9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := scalar(t, tt.file, tt.indent)
			var list diag.List
			if strings.Contains(v.Text, "{") {
				expr.CompileValue(v, assistantEnv(), &list)
			} else {
				expr.CompileExpr(v, assistantEnv(), &list)
			}
			got := list.Sorted()
			if len(got) != 1 || got[0].Code != "expr/unknown-name" {
				t.Fatalf("%v", show(&list))
			}
			if p := fmt.Sprintf("%d:%d", got[0].Pos.Line, got[0].Pos.Col); p != tt.want {
				t.Errorf("got %s, want %s", p, tt.want)
			}
		})
	}
	v := scalar(t, "k: |\n  a\n  {{ data.x.y }}\n", 2)
	var list diag.List
	_, err := expr.CompileText(v, assistantEnv(), &list).String(data{"data": data{}})
	if err == nil || !strings.HasPrefix(err.Error(), "f.yaml:3:13: `data.x` is null") {
		t.Errorf("got %v", err)
	}
}

func TestEnv(t *testing.T) {
	t.Parallel()
	names := map[string]*shape.Type{"a": {Kind: shape.Int}, "b": nil}
	env := expr.NewEnv(names)
	delete(names, "a")
	inner := env.With("a", &shape.Type{Kind: shape.String}).With("c", nil)
	if diff := cmp.Diff([]string{"a", "b", "c"}, inner.Names()); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		env  *expr.Env
		name string
		kind shape.Kind
		ok   bool
	}{
		{env, "a", shape.Int, true}, {inner, "a", shape.String, true}, {env, "b", shape.Any, true}, {env, "c", 0, false}, {inner, "c", shape.Any, true}, {nil, "a", 0, false},
	} {
		got, ok := tt.env.Lookup(tt.name)
		if ok != tt.ok || ok && got.Kind != tt.kind {
			t.Errorf("%s: %v, %v", tt.name, got, ok)
		}
	}
}

// Compiling and evaluating are safe in parallel, and always give the same.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	env := assistantEnv()
	text := "{% for m in messages %}{{ m.role }}{{ any(emails, .id == 'm1') }}{{ let a = m; a.content }}{% endfor %}{{ markdown_to_html('*x*') }}{{ html_to_text('<b>x</b>') }}"
	var list diag.List
	shared := expr.CompileText(str(text), env, &list)
	want, err := shared.String(assistantScope())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				var list diag.List
				own := expr.CompileText(str(text), env, &list)
				for _, x := range []*expr.Value{shared, own} {
					if got, err := x.String(assistantScope()); got != want || err != nil {
						t.Errorf("got %q, %v", got, err)
					}
				}
			}
		})
	}
	wg.Wait()
}
