package expr

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	cldr "golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// localeFunctions write numbers, dates and counted words as people of a language do.
func localeFunctions() []*function {
	return []*function{
		{
			Function: Function{
				Signature: "format_number(x number[, digits integer[, locale string]]) string",
				Doc: "Writes a number as the language does (en, de, pt-BR, …), with so many digits behind the point; without digits, or with -1, as many " +
					"as it has. In a response the locale of the fill counts when none is named, elsewhere en.",
				Example: `format_number(1234567.5, 2, "de") == "1.234.567,50"`,
			},
			call: formatNumber, cost: 20,
		},
		{
			Function: Function{
				Signature: "local_date(time string|time, style string[, zone string[, locale string]]) string",
				Doc: "Writes a time as the language does: style is short, medium, long or full (with the weekday), time, or two of these such as " +
					"\"long time\". Languages: en, en-GB, de, fr, es, it, nl, pt; others are written as 2026-01-28.",
				Example: `local_date("2026-01-28T06:00:00Z", "full time", "UTC", "de") == "Mittwoch, 28. Januar 2026, 06:00"`,
			},
			call: localDate, cost: 20,
		},
		{
			Function: Function{
				Signature: "plural(count number, forms object[, locale string]) string",
				Doc: "Chooses the form for a count: zero, one, two, few, many or other as the language has them, or \"=0\" for exactly that; # stands for " +
					"the number.",
				Example: `plural(2, {one: "# row", other: "# rows"}) == "2 rows"`,
			},
			call: pluralForm, cost: 20,
		},
	}
}

// language returns the language of an argument, of the fill, or English. A tag that
// nobody knows is an error.
func (m *machine) language(name string) (language.Tag, error) {
	if name == "" && m.fill != nil {
		name = m.fill.locale
	}
	if name == "" || name == "en" {
		return language.English, nil
	}
	tag, err := language.Parse(name)
	if err != nil {
		return tag, fmt.Errorf("there is no language %s: write a tag such as de or pt-BR", quoted(name))
	}
	return tag, nil
}

const maxDigits = 20

func formatNumber(m *machine, a []any) (any, error) {
	tag, err := m.language(text(a, 2))
	if err != nil {
		return nil, err
	}
	digits := integer(a, 1, -1)
	if digits > maxDigits {
		return nil, fmt.Errorf("at most %d digits can be written, not %d", maxDigits, digits)
	}
	return numberText(tag, a[0], digits), nil
}

// numberText writes a number; fewer than 0 digits are as many as it has.
func numberText(tag language.Tag, x any, digits int) string {
	if f, ok := x.(float64); ok && digits > 0 && math.Abs(f) < 1e15 {
		x = roundHalfUp(f, digits)
	}
	if digits < 0 {
		_, fraction, _ := strings.Cut(strconv.FormatFloat(asFloat(x), 'f', -1, 64), ".")
		digits = min(len(fraction), maxDigits)
	}
	options := []number.Option{number.MaxFractionDigits(digits), number.MinFractionDigits(digits)}
	return message.NewPrinter(tag).Sprint(number.Decimal(x, options...))
}

// roundHalfUp rounds as people do: 0.125 to 0.13, whatever is nearest in binary.
func roundHalfUp(f float64, digits int) float64 {
	scaled, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', -1, 64)+"e"+strconv.Itoa(digits), 64)
	if err != nil {
		return f
	}
	out, err := strconv.ParseFloat(strconv.FormatFloat(math.Round(scaled), 'f', 0, 64)+"e-"+strconv.Itoa(digits), 64)
	if err != nil {
		return f
	}
	return out
}

func pluralForm(m *machine, a []any) (any, error) {
	tag, err := m.language(text(a, 2))
	if err != nil {
		return nil, err
	}
	forms, _ := a[1].(map[string]any)
	written := numberText(tag, a[0], -1)
	exact := ""
	if s, err := m.textOf(a[0]); err == nil {
		exact = "=" + s
	}
	for _, name := range []string{exact, category(tag, a[0]), "other"} {
		if form, ok := forms[name]; ok {
			s, err := m.textOf(canonical(form))
			if err != nil {
				return nil, err
			}
			if err := m.grow(strings.Count(s, "#") * len(written)); err != nil {
				return nil, err
			}
			return strings.ReplaceAll(s, "#", written), nil
		}
	}
	return nil, fmt.Errorf("the forms have no %q and no other", category(tag, a[0]))
}

// category returns the plural category of a number in a language.
func category(tag language.Tag, x any) string {
	plain := strconv.FormatFloat(math.Abs(asFloat(x)), 'f', -1, 64)
	whole, fraction, _ := strings.Cut(plain, ".")
	i, err := strconv.Atoi(whole[max(len(whole)-9, 0):]) // the rules look at the last digits
	if err != nil {
		return "other"
	}
	f, err := strconv.Atoi("0" + fraction[:min(len(fraction), 9)])
	if err != nil {
		return "other"
	}
	v := len(fraction)
	switch cldr.Cardinal.MatchPlural(tag, i, v, v, f, f) {
	case cldr.Zero:
		return "zero"
	case cldr.One:
		return "one"
	case cldr.Two:
		return "two"
	case cldr.Few:
		return "few"
	case cldr.Many:
		return "many"
	default:
		return "other"
	}
}

func asFloat(x any) float64 {
	f, _ := toFloat(x)
	return f
}

func localDate(m *machine, a []any) (any, error) {
	t, ok := a[0].(time.Time)
	if !ok {
		v, err := readDate(m, a[:1])
		if err != nil {
			return nil, err
		}
		t, _ = v.(time.Time)
	}
	if zone := text(a, 2); zone != "" {
		z, err := m.zone(zone)
		if err != nil {
			return nil, err
		}
		t = t.In(z)
	}
	tag, err := m.language(text(a, 3))
	if err != nil {
		return nil, err
	}
	cal := calendarOf(tag)
	var parts []string
	for style := range strings.FieldsSeq(text(a, 1)) {
		layout, ok := cal.styles[style]
		if !ok {
			return nil, fmt.Errorf("the style is short, medium, long, full or time, not %s", quoted(style))
		}
		parts = append(parts, cal.write(t, layout))
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("a style is wanted: short, medium, long, full or time")
	}
	return strings.Join(parts, cal.between), nil
}
