package mail

import (
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
)

// Bounds of HTML whose structure is read; the text of the rest is taken without it.
const (
	maxTagDepth = 256
	maxTagCount = 50_000
)

// htmlToText makes text of HTML, with links as [text](address). Pictures are dropped,
// and so is what a person who reads the mail would not see.
func htmlToText(s string) string {
	s = cut(s, maxHTML)
	if entangled(s) {
		return strip(s)
	}
	doc, err := html.Parse(strings.NewReader(s))
	if err != nil {
		return strip(s)
	}
	prune(doc)
	out, err := newConverter().ConvertNode(doc)
	if err != nil {
		return strip(s)
	}
	return string(out)
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

// prune removes pictures and what is hidden. A mail that hides text from its reader
// means it for machines.
func prune(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if dropped(child) {
			n.RemoveChild(child)
		} else {
			prune(child)
		}
		child = next
	}
}

func dropped(n *html.Node) bool {
	switch n.Type {
	case html.CommentNode:
		return true
	case html.ElementNode:
	default:
		return false
	}
	switch n.Data {
	case "head", "script", "style", "template", "noscript", "title", "meta", "link", "img", "picture", "svg", "object", "embed",
		"iframe", "video", "audio", "canvas", "map", "input", "select", "textarea":
		return true
	}
	return hidden(n)
}

// hidden reports an element whose own style or attribute hides it.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch strings.ToLower(a.Key) {
		case "hidden":
			return true
		case "style":
			if hiddenStyle(a.Val) {
				return true
			}
		}
	}
	return false
}

func hiddenStyle(style string) bool {
	for rule := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(rule, ":")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch strings.TrimSpace(name) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "opacity", "font-size", "max-height", "max-width":
			if nothing(value) {
				return true
			}
		case "mso-hide":
			return true
		}
	}
	return false
}

// nothing reports a measure of zero: 0, 0px, 0.0em, 0%.
func nothing(value string) bool {
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz% ")
	return number != "" && strings.Trim(number, "0.") == ""
}

// entangled reports HTML with so many tags, or so deep ones, that reading its
// structure would take too long.
func entangled(s string) bool {
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

// strip returns the text of HTML without its structure.
func strip(s string) string {
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
