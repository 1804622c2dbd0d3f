package expr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-engine/weft/engine/expr"
)

func TestMessageFunctions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		function string
		value    any
		want     string
	}{
		{"message_html", "Booked *x* <script>", "Booked <em>x</em> &lt;script&gt;"},
		{"message_html", nil, ""},
		{"markdown_to_text", "Booked *x* <script>", "Booked x <script>"},
		{"escape_html", `<a href="x" title='y'>&</a>`, `&lt;a href=&#34;x&#34; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;`},
		{"escape_html", 1.5, "1.5"},
		{"escape_html", nil, ""},
		{"escape_markdown", []any{"<x>"}, `\["\<x\>"\]`},
	} {
		got, err := eval(t, tt.function+"(any)", data{"any": tt.value})
		if err != nil || got != tt.want {
			t.Errorf("%s(%v): got %q, %v; want %q", tt.function, tt.value, got, err, tt.want)
		}
	}
	long := strings.Repeat("<a b='c'>", 300_000)
	for _, f := range []string{"message_html", "markdown_to_text"} {
		if _, err := eval(t, f+"(any)", data{"any": long}); !errors.Is(err, expr.ErrLimit) {
			t.Errorf("%s of a text beyond all: %v", f, err)
		}
	}
}
