package source_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/source"
)

// load reads the file "key: <scalar>" and returns the scalar as the loader of specs does.
func load(t interface{ Fatal(...any) }, file string) *source.Value {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(file), &doc); err != nil {
		t.Fatal(err, file)
	}
	n := doc.Content[0].Content[1]
	at := 0
	for line := 1; line < n.Line; line++ {
		at += strings.IndexByte(file[at:], '\n') + 1
	}
	at += n.Column - 1
	v := &source.Value{Kind: source.String, Text: n.Value, Raw: file[at:], Pos: diag.Pos{File: "f.yaml", Line: n.Line, Col: n.Column}}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		v.Indent = 2
	}
	return v
}

// letterAt returns the byte of the file at a position.
func byteAt(file string, p diag.Pos) (byte, bool) {
	lines := strings.Split(file, "\n")
	if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len(lines[p.Line-1])+1 {
		return 0, false
	}
	return (lines[p.Line-1] + "\n")[p.Col-1], true
}

func TestAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file, find string
		line, col        int
	}{
		{"plain", "k: a == b\n", "==", 1, 6},
		{"plain folded", "k: a ==\n    b and\n\n    c\n", "c", 4, 5},
		{"single", "k: 'a == b'\n", "==", 1, 7},
		{"single with quotes", "k: 'it''s == b'\n", "==", 1, 11},
		{"single folded", "k: 'a\n    == b'\n", "==", 2, 5},
		{"double", "k: \"a == b\"\n", "==", 1, 7},
		{"double with escapes", "k: \"a\\t\\\"x\\\" \\u0041\\x42\\U0001F600 ß == b\"\n", "==", 1, 38},
		{"the escape itself", "k: \"a \\u0041 b\"\n", "A", 1, 7},
		{"double folded", "k: \"a\n    b == c\"\n", "==", 2, 7},
		{"double, escaped line end", "k: \"a \\\n    b == c\"\n", "==", 2, 7},
		{"double, indented by hand", "k: \"a\\\n    \\  b == c\"\n", "==", 2, 10},
		{"two escapes for one letter", "k: \"\\N\\_\\L\\P == c\"\n", "==", 1, 14},
		{"literal", "k: |\n  a\n  b == c\n", "==", 3, 5},
		{"literal, strip", "k: |-\n  a\n  b == c", "==", 3, 5},
		{"literal, keep", "k: |+\n  a\n\n  b == c\n\n\n", "==", 4, 5},
		{"literal, indented lines", "k: |\n  a\n    b == c\n", "==", 3, 7},
		{"literal, indentation given", "k: |2\n    a\n  b == c\n", "==", 3, 5},
		{"literal, remark", "k: | # remark\n  a == b\n", "==", 2, 5},
		{"folded", "k: >\n  a\n  b == c\n", "==", 3, 5},
		{"folded, blank lines", "k: >\n  a\n\n\n  b == c\n", "==", 5, 5},
		{"folded, indented lines", "k: >\n  a\n    x\n    y\n  b == c\n", "==", 5, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := load(t, tt.file)
			i := strings.Index(v.Text, tt.find)
			if i < 0 {
				t.Fatalf("%q is not in %q", tt.find, v.Text)
			}
			if got, want := v.At(i), (diag.Pos{File: "f.yaml", Line: tt.line, Col: tt.col}); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestAtOtherNotations(t *testing.T) {
	t.Parallel()
	pos := diag.Pos{File: "f", Line: 3, Col: 5}
	for _, tt := range []struct {
		name, raw, text, find string
		line, col             int
	}{
		{"a file", "", "one\ntwo == x\n", "==", 4, 5},
		{"JSON, surrogates", `"\ud83d\ude00\/ == x"`, "😀/ == x", "==", 3, 21},
		{"CUE", `"a \"b\" == x"`, `a "b" == x`, "==", 3, 14},
		{"CUE, raw", `#"a "b" \#u0041 \n == x"#`, `a "b" A \n == x`, "==", 3, 24},
		{"CUE, several lines", "\"\"\"\n\t\ta\n\n\t\tb \\u0041 == x\n\t\t\"\"\"", "a\n\nb A == x", "==", 6, 12},
		{"CUE, several raw lines", "#\"\"\"\n  a \\n\n  b == x\n  \"\"\"#", "a \\n\nb == x", "==", 5, 5},
		{"number", "", "", "", 3, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := &source.Value{Kind: source.String, Raw: tt.raw, Text: tt.text, Pos: pos}
			if got, want := v.At(strings.Index(v.Text, tt.find)), (diag.Pos{File: "f", Line: tt.line, Col: tt.col}); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	if got := (*source.Value)(nil).At(1); got != (diag.Pos{}) {
		t.Errorf("nil: %v", got)
	}
	if got := (&source.Value{Kind: source.Number, Text: "12", Pos: pos}).At(1); got != pos {
		t.Errorf("number: %v", got)
	}
	if got := (&source.Value{Kind: source.String, Text: "12"}).At(1); got.Known() {
		t.Errorf("unknown place: %v", got)
	}
}

// notations write a text of several lines as a scalar; not every text fits every one.
var notations = map[string]func(lines []string) string{
	"plain":   func(l []string) string { return strings.Join(l, "\n  ") },
	"single":  func(l []string) string { return "'" + strings.ReplaceAll(strings.Join(l, "\n  "), "'", "''") + "'" },
	"double":  func(l []string) string { return doubleQuoted(strings.Join(l, "\n")) },
	"literal": func(l []string) string { return "|-\n  " + strings.Join(l, "\n  ") },
	"folded":  func(l []string) string { return ">-\n  " + strings.Join(l, "\n  ") },
}

func doubleQuoted(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r == '\n':
			b.WriteString("\\n")
		case i%5 == 0 && r < 0x100:
			fmt.Fprintf(&b, "\\x%02x", r)
		case i%5 == 1:
			fmt.Fprintf(&b, "\\U%08X", r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// Every letter of the text is found where the file has it. The expected text comes
// from the YAML library.
func TestAtFindsLetters(t *testing.T) {
	t.Parallel()
	line := rapid.StringMatching(`[a-z]([a-zß"'\\0-9 ]{0,8}[a-zß])?`)
	for name, write := range notations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				lines := rapid.SliceOfN(line, 1, 5).Draw(t, "lines")
				blank := rapid.IntRange(0, len(lines)).Draw(t, "blank")
				lines = append(lines[:blank:blank], append([]string{""}, lines[blank:]...)...)
				if blank == 0 || blank == len(lines)-1 {
					lines = lines[min(1, len(lines)-1-blank) : len(lines)-min(1, blank)]
				}
				file := "k: " + strings.ReplaceAll(write(lines), "\n  \n", "\n\n") + "\n"
				v := load(t, file)
				for i, r := range v.Text {
					got, inside := byteAt(file, v.At(i))
					if !inside {
						t.Fatalf("%q: byte %d lies outside: %s", file, i, v.At(i))
					}
					if r == ' ' || r == '\n' {
						continue
					}
					if want := string(r)[0]; got != want && got != '\\' && (got != '\'' || r != '\'') {
						t.Fatalf("%q: byte %d is %q, but at %s is %q", file, i, r, v.At(i), got)
					}
				}
			})
		})
	}
}

// A locator finds the same places in any order, in texts longer than what it marks.
func TestLocator(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("a ß 'x' ", 30)
	for name, write := range notations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := load(t, "k: "+write(strings.Split(strings.Repeat(line+"z\n", 200)+"end", "\n"))+"\n")
			l := v.Locator()
			end := strings.Index(v.Text, "end")
			if want := v.At(end); l.At(end) != want || want.Line < 200 && name != "double" {
				t.Errorf("the end is at %s, not at %s", l.At(end), want)
			}
			for _, i := range []int{5, 49_000, 300, 12_288, 12_287, 12_289, 4_096, 48_999, 0, len(v.Text)} {
				fresh := v.At(i)
				if got := l.At(i); got != fresh {
					t.Errorf("byte %d is at %s, not at %s", i, got, fresh)
				}
			}
		})
	}
}

