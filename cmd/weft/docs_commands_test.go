package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	main "github.com/weft-engine/weft/cmd/weft"
)

var (
	fenced  = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")
	command = regexp.MustCompile(`(?m)(?:^|[ (])(?:bin/weft|weft|go run \./cmd/weft) ([a-z][^\n;>|&#]*)`)
	inline  = regexp.MustCompile("`(?:bin/)?weft ([a-z][^`]*)`")
	word    = regexp.MustCompile(`'[^']*'|"[^"]*"|[^ ]+`)
	link    = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
)

// pages returns the pages of the documentation with their texts.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md", "specs/*/README.md"} {
		names, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(names), err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = string(data)
		}
	}
	return out
}

// commands returns the command lines of a page, those in blocks and those in the text.
func commands(page string) []string {
	var out []string
	for _, block := range fenced.FindAllStringSubmatch(page, -1) {
		lines := strings.ReplaceAll(block[1], "\\\n", "")
		for _, m := range command.FindAllStringSubmatch(lines, -1) {
			line, _, _ := strings.Cut(strings.TrimLeft(m[1], " "), "   ") // an explanation follows in a column of its own
			out = append(out, line)
		}
	}
	for _, m := range inline.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		out = append(out, strings.ReplaceAll(m[1], "\n", " "))
	}
	return out
}

// TestCommandsOfPages reads each command line that the documentation shows: its verb and
// its flags must be there.
func TestCommandsOfPages(t *testing.T) {
	read := 0
	for name, page := range pages(t) {
		for _, line := range commands(page) {
			read++
			if err := main.Reads(word.FindAllString(line, -1)); err != nil {
				t.Errorf("%s: weft %s: %v", name, line, err)
			}
		}
	}
	if read < 80 {
		t.Errorf("%d command lines are read", read)
	}
}

// TestLinksOfPages finds what each link within the project leads to.
func TestLinksOfPages(t *testing.T) {
	for name, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
