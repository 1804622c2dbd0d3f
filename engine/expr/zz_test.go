package expr_test
import ("testing";"strings";"time";"fmt"
 "github.com/weft-engine/weft/engine/diag"
 "github.com/weft-engine/weft/engine/expr")
func TestZZ(t *testing.T) {
	const n = 1<<20 - 100
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	ticks := ""
	for i := 1; len(ticks) < n; i++ { ticks += "e" + strings.Repeat("`", i) }
	md := map[string]string{"[": fill("["), "]": fill("]"), "[a](": fill("[a]("), ">": fill(">"), "> ": fill("> "), "*a ": fill("*a "), "*a **a": fill("*a **a "), "a**b": fill("a**b_c"), "<!--": fill("<!--"), "<a ": fill("<a "),
	 "ticks": ticks[:n], "- ": fill("- "), "1. ": fill("1. "), "nested list": func() string { var b strings.Builder; for i := 0; b.Len() < n; i++ { b.WriteString(strings.Repeat(" ", i*2)+"- a\n") }; return b.String()[:n] }(),
	 "table": "|a|\n|-|\n"+fill("|a|\n"), "wide table": fill("|a")+"\n"+fill("|-")[:n/2], "[[": fill("![[]()"), "&": fill("&#"), "http": fill("http://a.b "), "www": fill("www."), "@": fill("a@"), "~": fill("~~a "), "refs": fill("[a]: x\n"), "[^": fill("[^a"), "\\": fill("\\"), "<": fill("<"), "_": fill("_"), "-": fill("-"), "a\n-": fill("a\n- "), "#":fill("# a\n"), "[x](<": fill("[x](<"), "\"": fill("[a](b \""), "xx": fill("*_")}
	html := map[string]string{"div": fill("<div>"), "p": fill("<p>"), "b": fill("<b>"), "a": fill("<a href=x>"), "table": fill("<table>"), "td": fill("<table><tr><td>"), "ul": fill("<ul><li>"), "quote": fill("<blockquote>"), "<": fill("<"), "&": fill("&lt"), "attr": "<a "+fill("a=b ")+">", "br": fill("<br>"), "font": fill("<font><b><i>"), "pre": fill("<pre>`"), "esc": fill("*_`["), "li": fill("<li>"), "text": fill("word "), "imgs": fill("<img src=a alt=b>"), "formatting": fill("<b><p>"), "ol": "<ol>"+fill("<li>a</li>"), "nobr": fill("<nobr>"), "svg": fill("<svg>"), "spaces": fill(" <i> </i>"), "nl": fill("\n<span>\n"), "select": fill("<select>"), "tpl": fill("<template>"), "close": fill("</p>"), "cmt": fill("<!-- a "), "h1": fill("<h1>"), "strong": fill("<strong>a</strong>"), "em nested": fill("<em>a"),"1": fill("1. "), "nbsp": fill("&nbsp;")}
	for name, s := range md { run(t, "md "+name, "markdown_to_html(any)", s) }
	for name, s := range html { run(t, "html "+name, "html_to_text(any)", s) }
}
func run(t *testing.T, name, text, s string) {
	if len(s) > 1<<20 { s = s[:1<<20] }
	var list diag.List
	x := expr.CompileExpr(str(text), assistantEnv(), &list)
	start := time.Now()
	done := make(chan error, 1)
	go func() { _, err := x.Eval(data{"any": s}); done <- err }()
	select {
	case err := <-done:
		if d := time.Since(start); d > time.Second || err != nil { fmt.Println(name, d, err) }
	case <-time.After(15*time.Second): fmt.Println(name, "TIMEOUT")
	}
}
