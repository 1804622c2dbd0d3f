package expr

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
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
	if !hasTags(s) {
		return html.UnescapeString(s), nil
	}
	if entangled(s) {
		return strip(s), nil
	}
	out, err := newConverter().ConvertString(s)
	if err != nil {
		return strip(s), nil //nolint:nilerr // HTML that cannot be parsed is read without its structure
	}
	return out, nil
}

// newConverter makes Markdown of HTML. Letters that mean something in Markdown are not
// escaped: the text is for reading. Cells stand by themselves, as mail uses tables for
// its layout.
func newConverter() *converter.Converter {
	c := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()),
		converter.WithEscapeMode(converter.EscapeModeDisabled),
	)
	for _, tag := range []string{"tr", "td", "th"} {
		c.Register.TagType(tag, converter.TagTypeBlock, converter.PriorityEarly)
	}
	c.Register.TextTransformer(func(_ converter.Context, s string) string {
		return strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(s)
	}, converter.PriorityLate)
	return c
}

func hasTags(s string) bool {
	for i := range len(s) - 1 {
		if c := s[i+1]; s[i] == '<' && (c == '/' || c == '!' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			return true
		}
	}
	return false
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
