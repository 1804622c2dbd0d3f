package expr

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine/shape"
)

// onText makes a function of one string.
func onText(name, doc, example string, f func(string) string) *function {
	return &function{
		Function: Function{Signature: name + "(text string) string", Doc: doc, Example: example},
		call:     func(_ *machine, a []any) (any, error) { return f(text(a, 0)), nil },
	}
}

// ofTexts makes a function of two strings.
func ofTexts(signature, doc, example string, f func(a, b string) any) *function {
	return &function{
		Function: Function{Signature: signature, Doc: doc, Example: example},
		call:     func(_ *machine, a []any) (any, error) { return f(text(a, 0), text(a, 1)), nil },
	}
}

func textFunctions() []*function {
	return slices.Concat(textBasics(), textParts(), textLayout())
}

// textParts are the functions that take text apart and put it together.
func textParts() []*function {
	return []*function{
		{
			Function: Function{
				Signature: "replace(text string, old string, new string[, count integer]) string",
				Doc:       "Replaces old by new, everywhere or count times.", Example: `replace("a-b-c", "-", "+", 1) == "a+b-c"`,
			},
			call: replaceText,
		},
		{
			Function: Function{
				Signature: "split(text string, separator string[, count integer]) list",
				Doc:       "Splits at each separator, into at most count parts.", Example: `split("a,b,c", ",") == ["a", "b", "c"]`,
			},
			typ:  func([]operand) *shape.Type { return listOf(stringType) },
			call: func(m *machine, a []any) (any, error) { return splitText(m, a, strings.SplitN) },
		},
		{
			Function: Function{
				Signature: "splitAfter(text string, separator string[, count integer]) list",
				Doc:       "Splits behind each separator, into at most count parts.", Example: `splitAfter("a,b", ",") == ["a,", "b"]`,
			},
			typ:  func([]operand) *shape.Type { return listOf(stringType) },
			call: func(m *machine, a []any) (any, error) { return splitText(m, a, strings.SplitAfterN) },
		},
		{
			Function: Function{
				Signature: "join(items list[, separator string]) string",
				Doc:       "Joins the items as text.", Example: `join(["a", "b"], ", ") == "a, b"`,
			},
			call: joinTexts,
		},
		{
			Function: Function{
				Signature: "repeat(text string, count integer) string",
				Doc:       "Repeats the text.", Example: `repeat("ab", 3) == "ababab"`,
			},
			call: repeatText,
		},
	}
}

// textLayout are the functions that give text a form.
func textLayout() []*function {
	return []*function{
		{
			Function: Function{
				Signature: "truncate(text string, most integer) string",
				Doc:       "Cuts the text to at most so many letters, the last of which is then an ellipsis.",
				Example:   `truncate("Hello, world", 6) == "Hello…"`,
			},
			call: func(_ *machine, a []any) (any, error) { return truncateText(text(a, 0), integer(a, 1, 0)), nil },
		},
		{
			Function: Function{
				Signature: "indent(text string, spaces integer) string",
				Doc:       "Indents every line that is not empty.", Example: `indent("a\nb", 2) == "  a\n  b"`,
			},
			call: indentText,
		},
		onText("quote", "Quotes text as in mail: every line after \"> \".", `quote("a\nb") == "> a\n> b"`, quoteText),
		onText("slug", "Makes a name of lower-case letters, digits and hyphens.", `slug("Re: Budget 2026!") == "re-budget-2026"`, slugText),
		{
			Function: Function{
				Signature: "fence(text any[, label string]) string",
				Doc: "Wraps text from outside in delimiters that it cannot close, so that a model can tell it from instructions; " +
					"look-alikes inside are broken up.",
				Example: `fence("Hi", "email") startsWith "===== BEGIN UNTRUSTED email ====="`,
			},
			call: fenceText, trusted: true,
		},
	}
}

