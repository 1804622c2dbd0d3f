package expr

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/weft-engine/weft/engine/richtext"
)

func markdownToHTML(m *machine, a []any) (any, error) {
	s := text(a, 0)
	if len(s) > maxMarkdown {
		return nil, fmt.Errorf("the Markdown is longer than %d KiB: %w", maxMarkdown>>10, ErrLimit)
	}
	if err := m.spend(len(s)); err != nil {
		return nil, err
	}
	out, err := richtext.Document(s)
	if err != nil {
		return nil, fmt.Errorf("render Markdown: %w", err)
	}
	return out, m.grow(len(out))
}

// htmlToText cuts off what is beyond the bound: mail has bodies of any size.
func htmlToText(m *machine, a []any) (any, error) {
	s := text(a, 0)
	if len(s) > maxHTML {
		s = strings.ToValidUTF8(s[:maxHTML], "")
	}
	if err := m.spend(len(s) / 8); err != nil {
		return nil, err
	}
	if !hasTags(s) {
		return html.UnescapeString(s), nil
	}
	if richtext.Entangled(s) {
		return strings.TrimSpace(richtext.Strip(s)), nil
	}
	doc, err := html.Parse(strings.NewReader(s))
	if err == nil {
		s, err = richtext.FromTree(doc)
	}
	if err != nil {
		return strings.TrimSpace(richtext.Strip(s)), nil //nolint:nilerr // HTML that cannot be parsed is read without its structure
	}
	return s, nil
}

func hasTags(s string) bool {
	for i := range len(s) - 1 {
		if c := s[i+1]; s[i] == '<' && (c == '/' || c == '!' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			return true
		}
	}
	return false
}
