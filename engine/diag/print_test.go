package diag_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-engine/weft/engine/diag"
)

var rules = []diag.Rule{
	{Code: "spec/type", Severity: diag.Error, Summary: "A value of the wrong kind.", Explain: "Write `x`.\n"},
	{Code: "spec/unused", Severity: diag.Warning, Summary: "Nothing uses it.", Explain: "Delete it."},
	{Code: "graph/other", Severity: diag.Error, Summary: "Not found here.", Explain: "-"},
}

var sources = map[string]string{
	"a b/graph.yaml": "name: x\n\tkey:\tvalue\n" + strings.Repeat("0123456789", 30) + "\nlast: ünï → 日本語 !\r\n",
	"evil.yaml":      "a: \x1b[31mred\x1b[0m \u202egnp.exe \x07\xff end\n",
	"zero.yaml":      "",
}

func source(file string) []byte {
	if s, ok := sources[file]; ok {
		return []byte(s)
	}
	return nil
}

var findings = []diag.Finding{
	rules[0].At(diag.Pos{File: "a b/graph.yaml", Line: 1, Col: 1}, "the first byte").WithHint("Look here."),
	rules[0].At(diag.Pos{File: "a b/graph.yaml", Line: 2, Col: 7}, "behind tabs").
		WithRelated(diag.Pos{File: "a b/graph.yaml", Line: 1, Col: 7}, "the other").
		WithRelated(diag.Pos{File: "gone.yaml", Line: 3, Col: 2}, "in a file that is not known").
		WithRelated(diag.Pos{}, "nowhere"),
	rules[1].At(diag.Pos{File: "a b/graph.yaml", Line: 3, Col: 155}, "in the middle of a long line"),
	rules[0].At(diag.Pos{File: "a b/graph.yaml", Line: 3, Col: 3}, "at the begin of a long line"),
	rules[0].At(diag.Pos{File: "a b/graph.yaml", Line: 3, Col: 301}, "at the end of a long line"),
	rules[0].At(diag.Pos{File: "a b/graph.yaml", Line: 4, Col: 27}, "behind wide letters"),
	rules[0].At(diag.Pos{File: "a b/graph.yaml", Line: 4, Col: 8}, "inside of a letter"),
	rules[0].At(diag.Pos{File: "a b/graph.yaml", Line: 4, Col: 999}, "behind the line"),
	rules[0].At(diag.Pos{File: "a b/graph.yaml", Line: 99, Col: 1}, "behind the file"),
	rules[0].At(diag.Pos{File: "evil.yaml", Line: 1, Col: 30}, "a \x1b[2J message\nof\ttwo \u202elines\r\n::error::x, 100%%").WithHint("Do\x00this: %s", "\xff"),
	rules[0].At(diag.Pos{File: "zero.yaml", Line: 1, Col: 1}, "an empty file"),
	rules[1].At(diag.Pos{File: "dir,with:signs"}, "a whole file").WithHint("Rename it."),
	rules[1].At(diag.Pos{File: "/abs/file.yaml", Line: 1, Col: 2}, "an absolute path"),
	rules[0].At(diag.Pos{}, "no place at all"),
	{Code: "x/unknown-rule", Severity: diag.Error, Message: "a rule that nobody declares"},
}

var update = flag.Bool("update", os.Getenv("UPDATE") != "", "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got); UPDATE=1 rewrites:\n%s", name, diff)
	}
}

// printers are the ways to print the findings above.
var printers = map[string]func(*bytes.Buffer) error{
	"findings.txt":    func(b *bytes.Buffer) error { return diag.Text(b, findings, source) },
	"findings.json":   func(b *bytes.Buffer) error { return diag.JSON(b, findings) },
	"findings.github": func(b *bytes.Buffer) error { return diag.GitHub(b, findings) },
	"findings.sarif": func(b *bytes.Buffer) error {
		return diag.SARIF(b, findings, rules, diag.Tool{Name: "weft", Version: "1.2.3", URI: "https://example.com"}, source)
	},
	"rule.md":       func(b *bytes.Buffer) error { return diag.Explain(b, rules[0]) },
	"nothing.txt":   func(b *bytes.Buffer) error { return diag.Text(b, nil, nil) },
	"nothing.json":  func(b *bytes.Buffer) error { return diag.JSON(b, nil) },
	"nothing.sarif": func(b *bytes.Buffer) error { return diag.SARIF(b, nil, rules, diag.Tool{Name: "weft"}, nil) },
}

