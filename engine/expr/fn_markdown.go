package expr

import (
	"fmt"
	"html"

	"github.com/weft-engine/weft/engine/richtext"
)

// messageFunctions are the functions for texts that people are shown.
func messageFunctions() []*function {
	return []*function{
		{
			Function: Function{
				Signature: "message_html(text string) string",
				Doc: "Renders the Markdown of a message as HTML that is safe to show. HTML in the text is text, pictures are links, " +
					"and a single paragraph has no <p> around it.",
				Example: `message_html("**Hi** <b>") == "<strong>Hi</strong> &lt;b&gt;"`,
			},
			call: messageHTML, cost: 100,
		},
		{
			Function: Function{
				Signature: "markdown_to_text(text string) string", Doc: "Returns the plain text of Markdown, with the addresses of its links.",
				Example: `markdown_to_text("**Hi** [you](https://weft.dev)") == "Hi you (https://weft.dev)"`,
			},
			call: markdownToText, cost: 100,
		},
		{
			Function: Function{
				Signature: "escape_markdown(value any) string",
				Doc:       "Writes a value on one line so that Markdown shows it as it is.", Example: `escape_markdown("*1.*") == "\\*1\\.\\*"`,
			},
			call: escapeMarkdown,
		},
		{
			Function: Function{
				Signature: "escape_html(value any) string", Doc: "Writes a value so that HTML shows it as it is, also in an attribute.",
				Example: `escape_html("a < b & c") == "a &lt; b &amp; c"`,
			},
			call: escapeHTML,
		},
	}
}

func messageHTML(m *machine, a []any) (any, error) {
	s := text(a, 0)
	if err := m.spend(len(s)); err != nil {
		return nil, err
	}
	out, err := richtext.HTML(s)
	if err != nil {
		return nil, fmt.Errorf("render Markdown: %w", err)
	}
	return out, m.grow(len(out))
}

func markdownToText(m *machine, a []any) (any, error) {
	s := text(a, 0)
	if err := m.spend(len(s)); err != nil {
		return nil, err
	}
	s = richtext.Text(s)
	return s, m.grow(len(s))
}

func escapeMarkdown(m *machine, a []any) (any, error) {
	s, err := m.textOf(a[0])
	if err != nil {
		return nil, err
	}
	s = richtext.Escape(s)
	return s, m.grow(len(s))
}

func escapeHTML(m *machine, a []any) (any, error) {
	s, err := m.textOf(a[0])
	if err != nil {
		return nil, err
	}
	s = html.EscapeString(s)
	return s, m.grow(len(s))
}
