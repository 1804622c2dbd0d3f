package richtext_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/weft-engine/weft/engine/richtext"
)

func TestFromTree(t *testing.T) {
	for _, c := range [][2]string{
		{`<p>Hello <b>you</b></p><p>See <a href="https://a.example/x">this</a></p>`, "Hello **you**\n\nSee [this](https://a.example/x)"},
		{"<table><tr><td>left</td><td>right</td></tr></table>", "left\n\nright"},
		{"2 * 3 &lt; 7 &amp; _so_", "2 * 3 < 7 & _so_"},
	} {
		in, want := c[0], c[1]
		doc, err := html.Parse(strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := richtext.FromTree(doc); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", in, got, err, want)
		}
	}
}

func TestEntangled(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want bool
	}{
		"plain":                          {"<p>a</p>", false},
		"deep":                           {strings.Repeat("<div>", 257), true},
		"as deep as may be":              {strings.Repeat("<div>", 256), false},
		"side by side":                   {strings.Repeat("<div></div>", 10_000), false},
		"too many":                       {strings.Repeat("<div></div>", 10_001), true},
		"tags without an end go nowhere": {strings.Repeat("<br><p>", 2_000), false},
	} {
		if got := richtext.Entangled(c.in); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestStrip(t *testing.T) {
	if got := richtext.Strip("<head>x</head><style>y</style>One<br>two &amp; <b>three</b><script>z()</script>"); got != "One\ntwo & three" {
		t.Errorf("%q", got)
	}
}
