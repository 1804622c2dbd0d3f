package richtext

import (
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
)

// FromTree returns Markdown that reads like the HTML.
func FromTree(doc *html.Node) (string, error) {
	out, err := newConverter().ConvertNode(doc)
	return string(out), err
}

// newConverter makes Markdown for reading: nothing is escaped, and cells of tables,
// which mail uses for its layout, stand by themselves.
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

// Bounds of HTML whose structure is read; the text of the rest is taken without it.
const (
	maxTagDepth = 256
	maxTagCount = 10_000
)

// Entangled reports HTML with so many tags, or so deep ones, that reading its
// structure would take too long.
func Entangled(s string) bool {
	z := html.NewTokenizer(strings.NewReader(s))
	for depth, count := 0, 0; depth <= maxTagDepth && count <= maxTagCount; {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.StartTagToken:
			count++
			if name, _ := z.TagName(); !void(string(name)) {
				depth++
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); !void(string(name)) {
				depth = max(0, depth-1)
			}
		default:
		}
	}
	return true
}

// void reports elements that have no end, or may be left without.
func void(tag string) bool {
	switch tag {
	case "br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr", "p", "li", "td", "tr", "th":
		return true
	}
	return false
}

// Strip returns the text of HTML without its structure.
func Strip(s string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	skip := ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if skip == "" {
				b.Write(z.Text())
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			switch tag := string(name); tag {
			case "script", "style", "head":
				skip = tag
			case "br", "p", "div", "tr", "li":
				b.WriteByte('\n')
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == skip {
				skip = ""
			}
		default:
		}
	}
}
