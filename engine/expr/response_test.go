package expr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/source"
)

// fill compiles a response that may name anything and fills it.
func fill(t testing.TB, text string, scope data) (string, expr.Filled) {
	t.Helper()
	var list diag.List
	x := expr.CompileResponse(str(text), expr.NewEnv(nil).Opened(), &list)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	f := expr.NewFill(scope, "")
	got, err := f.Text(x)
	if err != nil {
		t.Fatal(err)
	}
	return got, f.Filled
}

func TestResponse(t *testing.T) {
	t.Parallel()
	scope := data{
		"title": "Gym", "count": 3.0, "price": 2.50, "many": []any{"Dal", nil, "Pho", 2}, "none": []any{}, "user": data{"name": "Bo"},
		"yes": true, "no": false, "zero": 0, "blank": "", "tag": "{{ title }} {% if x %}", "data": "own", "len": "long", "map": data{},
	}
	for _, tt := range []struct{ name, text, want string }{
		{"values", "{{ title }} {{ count }} {{ price }} {{ yes }}", "Gym 3 2.5 true"},
		{"a list is joined", "{{ many }}|{{ none }}", "Dal, Pho, 2|"},
		{"a field", "{{ user.name }}", "Bo"},
		{"missing", "a {{ when }} b", "a  b"},
		{"a field of what is missing", "a{{ guest.name }}b{{ guest.address.street }}c", "abc"},
		{"what cannot be computed", "a{{ title + 1 }}b{{ many[9] }}c{{ upper(count) }}d", "abcd"},
		{"single braces", "Use {name} for {{ title }}", "Use {name} for Gym"},
		{"values are not read again", "{{ tag }}", "{{ title }} {% if x %}"},
		{"names of functions and of the engine", "{{ len }} {{ data }} {{ run }}{{ input }}", "long own "},
		{"any value is a condition", "{% if title %}a{% endif %}{% if none %}b{% endif %}{% if zero %}c{% endif %}{% if map %}d{% endif %}{% if when %}e{% endif %}", "a"},
		{"not of any value", "{% if not none %}a{% endif %}{% if not title %}b{% endif %}{% if not when %}c{% endif %}", "ac"},
		{"and, or of any values", "{% if title and many %}a{% endif %}{% if none or zero %}b{% endif %}{% if blank or count %}c{% endif %}", "ac"},
		{"a condition that fails", "{% if title > 3 %}a{% else %}b{% endif %}", "b"},
		{"a condition over what is missing", "{% if guest.name == 'Bo' %}a{% else %}b{% endif %}", "b"},
		{"choosing by any value", "{{ none ? 'a' : 'b' }}", "b"},
		{"a loop", "{% for x in many %}{{ x }};{% endfor %}", "Dal;;Pho;2;"},
		{"a loop over no list", "a{% for x in title %}{{ x }}{% endfor %}{% for x in when %}{{ x }}{% endfor %}b", "ab"},
		{"a line of sections that say nothing", "a\n{% if when %}x{% endif %}\n{% if no %}y{% endif %} {% if zero %}z{% endif %}\nb", "a\nb"},
		{"a line with a placeholder stays", "a\n{{ when }}\nb", "a\n\nb"},
		{"a line with a placeholder in a section that is said stays", "a\n{% if yes %}{{ when }}{% endif %}\nb", "a\n\nb"},
		{"sections over lines", "a\n{% if yes %}\nb\n{% endif %}\nc", "a\nb\nc"},
		{"empty lines stay", "a\n\nb", "a\n\nb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _ := fill(t, tt.text, scope)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	scope := data{"title": "Gym", "many": []any{"Dal", "", "Pho"}, "blank": "", "n": 4, "nothing": nil}
	for _, tt := range []struct {
		text string
		want expr.Filled
	}{
		{"plain", expr.Filled{}},
		{"{{ title }} for {{ when }}", expr.Filled{Placeholders: 2, Done: 1, Missing: []string{"when"}, Values: []string{"Gym"}}},
		{"{{ when }}{{ when }}{{ a.b }}", expr.Filled{Placeholders: 3, Missing: []string{"when", "a.b"}}},
		{"{{ nothing }}{{ blank }}", expr.Filled{Placeholders: 2, Done: 1, Missing: []string{"nothing"}}},
		{"{% if x %}{{ y }}{% endif %}{% if n %}{{ n }}{% endif %}", expr.Filled{Placeholders: 1, Done: 1, Values: []string{"4"}}},
		{"{{ many }}", expr.Filled{Placeholders: 1, Done: 1, Values: []string{"Dal", "Pho"}}},
		{"{{ upper(when) }}{{ format_number(when) }}", expr.Filled{Placeholders: 2, Missing: []string{"when"}}},
		{"{{ format_number(n, 2) }}", expr.Filled{Placeholders: 1, Done: 1, Values: []string{"4.00"}}},
		{"{% for m in many %}{{ m.x }}{% endfor %}", expr.Filled{Placeholders: 3, Missing: []string{"m.x"}}},
		{"{{ from_json('x') }}", expr.Filled{Placeholders: 1, Missing: []string{"from_json('x')"}}},
	} {
		_, got := fill(t, tt.text, scope)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.text, diff)
		}
	}
}