func textBasics() []*function {
	return []*function{
		ofTexts("trim(text string[, letters string]) string", "Removes white space, or the given letters, at both ends.",
			`trim("  a ") == "a"`, trimText),
		ofTexts("trimPrefix(text string, prefix string) string", "Removes the prefix, if it is there.",
			`trimPrefix("Re: Hi", "Re: ") == "Hi"`, func(a, b string) any { return strings.TrimPrefix(a, b) }),
		ofTexts("trimSuffix(text string, suffix string) string", "Removes the suffix, if it is there.",
			`trimSuffix("a.md", ".md") == "a"`, func(a, b string) any { return strings.TrimSuffix(a, b) }),
		onText("upper", "Makes letters upper case.", `upper("ab") == "AB"`, strings.ToUpper),
		onText("lower", "Makes letters lower case.", `lower("AB") == "ab"`, strings.ToLower),
		ofTexts("indexOf(text string, part string) integer", "Returns the letter where the part first begins, -1 when it does not occur.",
			`indexOf("banana", "an") == 1`, func(a, b string) any { return letterIndex(a, strings.Index(a, b)) }),
		ofTexts("lastIndexOf(text string, part string) integer", "Returns the letter where the part last begins, -1 when it does not occur.",
			`lastIndexOf("banana", "an") == 3`, func(a, b string) any { return letterIndex(a, strings.LastIndex(a, b)) }),
		ofTexts("hasPrefix(text string, prefix string) boolean", "Reports whether the text begins with the prefix.",
			`hasPrefix("Re: Hi", "Re:")`, func(a, b string) any { return strings.HasPrefix(a, b) }),
		ofTexts("hasSuffix(text string, suffix string) boolean", "Reports whether the text ends with the suffix.",
			`hasSuffix("a.md", ".md")`, func(a, b string) any { return strings.HasSuffix(a, b) }),
		onText("toBase64", "Encodes text as base64.", `toBase64("Hi") == "SGk="`,
			func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }),
		{
			Function: Function{
				Signature: "fromBase64(text string) string", Doc: "Decodes base64.", Example: `fromBase64("SGk=") == "Hi"`,
			},
			call: func(_ *machine, a []any) (any, error) {
				data, err := base64.StdEncoding.DecodeString(text(a, 0))
				if err != nil {
					return nil, errors.New("the text is no base64")
				}
				return strings.ToValidUTF8(string(data), "\uFFFD"), nil
			},
		},
	}
}

func trimText(s, letters string) any {
	if letters == "" {
		return strings.TrimSpace(s)
	}
	return strings.Trim(s, letters)
}

// letterIndex turns a byte index into one of letters.
func letterIndex(s string, i int) any {
	if i < 0 {
		return -1
	}
	return utf8.RuneCountInString(s[:i])
}

func replaceText(m *machine, a []any) (any, error) {
	s, old, with, most := text(a, 0), text(a, 1), text(a, 2), integer(a, 3, -1)
	if n := strings.Count(s, old); len(with) > len(old) {
		if most >= 0 {
			n = min(n, most)
		}
		if n > maxBytes/max(len(with), 1) {
			return nil, m.grow(maxBytes + 1)
		}
		if err := m.grow(n * (len(with) - len(old))); err != nil {
			return nil, err
		}
	}
	return strings.Replace(s, old, with, most), nil
}

func splitText(m *machine, a []any, split func(s, sep string, n int) []string) (any, error) {
	s, sep, most := text(a, 0), text(a, 1), integer(a, 2, -1)
	n := strings.Count(s, sep) + 1
	if most >= 0 {
		n = min(n, most)
	}
	if err := m.list(2 * n); err != nil {
		return nil, err
	}
	parts := split(s, sep, most)
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return out, nil
}

func joinTexts(m *machine, a []any) (any, error) {
	items, sep := list(a, 0), text(a, 1)
	parts := make([]string, len(items))
	for i, v := range items {
		s, err := m.textOf(canonical(v))
		if err != nil {
			return nil, err
		}
		if err := m.grow(len(s) + len(sep)); err != nil {
			return nil, err
		}
		parts[i] = s
	}
	return strings.Join(parts, sep), nil
}

func repeatText(m *machine, a []any) (any, error) {
	s, n := text(a, 0), integer(a, 1, 0)
	switch {
	case n < 0:
		return nil, fmt.Errorf("the count must not be negative, but it is %d", n)
	case len(s) == 0:
		return "", nil
	case n > maxBytes/len(s):
		return nil, m.grow(maxBytes + 1)
	}
	if err := m.grow(n * len(s)); err != nil {
		return nil, err
	}
	return strings.Repeat(s, n), nil
}

func truncateText(s string, most int) string {
	if most <= 0 {
		return ""
	}
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRightFunc(s[:byteOffset(s, most-1)], unicode.IsSpace) + "…"
}

func indentText(m *machine, a []any) (any, error) {
	s, n := text(a, 0), integer(a, 1, 0)
	if n < 0 || n > 1000 {
		return nil, fmt.Errorf("the number of spaces must be from 0 to 1000, but it is %d", n)
	}
	if err := m.grow((strings.Count(s, "\n") + 1) * n); err != nil {
		return nil, err
	}
	return prefixLines(s, strings.Repeat(" ", n), false), nil
}

func quoteText(s string) string { return prefixLines(s, "> ", true) }

func prefixLines(s, prefix string, blank bool) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if text := strings.TrimRight(line, "\r\n"); text != "" {
			b.WriteString(prefix)
		} else if blank {
			b.WriteString(strings.TrimRight(prefix, " "))
		}
		b.WriteString(line)
	}
	return b.String()
}

func slugText(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
