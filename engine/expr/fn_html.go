package expr

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"

	"github.com/weft-engine/weft/engine/richtext"
)

// renderer turns Markdown into HTML, and makes HTML safe.
type renderer struct {
	markdown goldmark.Markdown
	policy   *bluemonday.Policy
}

var newRenderer = sync.OnceValue(func() renderer {
	return renderer{goldmark.New(goldmark.WithExtensions(extension.GFM)), bluemonday.UGCPolicy()}
})

func markdownToHTML(m *machine, a []any) (any, error) {
	s := text(a, 0)
	if len(s) > maxMarkdown {
		return nil, fmt.Errorf("the Markdown is longer than %d KiB: %w", maxMarkdown>>10, ErrLimit)
	}
	if err := m.spend(len(s)); err != nil {
		return nil, err
	}
	r := newRenderer()
	var b bytes.Buffer
	if err := r.markdown.Convert([]byte(s), &b); err != nil {
		return nil, fmt.Errorf("render Markdown: %w", err)
	}
	return r.policy.SanitizeReader(&b).String(), nil
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