// Whatever is written, the place lies inside of it.
func FuzzAt(f *testing.F) {
	for _, raw := range []string{
		`a b`, `'a''b'`, `"a\n\u0041\ud83d\ude00"`, "|\n  a\n", ">-\n  a\n\n  b", "\"\"\"\n  a\n  \"\"\"", `#"a\#n"#`, `"\`, "|", ">\n", "#", "'", `"""`, "\"\"\"\n",
		"\"a\\\n   b\"", "'a\n\n b'", "|\r\n  a\r\n", `"\x4"`, "|2\n   a",
	} {
		f.Add(raw, "a b", 2, 2)
	}
	f.Fuzz(func(t *testing.T, raw, text string, offset, indent int) {
		v := &source.Value{Kind: source.String, Raw: raw, Text: text, Indent: indent % 10, Pos: diag.Pos{File: "f", Line: 2, Col: 3}}
		if len(raw) > 2000 || len(text) > 2000 {
			return
		}
		written := raw
		if raw == "" {
			written = text
		}
		file := "x\n  " + written
		if _, inside := byteAt(file, v.At(offset)); !inside {
			t.Fatalf("%q, %q: byte %d lies outside: %s", raw, text, offset, v.At(offset))
		}
		if !utf8.ValidString(text) {
			return
		}
		last := diag.Pos{}
		for i := range len(text) + 1 {
			p := v.At(i)
			if p.Compare(last) < 0 {
				t.Fatalf("%q, %q: byte %d comes before the one before it", raw, text, i)
			}
			last = p
		}
	})
}
