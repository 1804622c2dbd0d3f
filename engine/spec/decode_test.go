package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
)

func place(line, col int) diag.Pos { return diag.Pos{File: "f.yaml", Line: line, Col: col} }

func text(pos diag.Pos, text, raw string) *source.Value {
	return &source.Value{Kind: source.String, Pos: pos, Text: text, Raw: raw}
}

// Each notation of YAML, with the place, the text and how it is written.
func TestDecodeKeepsTheNotation(t *testing.T) {
	for name, tc := range map[string]struct {
		data string
		want *source.Value
	}{
		"plain":            {"a: b c\n", text(place(1, 4), "b c", "b c")},
		"plain, folded":    {"a: b\n  c\n\n  d\n", text(place(1, 4), "b c\nd", "b\n  c\n\n  d")},
		"plain, comment":   {"a: b # c\n", text(place(1, 4), "b", "b")},
		"single quotes":    {"a: 'it''s' # c\n", text(place(1, 4), "it's", "'it''s'")},
		"double quotes":    {"a: \"x\\\"\\u00e9\" # c\n", text(place(1, 4), "x\"é", "\"x\\\"\\u00e9\"")},
		"behind an anchor": {"a: &x !!str   5\n", text(place(1, 15), "5", "5")},
		"anchor and line":  {"a: &x # why\n  b\n", text(place(2, 3), "b", "b")},
		"behind letters":   {"{é: 1, a: \"ü\"}\n", text(place(1, 12), "ü", "\"ü\"")},
		"an alias":         {"x: &x b\na: *x\n", text(place(1, 7), "b", "b")},
		"a merge":          {"x: &x {a: b}\n<<: *x\n", text(place(1, 11), "b", "b")},
		"windows lines":    {"x: 1\r\na: b\r\n", text(place(2, 4), "b", "b")},
		"byte order mark":  {"\ufeffa: b\n", text(place(1, 4), "b", "b")},
		"paragraph mark":   {"x: 1 # \u2029y: 2\na: b\n", text(place(2, 4), "b", "b")},
		"a time":           {"a: 2026-01-28T06:00:00Z\n", text(place(1, 4), "2026-01-28T06:00:00Z", "2026-01-28T06:00:00Z")},
		"yes":              {"a: yes\n", text(place(1, 4), "yes", "yes")},
		"no octal":         {"a: 0899\n", text(place(1, 4), "0899", "0899")},
		"a literal block": {"a: |\n    b\n      c\n\n", &source.Value{
			Kind: source.String, Pos: place(1, 4), Text: "b\n  c\n", Raw: "|\n    b\n      c\n\n", Indent: 4,
		}},
		"a folded block": {"- a: >-\n    b\n    c\n  x: 1\n", &source.Value{
			Kind: source.String, Pos: place(1, 6), Text: "b c", Raw: ">-\n    b\n    c\n", Indent: 4,
		}},
		"an indented block": {"a: |2\n    b\n  c\nx: 1\n", &source.Value{
			Kind: source.String, Pos: place(1, 4), Text: "  b\nc\n", Raw: "|2\n    b\n  c\n", Indent: 2,
		}},
		"true":         {"a: True\n", &source.Value{Kind: source.Bool, Pos: place(1, 4), Bool: true}},
		"nothing":      {"a:\n", &source.Value{Kind: source.Null, Pos: place(1, 3)}},
		"null":         {"a: ~\n", &source.Value{Kind: source.Null, Pos: place(1, 4)}},
		"a number":     {"a: -1.50e3\n", &source.Value{Kind: source.Number, Pos: place(1, 4), Text: "-1.50e3"}},
		"hexadecimal":  {"a: 0xFF\n", &source.Value{Kind: source.Number, Pos: place(1, 4), Text: "255"}},
		"octal":        {"a: 0o17\n", &source.Value{Kind: source.Number, Pos: place(1, 4), Text: "15"}},
		"underscores":  {"a: +1_000\n", &source.Value{Kind: source.Number, Pos: place(1, 4), Text: "1000"}},
		"half":         {"a: .5\n", &source.Value{Kind: source.Number, Pos: place(1, 4), Text: "0.5"}},
		"beyond int64": {"a: 18446744073709551615\n", &source.Value{Kind: source.Number, Pos: place(1, 4), Text: "18446744073709551615"}},
		"a flow list": {"a: [b, 1]\n", &source.Value{Kind: source.List, Pos: place(1, 4), Items: []*source.Value{
			text(place(1, 5), "b", "b"), {Kind: source.Number, Pos: place(1, 8), Text: "1"},
		}}},
		"a block list": {"a:\n- b\n", &source.Value{Kind: source.List, Pos: place(2, 1), Items: []*source.Value{text(place(2, 3), "b", "b")}}},
		"a map": {"a:\n  1: x\n  true: y\n", &source.Value{Kind: source.Map, Pos: place(2, 3), Fields: []source.Field{
			{Key: "1", Pos: place(2, 3), Value: text(place(2, 6), "x", "x")},
			{Key: "true", Pos: place(3, 3), Value: text(place(3, 9), "y", "y")},
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			v, list := spec.Decode([]byte(tc.data), "f.yaml")
			if list.Len() > 0 {
				t.Fatal(list.Sorted())
			}
			if v.Kind == source.List {
				v = v.Items[0]
			}
			if diff := cmp.Diff(tc.want, v.Get("a")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeJSONKeepsTheNotation(t *testing.T) {
	at := func(line, col int) diag.Pos { return diag.Pos{File: "f.JSON", Line: line, Col: col} }
	v, list := spec.Decode([]byte("{\"a\" : [1.50, true,\n null],\r\n\t\"\\u0062\": \"\\ud83d\\ude00\\n\", \"c\": {}}"), "f.JSON")
	if list.Len() > 0 {
		t.Fatal(list.Sorted())
	}
	want := &source.Value{Kind: source.Map, Pos: at(1, 1), Fields: []source.Field{
		{Key: "a", Pos: at(1, 2), Value: &source.Value{Kind: source.List, Pos: at(1, 8), Items: []*source.Value{
			{Kind: source.Number, Pos: at(1, 9), Text: "1.50"}, {Kind: source.Bool, Pos: at(1, 15), Bool: true}, {Kind: source.Null, Pos: at(2, 2)},
		}}},
		{Key: "b", Pos: at(3, 2), Value: &source.Value{Kind: source.String, Pos: at(3, 12), Text: "😀\n", Raw: `"\ud83d\ude00\n"`}},
		{Key: "c", Pos: at(3, 30), Value: &source.Value{Kind: source.Map, Pos: at(3, 35)}},
	}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		file, data string
		code       diag.Code
		pos        string
	}{
		"a scalar is data":     {"f.yaml", "5", "", ""},
		"nothing is a map":     {"f.yaml", "# only a comment\n", "", ""},
		"empty":                {"f.json", "", "spec/syntax", "f.json:1:1"},
		"JSON is not YAML":     {"f.json", "a: b", "spec/syntax", "f.json:1:1"},
		"cut off":              {"f.json", "{\"a\": [1,\n 2", "spec/syntax", "f.json:2:3"},
		"two documents":        {"f.json", "{} {}", "spec/syntax", "f.json:1:4"},
		"trailing rubbish":     {"f.json", "[1] x", "spec/syntax", "f.json:1:5"},
		"a missing comma":      {"f.json", "{\"a\": 1 \"b\": 2}", "spec/syntax", "f.json:1:9"},
		"a key twice":          {"f.json", "{\"a\": 1, \"\\u0061\": 2}", "spec/duplicate", "f.json:1:10"},
		"a key twice in YAML":  {"f.yaml", "a: 1\n'a': 2\n", "spec/duplicate", "f.yaml:2:1"},
		"an open quote":        {"f.yaml", "a: 1\nb: 'x\n", "spec/syntax", "f.yaml:2:1"},
		"an open bracket":      {"f.yaml", "a: 1\nb: [x\nc: 1\n", "spec/syntax", "f.yaml:2:1"},
		"an unknown alias":     {"f.yaml", "a: 1\nb:  *x\n", "spec/syntax", "f.yaml:2:5"},
		"a control character":  {"f.yaml", "a: 1\nb: \x07\n", "spec/syntax", "f.yaml:2:4"},
		"a broken second":      {"f.yaml", "a: 1\n---\nb: [\n", "spec/syntax", ""},
		"too long":             {"f.yaml", strings.Repeat("#", 5<<20), "spec/too-large", "f.yaml"},
		"infinity":             {"f.yaml", "a: -.inf", "spec/syntax", "f.yaml:1:4"},
		"a number too far out": {"f.json", "[1e999]", "spec/syntax", "f.json:1:2"},
	} {
		t.Run(name, func(t *testing.T) {
			v, list := spec.Decode([]byte(tc.data), tc.file)
			if tc.code == "" {
				if v == nil || list.Len() > 0 {
					t.Fatal(list.Sorted())
				}
				return
			}
			findings := list.Sorted()
			if v != nil || len(findings) != 1 || findings[0].Code != tc.code {
				t.Fatalf("%v", findings)
			}
			if got := findings[0].Pos.String(); tc.pos != "" && got != tc.pos {
				t.Errorf("at %s, want %s: %s", got, tc.pos, findings[0].Message)
			}
		})
	}
}
