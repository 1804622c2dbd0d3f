package spectest_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine"
	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/engine/spectest"
)

func decode(t testing.TB, text string) *source.Value {
	t.Helper()
	v, list := spec.Decode([]byte(text), "x.yaml")
	if list.HasErrors() {
		t.Fatalf("%s: %v", text, list.Err())
	}
	return v
}

// options are those of a binary without node types: graphs only set and route.
func options() spectest.Options {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return spectest.Options{
		Types: func(spectest.Deps) build.Types { return build.Types{} },
		Now:   func() time.Time { return at },
	}
}

const counting = `
name: counting
graphs:
  main:
    input: {type: object, properties: {to: {type: integer, default: 3}}}
    state:
      n: {type: integer, default: 0}
      list: {type: array, items: {type: string}, reduce: append, default: []}
      deep: {type: object, properties: {a: {type: integer}, b: {type: string}}, default: {a: 1, b: "it's: \"{x}\" # no"}}
    output: {n: "{{ n }}", deep: "{{ deep }}"}
    limits: {steps: 50}
    start: count
    nodes:
      count: {set: {n: "{{ n + 1 }}", list: "{{ ['item ' + string(n)] }}"}, next: [{when: n < input.to, to: count}, {to: last}]}
      last: {next: end}
`

func suite(t testing.TB, tests string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"spec.yaml": counting, "a_test.yaml": tests} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func run(t testing.TB, dir string) *spectest.Report {
	t.Helper()
	report := spectest.Run(t.Context(), []string{dir}, options())
	if report.Findings.HasErrors() {
		t.Fatal(report.Findings.Err())
	}
	return report
}

// failures returns what failed: test, part and difference.
func failures(r *spectest.Report) []string {
	var out []string
	for _, o := range r.Outcomes {
		if o.Problem != "" {
			out = append(out, o.Test.Name+": "+o.Problem)
		}
		for _, m := range o.Mismatches {
			out = append(out, fmt.Sprintf("%s: %d:%d %s\n%s", o.Test.Name, m.Pos.Line, m.Pos.Col, m.What, m.Diff))
		}
	}
	return out
}

func TestWhatHoldsPasses(t *testing.T) {
	t.Parallel()
	r := run(t, suite(t, `
tests:
  - name: all of it
    input: {to: 2}
    expect:
      status: done
      path: [count, count, last]
      state: {n: 2, list: [item 0, item 1], deep: {a: 1.0}}
      output: {n: 2, deep: {b: "it's: \"{x}\" # no"}}
      calls: []
      interrupts: []
      when:
        - n == input.to and len(path) == 3 and path[2] == "last"
        - output.n == 2 and status == "done" and error == "" and len(calls) == 0 and len(interrupts) == 0
  - {name: a limit is a failure, input: {to: 100}, expect: {error: "50"}}
  - {name: a limit, input: {to: 100}, expect: {status: limited}}
  - {name: an input that does not fit, input: {to: many}, expect: {error: to}}
`))
	if got := failures(r); got != nil || len(r.Outcomes) != 4 {
		t.Errorf("%d outcomes; failed:\n%s", len(r.Outcomes), strings.Join(got, "\n"))
	}
}

func TestWhatDoesNotHoldFails(t *testing.T) {
	t.Parallel()
	r := run(t, suite(t, `
tests:
  - name: a
    expect: {path: [count, last], state: {n: 2, list: [item 0], deep: {a: 2, c: 1}}, output: {deep: [1]}}
  - {name: b, expect: {status: parked}}
  - {name: c, expect: {error: broken}}
  - {name: d, expect: {when: [n == 3, n == 4, deep.b == ""]}}
  - {name: e, expect: {interrupts: [look]}, script: [{text: x}, {text: x, repeat: true}], answers: [{accept: true}]}
`))
	want := []string{
		"a: 4:20 path\n  count\n+ count\n+ count\n  last",
		"a: 4:46 state.n\n- 2\n+ 3",
		"a: 4:55 state.list\n1 items are expected, 3 are there:\n- [\"item 0\"]\n+ [\"item 0\",\"item 1\",\"item 2\"]",
		"a: 4:75 state.deep.a\n- 2\n+ 1",
		"a: 4:78 state.deep.c\n- 1\n+ (is not there)",
		"a: 4:101 output.deep\n- [1]\n+ {\"a\":1,\"b\":\"it's: \\\"{x}\\\" # no\"}",
		"b: 5:32 status\n- parked\n+ done",
		"c: 6:23 status\n- failed\n+ done",
		"c: 6:31 error\n- … broken …\n+ ",
		"d: 7:39 when[1]\nit does not hold: n == 4\n  n = 3",
		"d: 7:47 when[2]\nit does not hold: deep.b == \"\"\n  deep = {\"a\":1,\"b\":\"it's: \\\"{x}\\\" # no\"}",
		"e: 8:36 interrupts\n- look",
		"e: 8:12 script\nnothing asked for entry 1 (any node)",
		"e: 8:12 answers\nnothing asked for answer 1 (accept)",
	}
	if diff := cmp.Diff(want, failures(r)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if r.Failed() != 5 {
		t.Errorf("%d failed", r.Failed())
	}
}

func TestJUnitIsXML(t *testing.T) {
	t.Parallel()
	r := run(t, suite(t, `
tests:
  - {name: "good <&>", expect: {}}
  - {name: "bad \u0007", expect: {state: {n: 5}}}
`))
	var b strings.Builder
	if err := spectest.JUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &doc); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if doc.Tests != 2 || doc.Failures != 1 || len(doc.Suites) != 1 || doc.Suites[0].Cases[0].Name != "good <&>" ||
		doc.Suites[0].Cases[1].Failure.Message != "state.n" {
		t.Errorf("%+v", doc)
	}
}

