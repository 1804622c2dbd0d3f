// Package facts compares what two texts say: whether a text that was put in other words
// still has every amount, date, name, address, link and code of the first, and no amount,
// date, link, address or code that the first has not. Amounts and dates count in words
// too, in those of English.
//
// It is strict where it can be and silent where it cannot: facts that are words of the
// language (which of two people pays) are beyond it.
package facts

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Result is what a comparison found.
type Result struct {
	Lost  []string // facts of the first text that the second has not
	Added []string // facts of the second text that the first has not
	Moved bool     // the numbers stand in another order
}

// Same reports whether no fact changed.
func (r Result) Same() bool { return len(r.Lost) == 0 && len(r.Added) == 0 && !r.Moved }

// maxShown bounds how many facts a Result lists of a kind.
const maxShown = 10

// Compare compares a text with the one that is to replace it. keep are texts that were
// put into the first on purpose; short ones must be in the second as they are.
func Compare(before, after string, keep []string) Result {
	a, b := read(before), read(after)
	return Result{Lost: lost(a, b, fold(after), keep), Added: added(a, b), Moved: moved(a.numbers, b.numbers)}
}

func lost(a, b reading, after string, keep []string) []string {
	var out found
	for _, s := range keep {
		if isLiteral(s) && !within(after, fold(s)) {
			out.add(strings.TrimSpace(s))
		}
	}
	for _, f := range a.hard.all {
		if !b.hard.has(f) {
			out.add(f)
		}
	}
	for _, name := range a.names.all {
		if len(out) == maxShown {
			return out
		}
		if !b.names.has(name) && !within(after, fold(name)) {
			out.add(name)
		}
	}
	if a.turned && !b.turned {
		out.add("not")
	}
	return out
}

func added(a, b reading) []string {
	var out found
	for _, f := range b.hard.all {
		if !a.hard.has(f) {
			out.add(f)
		}
	}
	for _, day := range b.days.all {
		if !a.hints.has(day) {
			out.add(day)
		}
	}
	if b.turned && !a.turned {
		out.add("not")
	}
	return out
}

// found is what a Result lists of a kind: each once, and not too many.
type found []string

func (f *found) add(s string) {
	if len(*f) < maxShown && !slices.Contains(*f, s) {
		*f = append(*f, s)
	}
}

// moved reports whether the numbers that both have stand in another order.
func moved(a, b set) bool {
	last := 0
	for _, n := range a.all {
		at, ok := b.at[n]
		if ok && at < last {
			return true
		}
		last = max(last, at)
	}
	return false
}

// set is texts, each once, in the order in which they first stand.
type set struct {
	all []string
	at  map[string]int // index in all
}

func (s *set) add(f string) {
	if s.has(f) {
		return
	}
	if s.at == nil {
		s.at = map[string]int{}
	}
	s.at[f] = len(s.all)
	s.all = append(s.all, f)
}

func (s *set) has(f string) bool {
	_, ok := s.at[f]
	return ok
}

// reading is the facts of a text.
type reading struct {
	hard    set  // links, addresses, numbers with what belongs to them or in words, codes, as they compare
	numbers set  // those of hard that are numbers in digits
	days    set  // days and months, as they compare
	hints   set  // days, and words that may be meant as one
	names   set  // words with a capital inside a sentence, and those of days and months
	turned  bool // the text denies something
}

// digits are a number with the signs that group it, or a date or a time.
const digits = `\pN+(?:[.,:/'\x{a0}\x{202f}-]\pN+)*`

var (
	links     = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"']+`)
	addresses = regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+`)
	amounts   = regexp.MustCompile(`\p{Sc}\s?[-+]?` + digits + `|[-+]?` + digits + `(\s?%|\s?\p{Sc})?`)
	quoted    = regexp.MustCompile("`[^`\n]+`")
)

// plainSigns writes typographic signs as keyboards have them.
var plainSigns = strings.NewReplacer("’", "'", "‘", "'", "“", "\"", "”", "\"", "–", "-", "—", "-", "−", "-", "‑", "-")

func read(s string) reading {
	s = plainSigns.Replace(s)
	r := reading{}
	if strings.Contains(s, "://") || strings.Contains(strings.ToLower(s), "www.") {
		s = r.take(s, links, func(f string) string { return strings.TrimRight(f, ".,;:!?)]}'\"") })
	}
	if strings.Contains(s, "@") {
		s = r.take(s, addresses, strings.ToLower)
	}
	if strings.Contains(s, "`") {
		s = r.take(s, quoted, func(f string) string { return f })
	}
	s = r.codes(s)
	if !strings.ContainsFunc(s, unicode.IsNumber) {
		return r
	}
	for f := range amountsIn(s) {
		r.hard.add(f)
		r.numbers.add(f)
	}
	return r
}

// amountsIn yields the amounts of a text. A currency between two numbers belongs to the
// one that it touches: "5 €5" is 5 and €5.
func amountsIn(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			at := amounts.FindStringSubmatchIndex(s)
			if at == nil {
				return
			}
			end := at[1]
			if next, _ := utf8.DecodeRuneInString(s[end:]); at[2] >= 0 && unicode.IsNumber(next) {
				end = at[2]
			}
			if !yield(amount(s[at[0]:end])) {
				return
			}
			s = s[end:]
		}
	}
}

