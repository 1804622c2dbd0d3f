// Package richtext is the text of messages that people are shown: Markdown in, HTML that is
// safe to show or plain text out. HTML inside Markdown is text like any other, pictures are
// links, and nothing loads or runs by itself, whoever wrote the text.
package richtext

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// MaxBytes is how long a text may be to be read as Markdown, backslashes apart: what that
// takes may grow with the square of the length. Longer texts are shown as they are written.
const MaxBytes = 16 << 10

// tooLong reports text that is not read as Markdown. Backslashes do not count, up to a
// bound, so that a text with escaped values is as long as without.
func tooLong(text string) bool {
	if len(text) <= MaxBytes {
		return false
	}
	escapes := strings.Count(text, "\\")
	return len(text)-escapes > MaxBytes || escapes > 3*MaxBytes
}

// HTML renders Markdown. A single paragraph has no <p> around it. Errors are those of the
// library that reads Markdown; none is known.
func HTML(text string) (string, error) {
	if isPlainLine(text) || tooLong(text) {
		return between.Replace(strings.TrimSpace(text)), nil
	}
	out, err := Document(text)
	if err != nil {
		return "", err
	}
	out = strings.TrimSpace(out)
	if inner, ok := strings.CutPrefix(out, "<p>"); ok {
		if inner, ok = strings.CutSuffix(inner, "</p>"); ok && !strings.Contains(inner, "</p>") {
			return inner, nil
		}
	}
	return out, nil
}

// Document renders Markdown of any length like HTML does, but every paragraph stands in a
// <p> and the last line ends. What it takes may grow with the square of the length.
func Document(text string) (string, error) {
	var b bytes.Buffer
	if err := newReader().Convert([]byte(text), &b); err != nil {
		return "", err
	}
	return readable(newPolicy().SanitizeReader(&b).String()), nil
}

// Safe returns what of an HTML text may be shown: the elements that HTML writes, with
// nothing that loads or runs by itself.
func Safe(text string) string { return newPolicy().Sanitize(text) }

// Escape writes a value so that Markdown shows it as it is: a backslash stands before
// every letter that can mean something, and white space becomes single spaces, as a line
// of its own can mean something too.
func Escape(value string) string {
	var b strings.Builder
	b.Grow(len(value) + 8)
	for i, word := range strings.Fields(value) {
		if i > 0 {
			b.WriteByte(' ')
		}
		for j := range len(word) {
			if strings.IndexByte("\\`*_{}[]<>()#+-.!|~&:@=", word[j]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(word[j])
		}
	}
	return b.String()
}

// newReader reads Markdown in which HTML is text.
var newReader = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(
				util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewThematicBreakParser(), 200),
				util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
				util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600),
				util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(parser.NewBlockquoteParser(), 800),
				util.Prioritized(parser.NewParagraphParser(), 1000),
			),
			parser.WithInlineParsers(
				util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
				util.Prioritized(parser.NewAutoLinkParser(), 300), util.Prioritized(parser.NewEmphasisParser(), 500),
			),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)),
		goldmark.WithRenderer(renderer.NewRenderer(renderer.WithNodeRenderers(
			util.Prioritized(html.NewRenderer(), 1000), util.Prioritized(pictures{}, 100),
		))),
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
	)
})

// newPolicy allows what newReader writes, and nothing that loads by itself.
var newPolicy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "strong", "em", "del", "pre", "code", "blockquote", "ul", "ol", "li",
		"h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowAttrs("href", "title").OnElements("a")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[a-zA-Z0-9+#-]{1,40}$`)).OnElements("code")
	p.AllowStyles("text-align").MatchingEnum("left", "center", "right").OnElements("th", "td")
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
})

// pictures renders a picture as a link to it: a page that loads pictures by itself
// would tell others what a message says.
type pictures struct{}

// RegisterFuncs takes over the rendering of pictures.
func (p pictures) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, p.render)
}

func (pictures) render(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	picture, ok := n.(*ast.Image)
	if !ok || inLink(n) {
		return ast.WalkContinue, nil
	}
	tag := "</a>"
	if entering {
		tag = `<a href="` + string(util.EscapeHTML(util.URLEscape(picture.Destination, true))) + `">`
	}
	_, err := w.WriteString(tag)
	return ast.WalkContinue, err
}

func inLink(n ast.Node) bool {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindLink || p.Kind() == ast.KindImage {
			return true
		}
	}
	return false
}

// between escapes what would be markup between tags.
var between = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// quotes are escaped only in attributes.
var quotes = strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&quot;", `"`)

// readable writes quotes between tags as they are. In safe HTML < and > are only those of tags.
func readable(s string) string {
	if !strings.Contains(s, "&#3") && !strings.Contains(s, "&quot;") {
		return s
	}
	var b strings.Builder
	for s != "" {
		open := strings.IndexByte(s, '<')
		if open < 0 {
			open = len(s)
		}
		b.WriteString(quotes.Replace(s[:open]))
		s = s[open:]
		end := strings.IndexByte(s, '>') + 1
		if end == 0 {
			end = len(s)
		}
		b.WriteString(s[:end])
		s = s[end:]
	}
	return b.String()
}

// mayLink reports text in which an address may stand that becomes a link.
func mayLink(s string) bool {
	if !strings.ContainsAny(s, ":.") {
		return false
	}
	s = strings.ToLower(s)
	return strings.Contains(s, "www.") || strings.Contains(s, "://") || strings.Contains(s, "mailto:") || strings.Contains(s, "xmpp:")
}

// isPlainLine reports text in which Markdown sees nothing but text: most messages.
func isPlainLine(s string) bool {
	s = strings.TrimSpace(s)
	if strings.ContainsAny(s, "\\`*_[]<#|~&@\t\n\r\x00") || mayLink(s) {
		return false
	}
	if s == "" || !strings.ContainsAny(s[:1], "+-=>0123456789") {
		return true
	}
	rest := strings.TrimLeft(s, "0123456789")
	return len(rest) < len(s) && !strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, ")")
}