func TestMatchSelectsByName(t *testing.T) {
	t.Parallel()
	dir := suite(t, "tests: [{name: one, expect: {}}, {name: two, expect: {}}]")
	opts := options()
	opts.Match = regexp.MustCompile("^t")
	r := spectest.Run(t.Context(), []string{dir}, opts)
	if len(r.Outcomes) != 1 || r.Outcomes[0].Test.Name != "two" || r.Skipped != 1 {
		t.Errorf("%d outcomes, %d skipped", len(r.Outcomes), r.Skipped)
	}
}

// TestUpdateMakesTestsPass rewrites random wrong expectations in several notations.
// What Update writes must pass, and must change nothing else of the file.
func TestUpdateMakesTestsPass(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := func(name string) int { return rapid.IntRange(0, 5).Draw(rt, name) }
		parts := map[string]string{
			"path":   fmt.Sprintf("[count, %s]", strings.Repeat("count, ", n("path"))+"last"),
			"state":  fmt.Sprintf("{n: %d, deep: {a: %d}}", n("n"), n("a")),
			"output": fmt.Sprintf("{n: %d, deep: {b: \"it's: {\"}}", n("out")),
			"status": rapid.SampledFrom([]string{"done", "parked", "failed"}).Draw(rt, "status"),
			"when":   "n >= 0",
		}
		keys := rapid.Permutation([]string{"path", "state", "output", "status", "when"}).Draw(rt, "order")[:2+n("keys")%4]
		var flow, block []string
		for _, key := range keys {
			flow = append(flow, key+": "+parts[key])
			block = append(block, "      # about "+key+"\n      "+key+": "+parts[key])
		}
		text := "# head\ntests:\n  - name: flow\n    expect: {" + strings.Join(flow, ", ") + "}   # tail, with a '\n\n" +
			"  - name: block\n    expect:\n" + strings.Join(block, "\n") + "\n# foot\n"
		dir := suite(t, text)
		if _, err := spectest.Update(run(t, dir)); err != nil {
			rt.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "a_test.yaml"))
		if err != nil {
			rt.Fatal(err)
		}
		if got := failures(run(t, dir)); got != nil {
			rt.Fatalf("still failing:\n%s\nbefore:\n%s\nafter:\n%s", strings.Join(got, "\n"), text, data)
		}
		for _, keep := range []string{"# head\n", "}   # tail, with a '\n", "# foot\n", "\n\n  - name: block\n"} {
			if !strings.Contains(string(data), keep) {
				rt.Fatalf("%q is lost:\nbefore:\n%s\nafter:\n%s", keep, text, data)
			}
		}
		for _, key := range keys {
			if !strings.Contains(string(data), "# about "+key) {
				rt.Fatalf("a comment is lost:\n%s", data)
			}
		}
	})
}

func TestUpdateLeavesWhatPassesAlone(t *testing.T) {
	t.Parallel()
	dir := suite(t, "tests: [{name: one, expect: {  path: [count,count,count,last] }}]")
	n, err := spectest.Update(run(t, dir))
	if n != 0 || err != nil {
		t.Errorf("%d tests updated, %v", n, err)
	}
}

func TestUpdateAddsTheStatus(t *testing.T) {
	t.Parallel()
	dir := suite(t, "tests:\n  - {name: one, input: {to: 99}, expect: {}}\n  - name: two\n    input: {to: 99}\n    expect:\n      path: []\n")
	if n, err := spectest.Update(run(t, dir)); n != 2 || err != nil {
		t.Fatalf("%d tests updated, %v", n, err)
	}
	if got := failures(run(t, dir)); got != nil {
		t.Error(strings.Join(got, "\n"))
	}
}

func value(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(v bool) any { return v }),
		rapid.Map(rapid.IntRange(-1000, 1000), func(v int) any { return v }),
		rapid.Map(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"yes", "No", "~", "null", "1", "0x1", "a: b", "- a", "#a", " a", "a ", "a\nb", "{", "'", "*a", "&a", "!a", "1e3", ".5", "=", "<<"})),
			func(v string) any { return strings.ToValidUTF8(v, "") }))
	if depth == 0 {
		return leaf
	}
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(value(depth-1), 0, 4), func(v []any) any { return v }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b c", "yes", "1", "", "a:b"}), value(depth-1), 0, 4), func(v map[string]any) any { return v }))
}

