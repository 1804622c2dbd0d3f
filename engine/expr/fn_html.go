package expr

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	htmltomarkdown "github.com/JohannesKaufmann/html-to-markdown/v2"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"
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
	if !strings.ContainsAny(s, "<&") {
		return s, nil
	}
	if entangled(s) {
		return strip(s), nil
	}
	out, err := htmltomarkdown.ConvertString(s)
	if err != nil {
		return strip(s), nil //nolint:nilerr // HTML that cannot be parsed is read without its structure
	}
	return out, nil
}

// entangled reports HTML with so many tags, or so deep ones, that reading its structure
// would take too long.
func entangled(s string) bool {
	z := html.NewTokenizer(strings.NewReader(s))
	for depth, count := 0, 0; depth <= maxTagDepth && count <= maxTagCount; count++ {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.StartTagToken:
			depth++
		case html.EndTagToken:
			depth--
		default:
			count--
		}
	}
	return true
}

// strip returns the text of HTML that is nested too deep to be parsed.
func strip(s string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	hidden := ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.TextToken:
			if hidden == "" {
				b.Write(z.Text())
			}
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "script" || string(name) == "style" {
				hidden = string(name)
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == hidden {
				hidden = ""
			}
		default:
		}
	}
}
