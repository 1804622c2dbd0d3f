package richtext_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/richtext"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, markdown, want string }{
		{"nothing", "", ""},
		{"a plain line", "I found 2 slots in June.", "I found 2 slots in June."},
		{"begins with a number", "2 slots", "2 slots"},
		{"quotes stay", `The draft "Slow Bread" isn't ready & > done`, `The draft "Slow Bread" isn't ready &amp; &gt; done`},
		{"quotes stay beside structure", "*The* \"draft\" isn't", `<em>The</em> "draft" isn't`},
		{"a script is text", "Booked <script>alert(1)</script> now", "Booked &lt;script&gt;alert(1)&lt;/script&gt; now"},
		{"a block of HTML is text", "<div>\n<b onclick=x>a</b>\n</div>", "&lt;div&gt;\n&lt;b onclick=x&gt;a&lt;/b&gt;\n&lt;/div&gt;"},
		{"a comment is text", "a <!-- b --> c", "a &lt;!-- b --&gt; c"},
		{"entities are no markup", "&lt;b&gt; &#60;i&#62;", "&lt;b&gt; &lt;i&gt;"},
		{"two lines", "a\nb", "a\nb"},
		{"two paragraphs", "a\n\nb", "<p>a</p>\n<p>b</p>"},
		{"a list", "- a\n- **b**", "<ul>\n<li>a</li>\n<li><strong>b</strong></li>\n</ul>"},
		{"a numbered list", "3. a\n4. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"code", "`<b>`\n\n```go\nx < \"y\"\n```", "<p><code>&lt;b&gt;</code></p>\n<pre><code class=\"language-go\">x &lt; \"y\"\n</code></pre>"},
		{
			"a table", "a|b\n-|:-:\n1|<i>",
			"<table>\n<thead>\n<tr>\n<th>a</th>\n<th style=\"text-align: center\">b</th>\n</tr>\n</thead>\n" +
				"<tbody>\n<tr>\n<td>1</td>\n<td style=\"text-align: center\">&lt;i&gt;</td>\n</tr>\n</tbody>\n</table>",
		},
		{"a link", "[x](https://e.org/?a=1&b=\"2\")", `<a href="https://e.org/?a=1&amp;b=%222%22" rel="nofollow noreferrer">x</a>`},
		{"an address", "see https://e.org", `see <a href="https://e.org" rel="nofollow noreferrer">https://e.org</a>`},
		{"links that run", "[a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x)", "a b c"},
		{
			"pictures are links", "![my **cat**](https://e.org/c.png?q=secret \"t\")",
			`<a href="https://e.org/c.png?q=secret" rel="nofollow noreferrer">my <strong>cat</strong></a>`,
		},
		{"pictures that run", "![a](javascript:x)", "a"},
		{"a picture in a link", "[![a](https://e.org/c.png) b](https://f.org)", `<a href="https://f.org" rel="nofollow noreferrer">a b</a>`},
	} {
		got, err := richtext.HTML(tt.markdown)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	long := strings.Repeat("*a* <b>\n", 20_000)
	s, err := richtext.HTML(long)
	if err != nil || !strings.HasPrefix(s, "*a* &lt;b&gt;\n*a*") || strings.Contains(s, "<") {
		t.Errorf("a message beyond the bound: %.80q, %v", s, err)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, markdown, want string }{
		{"nothing", "", ""},
		{"a plain line", " Done. ", "Done."},
		{"marks", "# A **b** _c_ ~~d~~ `e*`\nf", "A b c d e*\n\nf"},
		{"escapes and entities", `1\. \*a\* &amp; &lt;b&gt; ` + "`&amp;`", "1. *a* & <b> &amp;"},
		{
			"links", "[x](https://e.org) <https://f.org> https://g.org ![p](https://h.org/i.png)",
			"x (https://e.org) https://f.org https://g.org p (https://h.org/i.png)",
		},
		{"HTML is text", "a <b>c</b>", "a <b>c</b>"},
		{"lists", "- a\n- b\n  1. c\n  2. d\n\n> e\n> f", "- a\n- b\n  1. c\n  2. d\n\n> e\n> f"},
		{"a table", "a|b\n-|-\n1|2", "a | b\n1 | 2"},
		{"code", "```\nx\n\ny\n```\n\n---\n\nz", "x\n\ny\n\n---\n\nz"},
		{"quotes inside each other", strings.Repeat("> ", 500) + "deep", strings.Repeat("> ", 20) + "deep"},
	} {
		if got := richtext.Text(tt.markdown); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"[a](http://b)\n# c": `\[a\]\(http\://b\) \# c`, `["<x>"]`: `\["\<x\>"\]`, "größe, ok": "größe, ok", " 3. ": `3\.`,
	} {
		if got := richtext.Escape(value); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

// hostile are pieces of text that mean something somewhere.
var hostile = []string{
	"<script>", "</p>", "<p>", "&lt;", "&#60;", "\\", "`", "``", "*", "**", "_", "~~", "[", "](", ")", "!", "![", "<", ">", "\"", "'", "|", "-", "--",
	"+", "=", "===", "#", "1.", "2)", "\n", "\n\n", "\t", "    ", " ", "http://", "https://e.org", "www.e.org", "a@b.org", "javascript:", "x", "y",
	"größe", ":", "&", ";", "---", "|-|-|", "> ", "- ", "<!--", "-->", "{", "}", "ftp://", "mailto:",
}

func hostileText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(hostile), 0, 24).Draw(t, "text"), "")
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// A value that is escaped is shown as it is, whatever it says and wherever it stands.
func TestEscapedMarkdownIsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		value := hostileText(rt)
		for before, want := range map[string]string{"": words(value), "*Hi* ": words("Hi " + value)} {
			s, err := richtext.HTML(before + richtext.Escape(value))
			if err != nil {
				rt.Fatal(err)
			}
			bare := strings.NewReplacer("<em>Hi</em>", "Hi").Replace(s)
			if strings.ContainsAny(bare, "<>") || words(html.UnescapeString(bare)) != want {
				rt.Fatalf("%q is shown as %q", value, s)
			}
			if read := richtext.Text(before + richtext.Escape(value)); read != want {
				rt.Fatalf("%q is read as %q", value, read)
			}
		}
	})
}