// tree turns data into a tree by way of JSON, which is YAML too.
func tree(v any) *source.Value {
	out := &source.Value{Kind: source.Null}
	switch v := v.(type) {
	case bool:
		out = &source.Value{Kind: source.Bool, Bool: v}
	case int:
		out = &source.Value{Kind: source.Number, Text: fmt.Sprint(v)}
	case string:
		out = &source.Value{Kind: source.String, Text: v}
	case []any:
		out = &source.Value{Kind: source.List}
		for _, item := range v {
			out.Items = append(out.Items, tree(item))
		}
	case map[string]any:
		out = &source.Value{Kind: source.Map}
		for key, item := range v {
			out.Fields = append(out.Fields, source.Field{Key: key, Value: tree(item)})
		}
	}
	return out
}

func TestFlowReadsBackAsItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		want := value(3).Draw(rt, "value")
		text := "x: " + spectest.Flow(tree(want)) + "\n"
		v, list := spec.Decode([]byte(text), "x.yaml")
		if list.HasErrors() {
			rt.Fatalf("%s: %v", text, list.Err())
		}
		if diff := cmp.Diff(want, v.Get("x").Go()); diff != "" {
			rt.Fatalf("%s (-want +got):\n%s", text, diff)
		}
	})
}

func TestMatchHoldsOfItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := value(3).Draw(rt, "value")
		if found := spectest.Match(tree(v), v); found != nil {
			rt.Fatalf("%v does not match itself: %v", v, found)
		}
	})
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want string
		got  any
		ok   bool
	}{
		{"x: 1", 1, true},
		{"x: 1", 1.0, true},
		{"x: 1", "1", false},
		{"x: '1'", 1, false},
		{"x: 1", true, false},
		{"x: null", nil, true},
		{"x: null", 0, false},
		{"x: {a: null}", map[string]any{}, true},
		{"x: {a: null}", map[string]any{"a": 1}, false},
		{"x: {}", map[string]any{"a": 1}, true},
		{"x: {}", []any{}, false},
		{"x: []", []any{}, true},
		{"x: []", []any{1}, false},
		{"x: []", map[string]any{}, false},
		{"x: [{a: 1}]", []any{map[string]any{"a": 1, "b": 2}}, true},
		{"x: [{a: 1}, 2]", []any{2, map[string]any{"a": 1}}, false},
		{"x: text", []any{"text"}, false},
		{"x: text", map[string]any{"text": "text"}, false},
	} {
		if found := spectest.Match(decode(t, c.want).Get("x"), c.got); (found == nil) != c.ok {
			t.Errorf("%s and %v: %v", c.want, c.got, found)
		}
	}
}

func TestAnswersAreUsedUpInOrder(t *testing.T) {
	t.Parallel()
	list := &diag.List{}
	answers := spectest.ReadAnswers(decode(t, `x: [{interrupt: b, accept: true}, {interrupt: a, ignore: true}, {respond: hi}]`).Get("x"), list)
	if list.Len() > 0 {
		t.Fatal(list.Err())
	}
	a, b := &engine.InterruptRequest{ID: "1", Action: "a"}, &engine.InterruptRequest{ID: "2", Action: "b"}
	var got []string
	for _, open := range [][]*engine.InterruptRequest{{a}, {a}, {a, b}, {b}} {
		answer, to := answers.Take(open)
		if answer == nil {
			got = append(got, "none")
			continue
		}
		got = append(got, string(answer.Response)+" to "+to.ID)
	}
	if diff := cmp.Diff([]string{"ignore to 1", "respond to 1", "accept to 2", "none"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("tests: [{name: x, expect: {status: done, path: [a], calls: [{tool: x, args: {}}], memory: {m: {contains: [x]}}, when: a}}]")
	f.Add("tests: [{name: x, input: {file: spec.yaml}, script: {file: a_test.yaml}, answers: [{wait: 1h}, {edit: {a: 1}}], expect: {}}]")
	f.Add("tests: &a [{name: x, expect: *a}]")
	f.Fuzz(func(t *testing.T, text string) {
		fsys := fstest.MapFS{"a_test.yaml": {Data: []byte(text)}, "spec.yaml": {Data: []byte(counting)}}
		s, list := spectest.LoadFS(fsys, "dir")
		for _, finding := range list.Sorted() {
			if !finding.Pos.Known() {
				continue
			}
			lines := strings.Split(string(s.Source(finding.Pos.File)), "\n")
			if finding.Pos.Line > len(lines) || finding.Pos.Col > len(lines[finding.Pos.Line-1])+1 {
				t.Errorf("%s lies outside of %q", finding.Pos, text)
			}
		}
	})
}
