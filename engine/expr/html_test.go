package expr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/expr"
)

func TestHTMLToText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, html, want string }{
		{"no tags", "a < b", "a < b"},
		{"entities", "a &amp; b\nc", "a & b\nc"},
		{"letters of Markdown", "<p>1. *a* _b_ [c] &lt;d&gt;</p>", "1. *a* _b_ [c] <d>"},
		{"a table for layout", "<table><tr><td>a</td><td>b <b>c</b></td></tr><tr><td>d</td></tr></table>", "a\n\nb **c**\n\nd"},
		{"hidden parts", "<script>x()</script><style>p{}</style><p>a<p>b", "a\n\nb"},
		{"links", `<a href="https://e.org/?a=1">here</a>`, "[here](https://e.org/?a=1)"},
		{"lists", "<ul><li>a</li><li>b</li></ul>", "- a\n- b"},
		{"too deep for its structure", strings.Repeat("<div>", 5000) + "<script>x()</script>deep" + strings.Repeat("</div>", 5000), "deep"},
		{"too many tags for their structure", strings.Repeat("<b>x</b>", 20_000), strings.Repeat("x", 20_000)},
	} {
		got, err := eval(t, "html_to_text(any)", data{"any": tt.html})
		if got != tt.want || err != nil {
			t.Errorf("%s: got %.200q, %v", tt.name, got, err)
		}
	}
	got, err := eval(t, "len(html_to_text(any))", data{"any": "<p>" + strings.Repeat("word ", 1<<20)})
	if n, ok := got.(int); err != nil || !ok || n > 1<<20 {
		t.Errorf("long HTML: got %v, %v", got, err)
	}
}

func TestMarkdownToHTML(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ markdown, want string }{
		{"# Hi\n\n- a\n- b", "<h1>Hi</h1>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"},
		{"<img src=x onerror=alert(1)>", "<!-- raw HTML omitted -->"},
		{"[x](javascript:alert(1)) [y](https://e.org)", `<p>x <a href="https://e.org" rel="nofollow">y</a></p>` + "\n"},
		{"a|b\n-|-\n1|2", "<table>"},
		{"https://e.org", `<a href="https://e.org" rel="nofollow">`},
	} {
		got, err := eval(t, "markdown_to_html(any)", data{"any": tt.markdown})
		s, _ := got.(string)
		for _, bad := range []string{"script", "onerror", "javascript"} {
			if strings.Contains(s, bad) {
				t.Errorf("%q gives %q", tt.markdown, s)
			}
		}
		if err != nil || !strings.Contains(s, tt.want) && !strings.HasPrefix(tt.want, "<!--") {
			t.Errorf("%q: got %q, %v", tt.markdown, s, err)
		}
	}
	if _, err := eval(t, "markdown_to_html(any)", data{"any": strings.Repeat("a", 70_000)}); !errors.Is(err, expr.ErrLimit) {
		t.Errorf("long Markdown: %v", err)
	}
}