func TestResponseOfDeclaredNames(t *testing.T) {
	t.Parallel()
	env := expr.NewEnv(map[string]*shape.Type{"title": {Kind: shape.String}, "n": {Kind: shape.Int}})
	var list diag.List
	expr.CompileResponse(str("{{ titel }} {{ n.x }} {% if title %}{% endif %}{% if not n %}{% endif %}"), env, &list)
	expr.CompileTest(str("titel == 'x'"), env, &list)
	want := []string{
		`1:4 expr/unknown-name: unknown name "titel" | Did you mean "title"?`,
		"1:18 expr/unknown-field: `n` is an integer, which has no field \"x\" | Remove the field, or declare the value as an object.",
		`1:1 expr/unknown-name: unknown name "titel" | Did you mean "title"?`,
	}
	if diff := cmp.Diff(want[1:2], show(&list)[len(show(&list))-1:]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if list.Len() != len(want) {
		t.Errorf("%d findings: %v", list.Len(), show(&list))
	}
}

func TestInclude(t *testing.T) {
	t.Parallel()
	partials := map[string]*source.Value{
		"name":   tree(data{"a": "x"}),
		"hello":  {Kind: source.Map, Fields: []source.Field{{Key: "text", Value: str("Hello, {{ who }}!\n")}}},
		"both":   {Kind: source.Map, Fields: []source.Field{{Key: "text", Value: str("{% include hello %} {% include hello %}")}}},
		"loop":   {Kind: source.Map, Fields: []source.Field{{Key: "text", Value: str("{% include loop %}")}}},
		"broken": {Kind: source.Map, Fields: []source.Field{{Key: "text", Value: str("{% if who %}")}}},
		"parts": {Kind: source.Map, Fields: []source.Field{{Key: "sections", Value: &source.Value{Kind: source.List, Items: []*source.Value{
			str("A {{ who }}."),
			{Kind: source.Map, Fields: []source.Field{{Key: "when", Value: str("who == 'Bo'")}, {Key: "text", Value: str("B.")}}},
			{Kind: source.Map, Fields: []source.Field{{Key: "when", Value: str("who == 'Cy'")}, {Key: "text", Value: str("C.")}, {Key: "else", Value: str("D.")}}},
			str("{% if who == 'Cy' %}E.{% endif %}"),
		}}}}},
	}
	env := expr.NewEnv(map[string]*shape.Type{"who": {Kind: shape.String}}).Partials(func(name string) *source.Value { return partials[name] })
	for _, tt := range []struct{ text, want string }{
		{"{% include hello %}", "Hello, Bo!"},
		{"a\n{% include hello %}\nb", "a\nHello, Bo!\nb"},
		{"{% include both %}", "Hello, Bo! Hello, Bo!"},
		{"{% for who in ['Ann'] %}{% include hello %}{% endfor %}", "Hello, Ann!"},
		{"{% include parts %} F.", "A Bo. B. D. F."},
	} {
		for kind, compile := range map[string]func(*source.Value, *expr.Env, *diag.List) *expr.Value{"prompt": expr.CompileText, "response": expr.CompileResponse} {
			var list diag.List
			x := compile(str(tt.text), env, &list)
			if err := list.Err(); err != nil {
				t.Fatalf("%s: %v", tt.text, err)
			}
			got, err := x.String(data{"who": "Bo"})
			if err != nil || got != tt.want {
				t.Errorf("%s %s: %q, %v; want %q", kind, tt.text, got, err, tt.want)
			}
			if len(x.Includes()) == 0 {
				t.Errorf("%s: what it includes is not told", tt.text)
			}
		}
	}
	for text, want := range map[string]string{
		"{% include nobody %}":  `there is no template "nobody" to include`,
		"{% include %}":         "the include does not name a template",
		"{% include loop %}":    `template "loop" includes itself`,
		"{% include broken %}":  "the block {% if %} is not closed",
		"{% inclusion hello %}": `unknown tag "inclusion hello"`,
		"{% include a b %}":     "the include does not name a template",
	} {
		var list diag.List
		x := expr.CompileResponse(str(text), env, &list)
		if found := strings.Join(show(&list), "\n"); !strings.Contains(found, want) {
			t.Errorf("%s: %q, want %q", text, found, want)
		}
		if _, err := expr.NewFill(data{}, "").Text(x); err == nil {
			t.Errorf("%s: it renders all the same", text)
		}
	}
}

// Templates that include each other many times are refused, not expanded.
func TestIncludesThatGrow(t *testing.T) {
	t.Parallel()
	partial := func(name string) *source.Value {
		text := strings.Repeat("x", 1000)
		if n := len(name); n < 14 {
			text = strings.Repeat("{% include "+name+"x %}", 10)
		}
		return &source.Value{Kind: source.Map, Fields: []source.Field{{Key: "text", Value: str(text)}}}
	}
	var list diag.List
	expr.CompileResponse(str("{% include x %}"), expr.NewEnv(nil).Partials(partial), &list)
	if found := strings.Join(show(&list), "\n"); !strings.Contains(found, "expr/too-large") {
		t.Errorf("found %q", found)
	}
}

func TestKnownValues(t *testing.T) {
	t.Parallel()
	env := expr.NewEnv(map[string]*shape.Type{"hidden": {Kind: shape.String}}).
		Constants(data{"data": data{"list": []any{1, 2}, "word": "x", "deep": data{"n": 1}, "void": nil}, "hidden": 3})
	for text, want := range map[string]any{
		"data.word": "x", "data.deep.n + 1": 2, "len(data.list)": 2, "merge(data.deep, {m: 2}).m": 2, "let d = data.deep; d.n": 1,
		"map(data.list, # + data.deep.n)": []any{2, 3}, "data.word == 'y'": false, "hidden": "own", "get(data, 'none')": nil,
		"filter([data.deep], .n == 1)[0].n": 1, "data.void": nil, "merge(data.deep, data.deep).n": 1,
	} {
		var list diag.List
		x := expr.CompileExpr(str(text), env, &list)
		if err := list.Err(); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := x.Eval(data{"hidden": "own"})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, -want +got:\n%s", text, err, diff)
		}
	}
	var list diag.List
	expr.CompileExpr(str("data.deep.m + data.wrod"), env, &list)
	if list.Len() != 2 {
		t.Errorf("found %v", show(&list))
	}
}

