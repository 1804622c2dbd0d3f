package spec

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/diag"
)

// The YAML parser's errors are texts. yamlError finds the line in them.
var yamlError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// offByOne are the errors whose line the parser counts from 0.
var offByOne = []string{
	"did not find expected ',' or ']'", "did not find expected ',' or '}'", "did not find expected '-' indicator",
	"did not find expected <document start>", "did not find expected key", "did not find expected node content",
	"found undefined tag handle", "found duplicate %TAG directive", "found duplicate %YAML directive", "found incompatible YAML document",
}

func (r *yamlReader) syntax(err error) {
	m := yamlError.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	if m == nil {
		r.list.Add(ruleSyntax.At(begin(r.file), "the file is not YAML: %s", err).WithHint("Correct the file."))
		return
	}
	f := ruleSyntax.At(r.errorPos(m[1], m[2]), "the file is not YAML: %s", m[2]).WithHint("Check the indentation, quotes and brackets.")
	for _, h := range yamlHints {
		if strings.Contains(m[2], h.part) {
			f = f.WithHint("%s", h.hint)
			break
		}
	}
	r.list.Add(f)
}

func (r *yamlReader) errorPos(line, message string) diag.Pos {
	if n, err := strconv.Atoi(line); err == nil {
		if slices.Contains(offByOne, message) {
			n++
		}
		return r.firstOf(n)
	}
	if _, name, ok := strings.Cut(message, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		return r.at(max(0, bytes.Index(r.data, []byte("*"+name))))
	}
	if strings.Contains(message, "control characters") {
		return r.at(max(0, bytes.IndexFunc(r.data, func(c rune) bool { return c < ' ' && !strings.ContainsRune("\t\n\r", c) || c == 0x7f })))
	}
	return begin(r.file)
}

// yamlHints say what to do about the parser's messages.
var yamlHints = []struct{ part, hint string }{
	{"cannot start any token", "Indent with spaces, not tabs, and put quotes around a text that begins with @, ` or %."},
	{"mapping values are not allowed", "Put quotes around a text with \": \" in it, and check the indentation."},
	{"unexpected end of stream", "Close the quote."},
	{"did not find expected ',' or", "Close the bracket or brace, put commas between the items, and quotes around a text with ? or : in it."},
	{"did not find expected key", "Check the indentation, and close open quotes and brackets."},
	{"could not find expected ':'", "Write key: value, with a space after the colon."},
	{"unknown anchor", "Write the value out, or define the anchor before it is used."},
	{"exceeded max depth", "Flatten the structure."},
	{"unknown escape character", "Write \\\\ for a backslash, or use single quotes."},
	{"control characters", "Delete the character, or write it as an escape in double quotes."},
}
