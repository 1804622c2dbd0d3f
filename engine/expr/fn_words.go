package expr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordFunctions look at texts as words.
func wordFunctions() []*function {
	return []*function{
		{
			Function: Function{
				Signature: "words(text string) list", Doc: "Returns the words of the text in lower case, without punctuation.",
				Example: `words("Lunch, booked: 2!") == ["lunch", "booked", "2"]`,
			},
			call: wordsOf,
		},
		{
			Function: Function{
				Signature: "similarity(a string, b string) number",
				Doc:       "Returns how many of the words of both texts are in both, from 0 (none) to 1 (the same words).",
				Example:   `similarity("Lunch booked.", "Dinner booked.") > 0.3 and similarity("a b", "b a") == 1`,
			},
			call: similarity,
		},
		{
			Function: Function{
				Signature: "tokens(text string) integer",
				Doc: "Estimates how many tokens a model makes of the text: one for each four letters of a word and for each other sign. The same for every " +
					"model, and no model's own count.",
				Example: `tokens("Booked.") == 3`,
			},
			call: func(m *machine, a []any) (any, error) {
				s := text(a, 0)
				return tokenCount(s), m.spend(len(s) / 64)
			},
		},
		{
			Function: Function{
				Signature: "is_pattern(text string) boolean", Doc: "Reports whether `matches` can read the text as a pattern.",
				Example: `is_pattern("[0-9]+") and not is_pattern("[")`,
			},
			call: func(_ *machine, a []any) (any, error) {
				_, _, err := compilePattern(text(a, 0))
				return err == nil, nil
			},
			cost: 100,
		},
	}
}

func isSeparator(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

func wordsOf(m *machine, a []any) (any, error) {
	parts := strings.FieldsFunc(strings.ToLower(text(a, 0)), isSeparator)
	if err := m.list(2 * len(parts)); err != nil {
		return nil, err
	}
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return out, nil
}

func similarity(m *machine, a []any) (any, error) {
	seen := map[string]int{}
	for i := range 2 {
		parts := strings.FieldsFunc(strings.ToLower(text(a, i)), isSeparator)
		if err := m.list(4 * len(parts)); err != nil {
			return nil, err
		}
		for _, p := range parts {
			seen[p] |= 1 << i
		}
	}
	both := 0
	for _, in := range seen {
		if in == 3 {
			both++
		}
	}
	if len(seen) == 0 {
		return 0.0, nil
	}
	return float64(both) / float64(len(seen)), nil
}

// tokenCount estimates tokens: a word of n letters of the Latin script has one for each
// four of them, every other letter and sign one; white space none.
func tokenCount(s string) int {
	n, run := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r >= 0xC0 && r < 0x250 {
			if run%4 == 0 {
				n++
			}
			run++
			continue
		}
		run = 0
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}
