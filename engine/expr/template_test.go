package expr_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

func TestTemplate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"no tags", "plain }} text %} {x}", "plain }} text %} {x}"},
		{"insertion", "Hi {{ email.from }}!", "Hi sam@example.com!"},
		{"values as text", "{{ i }} {{ ratio }} {{ 3.0 }} {{ done }} {{ nil }}|{{ email.to }} {{ flags }}", `3 0.5 3 true |["alex@example.com"] {"keep_going":true}`},
		{"time", "{{ run.now }} {{ run.left }}", "2026-01-28T06:00:00Z 1h30m0s"},
		{"literal braces", `{{ "{{" }} x {{ "}}" }} {{ '{%' }}`, "{{ x }} {%"},
		{"braces in literals", `{{ "a}}b" + 'c}}' + ` + "`}}`" + ` }}`, "a}}bc}}}}"},
		{"objects in a tag", `{{ {a: {b: 1}} }}.`, `{"a":{"b":1}}.`},
		{"never evaluated again", `{{ "{{ i }}" }}`, "{{ i }}"},
		{"if", "{% if i > 2 %}many{% endif %}", "many"},
		{"elif", "{% if i > 9 %}a{% elif i > 2 %}b{% elif true %}c{% else %}d{% endif %}", "b"},
		{"else", "{% if i > 9 %}a{% elif i > 8 %}b{% else %}d{% endif %}", "d"},
		{"truth", `{% if "" %}a{% endif %}{% if 0 %}b{% endif %}{% if [] %}c{% endif %}{% if {} %}d{% endif %}{% if nil %}e{% endif %}{% if flags.x %}f{% endif %}{% if 0.0 %}g{% endif %}.`, "."},
		{"truth of what is there", `{% if "x" %}a{% endif %}{% if -1 %}b{% endif %}{% if days %}c{% endif %}{% if flags %}d{% endif %}{% if run.now %}e{% endif %}`, "abcde"},
		{"for", "{% for d in days %}{{ d }};{% endfor %}", "2026-01-28;2026-01-29;"},
		{"for with index", "{% for n, d in days %}{{ n }}={{ d }};{% endfor %}", "0=2026-01-28;1=2026-01-29;"},
		{"for over an object", "{% for k, v in {b: 1, a: 2} %}{{ k }}{{ v }};{% endfor %}", "a2;b1;"},
		{"for over values", "{% for v in {b: 1, a: 2} %}{{ v }};{% endfor %}", "2;1;"},
		{"for over null", "{% for v in nil %}{{ v }}{% endfor %}.", "."},
		{"nested for", "{% for a in [1, 2] %}{% for b in [a, a * 10] %}{{ a }}-{{ b }} {% endfor %}{{ a }} {% endfor %}", "1-1 1-10 1 2-2 2-20 2 "},
		{"let beside a loop", "{% for a in [1, 2] %}{{ let b = a + 1; b * a }} {% endfor %}", "2 6 "},
		{"predicate in a loop", "{% for m in emails %}{{ any(emails, .id == m.id) }}{% endfor %}", "truetrue"},
		{"remark", "a{# not {{ seen #}b", "ab"},
		{
			"blocks leave no lines", "Calls:\n{% for c in output.calls %}\n- {{ c.name }}\n{% endfor %}\nEnd\n",
			"Calls:\n- send_email\n- done\nEnd\n",
		},
		{"indented blocks", "a\n  {% if true %}  \n  b\n  {% endif %}\nc", "a\n  b\nc"},
		{"a block that is not taken", "a\n{% if false %}\nb\n{% endif %}\nc\n", "a\nc\n"},
		{"an empty insertion alone", "a\n{{ email.snippet }}\nc\n", "a\nc\n"},
		{"an empty insertion with text", "a\n-{{ email.snippet }}\nc\n", "a\n-\nc\n"},
		{"blank lines stay", "a\n\n{% if true %}\n\nb\n{% endif %}\n\nc\n", "a\n\n\nb\n\nc\n"},
		{"white space is produced", "a\n{{ ' ' }}\nb", "a\n \nb"},
		{"last line", "a\n{% if false %}b{% endif %}", "a"},
		{"only line", "{% if false %}b{% endif %}", ""},
		{"value with lines", "{{ 'a\\n\\nb' }}\n{{ '' }}\nc", "a\n\nb\nc"},
		{"remark line", "a\n{# x\ny #}\nb", "a\nb"},
		{"carriage returns", "a\r\n{% if true %}\r\nb\r\n{% endif %}\r\nc\r\n", "a\r\nb\r\nc\r\n"},
		{"inline if", "a {% if false %}b{% endif %}\nc", "a \nc"},
		{"tag over lines", "{{\n  i\n  + 1\n}}", "4"},
		{"unicode", "größe {{ \"ß\" }} → {{ i }}", "größe ß → 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var list diag.List
			x := expr.CompileText(str(tt.text), assistantEnv(), &list)
			if err := list.Err(); err != nil {
				t.Fatal(err)
			}
			got, err := x.String(assistantScope())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if v, err := x.Eval(assistantScope()); v != got || err != nil {
				t.Errorf("Eval gives %v, %v", v, err)
			}
		})
	}
}

