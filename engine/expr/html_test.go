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
		{"<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>\n"},
		{"<script>x()</script>", "<p>&lt;script&gt;x()&lt;/script&gt;</p>\n"},
		{"![x](https://e.org/p.png)", `<p><a href="https://e.org/p.png" rel="nofollow noreferrer">x</a></p>` + "\n"},
		{"[x](javascript:alert(1)) [y](https://e.org)", `<p>x <a href="https://e.org" rel="nofollow noreferrer">y</a></p>` + "\n"},
		{"a|b\n-|-\n1|2", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>\n"},
		{"https://e.org", `<p><a href="https://e.org" rel="nofollow noreferrer">https://e.org</a></p>` + "\n"},
		{"", ""},
	} {
		if got, err := eval(t, "markdown_to_html(any)", data{"any": tt.markdown}); got != tt.want || err != nil {
			t.Errorf("%q: got %q, %v", tt.markdown, got, err)
		}
	}
	long := strings.Repeat("*a* ", 5_000) // longer than what message_html reads as Markdown
	if got, err := eval(t, "len(split(markdown_to_html(any), '<em>'))", data{"any": long}); got != 5_001 || err != nil {
		t.Errorf("long Markdown: %v, %v", got, err)
	}
	if _, err := eval(t, "markdown_to_html(any)", data{"any": strings.Repeat("a", 70_000)}); !errors.Is(err, expr.ErrLimit) {
		t.Errorf("long Markdown: %v", err)
	}
}
