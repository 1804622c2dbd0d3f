// Package preview shows what a turn gives, its message and its block, as one page of HTML
// that a browser opens without a server: no scripts, no network, light and dark, wide and
// narrow. It is for people who write specs, and an example for those who write clients.
//
// Everything in a payload is data from outside: the message is made safe again, a chart is
// drawn from its figures rather than taken as it is, and all else is escaped.
package preview

import (
	"bufio"
	_ "embed" // the page and its style
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/weft-engine/weft/engine/richtext"
)

// Page is what is shown.
type Page struct {
	Title string // of the window; "Preview" when empty
	Lang  string // of the texts, as BCP 47; "en" when empty
	// Payload is what a turn gives: {message (HTML), actions, interaction, code_snippet,
	// frame (the block)}. Other fields, and those that have another kind, are left out.
	Payload map[string]any
}

//go:embed page.gohtml
var pageText string

//go:embed style.css
var styleText string

var page = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{"dict": dict}).Parse(pageText)
})

// dict makes a map of names and values, for templates inside templates.
func dict(pairs ...any) map[string]any {
	out := make(map[string]any, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		out[name] = pairs[i+1]
	}
	return out
}

// view is the page as its template sees it.
type view struct {
	Title, Lang string
	Style       template.CSS
	Message     template.HTML
	Actions     []string
	Interaction string
	Code        *code
	Panel       *block // on the panel
	Inline      *block // in the conversation
}

type code struct{ Source, Text string }

var language = regexp.MustCompile(`^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8})*$`)

// HTML writes the page. Errors are those of w.
func HTML(w io.Writer, p Page) error {
	t, err := page()
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	b := bufio.NewWriter(w)
	if err := t.Execute(b, p.view()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return b.Flush()
}

func (p Page) view() *view {
	v := &view{Title: p.Title, Lang: p.Lang, Style: template.CSS(styleText)} //nolint:gosec // our own file
	if v.Title == "" {
		v.Title = "Preview"
	}
	if !language.MatchString(v.Lang) {
		v.Lang = "en"
	}
	v.Message = message(textOf(p.Payload["message"]))
	for _, a := range listOf(p.Payload["actions"]) {
		v.Actions = append(v.Actions, called(a))
	}
	if i := p.Payload["interaction"]; i != nil {
		v.Interaction = words(i)
	}
	if c, ok := p.Payload["code_snippet"].(map[string]any); ok {
		v.Code = &code{textOf(c["source"]), textOf(c["snippet"])}
	}
	if frame, ok := p.Payload["frame"].(map[string]any); ok {
		b := newBlock(frame)
		if b.Inline {
			v.Inline = b
		} else {
			v.Panel = b
		}
	}
	return v
}

var blockTag = regexp.MustCompile(`<(p|ul|ol|pre|h[1-6]|blockquote|table|hr)\b`)

// message makes the message safe, and a paragraph of one that is only a line.
func message(s string) template.HTML {
	s = strings.TrimSpace(richtext.Safe(s))
	if s != "" && !blockTag.MatchString(s) {
		s = "<p>" + s + "</p>"
	}
	return template.HTML(s) //nolint:gosec // made safe just here
}