func TestPrinters(t *testing.T) {
	for name, print := range printers {
		var b bytes.Buffer
		if err := print(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

// Whatever a file or a message holds, the terminal gets plain text.
func TestTextIsSafeForTerminals(t *testing.T) {
	for name, print := range map[string]func(*bytes.Buffer) error{
		"text": printers["findings.txt"], "github": printers["findings.github"],
	} {
		var b bytes.Buffer
		if err := print(&b); err != nil {
			t.Fatal(err)
		}
		if bad := unsafeIn(b.String()); bad != "" {
			t.Errorf("%s holds %q", name, bad)
		}
	}
}

// unsafeIn returns the first character that a terminal would not just show.
func unsafeIn(s string) string {
	if !utf8.ValidString(s) {
		return "bytes that are not UTF-8"
	}
	i := strings.IndexFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028
	})
	if i < 0 {
		return ""
	}
	return s[i:min(i+4, len(s))]
}

// Each GitHub command is one line that begins with its name.
func TestGitHubCommandsStayWhole(t *testing.T) {
	var b bytes.Buffer
	if err := diag.GitHub(&b, findings); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != len(findings) {
		t.Fatalf("%d lines for %d findings", len(lines), len(findings))
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::warning ") {
			t.Errorf("no command: %s", line)
		}
	}
}

func TestJSONIsTheFindings(t *testing.T) {
	var b bytes.Buffer
	valid := findings[:9] // the others hold bytes that are no text
	if err := diag.JSON(&b, valid); err != nil {
		t.Fatal(err)
	}
	var got []diag.Finding
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(valid, got); diff != "" {
		t.Error(diff)
	}
}

var errFull = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestPrintersReportWriteErrors(t *testing.T) {
	for name, err := range map[string]error{
		"Text":    diag.Text(fullDisk{}, findings, source),
		"JSON":    diag.JSON(fullDisk{}, findings),
		"GitHub":  diag.GitHub(fullDisk{}, findings),
		"SARIF":   diag.SARIF(fullDisk{}, findings, rules, diag.Tool{}, source),
		"Explain": diag.Explain(fullDisk{}, rules[0]),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The caret stands under the byte that is meant, in any line.
func FuzzText(f *testing.F) {
	f.Add("plain: text", 8)
	f.Add(strings.Repeat("x", 500)+"!", 501)
	f.Add(strings.Repeat("é", 4000)+"!", 5001)
	f.Add("\tü日\x1b\u0301本", 6)
	f.Fuzz(func(t *testing.T, line string, col int) {
		if strings.ContainsAny(line, "\n\r") || len(line) > 9000 {
			t.Skip()
		}
		var b bytes.Buffer
		finding := rules[0].At(diag.Pos{File: "f", Line: 1, Col: col}, "%s", line)
		if err := diag.Text(&b, []diag.Finding{finding}, func(string) []byte { return []byte(line) }); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		if bad := unsafeIn(out); bad != "" {
			t.Fatalf("the output holds %q", bad)
		}
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(lines) != 3 || !strings.HasSuffix(lines[2], "^") {
			t.Fatalf("%q", lines)
		}
		if utf8.RuneCountInString(lines[2]) > 110 {
			t.Fatalf("the caret is too far right: %q", lines[2])
		}
		if col < 1 || col > len(line) || line[col-1] <= ' ' || line[col-1] > '~' || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
			return
		}
		if at := len(lines[2]) - 1; strings.ReplaceAll(lines[1], "…", ".")[at] != line[col-1] {
			t.Fatalf("the caret points at another byte:\n%s\n%s", lines[1], lines[2])
		}
	})
}
