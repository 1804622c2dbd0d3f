package completion_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/nodes/internal/completion"
)

func triage(t testing.TB) *shape.Shape {
	t.Helper()
	s, err := shape.FromSchema(map[string]any{
		"type": "object", "required": []any{"classification"}, "additionalProperties": false,
		"properties": map[string]any{
			"classification": map[string]any{"enum": []any{"ignore", "respond"}},
			"score":          map[string]any{"type": "integer"},
			"tags":           map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestExtract(t *testing.T) {
	ignore := map[string]any{"classification": "ignore"}
	for _, tc := range []struct {
		name, in string
		want     any
		problem  string
	}{
		{"as asked", `{"classification": "ignore"}`, ignore, ""},
		{"spaces", "\n  {\"classification\": \"ignore\"}\n\n", ignore, ""},
		{"fence", "```json\n{\"classification\": \"ignore\"}\n```", ignore, ""},
		{"fence in prose", "Here you are:\n```\n{\"classification\": \"ignore\"}\n```\nAnything else?", ignore, ""},
		{"prose", `I think {"classification": "ignore"} is right.`, ignore, ""},
		{"other values before", `As [1] and {"note": "x"} say: {"classification": "ignore"}`, ignore, ""},
		{"broken before", `{classification: ignore} I mean {"classification": "ignore"}`, ignore, ""},
		{"braces in text", `{"classification": "ignore", "tags": ["}", "{"]}`, map[string]any{"classification": "ignore", "tags": []any{"}", "{"}}, ""},
		{"coerced", `{"classification": "ignore", "score": "3"}`, map[string]any{"classification": "ignore", "score": 3}, ""},
		{"list in text", `{"classification": "ignore", "tags": "[\"a\"]"}`, map[string]any{"classification": "ignore", "tags": []any{"a"}}, ""},
		{"wrong class", `{"classification": "later"}`, nil, "/classification"},
		{"first is reported", `{"classification": "later"} or {"classification": 7}`, nil, "/classification"},
		{"nothing", "I would ignore it.", nil, "there is no JSON in the answer"},
		{"empty", "", nil, "there is no JSON in the answer"},
		{"cut off", `{"classification": "ignore", "tags": ["a", "b`, nil, "it was cut off"},
		{"only openers", strings.Repeat("[", 1<<16), nil, "there is no JSON in the answer"},
		{"only braces", strings.Repeat("{", 1<<16), nil, "there is no JSON in the answer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, problems := completion.Extract(tc.in, triage(t))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			text := completion.Problems(problems)
			if !strings.Contains(text, tc.problem) || (tc.problem == "") != (text == "") {
				t.Errorf("problems: %q, want %q", text, tc.problem)
			}
		})
	}
}

func TestExtractScalar(t *testing.T) {
	s, err := shape.FromSchema(map[string]any{"type": "boolean"})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{"true", "```\ntrue\n```", `"true"`} {
		if got, problems := completion.Extract(in, s); got != true {
			t.Errorf("%q: got %v, %v", in, got, problems)
		}
	}
}

// Whatever a model writes, looking for JSON in it ends and never panics, and what is
// found fits.
func FuzzExtract(f *testing.F) {
	for _, seed := range []string{`{"classification": "ignore"}`, "```json\n{}\n```", `[1] {"classification": "ignore"`, "```", "{}{}{}", `"\ud800"`} {
		f.Add(seed)
	}
	s := triage(f)
	f.Fuzz(func(t *testing.T, in string) {
		got, problems := completion.Extract(in, s)
		if len(problems) == 0 && len(s.Check(got)) > 0 {
			t.Fatalf("%q gave %v, which does not fit", in, got)
		}
		if (got == nil) != (len(problems) > 0) {
			t.Fatalf("%q gave %v and %v", in, got, problems)
		}
	})
}