const messageElements = " p br hr strong em del pre code blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td a "

// safe fails when HTML has more than messages have.
func safe(t interface{ Fatalf(string, ...any) }, source, s string) {
	z := html.NewTokenizer(strings.NewReader(s))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			if !strings.Contains(messageElements, " "+token.Data+" ") {
				t.Fatalf("%q gives the element %s in %q", source, token.Data, s)
			}
		case html.CommentToken, html.DoctypeToken:
			t.Fatalf("%q gives %q", source, s)
		default:
		}
		for _, a := range token.Attr {
			if !safeAttribute(token.Data, a) {
				t.Fatalf("%q gives %s=%q in %q", source, a.Key, a.Val, s)
			}
		}
	}
}

func safeAttribute(element string, a html.Attribute) bool {
	switch a.Key {
	case "rel", "title":
		return element == "a"
	case "start":
		return element == "ol"
	case "class":
		return element == "code"
	case "style":
		return strings.HasPrefix(a.Val, "text-align: ")
	case "href":
		scheme, _, ok := strings.Cut(a.Val, ":")
		return !ok || scheme == "http" || scheme == "https" || scheme == "mailto" || strings.ContainsAny(scheme, "/?#")
	}
	return false
}

func TestMessagesAreSafe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		source := hostileText(rt)
		s, err := richtext.HTML(source)
		if err != nil {
			rt.Fatal(err)
		}
		safe(rt, source, s)
		safe(rt, source, richtext.Safe(source))
	})
}

func FuzzHTML(f *testing.F) {
	f.Add("[a](java\nscript:x) <b> ![c](d)")
	f.Add("| a |\n|:-|\n| <i> |")
	f.Add("- > - 1. a\n\n  b\n***\n&#x3c;script>")
	f.Fuzz(func(t *testing.T, source string) {
		source = strings.ToValidUTF8(source, "")
		s, err := richtext.HTML(source)
		if err != nil {
			t.Fatal(err)
		}
		safe(t, source, s)
		safe(t, source, richtext.Safe(source))
		richtext.Text(source)
		richtext.Text(richtext.Escape(source))
	})
}

// Text made to be slow is as quick as any other.
func TestHostileMessagesAreQuick(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"> ", "- ", "[", "![", "*a ", "`", "~~", "<", "[a](", "&", "|", "1. ", "\\", "**a*_", "www.", "a@"} {
		many := strings.Repeat(unit, (16<<10)/len(unit))
		start := time.Now()
		if _, err := richtext.HTML(many); err != nil {
			t.Errorf("%q: %v", unit, err)
		}
		richtext.Text(many)
		richtext.Escape(many)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%q takes %v", unit, took)
		}
	}
}

func TestSafe(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`<a href="javascript:alert(1)">x</a>`:                         "x",
		`<a href="https://e.org" onclick="x()" target="_blank">x</a>`: `<a href="https://e.org" rel="nofollow noreferrer">x</a>`,
		`<img src="https://e.org/t.png"><script>x()</script>y`:        "y",
		`<p style="background:url(https://e.org)">x</p>`:              "<p>x</p>",
		`<td style="text-align: center; color: red">x</td>`:           `<td style="text-align: center">x</td>`,
		`<iframe src="x"></iframe><form action="x"><input></form>z`:   "z",
	} {
		if got := richtext.Safe(source); got != want {
			t.Errorf("%s: got %s, want %s", source, got, want)
		}
	}
}

// A line without marks, which is not read as Markdown, gives what reading it would give.
func TestPlainLines(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", "b ", " ", "  ", ".", "1", "12", "1.", "2)", "-", "- ", "+", "=", ">", "!", "?", ":", ": ", "://", "http", "https", "ftp", "mailto:", "xmpp:", "www.", "www", "e.org", "/", "(", ")", "{", "}", "\"", "'", "%", "$", "^", ";", ",", "é", "—",
	}
	rapid.Check(t, func(rt *rapid.T) {
		line := strings.TrimSpace(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 10).Draw(rt, "line"), ""))
		if line == "" {
			return
		}
		alone, err := richtext.HTML(line)
		if err != nil {
			rt.Fatal(err)
		}
		beside, err := richtext.HTML(line + "\n\n`x`")
		if err != nil {
			rt.Fatal(err)
		}
		first, _, _ := strings.Cut(beside, "\n<p><code>x</code></p>")
		if first != alone && first != "<p>"+alone+"</p>" && !strings.HasPrefix(alone, "<") {
			rt.Fatalf("%q gives %q, and %q beside another paragraph", line, alone, beside)
		}
	})
}
