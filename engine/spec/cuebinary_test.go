package spec_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/spec"
)

// cueBinary finds the official tool; .ci/run installs it.
func cueBinary(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("cue"); err == nil {
		return path
	}
	out, err := exec.Command("go", "env", "GOPATH").Output()
	if path := filepath.Join(strings.TrimSpace(string(out)), "bin", "cue"); err == nil && exec.Command(path, "version").Run() == nil {
		return path
	}
	t.Skip("the cue binary is not installed: go install cuelang.org/go/cmd/cue@v0.17.1")
	return ""
}

// vet runs cue vet with our schemas on data files, merged into one document.
func vet(t *testing.T, cue string, files ...string) (bool, string) {
	t.Helper()
	if len(files) > 1 {
		out, err := exec.Command(cue, append([]string{"export", "--out", "json"}, files...)...).CombinedOutput()
		if err != nil {
			return false, string(out)
		}
		merged := filepath.Join(t.TempDir(), "merged.json")
		if err := os.WriteFile(merged, out, 0o600); err != nil {
			t.Fatal(err)
		}
		files = []string{merged}
	}
	schemas, err := filepath.Glob("../../schemas/*.cue")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(cue, slices.Concat([]string{"vet", "-d", "#Spec"}, schemas, files)...).CombinedOutput()
	return err == nil, string(out)
}

// dataFiles returns the spec files of a directory, and whether there is CUE among them.
func dataFiles(t *testing.T, dir string) (files []string, program bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || strings.HasPrefix(name, "_")) && path != dir: // not loaded by itself
			return fs.SkipDir
		case strings.HasPrefix(name, "_"), strings.HasPrefix(name, ".") && path != dir, strings.HasSuffix(name, "_test.yaml"), d.IsDir():
		case filepath.Ext(name) == ".cue":
			program = true
		case slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) && name != "env.json":
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, program
}

// What we accept, the official tool accepts: the files as written, and the resolved
// spec with every profile.
func TestOfficialToolAcceptsOurSpecs(t *testing.T) {
	cue := cueBinary(t)
	dirs, err := filepath.Glob("../../specs/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(dirs, "testdata/accept", "testdata/program") {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			s, list := spec.LoadDir(dir, spec.Options{})
			if list.HasErrors() {
				t.Fatal(printed(t, s, list))
			}
			if files, program := dataFiles(t, dir); !program {
				if ok, out := vet(t, cue, files...); !ok {
					t.Errorf("cue vet refuses %v:\n%s", files, out)
				}
			}
			for _, profile := range append(s.Profiles, "") {
				s, list := spec.LoadDir(dir, spec.Options{Profile: profile})
				if list.HasErrors() {
					t.Fatal(printed(t, s, list))
				}
				bundle := filepath.Join(t.TempDir(), "bundle.json")
				if err := os.WriteFile(bundle, s.Bundle(), 0o600); err != nil {
					t.Fatal(err)
				}
				if ok, out := vet(t, cue, bundle); !ok {
					t.Errorf("cue vet refuses the resolved spec:\n%s", out)
				}
			}
		})
	}
}

// schemaCodes are the findings that cue vet must have too.
var schemaCodes = []diag.Code{"spec/unknown-field", "spec/type", "spec/value", "spec/missing", "spec/name", "secret/misplaced"}

// What we refuse by the schema, the official tool refuses; what we refuse for other
// reasons, it accepts or cannot read either.
func TestOfficialToolRefusesOurExamples(t *testing.T) {
	cue := cueBinary(t)
	examples, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, file := range examples {
		x := readExample(t, file)
		_, list := spec.Load(x.fsys, x.dir, x.opts)
		codes := list.Sorted()
		bySchema := slices.ContainsFunc(codes, func(f diag.Finding) bool { return slices.Contains(schemaCodes, f.Code) })
		if !bySchema {
			continue
		}
		dir := t.TempDir()
		var files []string
		for name, f := range x.fsys {
			if filepath.Ext(name) == ".cue" || bytes.HasPrefix(f.Data, []byte("- ")) {
				files = nil
				break
			}
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, path)
		}
		if len(files) == 0 {
			continue
		}
		compared++
		if ok, _ := vet(t, cue, files...); ok {
			t.Errorf("%s: cue vet accepts what we refuse: %v", file, codes)
		}
	}
	if compared < 10 {
		t.Errorf("only %d examples were compared", compared)
	}
}