func TestTemplateFindings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"a {{ b", []string{"1:3 text/syntax: the tag {{ is not closed | Close it with }}, or write {{ \"{{\" }} for the two letters themselves."}},
		{"a\n{% if i > 1 }}", []string{"2:1 text/syntax: the tag {% is not closed | Close it with %}, or write {{ \"{%\" }} for the two letters themselves."}},
		{"{{ emial.x }} {{ b", []string{
			"1:4 expr/unknown-name: unknown name \"emial\" | Did you mean \"email\"?",
			"1:15 text/syntax: the tag {{ is not closed | Close it with }}, or write {{ \"{{\" }} for the two letters themselves.",
		}},
		{"x {# y", []string{"1:3 text/syntax: the tag {# is not closed | Close it with #}, or write {{ \"{#\" }} for the two letters themselves."}},
		{"a {% if done %}b", []string{"1:3 text/syntax: the block {% if %} is not closed | Close it with {% endif %}."}},
		{"a {% for d in days %}b", []string{"1:3 text/syntax: the block {% for %} is not closed | Close it with {% endfor %}."}},
		{"a {% endif %}", []string{"1:3 text/syntax: there is no block that {% endif %} belongs to | Remove it, or write {% if … %} before it."}},
		{"{% else %}", []string{"1:1 text/syntax: there is no block that {% else %} belongs to | It belongs into {% if … %} … {% endif %}."}},
		{"{% for d in days %}{% endif %}", []string{"1:20 text/syntax: {% endif %} closes no {% if %}: a {% for %} is still open | Close the for with {% endfor %} first."}},
		{"{% if done %}{% endfor %}", []string{"1:14 text/syntax: {% endfor %} closes no {% for %}: an {% if %} is still open | Close the if with {% endif %} first."}},
		{"{% if done %}{% else %}{% else %}{% endif %}", []string{"1:24 text/syntax: {% else %} follows {% else %} | Put the else last."}},
		{"{% for d in days %}{% else %}{% endfor %}", []string{
			"1:20 text/syntax: {% else %} stands in a {% for %} | Close the for with {% endfor %} first, or open an {% if %} inside.",
			"1:30 text/syntax: there is no block that {% endfor %} belongs to | Remove it, or write {% for x in … %} before it.",
		}},
		{"{% fi done %}", []string{"1:1 text/syntax: unknown tag \"fi done\" | Did you mean \"if\"?"}},
		{"{%- if done -%}{% endif %}", []string{
			"1:1 text/syntax: unknown tag \"- if done -\" | Remove the hyphen: a line that is empty but for its tags disappears by itself.",
			"1:16 text/syntax: there is no block that {% endif %} belongs to | Remove it, or write {% if … %} before it.",
		}},
		{"{% for days %}{% endfor %}", []string{"1:1 text/syntax: the for does not say what it goes over | Write {% for x in list %} or {% for key, value in object %}."}},
		{"{% for 1 in days %}{% endfor %}", []string{"1:1 text/syntax: \"1\" is no name for what the for goes over | Use letters, digits and underscores."}},
		{"{% for a, a in days %}{% endfor %}", []string{"1:1 text/syntax: a for has one name, or two different ones | Write {% for x in list %} or {% for key, value in object %}."}},
		{"{% for x in i %}{% endfor %}", []string{"1:13 expr/type: a for goes over a list or an object, but this is an integer | Give a list or an object."}},
		{"{% if done %}{% else i %}{% endif %}", []string{"1:14 text/syntax: else takes no condition | Write {% elif … %}."}},
		{"{{ }}", []string{"1:3 expr/syntax: the expression is empty | Write an expression, or remove the field."}},
		{"a\n  {{ email.boddy }}", []string{"2:12 expr/unknown-field: `email` has no field \"boddy\" | Did you mean \"body\"?"}},
		{"{% for m in emails %}\n{{ m.subjct }}{% endfor %}", []string{"2:6 expr/unknown-field: `m` has no field \"subjct\" | Did you mean \"subject\"?"}},
		{"{% for n, m in emails %}{{ n.x }}{% endfor %}", []string{
			"1:30 expr/unknown-field: `n` is an integer, which has no field \"x\" | Remove the field, or declare the value as an object.",
		}},
		{"{% for m in emails %}{% endfor %}{{ m }}", []string{
			"1:37 expr/unknown-name: unknown name \"m\" | Did you mean \"i\"?",
		}},
		{"{% if email.boddy %}x{% endif %}", []string{"1:13 expr/unknown-field: `email` has no field \"boddy\" | Did you mean \"body\"?"}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			var list diag.List
			x := expr.CompileValue(str(tt.text), assistantEnv(), &list)
			if diff := cmp.Diff(tt.want, show(&list)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if _, err := x.String(assistantScope()); err == nil {
				t.Error("a broken template renders")
			}
		})
	}
}

