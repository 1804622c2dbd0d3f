package richtext_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-engine/weft/engine/richtext"
)

func TestEscapeValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text   string
		values []string
		want   string
	}{
		{"**Saved** x.", []string{"x"}, "<strong>Saved</strong> x."},
		{"**Saved** *x*.", []string{"*x*"}, "<strong>Saved</strong> *x*."},
		{"Saved <b>x</b> & y.", []string{"<b>x</b> & y"}, "Saved &lt;b&gt;x&lt;/b&gt; &amp; y."},
		{"[x](https://evil.example) is set", []string{"[x](https://evil.example)"}, `[x](<a href="https://evil.example" rel="nofollow noreferrer">https://evil.example</a>) is set`},
		{"# x\n- y", []string{"# x\n- y"}, "# x\n- y"},
		{"1. x", []string{"1. x"}, "1. x"},
		{"12:30 it is", []string{"12:30"}, "12:30 it is"},
		{"-5 degrees", []string{"-5"}, "-5 degrees"},
		{"sales_2024_q1", []string{"sales_2024_q1"}, "sales_2024_q1"},
		{"a*b and a*b*c", []string{"a*b", "a*b*c"}, "a*b and a*b*c"},
		{"&lt; is a sign", []string{"&lt;"}, "&amp;lt; is a sign"},
		{"a\\b", []string{"a\\b"}, "a\\b"},
		{"nothing", []string{"", " "}, "nothing"},
		{"Run `rm *_x` on *_x.", []string{"*_x"}, "Run <code>rm *_x</code> on *_x."},
		{"``a_b`` and `a_b`a_b`c`", []string{"a_b"}, "<code>a_b</code> and <code>a_b</code>a_b<code>c</code>"},
		{"See:\n\n```sql\nSELECT *\nFROM a_b\n```\n\n*a_b*", []string{"SELECT *", "a_b"}, "<p>See:</p>\n<pre><code class=\"language-sql\">SELECT *\nFROM a_b\n</code></pre>\n<p><em>a_b</em></p>"},
		{"It` costs `*a* x", []string{"*a*"}, "It<code>costs</code>*a* x"},
		{"\\`*a*\\`", []string{"*a*"}, "`*a*`"},
		{"*a* `*b", []string{"*a*", "`*b"}, "*a* `*b"},
		{"> ```\n> [x](y)\n> ```\n[x](y)", []string{"[x](y)"}, "<blockquote>\n<pre><code>[x](y)\n</code></pre>\n</blockquote>\n<p>[x](y)</p>"},
	} {
		got, err := richtext.HTML(richtext.EscapeValues(tt.text, tt.values))
		if err != nil {
			t.Fatal(err)
		}
		if got != tt.want {
			t.Errorf("%q with %q:\n got %q\nwant %q", tt.text, tt.values, got, tt.want)
		}
	}
}

// A text that is too long to be read as Markdown shows its values without backslashes; one
// that is not is read, however much there is to escape.
func TestEscapedValuesInLongTexts(t *testing.T) {
	t.Parallel()
	const value = "*a* [b](https://c.example)"
	for _, n := range []int{100, 500, 600, 602, 603, 700, 3000} {
		text := strings.Repeat(value+" ", n)
		got, err := richtext.HTML(richtext.EscapeValues(text, []string{value}))
		if err != nil {
			t.Fatal(err)
		}
		if shown := html.UnescapeString(tags.ReplaceAllString(got, "")); shown != strings.TrimSpace(text) {
			t.Errorf("%d times: shown as %.80q", n, shown)
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// A value alone in a sentence is shown letter by letter, whatever it is, and brings no
// element with it.
func TestAnyValueIsShownAsItIs(t *testing.T) {
	t.Parallel()
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("ab *_`[]()<>&#+-=|~!\\1.:;\"'{}%\n")), 1, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		value := strings.TrimSpace(letters.Draw(t, "value"))
		if value == "" || strings.Contains(value, "\n") {
			t.Skip("what lines become is not the matter here")
		}
		got, err := richtext.HTML(richtext.EscapeValues("Saved: "+value+" now", []string{value}))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Join(strings.Fields("Saved: "+value+" now"), " ")
		if shown := strings.Join(strings.Fields(html.UnescapeString(got)), " "); shown != want {
			t.Fatalf("%q is shown as %q (%s)", value, shown, got)
		}
	})
}

// A text in which no value stands is left as it is, whatever code and tables it holds.
func TestTextsWithoutTheValueStayAsTheyAre(t *testing.T) {
	t.Parallel()
	unchanged := func(t rapid.TB, text string) {
		if got := richtext.EscapeValues(text, []string{"x*y"}); got != text {
			t.Fatalf("%q becomes %q", text, got)
		}
	}
	unchanged(t, "[a](b `c`)\n| a | `b\\|c` |\n|---|---|\n") // the reader has the line before the table after it
	parts := rapid.SampledFrom([]string{
		"`", "``", "~~~\n", "```\n", "\n", "\n\n", "| a | `b\\|c` |\n|---|---|\n", "> ", "- ", "    ", "a", "[a](b `c`)\n", "[r]: `d`\n", "\t", "\\`", "|", "é", "\r",
	})
	rapid.Check(t, func(t *rapid.T) { unchanged(t, strings.Join(rapid.SliceOfN(parts, 0, 14).Draw(t, "text"), "")) })
}
