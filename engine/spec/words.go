package spec

import (
	"strconv"
	"strings"

	"github.com/weft-engine/weft/engine/source"
)

// listWords joins words as in a sentence: a, b or c.
func listWords(words []string, last string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

// kindWords names a value's kind for people.
func kindWords(v *source.Value) string {
	switch v.Kind {
	case source.Null:
		return "nothing"
	case source.Bool:
		return strconv.FormatBool(v.Bool)
	case source.Number:
		return "the number " + shorten(v.Text)
	case source.String:
		return "a text"
	case source.List:
		return "a list"
	case source.Map:
		return "a map"
	}
	return "something else"
}

const maxShown = 40

// shorten cuts a text that is shown in a message.
func shorten(s string) string {
	if r := []rune(s); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return s
}

// quoted shows a text of the user in a message.
func quoted(s string) string { return strconv.Quote(shorten(s)) }
