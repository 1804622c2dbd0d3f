package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/build"
	"github.com/weft-engine/weft/engine/compile"
	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
	"github.com/weft-engine/weft/engine/spec"
	"github.com/weft-engine/weft/engine/spectest"
	"github.com/weft-engine/weft/nodes"
)

const docsDir = "../../docs"

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// blocks returns the YAML blocks of a page of the documentation. There must be some.
func blocks(t *testing.T, page string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(docsDir, page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range yamlBlock.FindAllStringSubmatch(string(data), -1) {
		out = append(out, m[1])
	}
	if len(out) == 0 || len(out) != strings.Count(string(data), "```yaml") {
		t.Fatalf("%s: %d blocks are read of %d", page, len(out), strings.Count(string(data), "```yaml"))
	}
	return out
}

// write makes a directory with one file in it.
func write(t *testing.T, name, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// printed loads and compiles the spec in a directory with each of its profiles, and
// returns what was found, warnings too, as it is printed.
func printed(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	profiles := []string{""}
	for i := 0; i < len(profiles); i++ {
		sp, list := spec.LoadDir(dir, spec.Options{Profile: profiles[i]})
		_, more := compile.Program(sp, nodes.Types(nodes.Deps{}))
		list.Merge(more)
		if err := diag.Text(&b, list.Sorted(), sp.Source); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			profiles = append(profiles, sp.Profiles...)
		}
	}
	return b.String()
}

// TestSpecPages holds every example of the spec reference, of the page of ways to do
// things and of the first page against the engine: each is a whole spec in which nothing
// is found, with all its profiles. Tests are run elsewhere.
func TestSpecPages(t *testing.T) {
	for _, page := range []string{"spec.md", "howto.md", "../README.md"} {
		for i, block := range blocks(t, page) {
			if strings.HasPrefix(block, "tests:") {
				continue
			}
			t.Run(fmt.Sprint(page, i+1), func(t *testing.T) {
				if found := printed(t, write(t, "spec.yaml", block)); found != "" {
					t.Errorf("%s\n%s", found, block)
				}
			})
		}
	}
}

// TestFunctionsPage holds the page of functions equal to what the language has.
// UPDATE=1 writes it.
func TestFunctionsPage(t *testing.T) {
	page, want := filepath.Join(docsDir, "functions.md"), functionsPage()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("write it again with UPDATE=1 (-want +got):\n%s", diff)
	}
}

const functionsIntro = `# Functions

<!-- Generated: UPDATE=1 go test ./cmd/weft -run TestFunctionsPage -->

What expressions may call. All of them give the same result for the same arguments, always, and every call is bounded in time and size.
Null stands for the empty text, list or object where a function wants one of those. In a signature ` + "`[, …]`" + ` may be left out, ` + "`…...`" + ` may
be repeated, and a ` + "`condition`, `key` or `value`" + ` without a type is an expression about each item, in which ` + "`#`" + ` is the item and ` + "`.name`" + ` a field
of it. Every example is true, and a test evaluates it.

| function | what it does | example |
| --- | --- | --- |
`

func functionsPage() string {
	var b strings.Builder
	b.WriteString(functionsIntro)
	for _, f := range expr.Functions() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(f.Signature), strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(f.Doc), cell(f.Example))
	}
	return b.String()
}

// cell is code in a table.
func cell(code string) string { return "`" + strings.ReplaceAll(code, "|", `\|`) + "`" }

// TestTestingPage runs the example of the page about tests: its first block is a spec,
// the others are test files beside it.
func TestTestingPage(t *testing.T) {
	all := blocks(t, "testing.md")
	dir := write(t, "spec.yaml", all[0])
	if found := printed(t, dir); found != "" {
		t.Errorf("%s\n%s", found, all[0])
	}
	for i, block := range all[1:] {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page%d_test.yaml", i+1)), []byte(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report := spectest.Run(t.Context(), []string{dir}, spectest.Options{
		Now: time.Now, Offline: []string{"http"},
		Types: func(d spectest.Deps) build.Types {
			deps := nodes.Deps{Models: d.Models, Memories: d.Memories, Vault: d.Vault, Now: d.Now, Dir: d.Dir}
			return nodes.Types(deps)
		},
	})
	var b strings.Builder
	if err := diag.Text(&b, report.Findings.Sorted(), report.Source); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 0 {
		t.Error(b.String())
	}
	for _, o := range report.Outcomes {
		if !o.Passed() {
			t.Errorf("%s:\n%s", o.Test.Name, o.Text())
		}
	}
	if len(report.Outcomes) < len(all)-1 {
		t.Errorf("%d tests ran", len(report.Outcomes))
	}
}
