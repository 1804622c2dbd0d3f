package shape

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-engine/weft/engine/source"
)

// kindOf returns the kind of plain data; 0 when it is none.
func kindOf(v any) kinds {
	switch v := v.(type) {
	case nil:
		return kNull
	case bool:
		return kBool
	case int:
		return kInt
	case float64:
		if v == math.Trunc(v) {
			return kInt
		}
		return kFloat
	case string:
		return kString
	case []any:
		return kList
	case map[string]any:
		return kObject
	}
	return 0
}

func asNumber(v *source.Value) (float64, bool) {
	if v == nil || v.Kind != source.Number {
		return 0, false
	}
	switch x := v.Go().(type) {
	case int:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

// article names a kind with its article.
func article(k source.Kind) string {
	if k == source.String {
		return "text"
	}
	return withArticle(k.String())
}

// clip shortens text to n runes.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return strings.ToValidUTF8(s, "�")
	}
	runes := []rune(s[:min(len(s), 4*n)])
	return string(runes[:n]) + "…"
}

// show prints a value for people, shortened.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", clip(v, 40))
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		return fmt.Sprintf("an object of %d", len(v))
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("a %T", v)
	}
	return string(data)
}

// pointer returns a JSON pointer.
func pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(escape(t))
	}
	return b.String()
}

func escape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// unescape undoes what a reference does to a name.
func unescape(token string) string {
	if s, err := url.PathUnescape(token); err == nil {
		token = s
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
