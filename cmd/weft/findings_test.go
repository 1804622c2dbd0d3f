package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/shape"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/nodes"
)

// errorsDir holds one failing example for each code: <code with - for />.txtar, or
// <code>+<variant>.txtar for further ones. An example is files of a spec and `want`, the
// findings as they are printed. Lines `key: value` before the first file say more:
// dir (of the spec), profile, without (a node type), latin1 (a file), grow (a file and
// by how many bytes), repeat (how often lines with a # in them stand there, numbered).
// UPDATE=1 rewrites every `want`: read what it writes.
const errorsDir = "../../testdata/errors"

// rules returns every kind of finding that loading a spec can report.
func rules() []diag.Rule {
	return slices.Concat(spec.Rules(), shape.Rules(), expr.Rules(), build.Rules(), compile.Rules(), nodes.Rules())
}

type example struct {
	path    string
	archive *txtar.Archive
	options map[string]string
}

func examples(t testing.TB) []example {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(errorsDir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples in %s: %v", errorsDir, err)
	}
	out := make([]example, len(paths))
	for i, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = example{path: p, archive: a, options: map[string]string{}}
		for line := range strings.Lines(string(a.Comment)) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
				out[i].options[key] = value
			}
		}
	}
	return out
}

// code returns the code that the example is for.
func (e example) code(known []diag.Rule) diag.Code {
	name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(e.path), ".txtar"), "+")
	for _, r := range known {
		if strings.ReplaceAll(string(r.Code), "/", "-") == name {
			return r.Code
		}
	}
	return ""
}

// files returns the example's files as they are on disk.
func (e example) files(t *testing.T) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for _, f := range e.archive.Files {
		if f.Name == "want" {
			continue
		}
		data := f.Data
		if e.options["latin1"] == f.Name {
			data = latin1(string(data))
		}
		if n, err := strconv.Atoi(e.options["repeat"]); err == nil {
			data = repeat(data, n)
		}
		out[f.Name] = &fstest.MapFile{Data: data}
	}
	if name, size, ok := strings.Cut(e.options["grow"], " "); ok {
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Fatal(err)
		}
		out[name].Data = append(out[name].Data, bytes.Repeat([]byte("# padding\n"), n/10)...)
	}
	return out
}

func repeat(data []byte, n int) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if !bytes.Contains(line, []byte("#")) {
			out = append(out, line...)
			continue
		}
		for i := range n {
			out = append(out, bytes.ReplaceAll(line, []byte("#"), []byte(strconv.Itoa(i)))...)
		}
	}
	return out
}

func latin1(s string) []byte {
	var out []byte
	for _, r := range s {
		out = append(out, byte(r))
	}
	return out
}

// findings loads and compiles the example and returns what was found, and as printed.
func (e example) findings(t *testing.T) ([]diag.Finding, string) {
	t.Helper()
	dir := e.options["dir"]
	if dir == "" {
		dir = "."
	}
	sp, list := spec.Load(e.files(t), dir, spec.Options{Profile: e.options["profile"]})
	types := nodes.Types(nodes.Deps{})
	types.Nodes = slices.DeleteFunc(types.Nodes, func(n build.NodeType) bool { return n.Name == e.options["without"] })
	_, more := compile.Program(sp, types)
	list.Merge(more)
	found := list.Sorted()
	var b strings.Builder
	if err := diag.Text(&b, found, sp.Source); err != nil {
		t.Fatal(err)
	}
	return found, b.String()
}

func TestFindings(t *testing.T) {
	known := rules()
	for _, e := range examples(t) {
		t.Run(strings.TrimSuffix(filepath.Base(e.path), ".txtar"), func(t *testing.T) {
			found, got := e.findings(t)
			code := e.code(known)
			if code == "" {
				t.Fatalf("no rule has the code that the file is named for")
			}
			if !slices.ContainsFunc(found, func(f diag.Finding) bool { return f.Code == code }) {
				t.Errorf("%s is not reported:\n%s", code, got)
			}
			for _, f := range found {
				if f.Hint == "" || !f.Pos.Known() && f.Code != code {
					t.Errorf("a finding has no hint or no place: %+v", f)
				}
			}
			e.compare(t, got)
		})
	}
}

func (e example) compare(t *testing.T, got string) {
	t.Helper()
	want := ""
	for i := range e.archive.Files {
		if f := &e.archive.Files[i]; f.Name == "want" {
			want = string(f.Data)
			f.Data = []byte(got)
		}
	}
	if got == want {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Errorf("findings (-want +got):\n%s", cmp.Diff(want, got))
		return
	}
	if err := os.WriteFile(e.path, txtar.Format(e.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestEachRuleIsExplainedAndHasAnExample(t *testing.T) {
	known := rules()
	shown := map[diag.Code]bool{}
	for _, e := range examples(t) {
		shown[e.code(known)] = true
	}
	seen := map[diag.Code]bool{}
	for _, r := range known {
		if r.Summary == "" || r.Explain == "" || r.Severity == "" {
			t.Errorf("%s has no summary, explanation or severity", r.Code)
		}
		if !shown[r.Code] {
			t.Errorf("%s has no example in testdata/errors", r.Code)
		}
		if seen[r.Code] {
			t.Errorf("%s is the code of two rules", r.Code)
		}
		seen[r.Code] = true
	}
}

func TestFindingsAreTheSameEachTime(t *testing.T) {
	for _, e := range examples(t) {
		_, first := e.findings(t)
		for i := range 3 {
			if _, again := e.findings(t); again != first {
				t.Fatalf("%s, time %d:\n%s", e.path, i, cmp.Diff(first, again))
			}
		}
	}
}