// Whatever the values are, a response is filled; what is missing is told.
func TestResponseIsNeverRefused(t *testing.T) {
	t.Parallel()
	texts := []string{
		"{{ a }} {{ a.b }} {{ a.b.c }}", "{% if a %}{{ b }}{% else %}{{ a }}{% endif %}", "{% for x in a %}{{ x }}{{ x.y }}{% endfor %}",
		"{{ upper(a) }} {{ format_number(a, 2) }} {{ plural(a, b) }} {{ local_date(a, 'long') }}", "{{ a + b }} {{ a[0] }} {{ a == b }} {{ not a }}",
	}
	values := rapid.Deferred(func() *rapid.Generator[any] {
		return rapid.SampledFrom([]any{nil, true, 0, -3, 1.5, "", "x", "<b>", []any{}, []any{"a", nil, data{"y": 1}}, data{}, data{"b": data{"c": "d"}}, data{"other": "#"}})
	})
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(r, "text")
		scope := data{"a": values.Draw(r, "a"), "b": values.Draw(r, "b")}
		_, filled := fill(t, text, scope)
		if filled.Done > filled.Placeholders || filled.Done == filled.Placeholders && len(filled.Missing) > 0 {
			r.Fatalf("%+v", filled)
		}
	})
}

func FuzzResponse(f *testing.F) {
	for _, text := range []string{"{{ a }}", "{% if not a %}{{ b.c }}{% endif %}", "{% for x in a %}{{ x }}{% endfor %}", "{% include p %}", "{name} {{", "{% for %}"} {
		f.Add(text, "value")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		var list diag.List
		p := &source.Value{Kind: source.Map, Fields: []source.Field{{Key: "text", Value: str(value)}}}
		env := expr.NewEnv(nil).Opened().Partials(func(string) *source.Value { return p })
		x := expr.CompileResponse(str(text), env, &list)
		fill := expr.NewFill(data{"a": []any{value, data{"c": value}}, "b": data{"c": value}}, "de")
		got, err := fill.Text(x)
		if list.HasErrors() && err == nil {
			t.Fatalf("a broken response renders %q", got)
		}
		if fill.Done > fill.Placeholders {
			t.Fatalf("%+v", fill.Filled)
		}
	})
}
