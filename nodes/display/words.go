package display

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordLimit bounds what of a frame is quoted in a sentence, in letters.
const wordLimit = 200

// fill writes values into a wording: pairs of a name and a value. A value is never read
// as a wording again.
func fill(wording any, pairs ...string) string {
	text, _ := wording.(string)
	if !strings.Contains(text, "{") {
		return text
	}
	args := make([]string, len(pairs))
	for i, p := range pairs {
		if i%2 == 0 {
			args[i] = "{" + p + "}"
		} else {
			args[i] = cut(p, wordLimit)
		}
	}
	return strings.NewReplacer(args...).Replace(text)
}

// cut shortens a text to so many letters.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return string(r[:most-1]) + "…"
}

// label makes words of a name: due_date is Due date.
func label(name string) string {
	s := strings.TrimSpace(strings.NewReplacer("_", " ", "-", " ").Replace(name))
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return name
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// textOf returns a text as it is and "" for anything else.
func textOf(v any) string {
	s, _ := v.(string)
	return s
}

// plainText writes a value for people: lists with commas, objects as "Name: value".
func (s *settings) plainText(v any) string { return s.plain(v, 0) }

// maxParts and maxDepth bound what is written of a value inside a value.
const (
	maxParts = 100
	maxDepth = 3
)

func (s *settings) plain(v any, depth int) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		if v {
			return textOf(s.labels["yes"])
		}
		return textOf(s.labels["no"])
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		parts := make([]string, 0, min(len(v), maxParts))
		for i, item := range v {
			if i == maxParts || depth == maxDepth {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, s.plain(item, depth+1))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		parts := make([]string, 0, min(len(v), maxParts))
		for i, key := range sortedKeys(v) {
			if i == maxParts || depth == maxDepth {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, label(key)+": "+s.plain(v[key], depth+1))
		}
		return strings.Join(parts, ", ")
	}
	return ""
}