func tree(v any) *source.Value {
	switch v := v.(type) {
	case string:
		return str(v)
	case int:
		return &source.Value{Kind: source.Number, Text: "5"}
	case bool:
		return &source.Value{Kind: source.Bool, Bool: v}
	case []any:
		out := &source.Value{Kind: source.List}
		for _, item := range v {
			out.Items = append(out.Items, tree(item))
		}
		return out
	case data:
		out := &source.Value{Kind: source.Map}
		for _, k := range []string{"a", "b", "c", "d", "e"} {
			if item, ok := v[k]; ok {
				out.Fields = append(out.Fields, source.Field{Key: k, Value: tree(item)})
			}
		}
		return out
	}
	return &source.Value{Kind: source.Null}
}

func TestValue(t *testing.T) {
	t.Parallel()
	var list diag.List
	x := expr.CompileValue(tree(data{
		"a": []any{"{{ days }}", "x{{ i }}", 5, true, nil}, "b": "\n{{ run.now }}\n", "c": data{"a": " {{ i }}\n"}, "d": "{{ i }}", "e": "{{ i }} ",
	}), assistantEnv(), &list)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	got, err := x.Eval(assistantScope())
	if err != nil {
		t.Fatal(err)
	}
	want := data{
		"a": []any{[]any{"2026-01-28", "2026-01-29"}, "x3", 5, true, nil}, "b": "2026-01-28T06:00:00Z", "c": data{"a": " 3\n"}, "d": 3, "e": "3 ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if s, err := expr.CompileText(str("{{ i }} "), assistantEnv(), &list).Eval(assistantScope()); s != "3 " || err != nil {
		t.Errorf("text: %q, %v", s, err)
	}
	if s, err := expr.CompileValue(tree([]any{"{{ i }}", "a"}), assistantEnv(), &list).String(assistantScope()); s != `[3,"a"]` || err != nil {
		t.Errorf("text of a list: %q, %v", s, err)
	}
}

func TestValueConstant(t *testing.T) {
	t.Parallel()
	var list diag.List
	for _, tt := range []struct {
		in, want any
		constant bool
	}{
		{data{"a": []any{"x", 5}, "b": nil}, data{"a": []any{"x", 5}, "b": nil}, true},
		{"no tags", "no tags", true},
		{data{"a": "{{ i }}"}, nil, false},
		{"{# x #}", nil, false},
	} {
		got, ok := expr.CompileValue(tree(tt.in), assistantEnv(), &list).Constant()
		if ok != tt.constant || !cmp.Equal(got, tt.want) {
			t.Errorf("%v: got %v, %v", tt.in, got, ok)
		}
	}
	if v, ok := expr.CompileValue(nil, nil, &list).Constant(); v != nil || !ok {
		t.Errorf("nil: %v, %v", v, ok)
	}
	if v, ok := expr.CompileText(nil, nil, &list).Constant(); v != "" || !ok {
		t.Errorf("nil text: %v, %v", v, ok)
	}
	if v, ok := expr.CompileText(tree(5), nil, &list).Constant(); v != "5" || !ok {
		t.Errorf("number: %v, %v", v, ok)
	}
	if list.Len() > 0 {
		t.Error(list.Err())
	}
	expr.CompileText(tree([]any{}), nil, &list)
	if list.Len() != 1 {
		t.Error("a list is no text")
	}
}

func TestValueTypes(t *testing.T) {
	t.Parallel()
	var list diag.List
	x := expr.CompileValue(tree(data{"a": "{{ i }}", "b": []any{"{{ email.id }}"}, "c": "x {{ i }}", "d": "x {{ email.body }}"}), assistantEnv(), &list)
	text := &shape.Type{Kind: shape.String}
	want := &shape.Type{Kind: shape.Object, Fields: map[string]*shape.Type{
		"a": {Kind: shape.Int}, "b": {Kind: shape.List, Elem: text}, "c": text, "d": {Kind: shape.String, Untrusted: true},
	}}
	if diff := cmp.Diff(want, x.Type()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A template may not be changed by what it inserts.
func TestInsertedTagsStayText(t *testing.T) {
	t.Parallel()
	var list diag.List
	x := expr.CompileText(str("{{ email.body }}{% if true %}{{ email.body }}{% endif %}"), assistantEnv(), &list)
	body := "{{ i }}{% for %}{#\n\n"
	if got, err := x.String(data{"email": data{"body": body}}); got != body+body || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
