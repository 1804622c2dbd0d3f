package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forbidden are packages that neither the core nor any package of ours below it
// imports, with the reason.
var forbidden = map[string]string{
	"net":                   "the core talks to nobody",
	"net/http":              "the core talks to nobody",
	"os":                    "the core reads no files and no environment",
	"os/exec":               "the core starts nothing",
	"database/sql":          "the core stores nothing",
	"math/rand":             "chance enters as event fields",
	"math/rand/v2":          "chance enters as event fields",
	"cuelang.org/go/cue":    "only engine/spec speaks CUE",
	"github.com/rs/zerolog": "the journal is the core's log",
}

func TestCoreReachesNothingOutside(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if !strings.HasPrefix(words[0], "github.com/weft-engine/weft/") {
			continue
		}
		ours++
		for _, pkg := range words[1:] {
			if why, bad := forbidden[pkg]; bad {
				t.Errorf("%s imports %s: %s", words[0], pkg, why)
			}
		}
	}
	if ours < 5 {
		t.Errorf("only %d packages of ours were looked at", ours)
	}
}

// TestCoreHasNoClockOrGoroutine reads the core's own source.
func TestCoreHasNoClockOrGoroutine(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: starts a goroutine", fset.Position(n.Pos()))
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "NewTimer", "NewTicker", "AfterFunc"}, n.Sel.Name) {
					t.Errorf("%s: asks the machine for the time", fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
}
