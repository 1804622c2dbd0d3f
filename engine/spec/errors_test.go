package spec_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/spec"
)

// example is a failing spec of testdata/errors with what is printed for it. The
// comment may set dir and profile; a file name with an arrow is a symbolic link.
type example struct {
	archive *txtar.Archive
	fsys    fstest.MapFS
	dir     string
	opts    spec.Options
	want    string
}

func readExample(t *testing.T, file string) *example {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	x := &example{archive: a, fsys: fstest.MapFS{}, dir: "."}
	for line := range strings.Lines(string(a.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "dir":
			x.dir = value
		case "profile":
			x.opts.Profile = value
		}
	}
	for _, f := range a.Files {
		name, target, link := strings.Cut(f.Name, " -> ")
		switch {
		case f.Name == "want":
			x.want = string(f.Data)
		case link:
			x.fsys[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
		default:
			x.fsys[name] = &fstest.MapFile{Data: f.Data}
		}
	}
	return x
}

func printed(t *testing.T, s *spec.Spec, list *diag.List) string {
	t.Helper()
	var b bytes.Buffer
	if err := diag.Text(&b, list.Sorted(), s.Source); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFindings(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	shown := map[diag.Code]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			x := readExample(t, file)
			s, list := spec.Load(x.fsys, x.dir, x.opts)
			if s.Root != nil || !list.HasErrors() {
				t.Fatal("the spec is accepted")
			}
			for _, f := range list.Sorted() {
				shown[f.Code] = true
				if f.Hint == "" {
					t.Errorf("no hint: %s", f.Message)
				}
			}
			got := printed(t, s, list)
			if os.Getenv("UPDATE") != "" {
				x.archive.Files[len(x.archive.Files)-1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(x.archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(x.want, got); diff != "" {
				t.Errorf("printed (-want +got); UPDATE=1 rewrites:\n%s", diff)
			}
		})
	}
	shown["spec/encoding"] = true // in hostile_test.go: its example is not text
	for _, r := range spec.Rules() {
		if !shown[r.Code] {
			t.Errorf("no example shows %s", r.Code)
		}
	}
}

func TestRulesAreComplete(t *testing.T) {
	var codes []diag.Code
	for _, r := range spec.Rules() {
		if r.Summary == "" || r.Explain == "" || r.Severity == "" {
			t.Errorf("%s lacks a text", r.Code)
		}
		if slices.Contains(codes, r.Code) {
			t.Errorf("%s is there twice", r.Code)
		}
		codes = append(codes, r.Code)
	}
}