// take moves what matches from the text to the facts.
func (r *reading) take(s string, re *regexp.Regexp, form func(string) string) string {
	return re.ReplaceAllStringFunc(s, func(f string) string {
		r.hard.add(form(f))
		return " "
	})
}

// amount makes amounts that are written differently the same: "€ 12" and "€12".
func amount(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return -1
		}
		return c
	}, strings.TrimLeft(s, "+"))
}

// codes takes words that mix letters with digits or that are in capitals, and notes the
// names.
func (r *reading) codes(s string) string {
	var b strings.Builder
	begin := true // of a sentence
	last := 0
	for _, at := range wordsIn(s) {
		between := s[last:at[0]]
		begin = begin || strings.ContainsAny(between, ".!?:;\n\"(•")
		b.WriteString(between)
		word := strings.TrimRight(s[at[0]:at[1]], ".-/'")
		r.turned = r.turned || denies(word)
		r.dates(word, s[at[1]:], begin)
		switch {
		case isCode(word):
			r.hard.add(strings.ToUpper(word))
			b.WriteString(" ")
		case isName(word, begin):
			r.names.add(word)
			b.WriteString(word)
		default:
			b.WriteString(word)
		}
		b.WriteString(s[at[0]+len(word) : at[1]])
		begin = strings.ContainsAny(s[at[0]+len(word):at[1]], ".")
		last = at[1]
	}
	b.WriteString(s[last:])
	return b.String()
}

// wordsIn returns where words are, with the signs that codes have inside.
func wordsIn(s string) [][2]int {
	var out [][2]int
	from := -1
	for i, c := range s {
		letter := unicode.IsLetter(c) || unicode.IsNumber(c)
		switch {
		case from < 0 && letter:
			from = i
		case from >= 0 && !letter && !unicode.IsMark(c) && !strings.ContainsRune("_'#/.-", c):
			out, from = append(out, [2]int{from, i}), -1
		}
	}
	if from >= 0 {
		out = append(out, [2]int{from, len(s)})
	}
	return out
}

// denies reports whether a word turns a statement around.
func denies(word string) bool {
	if len(word) < 2 || len(word) > 8 {
		return strings.HasSuffix(word, "n't")
	}
	switch strings.ToLower(word) {
	case "not", "no", "never", "none", "nothing", "nobody", "cannot", "without", "neither", "nor":
		return true
	}
	return strings.HasSuffix(word, "n't")
}

// isCode reports whether a word mixes letters and digits, or is an abbreviation.
func isCode(word string) bool {
	letters, digits, capitals := 0, 0, 0
	for _, c := range word {
		switch {
		case unicode.IsDigit(c):
			digits++
		case unicode.IsUpper(c):
			capitals++
			letters++
		case unicode.IsLetter(c):
			letters++
		}
	}
	return digits > 0 && letters > 0 || capitals >= 2 && capitals == letters
}

// isName reports whether a word is a name: it has a capital where none is needed.
func isName(word string, begin bool) bool {
	first := []rune(word)[0]
	if !unicode.IsUpper(first) || word == "I" || strings.HasPrefix(word, "I'") {
		return false
	}
	return !begin || dayOrMonth(word)
}

// maxLiteral and maxWords bound what counts as a literal: longer texts are prose, of
// which only the facts have to stay.
const (
	maxLiteral = 120
	maxWords   = 6
)

// isLiteral reports whether a text that was put in must stay as it is.
func isLiteral(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && len(s) <= maxLiteral && len(strings.Fields(s)) <= maxWords && !strings.ContainsAny(s, "\n") && !strings.ContainsAny(s[len(s)-1:], ".!?")
}

// fold makes texts that differ in case, white space and typographic signs the same.
func fold(s string) string {
	return strings.Join(strings.Fields(strings.ToLower(plainSigns.Replace(s))), " ")
}

// within reports whether part stands in s as words of its own.
func within(s, part string) bool {
	if part == "" {
		return true
	}
	for from := 0; ; {
		i := strings.Index(s[from:], part)
		if i < 0 {
			return false
		}
		at := from + i
		if edge(s, at) && edge(s, at+len(part)) {
			return true
		}
		from = at + len(part)
	}
}

// edge reports whether no word goes on over a place in s.
func edge(s string, at int) bool {
	isWord := func(r rune, _ int) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	before, after := isWord(utf8.DecodeLastRuneInString(s[:at])), isWord(utf8.DecodeRuneInString(s[at:]))
	return !before || !after
}
