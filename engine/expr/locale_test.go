package expr_test

import (
	"testing"

	"github.com/weft-engine/weft/engine/diag"
	"github.com/weft-engine/weft/engine/expr"
)

// said evaluates an expression with a default locale, as in a response.
func said(t *testing.T, text, locale string) (string, bool) {
	t.Helper()
	var list diag.List
	x := expr.CompileResponse(str("{{ "+text+" }}"), expr.NewEnv(nil).Opened(), &list)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	f := expr.NewFill(data{"n": 5, "when": "2026-03-01T18:05:00+01:00"}, locale)
	got, err := f.Text(x)
	if err != nil {
		t.Fatal(err)
	}
	return got, f.Done == 1
}

func TestFormats(t *testing.T) {
	t.Parallel()
	const nbsp = "\u00a0"
	for _, tt := range []struct{ text, locale, want string }{
		{"format_number(1234567.891, 2)", "", "1,234,567.89"},
		{"format_number(1234567.891)", "de", "1.234.567,891"},
		{"format_number(1234567, 2, 'fr')", "de", "1" + nbsp + "234" + nbsp + "567,00"},
		{"format_number(1234567)", "en-IN", "12,34,567"},
		{"format_number(0.125, 2)", "", "0.13"},
		{"format_number(2.675, 2)", "", "2.68"},
		{"format_number(-0.5)", "", "-0.5"},
		{"format_number(1e20)", "", "100,000,000,000,000,000,000"},
		{"plural(1, {one: '# row', other: '# rows'})", "", "1 row"},
		{"plural(1200, {one: '# row', other: '# rows'})", "", "1,200 rows"},
		{"plural(0, {'=0': 'no row', one: '# row', other: '# rows'})", "", "no row"},
		{"plural(0, {one: '# ligne', other: '# lignes'})", "fr", "0 ligne"},
		{"plural(2, {one: '# godzina', few: '# godziny', many: '# godzin', other: '# godziny'})", "pl", "2 godziny"},
		{"plural(5, {one: '# godzina', few: '# godziny', many: '# godzin', other: '# godziny'})", "pl", "5 godzin"},
		{"plural(1.5, {one: '# hour', other: '# hours'})", "", "1.5 hours"},
		{"plural(n, {other: '#'})", "", "5"},
		{"local_date('2026-01-08', 'short')", "", "1/8/2026"},
		{"local_date('2026-01-08', 'short')", "en-GB", "08/01/2026"},
		{"local_date('2026-01-08', 'medium')", "de", "8. Jan. 2026"},
		{"local_date(when, 'full time')", "", "Sunday, March 1, 2026, 6:05 PM"},
		{"local_date(when, 'full time', 'UTC')", "es", "domingo, 1 de marzo de 2026, 17:05"},
		{"local_date(when, 'time', 'America/New_York')", "", "12:05 PM"},
		{"local_date('2026-03-01T00:30:00Z', 'time')", "", "12:30 AM"},
		{"local_date(when, 'long')", "fr", "1 mars 2026"},
		{"local_date(when, 'full')", "it", "domenica 1 marzo 2026"},
		{"local_date(when, 'long time')", "nl", "1 maart 2026 18:05"},
		{"local_date(when, 'long')", "pt-BR", "1 de março de 2026"},
		{"local_date(when, 'full')", "ja", "2026-03-01"},
	} {
		if got, ok := said(t, tt.text, tt.locale); got != tt.want || !ok {
			t.Errorf("%s in %q: %q, want %q", tt.text, tt.locale, got, tt.want)
		}
	}
	for _, text := range []string{
		"format_number(1, 2, 'xx-nowhere-')", "format_number(1, 99)", "plural(1, {few: 'x'})", "local_date(when, 'tiny')", "local_date(when, '')",
		"local_date('soon', 'long')", "local_date(when, 'long', 'Mars/Base')",
	} {
		if got, ok := said(t, text, ""); got != "" || ok {
			t.Errorf("%s gives %q", text, got)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"tokens('')": "0", "tokens('a b')": "2", "tokens('booked')": "2", "tokens('über')": "1", "tokens('日本語')": "3",
		"similarity('', '')": "0", "similarity('a b c', 'A, b!')": "0.6666666666666666", "similarity('a', 'b')": "0", "words('Größe 2,5')": "größe, 2, 5",
	} {
		if got, _ := said(t, text, ""); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
