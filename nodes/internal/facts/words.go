package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordIs says what a word of English tells of amounts and dates.
type wordIs int

const (
	plainWord  wordIs = iota
	amountWord        // two, dozen
	dayWord           // Monday, april, tomorrow: a day or a month wherever it stands
	shortDay          // Mon, Apr: with a capital only
	otherDay          // May, Sat: words with other meanings, too
)

func meaning(part string) wordIs {
	switch part {
	case "zero", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
		"fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty",
		"ninety", "hundred", "hundreds", "thousand", "thousands", "million", "millions", "billion", "billions", "dozen", "dozens":
		return amountWord
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "april", "june", "july",
		"august", "september", "october", "november", "december", "today", "tonight", "tomorrow", "yesterday", "noon", "midnight":
		return dayWord
	case "mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "jan", "feb", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec":
		return shortDay
	case "march", "may", "mar", "sat", "sun":
		return otherDay
	}
	return plainWord
}

// longestMeaning is how long the words are that mean something.
const longestMeaning = len("seventeen")

// dates notes the amounts and days that a word, or a part of it, tells of. rest is what
// comes after it.
func (r *reading) dates(word, rest string, begin bool) {
	for part := range strings.FieldsFuncSeq(word, func(c rune) bool { return c == '-' || c == '/' || c == '\'' || c == '.' }) {
		if len(part) > longestMeaning {
			continue
		}
		low := strings.ToLower(part)
		is := meaning(low)
		switch is {
		case plainWord:
			continue
		case amountWord:
			r.hard.add(low)
			continue
		case dayWord, shortDay, otherDay:
		}
		first, _ := utf8.DecodeRuneInString(part)
		r.hints.add(day(low))
		if is == dayWord || unicode.IsUpper(first) && (is == shortDay || !begin || numbered(rest)) {
			r.days.add(day(low))
		}
	}
}

// calendar are the days and months in full.
var calendar = []string{
	"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "January", "February", "March", "April", "May", "June",
	"July", "August", "September", "October", "November", "December",
}

// day is a day or a month as it compares: Fri is Friday.
func day(low string) string {
	for _, name := range calendar {
		if strings.EqualFold(name[:3], low[:3]) {
			return name
		}
	}
	return low
}

// numbered reports whether a number comes next, as in May 5.
func numbered(rest string) bool {
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " ."))
	return unicode.IsNumber(next)
}

// dayOrMonth reports whether a word with a capital names a day or a month, and nothing else.
func dayOrMonth(word string) bool {
	is := meaning(strings.ToLower(word))
	return is == dayWord || is == shortDay
}
